function plain(text) {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

function findStations(stations, text) {
  const wanted = plain(text.trim());
  if (!wanted) return [];
  const first = [];
  const later = [];
  for (const station of stations) {
    const name = plain(station.name);
    if (name.startsWith(wanted)) first.push(station);
    else if (name.includes(" " + wanted) || name.includes("-" + wanted)) later.push(station);
  }
  return [...first, ...later].slice(0, 8);
}

if (typeof module !== "undefined") module.exports = { findStations };
