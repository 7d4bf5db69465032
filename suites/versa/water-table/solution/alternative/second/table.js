(() => {
  const COLUMNS = ["id", "river", "ph", "note"];
  const WAYS = { up: "ascending", down: "descending" };
  const body = document.querySelector("tbody");
  const field = document.getElementById("filter");
  const status = document.querySelector("[role=status]");
  const heads = [...document.querySelectorAll("thead th")];
  const rows = new Map(window.SAMPLES.map((sample) => [sample, row(sample)]));
  let order = { key: "", dir: "" };
  let focused = null; // the row that had the focus last

  function row(sample) {
    const made = document.createElement("tr");
    made.setAttribute("aria-selected", "false");
    for (const key of COLUMNS) made.insertCell().textContent = sample[key] ?? "";
    return made;
  }

  function draw() {
    const now = shown(window.SAMPLES, field.value, order.key, order.dir === "down").map((sample) => rows.get(sample));
    body.replaceChildren(...now);
    heads.forEach((head, number) => {
      if (COLUMNS[number] === order.key) head.setAttribute("aria-sort", WAYS[order.dir]);
      else head.removeAttribute("aria-sort");
    });
    stop();
    count();
  }

  /** Lets Tab come to one row alone. */
  function stop() {
    const one = focused?.isConnected ? focused : body.rows[0];
    for (const each of rows.values()) each.tabIndex = each === one ? 0 : -1;
  }

  function isMarked(each) {
    return each.getAttribute("aria-selected") === "true";
  }

  function count() {
    const marked = [...rows.values()].filter(isMarked).length;
    status.textContent = `${body.rows.length} of ${rows.size} samples, ${marked} marked`;
  }

  function mark(one) {
    one.setAttribute("aria-selected", String(!isMarked(one)));
    count();
  }

  function read() {
    const said = new URLSearchParams(window.location.hash.slice(1));
    const [key, dir] = [said.get("key"), said.get("dir")];
    order = COLUMNS.includes(key) && Object.hasOwn(WAYS, dir) ? { key, dir } : { key: "", dir: "" };
    field.value = said.get("q") ?? "";
    draw();
  }

  function write() {
    const { pathname, search } = window.location;
    const saying = Object.entries({ q: field.value, ...order }).filter(([, value]) => value !== "");
    const hash = saying.length ? `#${new URLSearchParams(saying)}` : "";
    window.history.replaceState(window.history.state, "", pathname + search + hash);
  }

  heads.forEach((head, number) => {
    head.querySelector("button").addEventListener("click", () => {
      const key = COLUMNS[number];
      order = { key, dir: order.key === key && order.dir === "up" ? "down" : "up" };
      draw();
      write();
    });
  });

  field.addEventListener("input", () => {
    draw();
    write();
  });

  body.addEventListener("focusin", (event) => {
    focused = event.target.closest("tr");
    stop();
  });

  body.addEventListener("click", (event) => {
    const one = event.target.closest("tr");
    one.focus();
    mark(one);
  });

  // What each key does on a row; the number is the one of the row that is to have the focus then.
  const KEYS = {
    ArrowDown: (at, last) => Math.min(at + 1, last),
    ArrowUp: (at) => Math.max(at - 1, 0),
    Home: () => 0,
    End: (at, last) => last,
    " ": (at) => at,
  };

  body.addEventListener("keydown", (event) => {
    const { key, repeat } = event;
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || !Object.hasOwn(KEYS, key)) return;
    event.preventDefault();
    const one = event.target.closest("tr");
    const next = body.rows[KEYS[key](one.sectionRowIndex, body.rows.length - 1)];
    if (next !== one) next.focus();
    else if (key === " " && !repeat) mark(one);
  });

  window.addEventListener("hashchange", read);

  read();
})();
