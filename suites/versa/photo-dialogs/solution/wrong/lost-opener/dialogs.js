const status = document.querySelector("[role=status]");
const heading = document.querySelector("h1");
heading.tabIndex = -1;

function open(role, title, parts, cancel) {
  const dialog = document.createElement("dialog");
  dialog.setAttribute("role", role);
  dialog.setAttribute("aria-label", title);
  const head = document.createElement("h2");
  head.textContent = title;
  dialog.append(head, ...parts);
  dialog.addEventListener("mousedown", (event) => {
    if (!event.target.matches("input, button, label")) event.preventDefault();
  });
  dialog.addEventListener("cancel", (event) => event.preventDefault());
  dialog.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      event.preventDefault();
      cancel();
    }
    if (event.key === "Tab") step(event, [...dialog.querySelectorAll("input, button")]);
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

function step(event, controls) {
  event.preventDefault();
  const at = controls.indexOf(document.activeElement) + (event.shiftKey ? -1 : 1);
  controls.at(at % controls.length).focus();
}

function control(text, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.addEventListener("click", act);
  return made;
}

function back(word, at) {
  const button = list.children[at]?.querySelector(`[aria-label^="${word} "]`);
  (button ?? heading).focus();
}

function askDelete(name) {
  const at = window.PHOTOS.indexOf(name);
  const end = () => {
    dialog.remove();
    back("Delete", at);
  };
  const cancel = control("Cancel", end);
  const remove = control("Delete", () => {
    window.PHOTOS.splice(at, 1);
    show();
    status.textContent = `Deleted ${name}`;
    end();
  });
  const dialog = open("alertdialog", `Delete ${name}?`, [remove, cancel], end);
  cancel.focus();
}

function askName(old) {
  const at = window.PHOTOS.indexOf(old);
  const label = document.createElement("label");
  const field = document.createElement("input");
  const wrong = document.createElement("p");
  label.append("New name ", field);
  wrong.id = "wrong-name";
  field.value = old;
  const end = () => {
    dialog.remove();
    back("Rename", at);
  };
  const cancel = () => (field.value === old ? end() : discard(field, end));
  const save = () => {
    const name = field.value.trim();
    wrong.textContent = wrongName(window.PHOTOS, old, name);
    if (wrong.textContent) {
      field.setAttribute("aria-invalid", "true");
      field.setAttribute("aria-describedby", wrong.id);
      return field.focus();
    }
    if (name !== old) status.textContent = `Renamed ${old} to ${name}`;
    window.PHOTOS[at] = name;
    show();
    end();
  };
  field.addEventListener("input", () => {
    wrong.textContent = "";
    field.removeAttribute("aria-invalid");
    field.removeAttribute("aria-describedby");
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      save();
    }
  });
  const dialog = open("dialog", `Rename ${old}`, [label, wrong, control("Save", save), control("Cancel", cancel)], cancel);
  field.focus();
  field.select();
}

function discard(field, end) {
  const keep = () => {
    dialog.remove();
    field.focus();
  };
  const drop = () => {
    dialog.remove();
    end();
  };
  const stay = control("Keep editing", keep);
  const dialog = open("alertdialog", "Discard the new name?", [control("Discard", drop), stay], keep);
  stay.focus();
}
