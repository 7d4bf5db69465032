"""What goes wrong with templates."""

from __future__ import annotations


class TemplateError(ValueError):
    """Raised for a template that cannot be understood or filled; starts with the number of the line."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
