"""Brings filters into a form in which `not` stands before single conditions only."""

from __future__ import annotations

from logq.tree import And, Node, Not, Or


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
    return node
