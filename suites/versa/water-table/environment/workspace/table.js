const body = document.querySelector("tbody");

for (const sample of shown(window.SAMPLES, "", "", false)) {
  const row = body.insertRow();
  for (const key of ["id", "river", "ph", "note"]) row.insertCell().textContent = sample[key];
}
