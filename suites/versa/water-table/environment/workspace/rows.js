// Which rows are shown, and in which order: see the instruction.
function shown(samples, words, key, down) {
  return samples;
}

if (typeof module !== "undefined") module.exports = { shown };
