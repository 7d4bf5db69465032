function read(stored) {
  try {
    const places = JSON.parse(stored);
    const lists = typeof places === "object" && !Array.isArray(places) ? Object.values(places) : [null];
    const fine = (list) => Array.isArray(list) && list.every((id) => typeof id === "string");
    return lists.every(fine) ? places : {};
  } catch {
    return {};
  }
}

function arranged(columns, cards, stored) {
  const said = stored === null ? {} : read(stored);
  const left = new Map(cards.map((card) => [card.id, card]));
  const places = {};
  for (const { id } of columns) {
    const list = Object.hasOwn(said, id) ? said[id] : [];
    places[id] = list.filter((card) => left.delete(card));
  }
  for (const card of left.values()) places[card.column].push(card.id);
  return places;
}

function moved(columns, places, id, column, position) {
  const { limit } = columns.find((one) => one.id === column);
  if (limit !== null && !places[column].includes(id) && places[column].length >= limit) return null;
  const others = (list) => list.filter((card) => card !== id);
  const next = Object.fromEntries(Object.entries(places).map(([key, list]) => [key, others(list)]));
  next[column].splice(Math.max(position, 0), 0, id);
  return next;
}

if (typeof module !== "undefined") module.exports = { arranged, moved };
