"""`honestly audit --gold`: who holds more of the reference solutions, word for word, than the others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from honestly.cli._options import plain, print_json, progress_bar, say

if TYPE_CHECKING:
    from honestly.audit.gold import GoldRow

__all__ = ["audit_gold"]


def audit_gold(study: Path, *, as_json: bool) -> None:
    """Compares every trial with its reference, keeps the findings in the study, and shows the arms."""
    from honestly.audit.gold import gold_table
    from honestly.store import open_study

    with open_study(study, "write") as opened:
        with progress_bar("comparing", quiet=as_json) as line:
            rows, findings = gold_table(opened, line)
        known = {(found.trial, found.detector, found.version): found for found in opened.findings()}
        opened.add(found for found in findings if known.get((found.trial, found.detector, found.version)) != found)
    flagged = [finding for finding in findings if finding.state == "flagged"]
    if as_json:
        print_json({"study": str(study), "gold": rows, "flagged": flagged})
        return
    _show(rows)
    if flagged:
        say(f"{len(flagged)} trials hold a part of the reference that no other agent's trial at the task holds")


def _show(rows: Sequence[GoldRow]) -> None:
    from rich.console import Console
    from rich.markup import escape

    from honestly.cli._tables import numbers_table

    widths = {"%": 5, "others": 6, "more": 6, "95% interval": 14, "tasks": 5, "trials": 6, "unread": 6}
    shown = numbers_table("Hunks of the reference found word for word, means over tasks", "arm", widths)
    for row in rows:
        known = row.excess_low == row.excess_low
        shown.add_row(
            escape(plain(row.arm)),
            _percent(row.share),
            _percent(row.others),
            _percent(row.excess, signed=True),
            escape(f"[{100 * row.excess_low:+.1f}, {100 * row.excess_high:+.1f}]") if known else "not known",
            str(row.tasks),
            str(row.trials),
            str(row.unreadable),
        )
    Console().print(shown)


def _percent(value: float, *, signed: bool = False) -> str:
    if value != value:
        return "-"
    return f"{100 * value:+.1f}" if signed else f"{100 * value:.1f}"
