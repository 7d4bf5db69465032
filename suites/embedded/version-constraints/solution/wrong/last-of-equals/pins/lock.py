"""Picks the version to lock."""

from __future__ import annotations

from collections.abc import Iterable

from pins.constraints import allows
from pins.versions import ConstraintError, parse_version


def newest(constraint: str, versions: Iterable[str]) -> str | None:
    """The newest of some versions that a constraint allows, as written; None if it allows none.

    Text that is no version is skipped. Among equal versions (`1.2` and `1.2.0`) the first counts.

    Raises:
        ConstraintError: a clause cannot be understood, even if there are no versions.
    """
    allows(constraint, "0")
    allowed = [text for text in versions if _is_version(text) and allows(constraint, text)]
    return sorted(allowed, key=parse_version)[-1] if allowed else None


def _is_version(text: str) -> bool:
    try:
        parse_version(text)
    except ConstraintError:
        return False
    return True
