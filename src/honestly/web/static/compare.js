// Two trajectories side by side: step n stays beside step n while they scroll together.
"use strict";

const together = document.getElementById("together");
const columns = [...document.querySelectorAll(".side .column")];
let led = null;

/** Bring the step that the reader has before them in one column to the same height in the other. */
function align(column) {
  if (!together.checked || matchMedia("(max-width: 900px)").matches) return;
  const other = columns.find((each) => each !== column), top = column.getBoundingClientRect().top;
  const step = [...column.querySelectorAll(".step")].find((each) => each.getBoundingClientRect().bottom > top + 4);
  if (!step) return;
  const total = Number(other.querySelector(".trace").dataset.total), wanted = Math.min(numberOf(step), total - 1);
  const twin = other.querySelector(`.step[data-step="${wanted}"]`);
  if (twin) other.scrollTop += twin.getBoundingClientRect().top - other.getBoundingClientRect().top - (step.getBoundingClientRect().top - top);
  else if (total > 0 && !other.dataset.asked) { other.dataset.asked = "1"; load(wanted, other.querySelector(".trace")).then(() => { delete other.dataset.asked; align(column); }); }
}

for (const column of columns) {
  for (const kind of ["pointerenter", "wheel", "touchstart", "focusin"]) column.addEventListener(kind, () => { led = column; }, { passive: true });
  column.addEventListener("scroll", () => { if (led === column) align(column); }, { passive: true });
}
on("l", () => { together.checked = !together.checked; say(together.checked ? "both scroll together" : "each scrolls alone"); });
