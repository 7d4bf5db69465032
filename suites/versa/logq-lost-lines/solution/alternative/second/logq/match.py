"""Whether a filter is true for a row."""

from __future__ import annotations

import operator

from logq import values
from logq.records import Row
from logq.tree import And, Compare, Has, Node, Not, Or

_OPERATORS = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def matches(node: Node, row: Row) -> bool:
    """Whether a filter is true for a row."""
    match node:
        case And(nodes):
            return all(matches(part, row) for part in nodes)
        case Or(nodes):
            return any(matches(part, row) for part in nodes)
        case Not(part):
            return not matches(part, row)
        case Has(key):
            return key in row
        case Compare(key, op, text):
            return key in row and _holds(row[key], op, text)


def _holds(found: str, op: str, wanted: str) -> bool:
    if op == "~":
        return wanted in found
    one, other = values.read(found), values.read(wanted)
    return one[0] == other[0] and bool(_OPERATORS[op](one[1], other[1]))
