"""Versions: from text to something that can be compared."""

from __future__ import annotations

from dataclasses import dataclass


class ConstraintError(ValueError):
    """Raised for text that is no version or no constraint."""


@dataclass(frozen=True, order=True)
class Version:
    """Three numbers and a label; the order of the fields makes the order of versions."""

    numbers: tuple[int, int, int]
    released: bool = True
    label: str = ""


def parse_version(text: str) -> Version:
    """The version that a text stands for.

    Raises:
        ConstraintError: it is none.
    """
    text = text.strip()
    return Version(_padded(numbers_of(text)), released="-" not in text, label=text.partition("-")[2])


def numbers_of(text: str) -> list[int]:
    """The one to three numbers that a version is written with.

    Raises:
        ConstraintError: the text is no version.
    """
    parts = text.partition("-")[0].split(".")
    if len(parts) > 3 or text.endswith("-") or not all(part.isascii() and part.isdigit() for part in parts):
        raise ConstraintError(f"not a version: {text!r}")
    return [int(part) for part in parts]


def _padded(numbers: list[int]) -> tuple[int, int, int]:
    major, minor, patch = [*numbers, 0, 0][:3]
    return major, minor, patch
