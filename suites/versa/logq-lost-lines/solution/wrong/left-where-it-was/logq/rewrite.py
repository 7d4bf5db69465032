"""Leaves filters as they are."""

from __future__ import annotations

from logq.tree import Node


def inward(node: Node) -> Node:
    """The same filter."""
    return node
