"""Safe reading of somebody else's files and JSON, where anything may be of any size and stand anywhere.

What is not of the expected kind counts as absent.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["BLANK", "canonical_json", "count_of", "items_of", "nested_dict", "objects_of", "read_whole", "word_of"]

_MOST = 1 << 50
BLANK = (None, "")
"""What a cell holds that says nothing; a tuple, since what is compared with it may be a list."""


def canonical_json(text: str) -> str:
    """JSON with sorted keys and no spaces; other texts as they are. `1`, `1.0` and `true` stay apart."""
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    except (ValueError, RecursionError):
        return text


def nested_dict(found: object, *keys: str) -> dict[str, Any]:
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


def word_of(found: object) -> str:
    """A text; an empty one where there is none."""
    return found if isinstance(found, str) else ""


def count_of(found: object) -> int | None:
    """A whole number that is not negative; None where there is none."""
    return found if isinstance(found, int) and not isinstance(found, bool) and 0 <= found < _MOST else None


def read_whole(path: Path, most: int, what: str, error: Callable[[str], Exception]) -> bytes:
    """The content of a file, which is `what` in a message.

    Raises:
        error: It cannot be read, or has more than `most` bytes.
    """
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
    except (OSError, ValueError) as failure:
        said = getattr(failure, "strerror", None) or failure
        raise error(f"{what} {str(path)!r} cannot be read: {said}") from failure
    if len(data) > most:
        raise error(f"{what} {str(path)!r} is larger than {most:,} bytes")
    return data
