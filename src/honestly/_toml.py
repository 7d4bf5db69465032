"""A file in TOML as a table; every way in which it can be none is one error."""

import re
import tomllib
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

_KINDS = {"float": "a number", "int": "a whole number", "str": "text", "bool": "true or false", "array": "a list"}
_ENDS = {">": " above ", ">=": " from ", "<": " below ", "<=": " of at most "}


def toml_table(text: str | bytes) -> dict[str, Any]:
    """The table in a text, which may begin with the mark of UTF-8 that editors of Windows write.

    Raises:
        ValueError: It is no UTF-8, or no TOML; the message says where.
    """
    try:
        text = (text.decode("utf-8") if isinstance(text, bytes) else text).removeprefix("\ufeff")
        return tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise ValueError(f"it is not UTF-8 text (byte {error.start})") from error
    except tomllib.TOMLDecodeError as error:
        twice = re.match(r"Cannot overwrite a value \(at (?:line (\d+)|end)", str(error))
        if twice is None:
            raise
        lines = str(text).splitlines()[: int(twice[1]) if twice[1] else None]
        raise ValueError(f"{lines[-1].partition('=')[0].strip()} is given twice (line {len(lines)})") from error
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def misspelt_keys(table: dict[str, Any], known: Iterable[str]) -> dict[str, str]:
    """Keys that are none of the known ones, each with the known one that it seems to mean; empty if none is near.

    A known key that is given, too, is not meant.
    """
    known = set(known)
    unknown = [key for key in table if key not in known]
    return {key: next(iter(get_close_matches(key, known - table.keys(), 1, 0.8)), "") for key in unknown}


def refusal_text(error: Exception, table: object) -> str:
    """What msgspec refuses of a table, with the value that was found."""
    problem, _, place = str(error).partition(" - at `$.")
    path, value = place.rstrip("`"), table
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    expected = expected_text(problem, seconds=path.endswith(("_sec", "_s")))
    if not expected or not path or value is None:
        return str(error)
    return f"{path} is {str(value).lower() if isinstance(value, bool) else repr(value)[:200]}; expected {expected}"


def expected_text(problem: str, *, seconds: bool = False) -> str:
    """What msgspec expected of one value, in words such as `a number above 0`; empty if there are none for it."""
    found = re.fullmatch(r"Expected `([^`]*)`(?: ([<>]=?) (\S+))?(?:, got `.*`)?", problem)
    kinds = [_KINDS.get(kind, "") for kind in found[1].split(" | ") if kind != "null"] if found else []
    if not found or not all(kinds):
        return ""
    words = "seconds" if seconds and kinds == [_KINDS["float"]] else " or ".join(kinds)
    return f"{words}{_ENDS[found[2]]}{float(found[3]):,g}" if found[2] else words
