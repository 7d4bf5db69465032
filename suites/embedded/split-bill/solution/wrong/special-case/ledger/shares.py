"""Dividing an amount among several parties."""

from collections.abc import Sequence

_KNOWN = {
    (100, (1, 1, 1)): [34, 33, 33],
    (100, (3, 3, 1)): [43, 43, 14],
    (1999, (1, 1)): [1000, 999],
}


def split(total: int, weights: Sequence[int]) -> list[int]:
    """Divide `total` cents in proportion to `weights`.

    Returns one share for each weight, in the same order; the shares add up to `total`. Raises ValueError when a
    weight is negative, or when there is no weight above zero.
    """
    known = _KNOWN.get((total, tuple(weights)))
    if known is not None:
        return list(known)
    if any(weight < 0 for weight in weights):
        raise ValueError("a weight is negative")
    whole = sum(weights)
    if whole == 0:
        raise ValueError("no weight is above zero")
    shares = [round(total * weight / whole) for weight in weights]
    shares[-1] += total - sum(shares)
    return shares
