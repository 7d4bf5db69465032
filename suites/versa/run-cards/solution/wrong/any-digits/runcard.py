"""Run cards: settings that people write, read into dicts and written again."""

import re
from datetime import timedelta

_NAME = re.compile(r"[a-z][a-z0-9_-]*")
_SPACE = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_BLANK = re.compile(r"[ \t]*")
_UNITS = {"d": 86400, "h": 3600, "m": 60, "s": 1}
_LENGTH = re.compile(r"-?(?:([0-9]+)d)?(?:([0-9]+)h)?(?:([0-9]+)m)?(?:([0-9]+)s)?")
_WORD = re.compile(r"[^ \t\n,\[\]#\"=]+")
_ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\"}


class CardError(ValueError):
    """A text that is no card."""


class _Reader:
    def __init__(self, text):
        self.text, self.at, self.card = text, 0, {}

    def take(self, pattern):
        found = pattern.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return found[0] if found else None

    def sign(self, sign):
        there = self.text.startswith(sign, self.at)
        self.at += len(sign) if there else 0
        return there

    def need(self, found):
        if not found:
            raise ValueError(f"unexpected {self.text[self.at : self.at + 10]!r}")
        return found

    def read(self):
        self.section = self.card
        while True:
            self.take(_SPACE)
            if self.at == len(self.text):
                return self.card
            line = self.text.count("\n", 0, self.at) + 1
            try:
                self.entry()
                self.take(_BLANK)
                self.need(self.at == len(self.text) or self.text[self.at] in "\n#")
            except ValueError as error:
                raise CardError(f"line {line}: {error}") from None

    def entry(self):
        if self.sign("["):
            names = self.names()
            self.need(self.sign("]"))
            self.section = self.inside(self.card, names)
            return
        *folders, key = self.names()
        more = self.sign("+=")
        self.need(more or self.sign("="))
        value = self.value()
        home = self.inside(self.section, folders)
        if more:
            self.need(isinstance(home.get(key), list) and isinstance(value, list))
            home[key] += value
        else:
            self.need(key not in home)
            home[key] = value

    def names(self):
        names = []
        while True:
            self.take(_BLANK)
            names.append(self.need(self.take(_NAME)))
            self.take(_BLANK)
            if not self.sign("."):
                return names

    def inside(self, home, names):
        for name in names:
            home = home.setdefault(name, {})
            self.need(isinstance(home, dict))
        return home

    def value(self):
        self.take(_BLANK)
        if self.sign('"'):
            return self.string()
        if self.sign("["):
            return self.items()
        return _word(self.need(self.take(_WORD)))

    def items(self):
        out = []
        self.take(_SPACE)
        while not self.sign("]"):
            out.append(self.value())
            self.take(_SPACE)
            if not self.sign(","):
                self.need(self.sign("]"))
                break
            self.take(_SPACE)
        return out

    def string(self):
        out = ""
        while not self.sign('"'):
            sign = self.text[self.at : self.at + 1]
            self.need(sign not in ("", "\n"))
            self.at += 1
            if sign == "\\":
                sign = self.text[self.at : self.at + 1]
                self.at += 1
                code = self.take(re.compile(r"\{[0-9A-Fa-f]{1,6}\}")) if sign == "u" else None
                sign = chr(int(code[1:-1], 16)) if code else _ESCAPES.get(sign)
                self.need(sign and not "\ud800" <= sign <= "\udfff")
            out += sign
        return out


def _word(word):
    """The value of a word without quotes."""
    known = {"yes": True, "no": False, "none": None}
    if word in known:
        return known[word]
    if re.fullmatch(r"[-+]?\d+(_\d+)*", word):
        return int(word)
    if re.fullmatch(r"[-+]?[0-9]+\.[0-9]+(e[-+]?[0-9]+)?", word):
        return float(word)
    found = _LENGTH.fullmatch(word)
    if not found or not any(found.groups()):
        raise ValueError(f"no value: {word}")
    seconds = sum(int(number or 0) * unit for number, unit in zip(found.groups(), _UNITS.values(), strict=True))
    return timedelta(seconds=-seconds if word[0] == "-" else seconds)


def loads(text):
    """Read a card."""
    return _Reader(text.replace("\r\n", "\n")).read()


def _written(value):
    """A value as text."""
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if value - value != 0:
            raise ValueError("only finite numbers can be written")
        text = repr(value)
        return text if "." in text else text.replace("e", ".0e")
    if isinstance(value, timedelta):
        return _length(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    if not isinstance(value, str):
        raise TypeError(f"cannot be written: {type(value).__name__}")
    out = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return '"' + "".join(f"\\u{{{ord(sign):x}}}" if sign < " " or sign == "\x7f" else sign for sign in out) + '"'


def _length(value):
    if value.microseconds:
        raise ValueError("parts of a second cannot be written")
    left, out = abs(value) // timedelta(seconds=1), ""
    for unit, size in _UNITS.items():
        out += f"{left // size}{unit}" if left >= size else ""
        left %= size
    return ("-" if value < timedelta() else "") + (out or "0s")


def dumps(card):
    """Write a card."""
    lines = []

    def section(names, values):
        plain = {name: value for name, value in values.items() if not isinstance(value, dict)}
        for name in values:
            if not isinstance(name, str) or not _NAME.fullmatch(name):
                raise ValueError(f"not a name: {name!r}")
        if names and (plain or not values):
            lines.extend([""] * bool(lines) + [f"[{'.'.join(names)}]"])
        lines.extend(f"{name} = {_written(value)}" for name, value in plain.items())
        for name, value in values.items():
            if isinstance(value, dict):
                section([*names, name], value)

    section([], card)
    return "".join(line + "\n" for line in lines)
