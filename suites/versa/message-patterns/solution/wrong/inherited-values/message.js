// Patterns of messages: parsed once into pieces, then filled in.
'use strict';

const NAME = /[A-Za-z0-9_]+/y;
const SPACE = /[ \t\r\n]*/y;
const own = (object, name) => Object.prototype.hasOwnProperty.call(object, name);

class Parser {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  wrong(what) {
    return new SyntaxError(`${what} at ${this.at} in ${this.text}`);
  }

  take(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found) this.at = pattern.lastIndex;
    return found ? found[0] : null;
  }

  // The next sign after blanks, which must be one of some.
  sign(signs) {
    this.take(SPACE);
    const found = this.text[this.at];
    if (found === undefined || !signs.includes(found)) throw this.wrong(`no ${signs}`);
    this.at++;
    return found;
  }

  name() {
    this.take(SPACE);
    const found = this.take(NAME);
    if (!found) throw this.wrong('no name');
    return found;
  }

  // After an apostrophe: what it stands for or begins.
  quoted(plural) {
    const next = this.text[this.at];
    if (next === "'") {
      this.at++;
      return "'";
    }
    if (next !== '{' && next !== '}' && !(next === '#' && plural)) return "'";
    let out = '';
    while (this.at < this.text.length) {
      const sign = this.text[this.at++];
      if (sign !== "'") out += sign;
      else if (this.text[this.at] === "'") {
        out += "'";
        this.at++;
      } else break;
    }
    return out;
  }

  message(plural, inner) {
    const pieces = [];
    while (this.at < this.text.length) {
      const sign = this.text[this.at++];
      if (sign === '}') {
        if (inner) return pieces;
        throw this.wrong('a } too many');
      }
      if (sign === '{') pieces.push(this.argument(plural));
      else if (sign === '#' && plural) pieces.push({ type: '#' });
      else pieces.push(sign === "'" ? this.quoted(plural) : sign);
    }
    if (inner) throw this.wrong('no }');
    return pieces;
  }

  argument(plural) {
    const piece = { name: this.name(), type: 'value', offset: 0, cases: Object.create(null) };
    if (this.sign(',}') === '}') return piece;
    piece.type = this.name();
    if (!['plural', 'select', 'selectordinal'].includes(piece.type)) throw this.wrong('no such type');
    this.sign(',');
    if (piece.type === 'plural') {
      this.take(SPACE);
      if (this.take(/offset[ \t\r\n]*:/y)) {
        this.take(SPACE);
        piece.offset = Number(this.digits());
      }
    }
    this.cases(piece, plural || piece.type !== 'select');
    return piece;
  }

  digits() {
    const found = this.take(/[0-9]+/y);
    if (!found) throw this.wrong('no number');
    return found;
  }

  cases(piece, plural) {
    for (;;) {
      this.take(SPACE);
      if (this.text[this.at] === '}') break;
      const exact = piece.type !== 'select' && this.take(/=/y);
      const selector = exact ? '=' + Number(this.digits()) : this.name();
      if (selector in piece.cases) throw this.wrong('twice the same');
      this.sign('{');
      piece.cases[selector] = this.message(plural, true);
    }
    this.at++;
    if (!('other' in piece.cases)) throw this.wrong('no other');
  }
}

function word(type, number) {
  if (type === 'plural') return number === 1 ? 'one' : 'other';
  const tens = number % 100;
  return (tens > 10 && tens < 14 ? undefined : { 1: 'one', 2: 'two', 3: 'few' }[number % 10]) || 'other';
}

function chosen(piece, value) {
  if (piece.type === 'select') return piece.cases[String(value)] || piece.cases.other;
  if (!Number.isInteger(value)) throw new TypeError(`${piece.name} is no whole number`);
  return piece.cases['=' + value] || piece.cases[word(piece.type, value - piece.offset)] || piece.cases.other;
}

function fill(pieces, values, number) {
  return pieces
    .map((piece) => {
      if (typeof piece === 'string') return piece;
      if (piece.type === '#') return String(number);
      if (values[piece.name] === undefined) throw new ReferenceError(`no value for ${piece.name}`);
      const value = values[piece.name];
      if (piece.type === 'value') return String(value);
      return fill(chosen(piece, value), values, piece.type === 'select' ? number : value - piece.offset);
    })
    .join('');
}

exports.compile = (pattern) => {
  const pieces = new Parser(pattern).message(false, false);
  return (values) => fill(pieces, values, 0);
};
