// A trajectory: going through its steps, folding, copying, links that last; windows that are far away make room.
"use strict";

const MOST_WINDOWS = 10;
const shown = (element) => element?.getClientRects().length > 0;
const stepsOf = (trace) => [...trace.querySelectorAll(".step")].filter(shown);
const numberOf = (step) => Number(step.dataset.step);

/** The trace that the reader is in: that of the step with the focus, or the first. */
function trace() {
  return document.activeElement?.closest(".trace") ?? document.querySelector(".step.now")?.closest(".trace") ?? document.querySelector(".trace");
}

/** The step that keys speak about: the marked one where it is in view, else the first that is. */
function current(within = trace()) {
  const seen = (step) => { const box = step.getBoundingClientRect(); return box.bottom > 60 && box.top < innerHeight; };
  const now = within?.querySelector(".step.now");
  return now && seen(now) ? now : stepsOf(within).find(seen);
}

/** Mark a step and bring it, or what is cited in it, into view. */
function reveal(step, cited) {
  if (!shown(step)) select?.("Trace");
  document.querySelector(".step.now")?.classList.remove("now");
  step.classList.add("now");
  step.focus({ preventScroll: true });
  (cited ?? step).scrollIntoView({ block: cited ? "center" : "start" });
}

/** Load the window around a step, instead of those that are in the page. */
function load(number, within) {
  const address = new URL(within.dataset.steps, location.href);
  address.searchParams.set("at", number);
  return htmx.ajax("GET", address.href, { target: within.querySelector(".steps"), swap: "innerHTML" });
}

/** Go to a step by its number, wherever it is. */
function go(number, within = trace(), flag) {
  const find = () => within.querySelector(`.step[data-step="${number}"]`);
  const show = () => { const step = find(); if (step) reveal(step, flag && step.querySelector(`mark[data-of~="${flag}"]`)); };
  if (find()) show();
  else if (within.dataset.steps) load(number, within).then(show);
  else document.querySelector(`.finding a[data-step="${number}"]`)?.click();  // a page of a folder: the step is on another
}

/** Follow a link to a step without leaving the page: what is written there, and the hits, stay. */
function follow(link) {
  const within = link.closest(".trace") ?? trace(), cited = new URL(link.href).searchParams;
  const address = new URL(within.dataset.steps, location.href), page = new URL(within.dataset.page, location.href);
  for (const [name, value] of cited) for (const each of [address, page]) each.searchParams.set(name, value);
  address.searchParams.set("at", link.dataset.step);
  if (page.pathname === location.pathname) history.replaceState(history.state, "", page);
  htmx.ajax("GET", address.href, { target: within.querySelector(".steps"), swap: "innerHTML" }).then(() => {
    const step = within.querySelector(`.step[data-step="${link.dataset.step}"]`);
    if (step) reveal(step, step.querySelector('mark[data-of~="0"]'));
  });
}

function move(by) {
  const within = trace(), steps = stepsOf(within), now = current(within);
  const next = now?.classList.contains("now") ? steps[steps.indexOf(now) + by] : now;
  if (next) reveal(next);
  const more = within.querySelector(by > 0 ? ".more.down" : ".more.up");
  if (more && (!next || next === steps.at(by > 0 ? -1 : 0))) (window.htmx ? htmx.trigger(more, "more") : more.querySelector("a").focus());
}

/** The next cited step, in the order of steps. */
function finding(by) {
  const cited = [...document.querySelectorAll(".finding a[data-step]")]
    .map((link) => [Number(link.dataset.step), link.closest(".finding").id.replace("finding-", "")])
    .sort((one, other) => one[0] - other[0]);
  if (!cited.length) { say("no finding cites a step"); return; }
  const marked = document.querySelector(".step.now"), now = marked ? numberOf(marked) : -1;
  const next = by > 0 ? cited.find(([step]) => step > now) : cited.findLast(([step]) => step < now);
  const [step, flag] = next ?? cited.at(by > 0 ? 0 : -1);
  if (!next) say(by > 0 ? "from the first finding again" : "from the last finding again");
  go(step, trace(), flag);
}

function fold(step, folded) {
  step.classList.toggle("folded", folded);
  step.querySelector(".fold").setAttribute("aria-expanded", String(!step.classList.contains("folded")));
}

function foldAll(folded, within = trace()) {
  within.classList.toggle("all-folded", folded);
  for (const step of within.querySelectorAll(".step")) fold(step, folded);
}

/** A link to a step that lasts, and to what is selected in it. */
function linkTo(step) {
  if (!step.closest(".trace").dataset.page) return new URL(`#${step.id}`, location.href).href;
  const address = new URL(step.closest(".trace").dataset.page, location.href);
  address.searchParams.set("step", step.dataset.step);
  const selection = getSelection(), part = selection.anchorNode?.parentElement?.closest(".part");
  if (part && step.contains(part) && !selection.isCollapsed) {
    address.searchParams.set("where", part.dataset.where);
    address.searchParams.set("quote", selection.toString().slice(0, 600));
  }
  return address.href;
}

