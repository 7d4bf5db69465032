function wrongName(names, old, name) {
  const text = name.trim();
  if (!text) return "Enter a name";
  if ([...text].length > 40) return "Use at most 40 characters";
  const bad = text.match(/[/\\:*?"]/);
  if (bad) return `Do not use ${bad[0]}`;
  const other = names.find((one) => one !== old && one.toLowerCase() === text.toLowerCase());
  return other === undefined ? "" : `There is a photo ${other} already`;
}

if (typeof module !== "undefined") module.exports = { wrongName };
