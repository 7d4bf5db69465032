// Patterns of messages: values, and messages that are selected by a text, a number or an ordinal number.
//
// `compile` reads a pattern from left to right with sticky regular expressions. There is no recursion: the messages that
// are open while reading, and those that are half written while filling in, lie on stacks.
'use strict';

const BLANK = '[ \\t\\r\\n]*';
const sticky = (source) => new RegExp(source.replace(/~/g, BLANK), 'y');

const QUOTED = (starts) => `'([${starts}](?:[^']+|'')*)(?:'|$)`;
const RUN = sticky(`${QUOTED('{}')}|[^{}']+`);
const RUN_BESIDE_HASH = sticky(`${QUOTED('{}#')}|[^{}#']+`);
const APOSTROPHE = sticky(`''?`);
const HASH = sticky('#');
const VALUE = sticky('\\{~(\\w+)~\\}');
const CHOICE = sticky('\\{~(\\w+)~,~(selectordinal|select|plural)~,~');
const OFFSET = sticky('offset~:~(\\d+)~');
const CASE = sticky('(?:=(\\d+)|(\\w+))~\\{');
const CLOSE_MESSAGE = sticky('\\}~');
const CLOSE_CHOICE = sticky('\\}');

const cardinalWord = (number) => (number === 1 ? 'one' : 'other');

const ordinalWord = (number) =>
  Math.floor((number % 100) / 10) === 1 && [1, 2, 3].includes(number % 10)
    ? 'other'
    : { 1: 'one', 2: 'two', 3: 'few' }[number % 10] || 'other';

const exactly = (digits) => `=${BigInt(digits)}`;

// How each type finds its message: whether it counts, which selectors it looks for, in this order.
const TYPES = {
  select: { counts: false, wanted: (value) => [String(value)] },
  plural: { counts: true, wanted: (value, offset) => [exactly(value), cardinalWord(value - offset)] },
  selectordinal: { counts: true, wanted: (value) => [exactly(value), ordinalWord(value)] },
};

// What a pattern consists of, in order: texts, HASH for the number of the choice around it, and objects with a `name`,
// which have `type` and `cases` if they are choices.
function read(pattern) {
  let place = 0;
  let found;
  const eat = (expression) => {
    expression.lastIndex = place;
    found = expression.exec(pattern);
    if (found) place = expression.lastIndex;
    return found !== null;
  };
  const wrong = () => {
    throw new SyntaxError(`the pattern is wrong at sign ${place + 1}`);
  };

  const outermost = { parts: [], hash: false, choice: null };
  const open = [outermost];

  // Behind the head of a choice or one of its messages: the next message begins, or the choice ends.
  const goOn = (choice, around) => {
    if (eat(CASE)) {
      const [, digits, name] = found;
      if (digits !== undefined && !choice.type.counts) wrong();
      const selector = digits === undefined ? name : exactly(digits);
      if (choice.cases.has(selector)) wrong();
      const parts = [];
      choice.cases.set(selector, parts);
      open.push({ parts, hash: around.hash || choice.type.counts, choice });
    } else if (!eat(CLOSE_CHOICE) || !choice.cases.has('other')) wrong();
  };

  while (place < pattern.length) {
    const here = open[open.length - 1];
    if (eat(here.hash ? RUN_BESIDE_HASH : RUN)) {
      here.parts.push(found[1] === undefined ? found[0] : found[1].replace(/''/g, "'"));
    } else if (eat(APOSTROPHE)) here.parts.push("'");
    else if (eat(HASH)) here.parts.push(HASH);
    else if (eat(VALUE)) here.parts.push({ name: found[1] });
    else if (eat(CHOICE)) {
      const choice = { name: found[1], type: TYPES[found[2]], offset: 0, cases: new Map() };
      here.parts.push(choice);
      if (choice.type === TYPES.plural && eat(OFFSET)) choice.offset = Number(found[1]);
      goOn(choice, here);
    } else if (here.choice && eat(CLOSE_MESSAGE)) {
      open.pop();
      goOn(here.choice, open[open.length - 1]);
    } else wrong();
  }
  if (open.length > 1) wrong();
  return outermost.parts;
}

function valueOf(values, name) {
  if (!Object.prototype.hasOwnProperty.call(values, name)) throw new ReferenceError(`no value for ${name}`);
  return values[name];
}

function write(parts, values) {
  let text = '';
  const under = [{ rest: parts[Symbol.iterator](), number: null }];
  while (under.length > 0) {
    const { rest, number } = under[under.length - 1];
    const { done, value: part } = rest.next();
    if (done) under.pop();
    else if (typeof part === 'string') text += part;
    else if (part === HASH) text += String(number);
    else {
      const value = valueOf(values, part.name);
      if (!part.type) text += String(value);
      else {
        const { type, offset, cases } = part;
        if (type.counts && !Number.isInteger(value)) throw new TypeError(`${part.name} is no whole number`);
        const selector = [...type.wanted(value, offset), 'other'].find((one) => cases.has(one));
        under.push({ rest: cases.get(selector)[Symbol.iterator](), number: type.counts ? value - offset : number });
      }
    }
  }
  return text;
}

exports.compile = (pattern) => {
  const parts = read(pattern);
  return (values) => write(parts, values);
};
