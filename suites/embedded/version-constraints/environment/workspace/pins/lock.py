"""Picks the version to lock."""

from __future__ import annotations

from collections.abc import Iterable

from pins.constraints import allows


def newest(constraint: str, versions: Iterable[str]) -> str | None:
    """The newest of some versions that a constraint allows, as written; None if it allows none.

    Text that is no version is skipped. Among equal versions (`1.2` and `1.2.0`) the first counts.

    Raises:
        ConstraintError: a clause cannot be understood, even if there are no versions.
    """
    allows(constraint, "0")
    best = None
    best_numbers: list[int] = []
    best_label = ""
    for version in versions:
        text, _, label = version.strip().partition("-")
        parts = text.split(".")
        if len(parts) > 3 or not all(p.isascii() and p.isdigit() for p in parts) or version.strip().endswith("-"):
            continue
        numbers = ([int(p) for p in parts] + [0, 0])[:3]
        if allows(constraint, version):
            if best is None:
                best, best_numbers, best_label = version, numbers, label
            elif numbers > best_numbers:
                best, best_numbers, best_label = version, numbers, label
            elif numbers == best_numbers and best_label != "" and (label == "" or label > best_label):
                best, best_numbers, best_label = version, numbers, label
    return best
