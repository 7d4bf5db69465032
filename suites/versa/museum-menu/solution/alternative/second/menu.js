(() => {
  const nav = document.querySelector("nav");
  const wide = window.matchMedia("(min-width: 800px)");
  let opened = null; // the group that is open: {button, list}
  let pressed = false; // a mouse button is down: whatever its click will close must not move away before

  function make(tag, properties = {}, ...children) {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  }

  function disclosure(title, list, className) {
    const button = make("button", { type: "button", textContent: title, className });
    button.setAttribute("aria-expanded", "false");
    button.setAttribute("aria-controls", list.id);
    return button;
  }

  const here = pathOf(window.location);

  function pathOf(place) {
    return `${place.protocol}//${place.host}${place.pathname.replace(/\/$/, "/index.html")}`;
  }

  function link({ title, href }) {
    const made = make("a", { href, textContent: title });
    if (pathOf(made) === here) made.setAttribute("aria-current", "page");
    return made;
  }

  function group({ title, pages }, number) {
    const list = make("ul", { id: `group-${number}`, className: "pages", hidden: true }, ...pages.map((page) => make("li", {}, link(page))));
    const one = { list, button: disclosure(title, list, "group") };
    one.button.addEventListener("click", () => turn(opened === one ? null : one));
    // The room between the links takes the focus from nobody.
    list.addEventListener("mousedown", (event) => event.target.closest("a") ?? event.preventDefault());
    groups.push(one);
    return [one.button, list];
  }

  function turn(next) {
    opened = next;
    for (const one of groups) {
      one.list.hidden = one !== next;
      one.button.setAttribute("aria-expanded", String(one === next));
    }
    fit();
  }

  /** Shifts the open list to the left as far as it would stick out of the window. */
  function fit() {
    if (!opened || !wide.matches) return;
    const { list } = opened;
    list.style.setProperty("--shift", "0px");
    const { left, right } = list.getBoundingClientRect();
    const over = Math.ceil(right - document.documentElement.clientWidth);
    if (over > 0) list.style.setProperty("--shift", `${-Math.min(over, Math.floor(left))}px`);
  }

  function menu(state) {
    nav.dataset.menu = state;
    toggle.setAttribute("aria-expanded", String(state === "open"));
    if (state === "closed") turn(null);
  }

  const holds = (one, node) => one.button.contains(node) || one.list.contains(node);

  function leaveIfElsewhere() {
    if (opened && !pressed && !holds(opened, document.activeElement)) turn(null);
  }

  const groups = [];
  const entries = make("ul", { id: "entries", className: "entries" });
  const toggle = disclosure("Menu", entries, "toggle");
  window.PAGES.forEach((page, number) => entries.append(make("li", {}, ...(page.pages ? group(page, number) : [link(page)]))));
  nav.append(toggle, entries);
  menu("closed");

  toggle.addEventListener("click", () => menu(nav.dataset.menu === "open" ? "closed" : "open"));

  nav.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    const inside = opened && holds(opened, event.target);
    const { button } = inside ? opened : { button: toggle };
    if (inside) {
      button.focus();
      turn(null);
    } else if (!wide.matches && nav.dataset.menu === "open") {
      button.focus();
      menu("closed");
    }
  });

  document.addEventListener("click", (event) => {
    if (opened && !holds(opened, event.target)) turn(null);
  }, true);

  document.addEventListener("mousedown", () => { pressed = true; }, true);
  for (const end of ["mouseup", "dragend"]) document.addEventListener(end, () => { pressed = false; }, true);

  nav.addEventListener("focusout", (event) => {
    // Without a next element it may be the window that lost the focus: then the active element stays.
    if (event.relatedTarget) {
      if (opened && !pressed && !holds(opened, event.relatedTarget)) turn(null);
    } else setTimeout(leaveIfElsewhere);
  });

  wide.addEventListener("change", () => {
    const at = document.activeElement;
    const first = entries.querySelector("a, button");
    if (wide.matches) {
      nav.dataset.menu = "closed"; // shown all the same, by the style
      toggle.setAttribute("aria-expanded", "false");
      if (at === toggle || at === document.body && lastToggle) first?.focus();
      fit();
    } else {
      const within = lastEntry || entries.contains(at);
      menu("closed");
      if (within) toggle.focus();
    }
  });

  // What has the focus is lost as soon as the style hides it, which may be before the change above is told.
  let lastToggle = false;
  let lastEntry = false;
  document.addEventListener("focusin", (event) => {
    lastToggle = event.target === toggle;
    lastEntry = entries.contains(event.target);
  });
  document.addEventListener("mousedown", () => { lastToggle = lastEntry = false; }, true);

  window.addEventListener("resize", fit);

  document.querySelector(".skip").addEventListener("click", () => document.querySelector("main").focus());
})();
