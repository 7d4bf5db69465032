"""Applies the hunks of a patch, one after the other, to a text that may have changed since the patch was made."""

from __future__ import annotations

from patcher.hunks import PatchError, parse_patch, split_lines


def apply_patch(text: str, patch: str, *, reverse: bool = False) -> str:
    """The text with all hunks of a patch applied, or undone if `reverse`.

    Each hunk replaces its old lines where they stand in the text. Where that is, is said by its header, in lines of the
    text as it was before the patch. If the hunk before was found some lines further down or up than its own header
    says, this one is expected as many lines further down or up, too. Of all places from the end of the hunk before on
    at which the text holds just the old lines, the hunk goes to the one nearest to where it is expected; of two
    equally near, to the upper one. (A hunk without old lines fits everywhere; so it goes where it is expected, or to
    the nearest end of the part that is left.)

    Raises:
        PatchError: the patch cannot be understood, or a hunk fits nowhere ("hunk 2 does not fit").
    """
    lines = split_lines(text)
    for number, hunk in enumerate(parse_patch(patch), start=1):
        if reverse:
            hunk = hunk.reversed()
        place = _nearest(lines, hunk.old, hunk.old_start - 1)
        if place is None:
            raise PatchError(f"hunk {number} does not fit")
        lines[place : place + len(hunk.old)] = hunk.new
    result = "".join(lines)
    return result if text.endswith("\n") else result.removesuffix("\n")


def _nearest(lines: list[str], wanted: list[str], expected: int) -> int | None:
    """The place nearest to the expected one at which the wanted lines stand; None if they stand nowhere."""
    places = range(len(lines) - len(wanted) + 1)
    fitting = [place for place in places if _same(lines[place : place + len(wanted)], wanted)]
    return min(fitting, key=lambda place: (abs(place - expected), place), default=None)


def _same(found: list[str], wanted: list[str]) -> bool:
    return [line.rstrip("\n") for line in found] == [line.rstrip("\n") for line in wanted]
