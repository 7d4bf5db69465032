const body = document.querySelector("tbody");
const filter = document.getElementById("filter");
const status = document.querySelector("[role=status]");
const heads = [...document.querySelectorAll("th button")];
const keys = heads.map((head) => head.dataset.key);
const marked = new Set();
const rows = new Map(window.SAMPLES.map((sample) => [sample, rowOf(sample)]));
const asked = new URLSearchParams(location.hash.slice(1));
const known = keys.includes(asked.get("key")) && ["up", "down"].includes(asked.get("dir"));
let key = known ? asked.get("key") : "";
let down = known && asked.get("dir") === "down";
let current = null;

function rowOf(sample) {
  const row = document.createElement("tr");
  for (const name of keys) row.insertCell().textContent = sample[name];
  row.addEventListener("click", () => {
    row.focus();
    mark(sample);
  });
  row.addEventListener("focus", () => {
    current = row;
    reach(row);
  });
  row.addEventListener("keydown", (event) => {
    const all = [...body.rows];
    const at = all.indexOf(row);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1, " ": at }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    if (event.key === " ") mark(sample);
    else all[to]?.focus();
  });
  return row;
}

function mark(sample) {
  if (!marked.delete(sample)) marked.add(sample);
  tell();
}

function reach(row) {
  for (const one of body.rows) one.tabIndex = one === row ? 0 : -1;
}

function tell() {
  for (const [sample, row] of rows) row.setAttribute("aria-selected", String(marked.has(sample)));
  status.textContent = `${body.rows.length} of ${rows.size} samples, ${marked.size} marked`;
}

function show() {
  body.replaceChildren(...shown(window.SAMPLES, filter.value, key, down).map((sample) => rows.get(sample)));
  reach(current?.isConnected ? current : body.rows[0]);
  for (const head of heads) {
    if (head.dataset.key === key) head.parentElement.setAttribute("aria-sort", down ? "descending" : "ascending");
    else head.parentElement.removeAttribute("aria-sort");
  }
  tell();
}

function change() {
  show();
  const said = new URLSearchParams();
  if (filter.value) said.set("q", filter.value);
  if (key) said.set("key", key);
  if (key) said.set("dir", down ? "down" : "up");
  history.replaceState(null, "", said.size ? `#${said}` : location.pathname);
}

for (const head of heads) {
  head.addEventListener("click", () => {
    down = key === head.dataset.key && !down;
    key = head.dataset.key;
    change();
  });
}
filter.value = asked.get("q") ?? "";
filter.addEventListener("input", change);
show();
