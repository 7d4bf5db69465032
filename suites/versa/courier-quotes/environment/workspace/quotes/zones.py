"""Zones by post code."""

ISLANDS = {"25849", "25938", "25946", "25980", "25992", "25999", "26465", "26474", "26486", "26548", "26571", "26579", "27498"}
HOME = ("10", "12", "13", "14", "15")
NEAR = range(1, 20)


def zone(code: str) -> int:
    """The zone of a post code of five digits: 0 is at home, 3 is far.

    Raises:
        ValueError: it has not five digits, or begins with 00.
    """
    if len(code) != 5 or not code.isascii() or not code.isdigit():
        raise ValueError(f"not a post code: {code!r}")
    region = int(code[:2])
    if region == 0:
        raise ValueError(f"no such region: {code!r}")
    if code in ISLANDS:
        return 3
    if code.startswith(HOME):
        return 0
    if region in NEAR or region == 39:
        return 1
    return 2 if _is_served_by_rail(code) else 3


def _is_served_by_rail(code: str) -> bool:
    """Whether a train takes parcels there: it stops where the digits' sum is not a multiple of 7."""
    return sum(map(int, code)) % 7 != 0
