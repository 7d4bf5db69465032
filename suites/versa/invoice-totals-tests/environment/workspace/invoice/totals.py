"""The totals of an invoice. All amounts are whole cents; what is rounded is rounded to the nearest cent, halves away from zero."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal


@dataclass
class Line:
    """A line: a quantity (below 0 for what is given back), a price in cents for one, a discount in percent, and a tax rate in percent."""

    quantity: Decimal
    price: int
    rate: Decimal
    discount: Decimal = Decimal(0)


@dataclass
class Totals:
    """What an invoice comes to.

    net: the lines' sum, less the voucher
    taxes: the tax by rate, in ascending order of rates; rates of lines that were there, even if their tax is 0
    gross: net and all taxes
    voucher: what was taken off by the voucher
    """

    net: int = 0
    taxes: dict[Decimal, int] = field(default_factory=dict)
    gross: int = 0
    voucher: int = 0


def totals(lines: Sequence[Line], voucher: int = 0) -> Totals:
    """Adds up lines.

    A line is quantity times price less its discount, rounded once. A voucher (cents) is taken off the sum of the lines, before taxes, but never more than that sum; if the sum is not above 0, nothing is.
    It is divided among the rates whose lines have a sum above 0, in proportion to these sums: each gets its share rounded down, and the cents that are left go, one each, to the rates whose shares lost most by
    that; where they lost the same, to the greater rate first.

    The tax of a rate is that of the sum of all its lines, less its part of the voucher, rounded once; rates that are equal as numbers (7 and 7.0) are one, written as in the first line that has it.

    Raises:
        ValueError: the voucher or a rate is below 0, or a discount is below 0 or above 100.
    """
    if voucher < 0:
        raise ValueError(f"a voucher cannot be below 0: {voucher}")
    sums: dict[Decimal, int] = {}
    for line in lines:
        if line.rate < 0 or not 0 <= line.discount <= 100:
            raise ValueError(f"not a line: {line}")
        sums[line.rate] = sums.get(line.rate, 0) + _cents(line.quantity * line.price * (100 - line.discount) / 100)
    net = sum(sums.values())
    taken = min(voucher, max(net, 0))
    parts = _divide(taken, sums)
    taxes = {rate: _cents((sums[rate] - parts.get(rate, 0)) * rate / 100) for rate in sorted(sums)}
    net -= taken
    return Totals(net, taxes, net + sum(taxes.values()), taken)


def _cents(amount: Decimal) -> int:
    return int(amount.quantize(Decimal(1), ROUND_HALF_UP))


def _divide(taken: int, sums: dict[Decimal, int]) -> dict[Decimal, int]:
    weights = {rate: value for rate, value in sums.items() if value > 0}
    whole = sum(weights.values())
    parts = {rate: taken * value // whole for rate, value in weights.items()}
    lost = sorted(weights, key=lambda rate: (taken * weights[rate] % whole, rate), reverse=True)
    for rate in lost[: taken - sum(parts.values())]:
        parts[rate] += 1
    return parts
