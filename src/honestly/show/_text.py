"""Text that may be shown: names made harmless, shortened where there is little room, and numbers in one style.

Names of agents and tasks come from other people's files. `printable_text_line` makes every character that could move a
cursor, turn the writing direction, hide itself or pile up on its neighbours visible as an escape; escaping for XML,
HTML or rich's markup is the business of whoever writes those. Widths are those of a wide sans-serif font (DejaVu Sans;
of Arial where that is wider), rounded up, so that text which fits here fits everywhere.
"""

import math
import unicodedata
from collections.abc import Callable, Sequence

_MAX_MARKS = 2
_WIDTHS = (
    ("'ijl", 0.28),
    ("I |.,:;/\\", 0.34),
    ("-f", 0.37),
    ("rt!()[]", 0.42),
    ('"`*–', 0.5),
    ("sz?", 0.54),
    ("_ckvxyL", 0.6),
    ("ABCEFJKPRSTVXYZ", 0.73),
    ("DGHNOQU&", 0.79),
    ("wM#+<=>^~", 0.87),
    ("mW@%…", 1.02),
)
_WIDTH_OF = {character: width for characters, width in _WIDTHS for character in characters}
_BOLDER = 0.09
"""What a bold character is wider, in ems."""
_UNPRINTABLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"}


def printable_text_line(text: str) -> str:
    r"""`text` on one line, with control and hidden characters written as `\x1b` or `\u202e`.

    That is control, format, private and unassigned characters, and every space but the plain one. Of a pile of
    combining marks the first two stay, the others are escaped, too. A text without anything to see becomes `(no name)`.
    """
    if text.isascii() and text.isprintable() and text.strip():
        return text
    parts: list[str] = []
    marks = 0
    for character in text:
        category = unicodedata.category(character)
        marks = marks + 1 if category in {"Mn", "Me"} else 0
        hidden = category in _UNPRINTABLE and character != " "
        parts.append(_escape(character) if hidden or marks > _MAX_MARKS else character)
    return "".join(parts) if text.strip() else "(no name)"


def printable_line(line: str) -> str:
    """A line of a foreign file, made printable; tabs become spaces, and it can be empty."""
    text = line.expandtabs(4)
    return printable_text_line(text) if text.strip() else text


def markdown_text(text: str) -> str:
    """Text that cannot act in Markdown: on one line, with what has a meaning there escaped."""
    flat = printable_text_line(" ".join(text.split())) if text.strip() else ""
    return "".join(f"\\{char}" if char in "\\`*_{}[]<>()#|!~" else char for char in flat)


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Estimated width of `text` in pixels at a font size of `size` pixels, rather too wide than too narrow."""
    return size * (sum(map(_em, text)) + (_BOLDER * len(text) if bold else 0))


def _em(character: str) -> float:
    if character in _WIDTH_OF:
        return _WIDTH_OF[character]
    if unicodedata.combining(character):
        return 0.0
    if unicodedata.east_asian_width(character) in {"W", "F"}:
        return 1.4 if unicodedata.category(character) == "So" else 1.05
    return 0.64 if character.isascii() else 0.88


def shorten_middle(text: str, room: float, width: Callable[[str], float]) -> str:
    """`text`, with its middle replaced by an ellipsis where its `width` is more than `room`.

    Both ends stay, because names of agents differ at the end (the model) as often as at the beginning (the program).
    """
    if width(text) <= room:
        return text
    low, high = 0, len(text)
    while low < high:  # the largest number of kept characters that fits
        kept = (low + high + 1) // 2
        if width(_without_middle(text, kept)) <= room:
            low = kept
        else:
            high = kept - 1
    return _without_middle(text, low)


def _without_middle(text: str, kept: int) -> str:
    head, tail = text[: (kept + 1) // 2], text[len(text) - kept // 2 :]
    while tail and unicodedata.combining(tail[0]):
        tail = tail[1:]
    return f"{head}…{tail}"


def finite_or_none(value: float) -> float | None:
    """`value` as a plain number; None where it is not finite."""
    return float(value) if math.isfinite(value) else None


def number_text(value: float | None, digits: int = 1, *, sign: bool = False, none: str = "–") -> str:
    """`value` with fixed decimals and a true minus; `none` where it is None or not finite."""
    if value is None or not math.isfinite(value):
        return none
    # A hair away from zero, so that 41.25 and 41.249999999999996 both become 41.3.
    text = f"{value + math.copysign(1e-9, value):{'+' if sign else ''}.{digits}f}"
    if not text.strip("+-0."):
        text = text.lstrip("+-")
    return text.replace("-", "−")


def percent_text(share: float | None, digits: int = 1, *, none: str = "–") -> str:
    """A share of 0 to 1 as percent without the sign: 0.5875 gives `58.8`."""
    return number_text(None if share is None else 100 * share, digits, none=none)


def level_text(level: float) -> str:
    """Coverage of an interval: 0.95 gives `95%`."""
    return f"{100 * level:.4g}%"


def points_text(difference: float | None, digits: int = 1, *, none: str = "–") -> str:
    """A difference of two shares in signed percentage points: 0.02 gives `+2.0`."""
    return number_text(None if difference is None else 100 * difference, digits, sign=True, none=none)


def gap_text(gap: float | None) -> str:
    """A gap in points: `5`, or `2.5`."""
    digits = 0 if gap is not None and abs(100 * gap - round(100 * gap)) < 1e-9 else 1
    return percent_text(gap, digits)


def text_apart(value: float, limit: float, text: Callable[[float, int], str]) -> str:
    """A number with as many digits as tell it from a limit on whose other side it is: 71.97 where the limit is 72."""
    if value == limit:
        return text(value, 1)
    said = ((text(value, digits), text(limit, digits)) for digits in range(1, 5))
    return next((own for own, of_limit in said if own != of_limit), text(value, 4))


def p_value(value: float | None) -> str:
    """A p-value with two significant digits; below 0.0001 only that."""
    if value is None or not math.isfinite(value):
        return "–"
    return "< 0.0001" if value < 1e-4 else f"{value:.2g}" if value < 0.1 else f"{value:.2f}"


def p_is(value: float | None) -> str:
    """`p = 0.031` or `p < 0.0001`."""
    text = p_value(value)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def span_text(ends: tuple[int, int] | None) -> str:
    """`1–3`; `2` where both ends are the same."""
    if ends is None:
        return "–"
    return f"{ends[0]}" if ends[0] == ends[1] else f"{ends[0]}–{ends[1]}"


def plural_text(count: int, noun: str, many: str = "") -> str:
    """`1 task`, `3 tasks`."""
    return f"{count:,} {noun if count == 1 else many or noun + 's'}"


def whole_sentence(text: str) -> str:
    """A clause as a sentence, with a capital letter and a full stop."""
    return f"{text[:1].upper()}{text[1:]}."


def if_independent(p: float | None, alone: float | None, alpha: float) -> str:
    """A clause with the result for independent tasks, where it contradicts the p-value before it."""
    if p is None or alone is None or not math.isfinite(alone) or (p <= alpha) == (alone <= alpha):
        return ""
    return f"; {p_is(alone)} if tasks were independent"


def all_of(parts: Sequence[str], joint: str = "and") -> str:
    """`a, b and c`."""
    return f"{', '.join(parts[:-1])} {joint} {parts[-1]}" if len(parts) > 1 else "".join(parts)
