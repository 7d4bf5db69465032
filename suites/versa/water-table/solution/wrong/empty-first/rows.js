function shown(samples, words, key, down) {
  const wanted = words.toLowerCase().split(" ").filter(Boolean);
  const texts = (sample) => [sample.id, sample.river, sample.note].map((text) => text.toLowerCase());
  const held = samples.filter((sample) => wanted.every((word) => texts(sample).some((text) => text.includes(word))));
  if (!key) return held;
  const value = (sample) => (key === "ph" ? sample.ph : sample[key].toLowerCase());
  const empty = (sample) => value(sample) === null || value(sample) === "";
  return held.sort((one, other) => {
    const order = empty(one) || empty(other) ? empty(one) - empty(other) : value(one) < value(other) ? -1 : Number(value(one) > value(other));
    return down ? -order : order;
  });
}

if (typeof module !== "undefined") module.exports = { shown };
