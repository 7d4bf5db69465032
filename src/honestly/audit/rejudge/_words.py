"""What a second look at a trial comes to, before it is a finding."""

from __future__ import annotations

from typing import Literal, NamedTuple

from honestly.records import Evidence

__all__ = ["Said", "State"]

State = Literal["flagged", "clean", "unreadable", "error"]


class Said(NamedTuple):
    """A state with its reason."""

    state: State
    note: str = ""
    evidence: tuple[Evidence, ...] = ()
