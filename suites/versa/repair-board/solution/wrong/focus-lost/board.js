const KEY = "repair-board";
const { COLUMNS, CARDS } = window;
const board = document.getElementById("board");
const status = document.querySelector("[role=status]");
const titles = Object.fromEntries([...COLUMNS, ...CARDS].map((one) => [one.id, one.title]));
const buttons = Object.fromEntries(CARDS.map((card) => [card.id, made("button", card.title)]));
const items = Object.fromEntries(CARDS.map((card) => [card.id, made("li", "")]));
const columns = COLUMNS.map(section);
let places = arranged(COLUMNS, CARDS, localStorage.getItem(KEY));
let lifted = null;
let before = null;
let moving = false;
let dragged = null;

function made(name, text) {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}

function section(column) {
  const element = made("section", "");
  const heading = made("h2", "");
  const list = made("ul", "");
  list.setAttribute("role", "list");
  list.setAttribute("aria-label", column.title);
  element.dataset.column = column.id;
  element.append(heading, list);
  board.append(element);
  return { column, heading, list };
}

function draw() {
  const focused = document.activeElement;
  moving = true;
  for (const { column, heading, list } of columns) {
    const ids = places[column.id];
    const count = column.limit === null ? ids.length : `${ids.length} of ${column.limit}`;
    heading.textContent = `${column.title} (${count})`;
    list.append(...ids.map((id) => items[id]));
  }
  moving = false;
  for (const id of Object.keys(buttons)) buttons[id].setAttribute("aria-pressed", String(id === lifted));
}

function where(id) {
  const { column } = columns.find((one) => places[one.column.id].includes(id));
  return { column: column.id, at: places[column.id].indexOf(id) };
}

function say(word, id) {
  const { column, at } = where(id);
  status.textContent = `${word}${titles[id]}, ${titles[column]}, ${at + 1} of ${places[column].length}`;
}

function drop(id) {
  lifted = null;
  localStorage.setItem(KEY, JSON.stringify(places));
  draw();
  say("Dropped ", id);
}

function press(id) {
  if (lifted === id) return drop(id);
  lifted = id;
  before = places;
  draw();
  say("Lifted ", id);
}

function arrow(id, key) {
  const { column, at } = where(id);
  const here = COLUMNS.findIndex((one) => one.id === column);
  let next = null;
  if (key === "ArrowUp") next = moved(COLUMNS, places, id, column, at - 1);
  if (key === "ArrowDown") next = moved(COLUMNS, places, id, column, at + 1);
  const step = key === "ArrowLeft" ? -1 : 1;
  for (let to = here + step; !next && COLUMNS[to]; to += step) next = moved(COLUMNS, places, id, COLUMNS[to].id, at);
  places = next ?? places;
  draw();
  say("", id);
}

for (const { id } of CARDS) {
  const button = buttons[id];
  items[id].append(button);
  items[id].dataset.card = id;
  button.type = "button";
  button.addEventListener("click", () => press(id));
  button.addEventListener("blur", () => {
    if (lifted === id && !moving) drop(id);
  });
  button.addEventListener("keydown", (event) => {
    if (lifted !== id) return;
    if (event.key.startsWith("Arrow")) {
      event.preventDefault();
      arrow(id, event.key);
    } else if (event.key === "Escape") {
      places = before;
      lifted = null;
      draw();
      say("Put back ", id);
    }
  });
  items[id].addEventListener("pointerdown", (event) => {
    items[id].releasePointerCapture(event.pointerId);
    dragged = id;
  });
}

document.addEventListener("pointerup", (event) => {
  const id = dragged;
  const place = document.elementFromPoint(event.clientX, event.clientY);
  const column = place?.closest("section")?.dataset.column;
  const card = place?.closest("li")?.dataset.card;
  dragged = null;
  if (!id || !column || card === id) return;
  const others = places[column].filter((one) => one !== id);
  const next = moved(COLUMNS, places, id, column, card ? others.indexOf(card) : others.length);
  if (!next) status.textContent = `${titles[column]} is full`;
  else {
    places = next;
    drop(id);
  }
});

draw();
