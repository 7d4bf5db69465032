window.STATIONS = [
  { name: "Gare de l'Est", code: "PES" },
  { name: "Gare Saint-Denis", code: "SDE" },
  { name: "Épernay", code: "EPY" },
  { name: "Reims Centre", code: "REI" },
  { name: "Lérouville", code: "LER" },
  { name: "Nancy", code: "NCY" },
  { name: "Saint-Dié", code: "SDI" },
  { name: "Châlons-en-Champagne", code: "CHC" },
  { name: "Metz Nord", code: "MZN" },
  { name: "Épinal", code: "EPL" },
];
