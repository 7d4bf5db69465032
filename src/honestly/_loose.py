"""Somebody else's JSON, in which anything may stand anywhere: what is not of the expected kind counts as absent."""

from typing import Any

__all__ = ["count_of", "inside", "items_of", "objects_of"]

_MOST = 1 << 50


def inside(found: object, *keys: str) -> dict[str, Any]:
    """The object that lies below these keys; an empty one where there is none."""
    for key in keys:
        found = found.get(key) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}


def items_of(found: object) -> list[Any]:
    """A list; an empty one where there is none."""
    return found if isinstance(found, list) else []


def objects_of(found: object) -> list[dict[str, Any]]:
    """The objects in a list."""
    return [each for each in items_of(found) if isinstance(each, dict)]


def count_of(found: object) -> int | None:
    """A whole number that is not negative; None where there is none."""
    return found if isinstance(found, int) and not isinstance(found, bool) and 0 <= found < _MOST else None
