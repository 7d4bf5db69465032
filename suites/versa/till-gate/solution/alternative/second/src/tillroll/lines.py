"""Lines of a till roll."""

from collections.abc import Iterable
from dataclasses import dataclass

KINDS = ("sale", "refund", "deposit")


@dataclass(frozen=True)
class Line:
    """A line: `quantity` pieces at `cents` each."""

    sku: str
    quantity: int
    cents: int
    kind: str
    void: bool = False


def _at_least(low: int, digits: str) -> int:
    """A whole number that is not too low."""
    try:
        number = int(digits)
    except ValueError as error:
        raise ValueError(f"not a number in a line: {digits!r}") from error
    if number < low:
        raise ValueError(f"a number in a line is below {low}: {number}")
    return number


def parse_line(text: str) -> Line | None:
    """Reads a line; None for one that means nothing, ValueError for one that is wrong."""
    bare = text.strip()
    if not bare or bare.startswith("#"):
        return None
    match [part.strip() for part in bare.split(";")]:
        case [sku, quantity, cents, kind, *rest] if rest in ([], ["void"]):
            name = sku.removeprefix("NO-")
            if not name:
                raise ValueError("a line has no SKU")
            if kind not in KINDS:
                raise ValueError(f"unknown kind: {kind}")
            return Line(name, _at_least(1, quantity), _at_least(0, cents), kind, bool(rest))
    raise ValueError(f"a line is not SKU;QUANTITY;CENTS;KIND: {bare}")


def collect(texts: Iterable[str], into: list[Line] | None = None) -> list[Line]:
    """The lines of a roll in their order; they are added to a list if one is given."""
    roll = [] if into is None else into
    roll.extend(line for line in map(parse_line, texts) if line is not None)
    return roll
