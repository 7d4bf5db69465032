"""Brings filters into a form in which `not` stands before single conditions only."""

from __future__ import annotations

from logq.tree import And, Node, Not, Or

_TURNED: dict[type[And | Or], type[And | Or]] = {And: Or, Or: And}
"""What becomes of a junction when a `not` passes over it."""


def inward(node: Node) -> Node:
    """The same filter, with every `not` moved inward until it stands before a comparison or a `has`.

    Comparisons are kept as they are: no other operator is the opposite of one, as all are false for a row without the
    key, and for values of different kinds.
    """
    return _inward(node, turned=False)


def _inward(node: Node, *, turned: bool) -> Node:
    """The filter, or its opposite if it is to be turned round."""
    if isinstance(node, Not):
        return _inward(node.node, turned=not turned)
    if isinstance(node, And | Or):
        junction = _TURNED[type(node)] if turned else type(node)
        return junction(tuple(_inward(part, turned=turned) for part in node.nodes))
    return Not(node) if turned else node
