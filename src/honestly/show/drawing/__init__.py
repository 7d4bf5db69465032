"""What figures are drawn with: a canvas of SVG, scales, and the layout that all of them share."""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.show._figure import Json as Json, vega_lite as vega_lite
    from honestly.show.drawing._layout import (
        LEFT as LEFT,
        ROW as ROW,
        WIDTH as WIDTH,
        Key as Key,
        draw_axis as draw_axis,
        draw_guides as draw_guides,
        draw_head as draw_head,
        draw_legend as draw_legend,
        empty_drawing as empty_drawing,
        name_column as name_column,
        padded_range as padded_range,
        percent_axis as percent_axis,
        row_names as row_names,
    )
    from honestly.show.drawing._svg import (
        LIGHT as LIGHT,
        SMALL as SMALL,
        Canvas as Canvas,
        Scale as Scale,
        nice_ticks as nice_ticks,
    )


__getattr__, __dir__ = lazy_exports(__name__)