async function copy(text, what) {
  try { await navigator.clipboard.writeText(text); say(`${what} copied`); } catch { prompt(`Copy the ${what}:`, text); }
}

const acts = {
  expand: (button) => foldAll(false, button.closest(".trace")),
  collapse: (button) => foldAll(true, button.closest(".trace")),
  link: (button) => copy(linkTo(button.closest(".step")), "link"),
  async copy(button) {
    const part = button.closest(".text").cloneNode(true);
    for (const own of part.querySelectorAll(".copy, .gap, .arg")) own.remove();
    copy(button.dataset.text ? await (await fetch(button.dataset.text)).text() : part.textContent.trim(), "text");
  },
};

document.addEventListener("click", (event) => {
  const link = event.target.closest(".hits a[data-step], .finding a[data-step], .threads a[data-step], .timeline a[data-step]");
  const served = link && (link.closest(".trace") ?? trace())?.dataset.steps;
  if (served && !event.ctrlKey && !event.metaKey && !event.shiftKey) { event.preventDefault(); follow(link); return; }
  const button = event.target.closest("button");
  if (!button) return;
  if (button.dataset.do in acts) acts[button.dataset.do](button);
  if (button.matches(".fold")) { const step = button.closest(".step"); fold(step, !step.classList.contains("folded")); }
  if (button.matches(".away") && /^https?:/.test(button.dataset.to) && confirm(`A trajectory's link leads to\n\n${button.dataset.to}\n\nOpen it?`))
    open(button.dataset.to, "_blank", "noopener,noreferrer");
});

/** Hide kinds of steps on a page that no server can make anew. */
function hide(within) {
  const off = [...within.querySelectorAll("[data-kind]:not(:checked)")].map((box) => box.dataset.kind);
  for (const step of within.querySelectorAll(".step")) {
    step.hidden = step.dataset.kinds.split(" ").every((kind) => off.includes(kind));
    for (const part of step.querySelectorAll(".part")) part.hidden = off.some((kind) => part.classList.contains(`is-${kind}`));
  }
}

document.addEventListener("change", (event) => {
  const within = event.target.closest(".trace");
  if (event.target.matches("[data-kind]") && !within.dataset.steps) hide(within);
  else if (event.target.matches("[data-kind]")) {
    const address = new URL(location.href), now = current(within);
    address.searchParams.delete("hide");
    for (const box of within.querySelectorAll("[data-kind]:not(:checked)")) address.searchParams.append("hide", box.dataset.kind);
    if (now && !address.pathname.endsWith("/task")) address.searchParams.set("step", now.dataset.step);
    location.assign(address);
  }
});
document.addEventListener("input", (event) => {
  const form = event.target.closest("form.go");
  if (form) for (const input of form.querySelectorAll("input")) input.value = event.target.value;
});
document.addEventListener("submit", (event) => {
  if (!event.target.matches("form.go")) return;
  event.preventDefault();
  go(Number(event.target.elements.step.value), event.target.closest(".trace"));
});

// Windows: what comes in above does not move what is being read; those far away are asked for again when they are near.
let held = null;
document.addEventListener("htmx:beforeSwap", (event) => {
  const within = event.target.closest?.(".trace"), step = event.target.matches?.(".more") && current(within);
  held = step ? [step, step.getBoundingClientRect().top] : null;
});
document.addEventListener("htmx:afterSwap", (event) => {
  const within = event.target.closest?.(".trace") ?? held?.[0].closest(".trace");
  if (!within) return;
  if (within.classList.contains("all-folded")) for (const step of within.querySelectorAll(".step")) fold(step, true);
  makeRoom(within, held?.[0]);
  if (held) (within.closest(".column") ?? window).scrollBy(0, held[0].getBoundingClientRect().top - held[1]);
  held = null;
});

function makeRoom(within, reading) {
  const windows = [...within.querySelectorAll(".window")];
  const here = windows.indexOf(reading?.closest(".window"));
  while (windows.length > MOST_WINDOWS && here >= 0) {
    const up = windows.indexOf(reading.closest(".window")) > windows.length / 2;
    const far = up ? windows.shift() : windows.pop();
    const old = within.querySelector(up ? ".more.up" : ".more.down"), more = document.createElement("div");
    const start = up ? old?.dataset.start ?? far.dataset.start : far.dataset.start;
    const stop = up ? far.dataset.stop : old?.dataset.stop ?? far.dataset.stop;
    const address = new URL(within.dataset.steps, location.href);
    for (const [name, value] of Object.entries({ start, stop, up: up ? 1 : "" })) address.searchParams.set(name, value);
    more.className = `more ${up ? "up" : "down"}`;
    Object.assign(more.dataset, { start, stop });
    more.setAttribute("hx-get", address.pathname + address.search);
    more.setAttribute("hx-trigger", "intersect once, more once");
    more.setAttribute("hx-swap", "outerHTML");
    more.textContent = `steps ${start} to ${stop - 1} …`;
    old?.remove();
    far.replaceWith(more);
    htmx.process(more);
  }
}

