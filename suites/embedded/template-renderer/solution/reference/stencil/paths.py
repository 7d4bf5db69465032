"""Paths to values, and where they lead."""

from __future__ import annotations

import re
from collections.abc import Mapping

from stencil.errors import TemplateError

_PATH = re.compile(r"[A-Za-z_]\w*(\.\w+)*", re.ASCII)


def parse_path(text: str, line: int) -> list[str]:
    """The steps of a path.

    Raises:
        TemplateError: the text is no path.
    """
    if not _PATH.fullmatch(text):
        raise TemplateError(line, f"not a path: {text!r}")
    return text.split(".")


def find(values: Mapping[str, object], path: list[str]) -> object:
    """The value at the end of a path; None where it leads nowhere."""
    value: object = values
    for step in path:
        value = _step(value, step)
    return value


def _step(value: object, step: str) -> object:
    if isinstance(value, Mapping):
        return value.get(step)
    if isinstance(value, list | tuple) and step.isdigit() and int(step) < len(value):
        return value[int(step)]
    return None
