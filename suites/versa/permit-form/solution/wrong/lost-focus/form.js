const form = document.getElementById("form");
const fields = [...form.querySelectorAll("[name]")];
const title = document.title;
let tried = false;

function panel(id) {
  const element = document.createElement("div");
  element.id = id;
  element.hidden = true;
  form.before(element);
  return element;
}

const summary = panel("summary");
const done = panel("done");

function values() {
  return Object.fromEntries(fields.map((one) => [one.name, one.type === "checkbox" ? one.checked : one.value]));
}

function found() {
  return problems(values(), document.body.dataset.today);
}

function mark(wrong) {
  const messages = Object.fromEntries(wrong);
  for (const field of fields) {
    document.getElementById(`${field.id}-wrong`)?.remove();
    field.removeAttribute("aria-invalid");
    field.removeAttribute("aria-describedby");
    if (!messages[field.name]) continue;
    const message = element("span", messages[field.name]);
    message.id = `${field.id}-wrong`;
    message.className = "wrong";
    field.parentElement.append(message);
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", message.id);
  }
}

function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

function link([name, message]) {
  const item = document.createElement("li");
  const made = element("a", message);
  made.href = `#${name}`;
  made.addEventListener("click", (event) => {
    event.preventDefault();
    document.getElementById(name).focus();
  });
  item.append(made);
  return item;
}

function summarise(wrong) {
  const list = document.createElement("ul");
  list.append(...wrong.map(link));
  const head = wrong.length === 1 ? "There is 1 problem" : `There are ${wrong.length} problems`;
  summary.replaceChildren(element("h2", head), list);
  summary.hidden = false;
  summary.focus();
  document.title = `Error: ${title}`;
}

function grant() {
  const { plate, zone, start, weeks } = values();
  const last = lastDay(start.trim(), Number(weeks));
  const text = `${plate.replace(/[\s-]/g, "").toUpperCase()} in zone ${zone} until ${last}`;
  done.replaceChildren(element("h2", "Permit granted"), element("p", text));
  form.hidden = summary.hidden = true;
  done.hidden = false;
  done.focus();
  document.title = title;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const wrong = found();
  tried = true;
  mark(wrong);
  if (wrong.length) summarise(wrong);
  else grant();
});
form.addEventListener("change", () => {
  if (tried) mark(found());
});
