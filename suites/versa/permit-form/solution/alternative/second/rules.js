// What is wrong with what was entered, and when a permit ends: see the instruction.
const { problems, lastDay, plainPlate } = (() => {
  const DAY = 24 * 60 * 60 * 1000;
  const AHEAD = 60; // days between the present day and the last one on which a permit may begin

  /** The day so many days after another; null if the text is no day that exists. */
  function dayAfter(text, days) {
    const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN;
    if (Number.isNaN(time) || iso(time) !== text) return null;
    return iso(time + days * DAY);
  }

  function iso(time) {
    return new Date(time).toISOString().slice(0, 10);
  }

  function plainPlate(text) {
    return text.replace(/[\s-]+/g, "");
  }

  // For each field, in the order of the page, what is to be checked one after the other:
  // whether the text (without spaces around it) is right, and what is said if it is not.
  const CHECKS = {
    name: [[(text) => text !== "", () => "Enter a name"]],
    plate: [[(text) => /^(?=.*[a-z])(?=.*[0-9])[a-z0-9]{2,8}$/i.test(plainPlate(text)), () => "Enter a plate such as KA-PX 123"]],
    zone: [[(text) => text !== "", () => "Choose a zone"]],
    start: [
      [(text) => dayAfter(text, 0) !== null, () => "Enter a day such as 2026-03-14"],
      [
        (text, { today }) => today <= text && text <= dayAfter(today, AHEAD),
        ({ today }) => `Enter a day from ${today} to ${dayAfter(today, AHEAD)}`,
      ],
    ],
    weeks: [
      [
        (text, { most }) => /^[0-9]+$/.test(text) && Number(text) >= 1 && Number(text) <= most,
        ({ most }) => `Enter a number from 1 to ${most}`,
      ],
    ],
    email: [[(text) => /^(?:[^\s@]+@[^\s@]+\.[^\s@]+)?$/.test(text), () => "Enter an address such as ada@example.org"]],
    terms: [[(value) => value === true, () => "Accept the terms"]],
  };

  function trimmed(value) {
    return typeof value === "string" ? value.trim() : value;
  }

  function problems(values, today) {
    const around = { today, most: trimmed(values.zone) === "B" ? 4 : 52 };
    return Object.entries(CHECKS).flatMap(([field, checks]) => {
      const failed = checks.find(([right]) => !right(trimmed(values[field]), around));
      return failed ? [[field, failed[1](around)]] : [];
    });
  }

  function lastDay(start, weeks) {
    return dayAfter(start.trim(), 7 * Number(weeks) - 1);
  }

  return { problems, lastDay, plainPlate };
})();

if (typeof module !== "undefined") module.exports = { problems, lastDay };
