"""The result of a second look at a trial, before it is a finding."""

from typing import NamedTuple

from honestly.audit._study import FindingState
from honestly.records import Check, Evidence


class RejudgeVerdict(NamedTuple):
    """A state with its reason."""

    state: FindingState
    note: str = ""
    evidence: tuple[Evidence, ...] = ()


def check_evidence(check: Check, where: str) -> Evidence:
    """A check with its status, and what it says."""
    return Evidence(quote=f"{check.id} {check.status} {check.message}".strip()[:600], where=where)
