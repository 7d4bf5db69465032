(() => {
  const [field, list, code, status] = ["station", "stations", "code", "count"].map((id) => document.getElementById(id));
  let offered = []; // the stations in the list; it is open if there are some
  let active = -1; // the number of the active one

  /** Shows an open list of these stations, or, without any, a closed one. */
  function offer(stations, said) {
    offered = stations;
    list.replaceChildren(...stations.map(option));
    list.hidden = stations.length === 0;
    list.scrollTop = 0;
    field.setAttribute("aria-expanded", String(!list.hidden));
    attribute(field, "aria-controls", list.hidden ? null : list.id);
    activate(-1);
    if (status.textContent !== said) status.textContent = said;
  }

  function option({ name }, number) {
    const made = document.createElement("li");
    made.id = `station-option-${number}`;
    made.role = "option";
    made.textContent = name;
    return made;
  }

  function attribute(element, name, value) {
    if (value === null) element.removeAttribute(name);
    else element.setAttribute(name, value);
  }

  function activate(number) {
    active = number;
    [...list.children].forEach((one, at) => one.setAttribute("aria-selected", String(at === active)));
    const chosen = list.children[active];
    attribute(field, "aria-activedescendant", chosen ? chosen.id : null);
    chosen?.scrollIntoView({ block: "nearest" });
  }

  function suggest() {
    const found = findStations(window.STATIONS, field.value);
    const counted = found.length === 1 ? "1 station" : `${found.length || "No"} stations`;
    offer(found, field.value.trim() ? counted : "");
  }

  function close() {
    // What says that there are no stations belongs to the text, which stays.
    if (offered.length) offer([], "");
  }

  function choose({ name, code: letters }) {
    field.value = name;
    code.textContent = letters;
    offer([], "");
  }

  /** From one option to another, with "none" between the last and the first of them left out. */
  function step(by) {
    if (!offered.length) suggest();
    const count = offered.length;
    if (count) activate(active < 0 ? (by > 0 ? 0 : count - 1) : (active + by + count) % count);
  }

  const KEYS = {
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    Enter: () => active >= 0 && choose(offered[active]),
    Escape() {
      if (!offered.length) field.value = code.textContent = "";
      offer([], "");
    },
  };

  field.addEventListener("keydown", (event) => {
    const plain = !(event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || event.isComposing);
    if (!plain || !Object.hasOwn(KEYS, event.key)) return;
    event.preventDefault();
    KEYS[event.key]();
  });

  field.addEventListener("input", () => {
    code.textContent = "";
    suggest();
  });

  field.addEventListener("blur", close);

  // The mouse takes the focus from the field nowhere in the list.
  list.addEventListener("mousedown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => {
    const number = [...list.children].indexOf(event.target.closest("li"));
    if (number >= 0) choose(offered[number]);
  });
})();
