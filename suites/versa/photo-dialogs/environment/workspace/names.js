// What is wrong with a new name: see the instruction.
function wrongName(names, old, name) {
  return "";
}

if (typeof module !== "undefined") module.exports = { wrongName };
