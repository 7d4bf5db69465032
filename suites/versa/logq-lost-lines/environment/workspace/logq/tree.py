"""What filters are made of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Compare:
    """`key op value`; the operators are = != < <= > >= and ~ (contains)."""

    key: str
    op: str
    value: str


@dataclass(frozen=True)
class Has:
    """`has key`."""

    key: str


@dataclass(frozen=True)
class Not:
    """`not ...`."""

    node: Node


@dataclass(frozen=True)
class And:
    """`... and ...`, two or more; without any it is true."""

    nodes: tuple[Node, ...]


@dataclass(frozen=True)
class Or:
    """`... or ...`, two or more."""

    nodes: tuple[Node, ...]


Node = Compare | Has | Not | And | Or
