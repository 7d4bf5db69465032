// The dialogs: see the instruction. Those that are open lie on a stack, and all but the last of it is inert.
(() => {
  const photos = window.PHOTOS;
  const status = document.querySelector("[role=status]");
  const heading = document.querySelector("h1");
  const stack = [];
  let number = 0;

  function element(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }

  function push(role, title, content, escape, first) {
    const id = `dialog-${(number += 1)}`;
    const dialog = element("div", { class: "dialog", role, "aria-modal": "true", "aria-labelledby": id }, element("h2", { id }, title), ...content);
    const cover = element("div", { class: "cover" }, dialog);
    stack.push({ cover, escape });
    document.body.append(cover);
    first.focus();
    shut();
  }

  function pop(to) {
    const { cover } = stack.pop();
    shut();
    to()?.focus();
    cover.remove();
  }

  /** Only the top of the stack, or, without one, the page, can be used. */
  function shut() {
    const top = stack.at(-1)?.cover;
    for (const part of document.body.children) {
      const off = top !== undefined && part !== top;
      part.inert = off;
      if (off) part.setAttribute("aria-hidden", "true");
      else part.removeAttribute("aria-hidden");
    }
  }

  function controls() {
    return [...stack.at(-1).cover.querySelectorAll("input, button")];
  }

  function action(word, does) {
    const made = element("button", { type: "button" }, word);
    made.addEventListener("click", does);
    return made;
  }

  /** The button of a word in the item at a place, of the last one if there are not so many, or the heading. */
  function opener(word, place) {
    const buttons = document.querySelectorAll(`#list [data-opens="${word}"]`);
    return buttons[Math.min(place, buttons.length - 1)] ?? heading;
  }

  /** Closes the last dialog, after what it did to the list. */
  function finish(word, place, news = "") {
    if (news) show();
    pop(() => opener(word, place));
    status.textContent = news;
  }

  const dialogs = {
    Rename(place) {
      const old = photos[place];
      const field = element("input", { id: "new-name", type: "text", autocomplete: "off", value: old });
      const wrong = element("p", { id: "wrong-name", class: "wrong" });
      const untouched = field.value;

      function complain(text) {
        wrong.textContent = text;
        if (text) {
          field.setAttribute("aria-invalid", "true");
          field.setAttribute("aria-describedby", wrong.id);
          field.focus();
        } else {
          field.removeAttribute("aria-invalid");
          field.removeAttribute("aria-describedby");
        }
      }

      function save(event) {
        event.preventDefault();
        complain(wrongName(photos, old, field.value));
        if (wrong.textContent) return;
        const name = field.value.trim();
        photos[place] = name;
        finish("Rename", place, name === old ? "" : `Renamed ${old} to ${name}`);
      }

      function cancel() {
        if (field.value === untouched) {
          finish("Rename", place);
          return;
        }
        const keep = () => pop(() => field);
        const discard = () => {
          keep();
          finish("Rename", place);
        };
        const last = action("Keep editing", keep);
        push("alertdialog", "Discard the new name?", [action("Discard", discard), " ", last], keep, last);
      }

      field.addEventListener("input", () => complain(""));
      const form = element("form", { novalidate: "" }, element("label", { for: field.id }, "New name"), field, wrong);
      form.append(element("button", { type: "submit" }, "Save"), " ", action("Cancel", cancel));
      form.addEventListener("submit", save);
      push("dialog", `Rename ${old}`, [form], cancel, field);
      field.select();
    },

    Delete(place) {
      const name = photos[place];
      const leave = () => finish("Delete", place);
      const remove = () => {
        photos.splice(place, 1);
        finish("Delete", place, `Deleted ${name}`);
      };
      const last = action("Cancel", leave);
      push("alertdialog", `Delete ${name}?`, [action("Delete", remove), " ", last], leave, last);
    },
  };

  document.getElementById("list").addEventListener("click", ({ target }) => {
    const button = target.closest("[data-opens]");
    if (!button || stack.length) return;
    status.textContent = "";
    dialogs[button.dataset.opens]([...button.closest("ul").children].indexOf(button.closest("li")));
  });

  function tab(back) {
    const all = controls();
    const at = all.indexOf(document.activeElement);
    const next = at < 0 ? (back ? -1 : 0) : (at + (back ? -1 : 1)) % all.length;
    all.at(next).focus();
  }

  window.addEventListener("keydown", (event) => {
    if (!stack.length || event.isComposing) return;
    const { key, repeat, shiftKey } = event;
    if (key === "Tab") tab(shiftKey);
    else if (key === "Escape") repeat || stack.at(-1).escape();
    else if (!(key === "Enter" && repeat)) return; // a key that is held down from before answers nothing here
    event.preventDefault();
  }, true);

  // The focus stays where it is, whatever is clicked but a control.
  window.addEventListener("mousedown", (event) => {
    if (stack.length && !event.target.closest?.(".cover :is(input, button)")) event.preventDefault();
  }, true);
})();
