// What is wrong with a new name: see the instruction.
function wrongName(names, old, name) {
  const wanted = name.trim();
  const forbidden = wanted.match(/[/\\:*?"]/);
  const taken = names.find((one) => one !== old && one.toLowerCase() === wanted.toLowerCase());
  const complaints = [
    [wanted === "", "Enter a name"],
    [Array.from(wanted).length > 40, "Use at most 40 characters"],
    [forbidden !== null, `Do not use ${forbidden?.[0]}`],
    [taken !== undefined, `There is a photo ${taken} already`],
  ];
  const first = complaints.find(([holds]) => holds);
  return first ? first[1] : "";
}

if (typeof module !== "undefined") module.exports = { wrongName };
