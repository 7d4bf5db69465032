"""Dividing an amount among several parties."""

from collections.abc import Sequence


def split(total: int, weights: Sequence[int]) -> list[int]:
    """Divide `total` cents in proportion to `weights`.

    Returns one share for each weight, in the same order; the shares add up to `total`. Raises ValueError when a
    weight is negative, or when there is no weight above zero.
    """
    if any(weight < 0 for weight in weights):
        raise ValueError("a weight is negative")
    whole = sum(weights)
    if whole == 0:
        raise ValueError("no weight is above zero")
    sign = -1 if total < 0 else 1
    shares = [abs(total) * weight // whole for weight in weights]
    for party in range(abs(total) - sum(shares)):
        shares[party] += 1
    return [sign * share for share in shares]
