// Follows a running trial: the last step stays in view until somebody scrolls up or says otherwise.
"use strict";

const follow = document.getElementById("follow");

/** Bring what came last into view, if that is wanted. */
function toEnd() {
  if (follow.checked) document.getElementById("live-next")?.scrollIntoView({ block: "end" });
}

on("f", () => { follow.checked = !follow.checked; toEnd(); });
follow.addEventListener("change", toEnd);
document.addEventListener("htmx:afterSettle", toEnd);
document.addEventListener("wheel", (event) => { if (event.deltaY < 0) follow.checked = false; }, { passive: true });
document.addEventListener("keydown", (event) => {
  if (["PageUp", "ArrowUp", "Home"].includes(event.key)) follow.checked = false;
});
toEnd();
