"""Parts of pages: templates that are filled and escaped. A report's file is made of them, and the viewer's pages are.

On a page of the viewer names, counts and pairs lead somewhere (`Links`); in a file of their own they do not.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from honestly.show._names import short_names
from honestly.show._text import p_value, percent_text, points_text, printable_text_line, span_text, whole_sentence


def _empty_text(*_: object) -> str:
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """Addresses behind what a page names; an empty one leads nowhere."""

    agent: Callable[[str], str] = _empty_text
    """Of the trials of an agent."""
    task: Callable[[str], str] = _empty_text
    """Of the trials at a task."""
    pair: Callable[[str, str], str] = _empty_text
    """Of two agents, compared."""
    reason: Callable[[str], str] = _empty_text
    """Of the trials that ended so, by the id of the reason."""
    trial: Callable[[str], str] = _empty_text
    """Of a trial, by its id."""
    detector: Callable[[str, str], str] = _empty_text
    """Of the trials that a detector flags, of an agent or of `all`; the detector may be empty, which is any."""


NO_LINKS = Links()


def filled(room: str, template: str, names: Iterable[str] = (), **values: object) -> Markup:
    """A template of a room with these values, escaped by Jinja2 and ready to stand in a page.

    Args:
        room: whose folder `templates` has it; what pages share is in that of `show`.
        template: its file.
        names: those that stand in it together: shortened, no two look alike.
        values: what it needs.
    """
    together = tuple(names)
    short = lru_cache(lambda room: short_names(together, room, len))
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(f"honestly.{room}"), PackageLoader("honestly.show")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    environment.filters |= {
        "printable": printable_text_line,
        "printable_or": lambda text, other: printable_text_line(text) if text else other,
        "short": lambda name, room: short(room)[name],
        "breakable": lambda text: escape(printable_text_line(text)).replace("_", Markup("_<wbr>")),
        "lines": lambda text: [printable_text_line(line) for line in text.splitlines() if line.strip()],
        "day": lambda text: printable_text_line(text[:10]),
        "hash": lambda text: printable_text_line(text[:12]),
        "percent": percent_text,
        "points": points_text,
        "pvalue": p_value,
        "span": span_text,
        "ends": lambda ends: "–" if ends is None else f"{percent_text(ends[0])} – {percent_text(ends[1])}",
        "gap": lambda ends: "–" if ends is None else f"{points_text(ends[0])} to {points_text(ends[1])}",
        "usd": lambda usd: "–" if usd is None else f"${usd:,.2f}",
        "sentence": whole_sentence,
        "drawing": Markup,
    }
    return Markup(environment.get_template(template).render(**values))  # noqa: S704 – escaped by Jinja2


def page_style() -> str:
    """The style sheet of all pages: colours in light and dark, tables, figures, print."""
    return files("honestly.show").joinpath("templates", "report.css").read_text("utf-8")
