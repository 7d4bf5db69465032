(() => {
  const KEY = "repair-board";
  const FAR = 5; // pixels from which on a press of the mouse is a drag
  const columns = window.COLUMNS;
  const board = document.getElementById("board");
  const status = document.querySelector("[role=status]");
  const parts = new Map(); // column id -> its heading and list
  const buttons = new Map(); // card id -> its button, which stays the same wherever it goes
  const idOf = new Map(); // and back
  let places = arranged(columns, window.CARDS, memory());
  let lifted = null; // {id, before}: the card that is lifted, and where all were before
  let press = null; // {id, x, y, far}: the card under a pressed pointer, and where that began
  let drawing = false;
  let deaf = false; // the click that ends a drag is none

  function memory(text) {
    try {
      return text === undefined ? localStorage.getItem(KEY) : localStorage.setItem(KEY, text);
    } catch {
      return null; // a browser that stores nothing
    }
  }

  function element(tag, attributes = {}, text = "") {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.textContent = text;
    return made;
  }

  function build() {
    for (const { id, title } of columns) {
      const section = element("section");
      const heading = element("h2");
      const list = element("ul", { role: "list", "aria-label": title });
      section.append(heading, list);
      section.dataset.column = id;
      board.append(section);
      parts.set(id, { heading, list });
    }
    for (const { id, title } of window.CARDS) {
      const button = element("button", { type: "button", "aria-pressed": "false" }, title);
      buttons.set(id, button);
      idOf.set(button, id);
    }
  }

  function draw() {
    const focused = document.activeElement;
    drawing = true;
    for (const { id, title, limit } of columns) {
      const { heading, list } = parts.get(id);
      const cards = places[id];
      heading.textContent = `${title} (${cards.length}${limit === null ? "" : ` of ${limit}`})`;
      const now = [...list.children].map((item) => idOf.get(item.firstChild));
      if (now.length !== cards.length || now.some((id, at) => id !== cards[at])) {
        list.replaceChildren(
          ...cards.map((card) => {
            const item = element("li");
            item.append(buttons.get(card));
            return item;
          }),
        );
      }
    }
    for (const [id, button] of buttons) button.setAttribute("aria-pressed", String(lifted?.id === id));
    if (idOf.has(focused) && document.activeElement !== focused) focused.focus();
    drawing = false;
  }

  /** The column of a card, its number among the columns, and the number of cards above it. */
  function where(id) {
    const number = columns.findIndex((column) => places[column.id].includes(id));
    const column = columns[number];
    return { column, number, above: places[column.id].indexOf(id) };
  }

  function say(id, word = "") {
    const { column, above } = where(id);
    const title = buttons.get(id).textContent;
    status.textContent = `${word} ${title}, ${column.title}, ${above + 1} of ${places[column.id].length}`.trim();
  }

  function lift(id) {
    lifted = { id, before: places };
    buttons.get(id).focus();
    draw();
    say(id, "Lifted");
  }

  function drop(id) {
    lifted = null;
    memory(JSON.stringify(places));
    draw();
    say(id, "Dropped");
  }

  function putBack({ id, before }) {
    lifted = null;
    places = before;
    draw();
    say(id, "Put back");
  }

  function go(id, targets) {
    for (const [column, position] of targets) {
      const next = moved(columns, places, id, column.id, position);
      if (next) {
        places = next;
        break;
      }
    }
    draw();
    say(id);
  }

  // Where each arrow key may take a card, the best first.
  const ARROWS = {
    ArrowUp: ({ column, above }) => [[column, above - 1]],
    ArrowDown: ({ column, above }) => [[column, above + 1]],
    ArrowLeft: ({ number, above }) => columns.slice(0, number).reverse().map((column) => [column, above]),
    ArrowRight: ({ number, above }) => columns.slice(number + 1).map((column) => [column, above]),
  };

  board.addEventListener("keydown", (event) => {
    const { key } = event;
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    const id = idOf.get(event.target);
    if (event.repeat && (key === "Enter" || key === " ")) event.preventDefault();
    if (id === undefined || lifted?.id !== id) return;
    if (Object.hasOwn(ARROWS, key)) go(id, ARROWS[key](where(id)));
    else if (key === "Escape") putBack(lifted);
    else return;
    event.preventDefault();
  });

  // Enter and Space click a button, too.
  board.addEventListener("click", (event) => {
    const id = idOf.get(event.target.closest("button"));
    if (id === undefined || (deaf && event.detail > 0)) return;
    if (lifted?.id === id) drop(id);
    else lift(id);
  });

  board.addEventListener("focusout", (event) => {
    // While another window has the focus, the card is still the active element of this one.
    if (drawing || !lifted || event.target === document.activeElement) return;
    if (idOf.get(event.target) === lifted.id) drop(lifted.id);
  });

  function dragged(event) {
    if (!press || event.pointerId !== press.pointer) return;
    const [x, y] = [event.clientX - press.x, event.clientY - press.y];
    press.far ||= Math.hypot(x, y) >= FAR;
    if (!press.far) return;
    const { style, classList } = buttons.get(press.id);
    classList.add("dragged");
    style.translate = `${x}px ${y}px`;
  }

  /** Ends the drag; gives what lies under the pointer then, but for the card itself. */
  function endDrag(event) {
    const { id } = press;
    const under = document.elementFromPoint(event.clientX, event.clientY);
    const button = buttons.get(id);
    button.classList.remove("dragged");
    button.style.translate = "";
    press = null;
    return { id, under };
  }

  function released(event) {
    if (!press || event.pointerId !== press.pointer) return;
    dragged(event);
    if (!press.far) {
      press = null;
      return;
    }
    const { id, under } = endDrag(event);
    deaf = true;
    setTimeout(() => { deaf = false; });
    const section = under?.closest("#board section");
    if (!section) return;
    const column = columns.find((one) => one.id === section.dataset.column);
    const other = idOf.get(under.closest("button"));
    const rest = places[column.id].filter((card) => card !== id);
    const next = moved(columns, places, id, column.id, other === undefined ? rest.length : rest.indexOf(other));
    if (next) {
      places = next;
      drop(id);
    } else status.textContent = `${column.title} is full`;
  }

  board.addEventListener("pointerdown", (event) => {
    const id = idOf.get(event.target.closest("button"));
    deaf = false;
    if (id === undefined || event.button !== 0 || !event.isPrimary) return;
    press = { id, x: event.clientX, y: event.clientY, far: false, pointer: event.pointerId };
  });
  window.addEventListener("pointermove", dragged);
  window.addEventListener("pointerup", released);
  window.addEventListener("pointercancel", (event) => {
    if (press && event.pointerId === press.pointer) endDrag(event);
  });

  build();
  draw();
})();
