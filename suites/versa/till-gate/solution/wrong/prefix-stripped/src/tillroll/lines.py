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


def parse_line(text: str) -> Line | None:
    """A line; None for a comment or a blank line. ValueError for anything else."""
    text = text.strip()
    if text == "" or text[0] == "#":
        return None
    parts = [part.strip() for part in text.split(";")]
    void = parts[-1] == "void"
    if void:
        parts.pop()
    if len(parts) != 4:
        raise ValueError(f"a line has {len(parts)} parts")
    sku, kind = parts[0], parts[3]
    try:
        quantity, cents = int(parts[1]), int(parts[2])
    except ValueError as error:
        raise ValueError(f"not a number in a line: {error}") from error
    if kind not in KINDS:
        raise ValueError(f"unknown kind: {kind}")
    if quantity < 1 or cents < 0:
        raise ValueError("quantity or price is too low")
    return Line(sku.replace("NO-", "", 1), quantity, cents, kind, void)


def collect(texts: Iterable[str], into: list[Line] | None = None) -> list[Line]:
    """Lines of a roll, added to a list if one is given."""
    found = [] if into is None else into
    for text in texts:
        line = parse_line(text)
        if line is not None:
            found.append(line)
    return found
