"""Pipelines over records: a small language of steps."""

import re

_NAME = r"[a-z][a-z0-9_]*"
_COMPARISON = re.compile(rf" *({_NAME}) *(!?=|<=?|>=?|~) *('[^']*'|-?[0-9]+|none)(?![A-Za-z0-9_']) *")
_AGGREGATE = re.compile(rf" *({_NAME}) *= *(?:(count) *\( *\)|(sum|min|max|list) *\( *({_NAME}) *\)) *")
_KEY = re.compile(rf" *(-?)({_NAME}) *")


class PipeError(ValueError):
    """A text that is no pipeline."""


def _split(text, sign):
    """Pieces between signs that stand outside of quotes."""
    if text.count("'") % 2:
        raise PipeError("a quote without an end")
    return re.split(rf"{re.escape(sign)}(?=(?:[^']*'[^']*')*[^']*$)", text)


def _match(pattern, text):
    found = pattern.fullmatch(text)
    if not found:
        raise PipeError(f"cannot be read: {text}")
    return found


def _names(text):
    found = [_match(_KEY, piece) for piece in text.split(",")]
    if any(each[1] for each in found) or len({each[2] for each in found}) < len(found):
        raise PipeError(f"names expected once each: {text}")
    return [each[2] for each in found]


def _rank(value):
    """What orders values of all types: none, numbers, texts."""
    return (0, 0) if value is None else (1, value) if isinstance(value, int) else (2, value)


def _constant(text):
    return None if text == "none" else text[1:-1] if text[0] == "'" else int(text)


def _holds(comparison, record):
    name, sign, wanted = comparison
    value = record.get(name)
    if sign in ("=", "!="):
        return (value == wanted) == (sign == "=")
    if type(value) is not type(wanted) or value is None:
        return False
    if sign == "~":
        return wanted in value
    return {"<": value < wanted, "<=": value <= wanted, ">": value > wanted, ">=": value >= wanted}[sign]


def _where(text):
    ways = []
    for way in f" {text} ".split(" or "):
        parts = re.split(r" and (?=(?:[^']*'[^']*')*[^']*$)", f" {way} ")
        ways.append([_match(_COMPARISON, part) for part in parts])
    tests = [[(each[1], each[2], _constant(each[3])) for each in way] for way in ways]
    if any(sign in "<=>=" and sign != "=" and wanted is None for way in tests for _, sign, wanted in way):
        raise PipeError("none has no order")
    if any(sign == "~" and not isinstance(wanted, str) for way in tests for _, sign, wanted in way):
        raise PipeError("~ looks for a text")
    return lambda records: [
        record for record in records if any(all(_holds(test, record) for test in way) for way in tests)
    ]


def _sort(text):
    keys = [_match(_KEY, piece) for piece in text.split(",")]

    def sort(records):
        for key in reversed(keys):
            records = sorted(records, key=lambda record: _rank(record.get(key[2])), reverse=key[1] == "-")
        return records

    return sort


def _aggregated(kind, name, records):
    values = [record[name] for record in records if record.get(name) is not None] if name else records
    if kind == "count":
        return len(records)
    if kind == "list":
        return values
    if kind == "sum":
        return sum(value for value in values if isinstance(value, int))
    return (min if kind == "min" else max)(values, key=_rank, default=None)


def _group(text):
    by, colon, rest = text.partition(":")
    names = _names(by) if by.strip(" ") else []
    found = [_match(_AGGREGATE, piece) for piece in rest.split(",")] if colon else []
    made = [(each[1], each[2] or each[3], each[4]) for each in found]
    if len({*names, *(name for name, _, _ in made)}) < len(names) + len(made) or not names + made:
        raise PipeError("a field is made twice, or none")

    def group(records):
        groups = {} if names else {(): []}
        for record in records:
            groups.setdefault(tuple(record.get(name) for name in names), []).append(record)
        return [
            {**dict(zip(names, key, strict=True)), **{name: _aggregated(kind, of, held) for name, kind, of in made}}
            for key, held in groups.items()
        ]

    return group


def _slice(step, text):
    if not re.fullmatch(" *[0-9]+ *", text):
        raise PipeError(f"a number expected: {text}")
    number = int(text)
    return lambda records: records[:number] if step == "take" else records[number:]


def _fields(step, text):
    names = _names(text)
    if step == "keep":
        return lambda records: [{name: record.get(name) for name in names} for record in records]
    return lambda records: [{k: v for k, v in record.items() if k not in names} for record in records]


def _step(text):
    word, _, rest = text.strip(" ").partition(" ")
    if word in ("take", "skip"):
        return _slice(word, rest)
    if word in ("keep", "drop"):
        return _fields(word, rest)
    made = {"where": _where, "sort": _sort, "group": _group}.get(word)
    if not made:
        raise PipeError(f"no such step: {text}")
    return made(rest)


class Pipe:
    """A pipeline."""

    def __init__(self, text):
        self._steps = [_step(piece) for piece in _split(text, "|")]

    def run(self, records):
        """The records that come out."""
        records = [dict(record) for record in records]
        for step in self._steps:
            records = step(records)
        return records
