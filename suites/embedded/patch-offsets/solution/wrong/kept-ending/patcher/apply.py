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
    lines = split_lines(text if text.endswith("\n") else text + "\n")
    result: list[str] = []
    done = drift = 0
    for number, hunk in enumerate(parse_patch(patch), start=1):
        if reverse:
            hunk = hunk.reversed()
        place = _nearest(lines, hunk.old, hunk.index + drift, done)
        if place is None:
            raise PatchError(f"hunk {number} does not fit")
        drift = place - hunk.index
        result += lines[done:place] + hunk.new
        done = place + len(hunk.old)
    changed = "".join(result + lines[done:])
    return changed if text.endswith("\n") else changed.removesuffix("\n")


def _nearest(lines: list[str], wanted: list[str], expected: int, start: int) -> int | None:
    """The place nearest to the expected one, from `start` on, at which the wanted lines stand; None if nowhere."""
    places = range(start, len(lines) - len(wanted) + 1)
    fitting = [place for place in places if lines[place : place + len(wanted)] == wanted]
    return min(fitting, key=lambda place: (abs(place - expected), place), default=None)
