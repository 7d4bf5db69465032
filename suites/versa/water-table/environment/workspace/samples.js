window.SAMPLES = [
  { id: "W-12", river: "Alster", ph: 7.1, note: "after rain" },
  { id: "W-3", river: "elbe", ph: null, note: "" },
  { id: "W-7", river: "Elbe", ph: 10.2, note: "foam" },
  { id: "w-1", river: "Bille", ph: 6.4, note: "Rain, low water" },
];
