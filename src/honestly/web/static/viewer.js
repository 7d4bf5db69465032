// The viewer's own script: theme, keys and their help. Pages work by links and forms; this makes them quick to use.
"use strict";

const keys = new Map();

/** Let a key do something; not while somebody types. */
function on(key, act) {
  keys.set(key, act);
}

/** Say something for a moment, to readers of the screen too. */
function say(text) {
  const place = document.getElementById("said");
  place.textContent = text;
  clearTimeout(say.timer);
  say.timer = setTimeout(() => { place.textContent = ""; }, 4000);
}

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select, [contenteditable]");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key.startsWith("Arrow") && event.target.closest(".scroll, [role=tablist]")) return;
  const own = help.open ? null : document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  const act = own ? () => own.click() : keys.get(event.key);
  if (act) {
    event.preventDefault();
    act(event);
  }
});

const root = document.documentElement;
const remembered = localStorage.getItem("theme");
if (remembered) root.dataset.theme = remembered;

document.getElementById("theme")?.addEventListener("click", () => {
  const next = { "": "dark", dark: "light", light: "" }[root.dataset.theme ?? ""];
  if (next) root.dataset.theme = next; else delete root.dataset.theme;
  localStorage.setItem("theme", next);
  say(`theme: ${next || "as the system has it"}`);
});

const help = document.getElementById("keys");
document.getElementById("help")?.addEventListener("click", () => help.showModal());
on("?", () => (help.open ? help.close() : help.showModal()));

// Figures: what is under the pointer says its value at once; a figure opens large, to zoom in and to move.
const tip = Object.assign(document.createElement("div"), { id: "tip", hidden: true });
tip.setAttribute("aria-hidden", "true");
document.body.append(tip);
document.addEventListener("pointerover", (event) => {
  const title = event.target.closest?.("svg *")?.querySelector(":scope > title"), text = title?.textContent ?? "";
  tip.hidden = !text;
  tip.textContent = text;
  if (title) { title.textContent = ""; event.target.addEventListener("pointerleave", () => { title.textContent = text; tip.hidden = true; }, { once: true }); }
});
document.addEventListener("pointermove", (event) => {
  if (tip.hidden) return;
  tip.style.left = `${Math.max(4, Math.min(event.clientX + 12, innerWidth - tip.offsetWidth - 8))}px`;
  tip.style.top = `${event.clientY + 18 + tip.offsetHeight > innerHeight ? event.clientY - tip.offsetHeight - 8 : event.clientY + 18}px`;
});

/** Open a figure large: the wheel or + and - zoom, dragging moves, 0 shows all of it, Escape closes. */
function enlarge(drawing) {
  const large = drawing.cloneNode(true), dialog = document.createElement("dialog"), close = document.createElement("button");
  const whole = (large.getAttribute("viewBox") ?? "0 0 100 100").split(/[ ,]+/).map(Number);
  let [x, y, width, height] = whole;
  const show = () => large.setAttribute("viewBox", [x, y, width, height].join(" "));
  const zoom = (by, across = 0.5, down = 0.5) => {
    const next = Math.min(whole[2], Math.max(whole[2] / 40, width * by)), scale = next / width;
    x += width * (1 - scale) * across; y += height * (1 - scale) * down; width *= scale; height *= scale;
    if (width >= whole[2]) [x, y, width, height] = whole;
    show();
  };
  Object.assign(close, { type: "button", textContent: "Close", className: "close" });
  close.addEventListener("click", () => dialog.close());
  dialog.className = "large";
  dialog.setAttribute("aria-label", drawing.getAttribute("aria-label") ?? "Figure");
  dialog.append(close, large, Object.assign(document.createElement("p"), { className: "note", textContent: "Wheel, + and − zoom; drag to move; 0 shows all of it." }));
  dialog.addEventListener("wheel", (event) => {
    event.preventDefault();
    const box = large.getBoundingClientRect();
    zoom(event.deltaY > 0 ? 1.2 : 1 / 1.2, (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
  }, { passive: false });
  large.addEventListener("pointermove", (event) => {
    if (!event.buttons) return;
    const scale = width / large.getBoundingClientRect().width;
    x -= event.movementX * scale; y -= event.movementY * scale;
    show();
  });
  dialog.addEventListener("keydown", (event) => {
    const by = { "+": 1 / 1.3, "=": 1 / 1.3, "-": 1.3, 0: 1e9 }[event.key];
    if (by) { event.preventDefault(); event.stopPropagation(); zoom(by); }
  });
  dialog.addEventListener("close", () => { dialog.remove(); document.body.append(tip); });
  document.body.append(dialog);
  dialog.append(tip);
  dialog.showModal();
}
document.addEventListener("click", (event) => {
  const drawing = event.target.closest("main figure svg.hf");
  if (drawing && !event.target.closest("a")) enlarge(drawing);
});
for (const name of ["DOMContentLoaded", "htmx:load"]) document.addEventListener(name, () => {
  for (const figure of document.querySelectorAll("main figure:has(svg.hf):not(:has(> .zoom))")) {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "zoom", textContent: "⤢", title: "Open large, to zoom" });
    button.setAttribute("aria-label", "Open the figure large");
    button.addEventListener("click", () => enlarge(figure.querySelector("svg.hf")));
    figure.prepend(button);
  }
  contents();
});

/** The headings of a long page, as links to them. */
function contents() {
  const place = document.getElementById("contents");
  if (!place) return;
  const headings = [...document.querySelectorAll("main section > h2, main figure figcaption[data-title], main details > summary > h2")];
  place.replaceChildren(...headings.map((heading, at) => {
    heading.id ||= `part-${at}-${heading.textContent.trim().toLowerCase().replace(/[^a-z0-9]+/g, "-")}`;
    return Object.assign(document.createElement("a"), { href: `#${heading.id}`, textContent: heading.textContent.trim() });
  }));
}

// Review: a note that is written between two keys, and what was not saved.
on("m", () => document.getElementById("note")?.focus());
document.addEventListener("keydown", (event) => {
  if (event.target.id === "note" && ["Enter", "Escape"].includes(event.key)) {
    event.preventDefault();
    event.target.blur();
  }
});
for (const name of ["htmx:responseError", "htmx:sendError"]) {
  document.addEventListener(name, (event) => {
    const answer = new DOMParser().parseFromString(event.detail.xhr.responseText, "text/html");
    const why = answer.querySelector("[role=alert] p, body")?.textContent.trim() || "the server does not answer";
    const place = document.getElementById("trouble");
    if (place) place.textContent = `NOT saved: ${why} Your answer is not in the study; give it again.`;
    else say(why);
  });
}
document.addEventListener("htmx:afterOnLoad", (event) => {
  const place = document.getElementById("trouble");
  if (place && event.detail.requestConfig.verb === "post") place.textContent = "";
});

// The list of trials: `/` goes to the filter; what is open on the page of one trial is open on that of the next.
on("/", () => document.querySelector("[data-focus='/']")?.focus());
const kept = () => [...document.querySelectorAll("details[data-keep]")];
document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-walk]")) return;
  sessionStorage.setItem("open", JSON.stringify(kept().map((each) => [each.dataset.keep, each.open])));
});
document.addEventListener("DOMContentLoaded", () => {
  const open = new Map(JSON.parse(sessionStorage.getItem("open") ?? "[]"));
  sessionStorage.removeItem("open");
  for (const each of kept()) {
    if ((open.get(each.dataset.keep) ?? each.open) !== each.open) each.querySelector("summary").click();
  }
});
