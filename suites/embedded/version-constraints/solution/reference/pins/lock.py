"""Picks the version to lock."""

from __future__ import annotations

from collections.abc import Iterable

from pins.constraints import allows
from pins.versions import ConstraintError, Version, parse_version


def newest(constraint: str, versions: Iterable[str]) -> str | None:
    """The newest of some versions that a constraint allows, as written; None if it allows none.

    Text that is no version is skipped. Among equal versions (`1.2` and `1.2.0`) the first counts.

    Raises:
        ConstraintError: a clause cannot be understood, even if there are no versions.
    """
    allows(constraint, "0")
    known = [(parsed, text) for text in versions if (parsed := _version_or_none(text)) is not None]
    allowed = [(parsed, text) for parsed, text in known if allows(constraint, text)]
    return max(allowed, key=lambda pair: pair[0])[1] if allowed else None


def _version_or_none(text: str) -> Version | None:
    try:
        return parse_version(text)
    except ConstraintError:
        return None
