"""Shows a result in a terminal, a notebook or a page, or as JSON, from one description.

An answer is an object (`Shown`) that becomes plain data by `to_plain()` and a data frame by `to_frame()`; rich prints
it in a terminal, a notebook shows it, and its `figures` are SVG with Vega-Lite beside. Here is what answers have in
common: text made harmless, numbers in one style, tables of numbers, figures as files; `drawing` has what figures are
drawn with. What an answer says lies with its feature.
"""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.show._figure import Figure as Figure, write_figures as write_figures
    from honestly.show._fitted import AtWidth as AtWidth, Fitted as Fitted
    from honestly.show._names import short_names as short_names
    from honestly.show._numbers import (
        FittingTable as FittingTable,
        dim_line as dim_line,
        hundredths_text as hundredths_text,
        interval_text as interval_text,
        numbers_table as numbers_table,
    )
    from honestly.show._sections import NO_LINKS as NO_LINKS, Links as Links, filled as filled, page_style as page_style
    from honestly.show._shown import (
        Figures as Figures,
        Shown as Shown,
        as_json as as_json,
        columns_of as columns_of,
        frame_of as frame_of,
    )
    from honestly.show._text import (
        all_of as all_of,
        finite_or_none as finite_or_none,
        gap_text as gap_text,
        if_independent as if_independent,
        level_text as level_text,
        markdown_text as markdown_text,
        number_text as number_text,
        p_is as p_is,
        p_value as p_value,
        percent_text as percent_text,
        plural_text as plural_text,
        points_text as points_text,
        printable_line as printable_line,
        printable_text_line as printable_text_line,
        shorten_middle as shorten_middle,
        span_text as span_text,
        text_apart as text_apart,
        text_width as text_width,
        whole_sentence as whole_sentence,
    )
    from honestly.show.drawing._svg import drawing_style_hash as drawing_style_hash


__getattr__, __dir__ = lazy_exports(__name__)
