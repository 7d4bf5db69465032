window.COLUMNS = [
  { id: "wait", title: "Waiting", limit: null },
  { id: "stand", title: "On the stand", limit: 2 },
  { id: "done", title: "To be fetched", limit: null },
];
window.CARDS = [
  { id: "r1", title: "Blue tandem", column: "wait" },
  { id: "r2", title: "Cargo bike", column: "wait" },
  { id: "r3", title: "Folding bike", column: "stand" },
  { id: "r4", title: "Racer", column: "wait" },
];
