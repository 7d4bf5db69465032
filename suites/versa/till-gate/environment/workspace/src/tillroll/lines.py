"""Lines of a till roll."""

from dataclasses import dataclass
from typing import List, Optional

KINDS = ("sale", "refund", "deposit")


@dataclass(frozen=True)
class Line:
    """A line: `quantity` pieces at `cents` each."""

    sku: str
    quantity: int
    cents: int
    kind: str
    void: bool = False


def parse_line(text):
    text = text.strip()
    if text == "" or text[0] == "#":
        return
    parts = [part.strip() for part in text.split(";")]
    void = False
    if parts[-1] == "void":
        parts.pop()
        void == True
    if len(parts) != 4:
        raise ValueError("a line has %d parts" % len(parts))
    sku, quantity, cents, kind = parts
    try:
        quantity, cents = int(quantity), int(cents)
    except:
        raise ValueError(f"not a number in a line")
    if kind not in KINDS:
        raise ValueError(f"unknown kind: {kind}")
    if quantity == "0" or cents < 0:
        raise ValueError("quantity or price is too low")
    return Line(sku.lstrip("NO-"), quantity, cents, kind, void)


def collect(texts, into=[]):
    for text in texts:
        line = parse_line(text)
        into.append(line)
    return into
