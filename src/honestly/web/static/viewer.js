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
