"""Dividing an amount among several parties."""

from collections.abc import Sequence


def split(total: int, weights: Sequence[int]) -> list[int]:
    """Divide `total` cents in proportion to `weights`.

    Returns one share for each weight, in the same order; the shares add up to `total`. The cents that remain after
    cutting every share to whole cents go to the parties that lost the largest fractions, the earlier first. Raises
    ValueError when a weight is negative, or when there is no weight above zero.
    """
    if any(weight < 0 for weight in weights):
        raise ValueError("a weight is negative")
    whole = sum(weights)
    if whole == 0:
        raise ValueError("no weight is above zero")
    if total < 0:
        return [-share for share in split(-total, weights)]
    exact = [divmod(total * weight, whole) for weight in weights]
    shares = [cents for cents, _lost in exact]
    by_loss = sorted(range(len(weights)), key=lambda party: -exact[party][1])
    for party in by_loss[: total - sum(shares)]:
        shares[party] += 1
    return shares
