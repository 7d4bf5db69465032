const nav = document.querySelector("nav");
const main = document.querySelector("main");
const wide = matchMedia("(min-width: 800px)");
const here = location.pathname.split("/").pop() || "index.html";
const menu = toggle("Menu");
const entries = document.createElement("ul");
let open = null;

function toggle(title) {
  const button = document.createElement("button");
  button.textContent = title;
  button.setAttribute("aria-expanded", "false");
  return button;
}

function link({ title, href }) {
  const item = document.createElement("li");
  const made = document.createElement("a");
  made.textContent = title;
  made.href = href;
  if (href.split(/[?#]/)[0] === here) made.setAttribute("aria-current", "page");
  item.append(made);
  return item;
}

function group({ title, pages }) {
  const item = document.createElement("li");
  const button = toggle(title);
  const list = document.createElement("ul");
  list.hidden = true;
  list.append(...pages.map(link));
  item.append(button, list);
  button.addEventListener("click", () => show(open?.button === button ? null : { item, button, list }));
  return item;
}

function show(next) {
  for (const one of [open, next]) {
    if (!one) continue;
    one.list.hidden = one !== next;
    one.button.setAttribute("aria-expanded", String(one === next));
  }
  open = next;
}

function unfold(shown) {
  menu.setAttribute("aria-expanded", String(shown));
  entries.hidden = !shown && !wide.matches;
  if (entries.hidden) show(null);
}

menu.addEventListener("click", () => unfold(entries.hidden));
nav.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  if (open?.item.contains(event.target)) {
    open.button.focus();
    show(null);
  } else if (!wide.matches && !entries.hidden) {
    menu.focus();
    unfold(false);
  }
});
for (const kind of ["click"]) {
  document.addEventListener(kind, (event) => {
    if (open && !open.item.contains(event.target)) show(null);
  });
}
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
wide.addEventListener("change", () => {
  menu.hidden = wide.matches;
  unfold(false);
});
entries.append(...window.PAGES.map((page) => (page.pages ? group(page) : link(page))));
nav.append(menu, entries);
menu.hidden = wide.matches;
unfold(false);
