"""Mails from templates."""

from __future__ import annotations

from collections.abc import Mapping

from stencil.engine import render


def fill(message: Mapping[str, str], values: Mapping[str, object]) -> dict[str, str]:
    """Fills every header and the body of a message; line breaks in headers become spaces."""
    filled = {name: render(template, values) for name, template in message.items()}
    return {name: text if name == "body" else " ".join(text.split("\n")) for name, text in filled.items()}
