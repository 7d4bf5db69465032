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
    shares = [total * weight // whole for weight in weights]
    remainders = [total * weight % whole for weight in weights]
    left = total - sum(shares)
    for party in sorted(range(len(weights)), key=lambda i: (-remainders[i], i))[:left]:
        shares[party] += 1
    return shares
