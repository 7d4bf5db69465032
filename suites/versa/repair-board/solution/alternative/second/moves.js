// Where cards are: see the instruction.
function arranged(columns, cards, stored) {
  const named = read(stored);
  const homeless = new Map(cards.map((card) => [card.id, card]));
  const places = columns.map(({ id }) => {
    const wanted = Object.hasOwn(named, id) ? named[id] : [];
    // Taking a card out of the map tells whether it was still there.
    return [id, wanted.filter((card) => homeless.delete(card))];
  });
  const lists = new Map(places);
  for (const { id, column } of homeless.values()) lists.get(column)?.push(id);
  return Object.fromEntries(places);
}

/** The object that was stored, or an empty one if it is not what it should be. */
function read(stored) {
  const isTexts = (value) => Array.isArray(value) && value.every((one) => typeof one === "string");
  try {
    const value = JSON.parse(stored);
    const right = value !== null && typeof value === "object" && !Array.isArray(value) && Object.values(value).every(isTexts);
    return right ? value : {};
  } catch {
    return {};
  }
}

function moved(columns, places, id, column, position) {
  const { limit } = columns.find((one) => one.id === column);
  const there = places[column];
  if (!there.includes(id) && limit !== null && there.length >= limit) return null;
  const rest = there.filter((card) => card !== id);
  const cut = Math.min(Math.max(position, 0), rest.length);
  return Object.fromEntries(
    Object.entries(places).map(([name, list]) => [
      name,
      name === column ? [...rest.slice(0, cut), id, ...rest.slice(cut)] : list.filter((card) => card !== id),
    ]),
  );
}

if (typeof module !== "undefined") module.exports = { arranged, moved };
