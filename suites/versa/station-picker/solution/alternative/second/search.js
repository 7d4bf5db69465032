// Which stations fit a text: see the instruction.
function findStations(stations, text) {
  const plain = (some) => some.toLowerCase().normalize("NFD").replace(/\p{M}+/gu, "");
  const wanted = plain(text.trim());
  if (/^(?:-|$)/.test(wanted)) return []; // no word begins with a hyphen
  const literal = wanted.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  const word = new RegExp(`(?:^|[ -])${literal}`);
  const fitting = stations.filter(({ name }) => word.test(plain(name)));
  const isFirst = ({ name }) => plain(name).startsWith(wanted);
  return [...fitting.filter(isFirst), ...fitting.filter((one) => !isFirst(one))].slice(0, 8);
}

if (typeof module !== "undefined") module.exports = { findStations };
