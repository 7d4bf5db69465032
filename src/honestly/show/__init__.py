"""Shows a result in a terminal, a notebook or a page, or as JSON, from one description.

An answer is an object (`Shown`) that becomes plain data by `to_plain()` and a data frame by `to_frame()`; rich prints
it in a terminal, a notebook shows it, and its `figures` are SVG with Vega-Lite beside. Here is what answers have in
common: text made harmless, numbers in one style, tables of numbers, figures as files; `drawing` has what figures are
drawn with. What an answer says lies with its feature.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.show._figure import Figure, write_figures
    from honestly.show._fitted import AtWidth, Fitted
    from honestly.show._names import short_names
    from honestly.show._numbers import FittingTable, dim_line, hundredths_text, interval_text, numbers_table
    from honestly.show._sections import NO_LINKS, Links, filled, page_style
    from honestly.show._shown import Figures, Shown, as_json, columns_of, frame_of
    from honestly.show._text import (
        all_of,
        finite_or_none,
        gap_text,
        if_independent,
        level_text,
        markdown_text,
        number_text,
        p_is,
        p_value,
        percent_text,
        plural_text,
        points_text,
        printable_line,
        printable_text_line,
        shorten_middle,
        span_text,
        text_apart,
        text_width,
        whole_sentence,
    )
    from honestly.show.drawing._svg import drawing_style_hash

__all__ = [
    "NO_LINKS",
    "AtWidth",
    "Figure",
    "Figures",
    "Fitted",
    "FittingTable",
    "Links",
    "Shown",
    "all_of",
    "as_json",
    "columns_of",
    "dim_line",
    "drawing_style_hash",
    "filled",
    "finite_or_none",
    "frame_of",
    "gap_text",
    "hundredths_text",
    "if_independent",
    "interval_text",
    "level_text",
    "markdown_text",
    "number_text",
    "numbers_table",
    "p_is",
    "p_value",
    "page_style",
    "percent_text",
    "plural_text",
    "points_text",
    "printable_line",
    "printable_text_line",
    "short_names",
    "shorten_middle",
    "span_text",
    "text_apart",
    "text_width",
    "whole_sentence",
    "write_figures",
]

__getattr__, __dir__ = lazy_exports(__name__)
