"""Brings filters into a form with as little `not` as possible."""

from __future__ import annotations

from logq.tree import And, Compare, Node, Not, Or


_NEGATED = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def inward(node: Node) -> Node:
    """The same filter, with every `not` moved inward as far as possible."""
    match node:
        case And(nodes):
            return And(tuple(inward(part) for part in nodes))
        case Or(nodes):
            return Or(tuple(inward(part) for part in nodes))
        case Not(And(nodes)):
            return Or(tuple(inward(Not(part)) for part in nodes))
        case Not(Or(nodes)):
            return And(tuple(inward(Not(part)) for part in nodes))
        case Not(Not(part)):
            return inward(part)
        case Not(Compare(key, op, value)) if op in _NEGATED and (key, op) != ("status", ">="):
            return Compare(key, _NEGATED[op], value)
    return node
