const field = document.getElementById("station");
const code = document.getElementById("code");
const count = document.getElementById("count");
const list = document.createElement("ul");
let found = [];
let active = -1;

list.id = "stations";
list.hidden = true;
list.setAttribute("role", "listbox");
list.setAttribute("aria-label", "Stations");
field.after(list);
field.setAttribute("role", "combobox");
field.setAttribute("aria-autocomplete", "list");

function show(stations) {
  found = stations;
  active = -1;
  list.hidden = found.length === 0;
  list.replaceChildren(...found.map(option));
  count.textContent = list.hidden ? "" : found.length === 1 ? "1 station" : `${found.length} stations`;
  field.setAttribute("aria-expanded", String(!list.hidden));
  field.removeAttribute("aria-activedescendant");
  if (list.hidden) field.removeAttribute("aria-controls");
  else field.setAttribute("aria-controls", list.id);
}

function option(station, at) {
  const item = document.createElement("li");
  item.id = `station-${at}`;
  item.setAttribute("role", "option");
  item.setAttribute("aria-selected", "false");
  item.textContent = station.name;
  item.addEventListener("click", () => choose(station));
  return item;
}

function activate(at) {
  active = at;
  [...list.children].forEach((item, number) => item.setAttribute("aria-selected", String(number === at)));
  field.setAttribute("aria-activedescendant", `station-${at}`);
  list.children[at].scrollIntoView({ block: "nearest" });
}

function choose(station) {
  field.value = station.name;
  code.textContent = station.code;
  show([]);
}

function move(step) {
  if (list.hidden) show(findStations(window.STATIONS, field.value));
  if (list.hidden) return;
  const from = active < 0 && step < 0 ? 0 : active;
  activate((from + step + found.length) % found.length);
}

field.addEventListener("input", () => {
  code.textContent = "";
  show(findStations(window.STATIONS, field.value));
  if (list.hidden && field.value.trim()) count.textContent = "No stations";
});
field.addEventListener("blur", () => setTimeout(() => show([]), 300));
field.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    move(event.key === "ArrowDown" ? 1 : -1);
  } else if (event.key === "Enter" && active >= 0) {
    event.preventDefault();
    choose(found[active]);
  } else if (event.key === "Escape") {
    if (list.hidden) field.value = code.textContent = "";
    show([]);
  }
});
show([]);
