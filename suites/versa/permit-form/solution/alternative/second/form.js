(() => {
  const form = document.getElementById("form");
  const summary = document.getElementById("summary");
  const done = document.getElementById("done");
  const title = document.title;
  const fields = [...form.elements].filter((one) => one.name);
  let tried = false;

  function entered() {
    return Object.fromEntries(fields.map((one) => [one.name, one.type === "checkbox" ? one.checked : one.value]));
  }

  function found() {
    return problems(entered(), document.body.dataset.today);
  }

  /** Marks the fields with a problem, and no others. */
  function mark(wrong) {
    const messages = new Map(wrong);
    for (const field of fields) {
      const note = document.getElementById(`${field.id}-problem`);
      const message = messages.get(field.name) ?? "";
      if (note.textContent !== message) note.textContent = message;
      for (const [attribute, value] of [["aria-invalid", "true"], ["aria-describedby", note.id]]) {
        if (message) field.setAttribute(attribute, value);
        else field.removeAttribute(attribute);
      }
    }
  }

  function entry([name, message]) {
    const field = fields.find((one) => one.name === name);
    const link = document.createElement("a");
    link.href = `#${field.id}`;
    link.textContent = message;
    link.addEventListener("click", (event) => {
      event.preventDefault();
      field.focus();
    });
    const item = document.createElement("li");
    item.append(link);
    return item;
  }

  function refuse(wrong) {
    summary.querySelector("h2").textContent = wrong.length === 1 ? "There is 1 problem" : `There are ${wrong.length} problems`;
    summary.querySelector("ul").replaceChildren(...wrong.map(entry));
    document.title = `Error: ${title}`;
    reveal(summary);
  }

  function grant() {
    const { plate, zone, start, weeks } = entered();
    const text = `${plainPlate(plate).toUpperCase()} in zone ${zone} until ${lastDay(start, weeks)}`;
    done.querySelector("p").textContent = text;
    document.title = title;
    form.hidden = summary.hidden = true;
    reveal(done);
  }

  function reveal(part) {
    part.hidden = false;
    part.focus();
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    tried = true;
    const wrong = found();
    mark(wrong);
    if (wrong.length) refuse(wrong);
    else grant();
  });

  // A field is also left by pressing the mouse somewhere: nothing may move there until it is released, or the click would
  // miss what it was meant for.
  let pressed = false;
  let due = false;

  function update() {
    if (tried) mark(found());
    due = false;
  }

  form.addEventListener("change", () => {
    due = true;
    if (!pressed) update();
  });

  document.addEventListener("mousedown", () => { pressed = true; }, true);
  for (const end of ["mouseup", "dragend", "keydown"]) {
    document.addEventListener(end, () => {
      pressed = false;
      if (due) update();
    }, true);
  }
})();
