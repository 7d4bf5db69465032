const DAY = 24 * 60 * 60 * 1000;

function dayOf(time) {
  return new Date(time).toISOString().slice(0, 10);
}

function timeOf(text) {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return NaN;
  const time = Date.UTC(...text.split("-").map((part, at) => Number(part) - (at === 1)));
  return time;
}

function plainPlate(text) {
  return text.replace(/[\s-]/g, "").toUpperCase();
}

function wrongStart(text, today) {
  const last = dayOf(timeOf(today) + 60 * DAY);
  if (Number.isNaN(timeOf(text))) return "Enter a day such as 2026-03-14";
  return text < today || text > last ? `Enter a day from ${today} to ${last}` : "";
}

function wrongWeeks(text, zone) {
  const most = zone === "B" ? 4 : 52;
  return /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= most ? "" : `Enter a number from 1 to ${most}`;
}

function problems(values, today) {
  const text = (name) => values[name].trim();
  const plate = /^(?=.*[A-Z])(?=.*\d)[A-Z\d]{2,8}$/.test(plainPlate(text("plate")));
  const address = /^([^\s@]+@[^\s@]+\.[^\s@]+)?$/.test(text("email"));
  const found = [
    ["name", text("name") ? "" : "Enter a name"],
    ["plate", plate ? "" : "Enter a plate such as KA-PX 123"],
    ["zone", text("zone") ? "" : "Choose a zone"],
    ["start", wrongStart(text("start"), today)],
    ["weeks", wrongWeeks(text("weeks"), text("zone"))],
    ["email", address ? "" : "Enter an address such as ada@example.org"],
    ["terms", values.terms ? "" : "Accept the terms"],
  ];
  return found.filter(([, message]) => message);
}

function lastDay(start, weeks) {
  return dayOf(timeOf(start) + (7 * weeks - 1) * DAY);
}

if (typeof module !== "undefined") module.exports = { problems, lastDay };