on("j", () => move(1));
on("k", () => move(-1));
on("n", () => finding(1));
on("p", () => finding(-1));
on("e", () => foldAll(false));
on("c", () => foldAll(true));
on("o", () => { const step = current(); if (step) fold(step, !step.classList.contains("folded")); });
on("y", () => { const step = current(); if (step) copy(linkTo(step), "link"); });
on("g", () => document.querySelector("form.go [type=number]")?.select());
on("/", () => document.querySelector("form.find input")?.focus());
on("N", () => {
  const links = [...document.querySelectorAll(".hits a[data-step]")], asked = new URLSearchParams(location.search).get("step");
  (links[links.findIndex((link) => link.dataset.step === asked) + 1] ?? links[0])?.click();
});

/** Fold what tools gave back where it is long; a button shows all of it. */
function clip(within) {
  for (const text of within.querySelectorAll(".is-observations .text:not(.seen)")) {
    text.classList.add("seen");
    if (text.scrollHeight < 420 || text.querySelector("mark")) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "unclip";
    button.textContent = `show all ${text.textContent.split("\n").length} lines`;
    button.addEventListener("click", () => { text.classList.remove("clipped"); button.remove(); });
    text.classList.add("clipped");
    text.after(button);
  }
}
/** What stands beside the steps, one tab at a time; where there is no room beside them, they are a tab, too. */
function tabs(panel) {
  const around = panel.parentElement, parts = [...panel.querySelectorAll(":scope > [data-tab]")], list = document.createElement("div");
  const names = ["Trace", ...parts.map((part) => part.dataset.tab)];
  const buttons = names.map((name, at) => {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: name, role: "tab", id: `tab-${at}` });
    const part = parts[at - 1];
    if (at) button.dataset.key = at;
    if (part) { part.id = `part-${at}`; part.role = "tabpanel"; part.setAttribute("aria-labelledby", button.id); button.setAttribute("aria-controls", part.id); }
    if (part?.dataset.count) button.append(Object.assign(document.createElement("b"), { textContent: part.dataset.count }));
    button.addEventListener("click", () => select(name));
    return button;
  });
  function select(name) {
    around.dataset.tab = name;
    const beside = name === "Trace" ? parts[0].dataset.tab : name;
    for (const part of parts) part.hidden = part.dataset.tab !== beside;
    const wide = getComputedStyle(buttons[0]).display === "none";
    for (const [at, button] of buttons.entries()) {
      const chosen = names[at] === (wide ? beside : name);
      button.setAttribute("aria-selected", chosen);
      button.tabIndex = chosen ? 0 : -1;
    }
    const change = name === "Change" && panel.querySelector("details[data-keep=change]:not([open]) summary");
    if (change) change.click();
    sessionStorage.setItem("tab", name);
  }
  list.className = "tabs";
  list.role = "tablist";
  list.setAttribute("aria-label", "What is shown of the trial");
  list.append(...buttons);
  list.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key], seen = buttons.filter(shown);
    if (!by) return;
    event.preventDefault();
    const next = seen.at((seen.indexOf(document.activeElement) + by) % seen.length);
    next.focus();
    next.click();
  });
  around.prepend(list);
  const narrow = shown(buttons[0]), kept = sessionStorage.getItem("tab");
  select(narrow ? "Trace" : parts.some((part) => part.dataset.tab === kept) ? kept : parts.find((part) => part.dataset.count)?.dataset.tab ?? parts[0].dataset.tab);
  addEventListener("resize", () => select(around.dataset.tab));
  return select;
}
const panel = document.querySelector(".panel[data-tabs]"), select = panel && tabs(panel);

clip(document);
document.addEventListener("htmx:afterSettle", () => clip(document));

function arrive() {
  const asked = new URLSearchParams(location.search).get("step") ?? location.hash.replace("#step-", "");
  const first = asked !== "" && document.querySelector(`.step[data-step="${CSS.escape(asked)}"]`);
  if (first) reveal(first, first.querySelector('mark[data-of~="0"]'));
}
arrive();
addEventListener("hashchange", arrive);

const sought = new URLSearchParams(location.search).get("q"), form = document.querySelector(".told form.find");
if (sought && form) {
  form.elements.q.value = sought;
  addEventListener("load", () => htmx.trigger(form, "submit"));  // only then does htmx know the form
}
