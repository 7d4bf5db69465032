"""The picture of a map: every file of code as a rectangle in its folder's, as large as its lines, coloured by weight.

Folders are cut in two halves of about the same size, again and again, across their longer side.
"""

from collections.abc import Iterator, Sequence
from html import escape

from honestly.check._records import FileWeight
from honestly.show import Figure, page_style, printable_text_line, text_width
from honestly.show.drawing import LEFT, LIGHT, SMALL, WIDTH, Canvas, Json, Key, draw_head, vega_lite

Box = tuple[float, float, float, float]
_TITLE = "The files of code and what they carry"
_CAPTION = (
    "Each rectangle is a file, as large as its lines; neighbours share a folder. Point at one for its name and reasons."
)
_HEIGHT, _TOP, _MARGIN, _LABEL = 460.0, 64.0, 3.0, 40.0
_COLOURS = {"carries weight": "visible", "ordinary": "honest", "decorative": "grid"}


def map_figure(found: Sequence[FileWeight]) -> Figure:
    """The files of a map as a treemap."""
    files = sorted(found, key=lambda each: each.path.split("/"))
    canvas = Canvas(WIDTH, _TOP + _HEIGHT + LEFT, _TITLE, _CAPTION)
    draw_head(canvas, _TITLE, [Key(name, colour, shape="box") for name, colour in _COLOURS.items()])
    rows: list[dict[str, Json]] = []
    for each, (x, y, w, h) in _placed(files, 0, (LEFT, _TOP, WIDTH - 2 * LEFT, _HEIGHT)):
        colour, tip = _COLOURS[each.weight], f"{each.path}: {'; '.join(each.reasons)}"
        canvas.add_rect((x, y, max(w - 1, 0.5), max(h - 1, 0.5)), colour, opacity=0.75, tip=tip)
        name = printable_text_line(each.path.rpartition("/")[2])
        if w > _LABEL and h > SMALL + 4 and text_width(name, SMALL) < w - 6:
            canvas.text((x + 3, y + SMALL + 2), name, room=w - 6, size=SMALL)
        rows.append({"path": printable_text_line(each.path), "weight": each.weight, "lines": each.lines,
                     "x": x, "x2": x + w, "y": y, "y2": y + h})  # fmt: skip
    ends: dict[str, Json] = {
        end: {"field": end, **({"type": "quantitative", "axis": None} if len(end) == 1 else {})}
        for end in ("x", "x2", "y", "y2")
    }
    names, colours = list(_COLOURS), [LIGHT[colour] for colour in _COLOURS.values()]
    scale: dict[str, Json] = {"domain": names, "range": colours}
    shown: dict[str, Json] = {"color": {"field": "weight", "type": "nominal", "scale": scale}}
    spec = vega_lite(_TITLE, _CAPTION, rows, mark="rect", width=640, height=400, encoding={**ends, **shown})
    return Figure("map", _TITLE, _CAPTION, canvas.render(), spec)


def _placed(files: Sequence[FileWeight], depth: int, box: Box) -> Iterator[tuple[FileWeight, Box]]:
    """Files of one folder, ordered by path, in its box."""
    groups: dict[str, list[FileWeight]] = {}
    for each in files:
        groups.setdefault(each.path.split("/")[depth], []).append(each)
    if len(groups) == 1 and len(files) > 1:
        yield from _placed(files, depth + 1, box)
    else:
        yield from _cut(sorted(groups.values(), key=_size, reverse=True), depth, box)


def _cut(groups: Sequence[Sequence[FileWeight]], depth: int, box: Box) -> Iterator[tuple[FileWeight, Box]]:
    """Groups of files in a box: one fills it, more share it in two halves."""
    x, y, w, h = box
    if len(groups) < 2:
        for files in groups:
            if len(files) == 1:
                yield files[0], box
            else:
                room = _MARGIN if min(w, h) > 4 * _MARGIN else 0.0
                yield from _placed(files, depth + 1, (x + room / 2, y + room / 2, w - room, h - room))
        return
    whole, first, at = sum(map(_size, groups)), _size(groups[0]), 1
    while at < len(groups) - 1 and first + _size(groups[at]) <= whole / 2:
        first, at = first + _size(groups[at]), at + 1
    share = first / whole
    one, other = ((x, y, w * share, h), (x + w * share, y, w * (1 - share), h))
    if h > w:
        one, other = ((x, y, w, h * share), (x, y + h * share, w, h * (1 - share)))
    yield from _cut(groups[:at], depth, one)
    yield from _cut(groups[at:], depth, other)


def _size(files: Sequence[FileWeight]) -> int:
    return sum(each.lines + 5 for each in files)


def map_page(found: Sequence[FileWeight]) -> str:
    """The picture and the files as one HTML page without scripts."""
    rows = "\n".join(
        f"<tr><td>{each.weight}</td><td class='wrap'>{escape(printable_text_line(each.path))}</td>"
        f"<td class='wrap'>{escape(printable_text_line('; '.join(each.reasons)))}</td></tr>"
        for each in found
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{_TITLE}</title><style>{page_style()}</style></head>\n<body><main><h1>{_TITLE}</h1>\n"
        f"{map_figure(found)._repr_html_()}\n<table>\n{rows}\n</table></main></body></html>\n"
    )
