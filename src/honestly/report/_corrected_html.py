"""What stands of the scores, as a section of the report's page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from honestly.report._text import level_text, percent, printable, shorten

if TYPE_CHECKING:
    from honestly.report._corrected import CorrectedScores


def corrected_section(corrected: CorrectedScores | None) -> Markup:
    """The section, escaped and ready to stand in the page; empty where the study was never audited."""
    if corrected is None:
        return Markup()
    environment = Environment(
        loader=PackageLoader("honestly.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters |= {
        "printable": printable,
        "percent": percent,
        "short": lambda name: shorten(printable(name), 46, len),
        "ends": lambda ends: "–" if ends is None else f"{percent(ends[0])} – {percent(ends[1])}",
    }
    section = environment.get_template("corrected.html").render(found=corrected, level=level_text(corrected.level))
    return Markup(section)  # noqa: S704 – escaped by Jinja2
