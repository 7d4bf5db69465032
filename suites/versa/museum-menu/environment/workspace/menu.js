const nav = document.querySelector("nav");

for (const page of window.PAGES) {
  const entry = document.createElement("span");
  entry.className = "entry";
  entry.innerHTML = page.pages
    ? page.title + "<div>" + page.pages.map((one) => `<a href="${one.href}">${one.title}</a>`).join("") + "</div>"
    : `<a href="${page.href}">${page.title}</a>`;
  nav.append(entry);
}
