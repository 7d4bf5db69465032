// Which rows are shown, and in which order: see the instruction.
function shown(samples, words, key, down) {
  const wanted = words.toLowerCase().match(/\S+/g) ?? [];
  const holding = samples.filter(({ id, river, note }) => {
    const texts = [id, river, note].map((text) => text.toLowerCase());
    return wanted.every((word) => texts.some((text) => text.includes(word)));
  });
  if (!key) return holding;

  // Samples of the same value come together first, so that nothing but different values is left to be put in order.
  const groups = new Map();
  const last = [];
  for (const sample of holding) {
    const value = key === "ph" ? sample.ph : sample[key].toLowerCase();
    if (value === null || value === "") last.push(sample);
    else if (groups.has(value)) groups.get(value).push(sample);
    else groups.set(value, [sample]);
  }
  const values = [...groups.keys()].sort((one, other) => (one < other ? -1 : 1));
  if (down) values.reverse();
  return [...values.map((value) => groups.get(value)), last].flat();
}

if (typeof module !== "undefined") module.exports = { shown };
