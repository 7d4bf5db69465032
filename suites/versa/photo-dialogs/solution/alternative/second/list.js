const list = document.getElementById("list");

function show() {
  list.replaceChildren(...window.PHOTOS.map(item));
}

function item(name) {
  const made = document.createElement("li");
  made.append(name, " ", button("Rename", name), " ", button("Delete", name));
  return made;
}

function button(word, name) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = word;
  made.dataset.opens = word;
  made.setAttribute("aria-label", `${word} ${name}`);
  return made;
}

show();
