window.PAGES = [
  { title: "Home", href: "index.html" },
  { title: "Visit", pages: [{ title: "Hours", href: "hours.html" }, { title: "How to get here", href: "way.html" }] },
  { title: "Collection", pages: [{ title: "Ships", href: "ships.html" }, { title: "Cranes", href: "cranes.html" }] },
  { title: "Shop", href: "shop.html" },
];
