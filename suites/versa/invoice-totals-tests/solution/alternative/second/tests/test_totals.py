"""Tests of the totals: examples by hand for each promise, and many invoices against a reckoning with fractions."""

import copy
import random
import unittest
from collections.abc import Sequence
from decimal import Decimal as D
from fractions import Fraction
from itertools import permutations

from invoice import Line, Totals, totals


def cents(amount: Fraction) -> int:
    """The nearest whole number, halves away from zero."""
    whole = int(abs(amount) * 2 + 1) // 2
    return whole if amount > 0 else -whole


def reckon(lines: Sequence[Line], voucher: int = 0) -> tuple[list[tuple[str, int]], int, int, int]:
    """Taxes by rate as it is written, net, gross and voucher."""
    sums: list[list] = []  # written rate, rate, sum, part of the voucher, what the part lost
    for line in lines:
        rate = Fraction(line.rate)
        amount = cents(Fraction(line.quantity) * line.price * (100 - Fraction(line.discount)) / 100)
        for entry in sums:
            if entry[1] == rate:
                entry[2] += amount
                break
        else:
            sums.append([str(line.rate), rate, amount, 0, Fraction(0)])
    net = sum(entry[2] for entry in sums)
    taken = min(voucher, net) if net > 0 else 0
    above = [entry for entry in sums if entry[2] > 0]
    for entry in above:
        share = Fraction(taken * entry[2], sum(other[2] for other in above))
        entry[3] = int(share)
        entry[4] = share - int(share)
    left = taken - sum(entry[3] for entry in above)
    for entry in sorted(above, key=lambda entry: (-entry[4], -entry[1]))[:left]:
        entry[3] += 1
    taxes = [(entry[0], cents((entry[2] - entry[3]) * entry[1] / 100)) for entry in sorted(sums, key=lambda entry: entry[1])]
    return taxes, net - taken, net - taken + sum(tax for _, tax in taxes), taken


def line(quantity: str, price: int, rate: str, discount: str = "0") -> Line:
    return Line(D(quantity), price, D(rate), D(discount))


def sums(**by_rate: int) -> list[Line]:
    """A line for each rate, as in `r19=500`, with this sum."""
    return [line("1", value, rate[1:].replace("_", ".")) for rate, value in by_rate.items()]


def told(got: Totals) -> tuple[int, list[tuple[str, int]], int, int]:
    """All that is documented of totals."""
    return got.net, [(str(rate), tax) for rate, tax in got.taxes.items()], got.gross, got.voucher


class TotalsTest(unittest.TestCase):
    def check(self, lines: Sequence[Line], voucher: int, net: int, taxes: dict[str, int], taken: int) -> None:
        """Compares all of the totals; `taxes` are in their order."""
        got = totals(lines, voucher)
        self.assertEqual([(str(rate), tax) for rate, tax in got.taxes.items()], list(taxes.items()))
        self.assertEqual((got.net, got.gross, got.voucher), (net, net + sum(taxes.values()), taken))
        self.check_types(got)

    def check_types(self, got: Totals) -> None:
        self.assertIs(type(got), Totals)
        self.assertIs(type(got.taxes), dict)
        for number in (got.net, got.gross, got.voucher, *got.taxes.values()):
            self.assertIs(type(number), int)
        for rate in got.taxes:
            self.assertIs(type(rate), D)

    # Lines

    def test_nothing(self) -> None:
        self.check([], 0, 0, {}, 0)
        self.check((), 500, 0, {}, 0)
        self.check_types(totals([]))

    def test_a_line(self) -> None:
        self.check([line("2", 1050, "19")], 0, 2100, {"19": 399}, 0)
        self.check((line("2", 1050, "19"),), 0, 2100, {"19": 399}, 0)
        self.check([Line(D(3), 100, D(7))], 0, 300, {"7": 21}, 0)
        self.assertEqual(Line(D(3), 100, D(7)).discount, 0)

    def test_lines_are_rounded_to_the_nearest_with_halves_away_from_zero(self) -> None:
        for quantity, price, discount, expected in (
            ("0.5", 1, "0", 1),
            ("0.5", 3, "0", 2),
            ("0.5", 5, "0", 3),
            ("0.49", 1, "0", 0),
            ("0.51", 1, "0", 1),
            ("1.5", 1, "0", 2),
            ("-0.5", 1, "0", -1),
            ("-0.5", 3, "0", -2),
            ("-0.5", 5, "0", -3),
            ("-0.49", 1, "0", 0),
            ("-0.51", 1, "0", -1),
            ("-1.6", 1, "0", -2),
            ("1", -5, "50", -3),
            ("1", 1, "50", 1),
            ("1", 5, "50", 3),
            ("-1", 5, "50", -3),
            ("1", 5, "49.9", 3),
            ("1", 5, "50.1", 2),
            ("0.001", 499, "0", 0),
            ("0.001", 500, "0", 1),
            ("0.333", 1000, "0", 333),
            ("1.005", 100, "0", 101),
            ("2.675", 100, "0", 268),
        ):
            with self.subTest(quantity=quantity, price=price, discount=discount):
                self.assertEqual(totals([line(quantity, price, "0", discount)]).net, expected)

    def test_a_line_is_rounded_once(self) -> None:
        # the price for one is not rounded, nor is what all cost before the discount, nor the discount
        for quantity, price, discount, expected in (
            ("3", 5, "10", 14),
            ("10", 3, "15", 26),
            ("1.5", 33, "1", 49),
            ("0.5", 3, "50", 1),
            ("0.3", 5, "50", 1),
            ("0.7", 7, "10", 4),
            ("1", 3, "50", 2),
            ("1", 333, "33.3", 222),
            ("7", 99, "12.5", 606),
            ("-3", 5, "10", -14),
        ):
            with self.subTest(quantity=quantity, price=price, discount=discount):
                self.assertEqual(totals([line(quantity, price, "0", discount)]).net, expected)

    def test_each_line_is_rounded_before_they_are_added(self) -> None:
        self.check([line("0.5", 1, "0")] * 3, 0, 3, {"0": 0}, 0)
        self.check([line("0.4", 1, "0")] * 5, 0, 0, {"0": 0}, 0)
        self.check([line("0.5", 1, "7"), line("-0.5", 1, "19")], 0, 0, {"7": 0, "19": 0}, 0)

    def test_discounts_and_their_limits(self) -> None:
        self.check([line("1", 999, "10", "100")], 0, 0, {"10": 0}, 0)
        self.check([line("1", 1000, "10", "0.5")], 0, 995, {"10": 100}, 0)
        for discount in ("-0.01", "-1", "100.01", "101", "200"):
            with self.assertRaises(ValueError, msg=discount):
                totals([line("1", 100, "19", discount)])

    def test_rates_and_vouchers_below_0(self) -> None:
        for rate in ("-0.01", "-19"):
            with self.assertRaises(ValueError):
                totals([line("1", 100, "19"), line("1", 100, rate)])
            with self.assertRaises(ValueError):
                totals([line("0", 100, rate)])
        for lines in ([], [line("1", 100, "19")], [line("-1", 100, "19")]):
            with self.assertRaises(ValueError):
                totals(lines, -1)
        with self.assertRaises(ValueError):
            totals([line("0", 0, "7"), line("0", 0, "7", "101")])

    # Taxes

    def test_tax_of_a_rate_is_rounded_once(self) -> None:
        self.check([line("1", 5, "10")] * 3, 0, 15, {"10": 2}, 0)
        self.check([line("1", 4, "10")] * 5, 0, 20, {"10": 2}, 0)
        self.check([line("1", 5, "10"), line("1", 5, "20"), line("1", 5, "10")], 0, 15, {"10": 1, "20": 1}, 0)

    def test_taxes_are_rounded_with_halves_away_from_zero(self) -> None:
        for value, rate, expected in (
            (50, "1", 1),
            (150, "1", 2),
            (250, "1", 3),
            (49, "1", 0),
            (-50, "1", -1),
            (-150, "1", -2),
            (-250, "1", -3),
            (-49, "1", 0),
            (-51, "1", -1),
            (20, "7.5", 2),
            (100, "5.5", 6),
            (1000, "0.05", 1),
            (1000, "0.049", 0),
            (3, "150", 5),
            (1234, "0", 0),
        ):
            with self.subTest(value=value, rate=rate):
                self.check([line("1", value, rate)], 0, value, {rate: expected}, 0)

    def test_rates_are_in_order_and_written_as_first(self) -> None:
        self.check(sums(r19=100, r7=100, r10=100, r0=100, r5_5=100), 0, 500, {"0": 0, "5.5": 6, "7": 7, "10": 10, "19": 19}, 0)
        same = [line("1", 100, "7.0"), line("1", 100, "19"), line("1", 107, "7"), line("1", 100, "7.00"), line("1", 1, "19.0")]
        self.check(same, 0, 408, {"7.0": 21, "19": 19}, 0)
        self.check(same[::-1], 0, 408, {"7.00": 21, "19.0": 19}, 0)
        self.check([line("0", 5, "7.0"), line("1", 100, "7")], 0, 100, {"7.0": 7}, 0)
        self.check([line("1", 50, "7.0"), line("1", 50, "7"), line("1", 100, "19")], 3, 197, {"7.0": 7, "19": 19}, 3)

    def test_rates_without_tax_are_there(self) -> None:
        self.check([line("1", 100, "19"), line("0", 100, "7"), line("1", 50, "5"), line("-1", 50, "5")], 0, 100, {"5": 0, "7": 0, "19": 19}, 0)
        self.check(sums(r7=100), 100, 0, {"7": 0}, 100)

    def test_what_is_given_back(self) -> None:
        self.check([line("-2", 1000, "19"), line("1", 100, "7")], 0, -1900, {"7": 7, "19": -380}, 0)
        self.check([line("3", 1000, "19"), line("-1", 1000, "19")], 0, 2000, {"19": 380}, 0)

    # The voucher

    def test_voucher_and_its_limit(self) -> None:
        self.check(sums(r19=1000), 0, 1000, {"19": 190}, 0)
        self.check(sums(r19=1000), 100, 900, {"19": 171}, 100)
        self.check(sums(r19=1000), 999, 1, {"19": 0}, 999)
        self.check(sums(r19=1000), 1000, 0, {"19": 0}, 1000)
        self.check(sums(r19=1000), 1001, 0, {"19": 0}, 1000)
        self.check(sums(r19=1000, r7=500), 10**6, 0, {"7": 0, "19": 0}, 1500)

    def test_voucher_comes_before_the_rounding_of_taxes(self) -> None:
        # what the voucher takes off may be less or more than the tax of its cents, rounded by itself
        self.check(sums(r10=105), 1, 104, {"10": 10}, 1)
        self.check(sums(r10=14), 10, 4, {"10": 0}, 10)
        self.check(sums(r10=16), 1, 15, {"10": 2}, 1)

    def test_voucher_without_a_sum_above_0(self) -> None:
        self.check(sums(r19=-100), 50, -100, {"19": -19}, 0)
        self.check(sums(r19=100, r7=-100), 50, 0, {"7": -7, "19": 19}, 0)
        self.check(sums(r19=100, r7=-200), 50, -100, {"7": -14, "19": 19}, 0)
        self.check(sums(r19=0), 50, 0, {"19": 0}, 0)

    def test_voucher_is_divided_among_sums_above_0(self) -> None:
        self.check(sums(r10=600, r20=300), 90, 810, {"10": 54, "20": 54}, 90)
        # the rate that was given back gets no part; all is taken from the others
        self.check(sums(r10=-300, r20=600, r50=600), 100, 800, {"10": -30, "20": 110, "50": 275}, 100)
        self.check(sums(r7=-30, r19=100), 200, 0, {"7": -2, "19": 6}, 70)
        self.check(sums(r7=-30, r19=100), 70, 0, {"7": -2, "19": 6}, 70)
        self.check(sums(r7=0, r100=2, r200=1), 1, 2, {"7": 0, "100": 1, "200": 2}, 1)

    def test_cents_that_are_left(self) -> None:
        # rates of 100 % and more show each cent; shares are 1/3 each, and the greatest rate comes first
        for order in permutations((100, 200, 1000)):
            lines = [line("1", 10, str(rate)) for rate in order]
            self.check(lines, 1, 29, {"100": 10, "200": 20, "1000": 90}, 1)
            self.check(lines, 2, 28, {"100": 10, "200": 18, "1000": 90}, 2)
            self.check(lines, 4, 26, {"100": 9, "200": 18, "1000": 80}, 4)
        # rates are compared as numbers, not as texts
        self.check(sums(r900=10, r1000=10), 1, 19, {"900": 90, "1000": 90}, 1)
        # shares of 5 are 0.71, 1.43 and 2.86: the greatest sum lost most, and then the smallest one
        self.check(sums(r400=1, r200=2, r100=4), 5, 2, {"100": 1, "200": 2, "400": 0}, 5)

    def test_cents_go_to_whom_lost_most(self) -> None:
        # voucher 10 on 300, 500, 700 (of 1500): 2.0, 3.33, 4.67
        self.check(sums(r100=300, r200=500, r300=700), 10, 1490, {"100": 298, "200": 994, "300": 2085}, 10)
        self.check(sums(r300=300, r200=500, r100=700), 10, 1490, {"100": 695, "200": 994, "300": 894}, 10)
        # voucher 2 on 8, 1, 1 (of 10): 1.6, 0.2, 0.2
        self.check(sums(r100=8, r200=1, r300=1), 2, 8, {"100": 6, "200": 2, "300": 3}, 2)
        # voucher 5 on 7, 2, 1: 3.5, 1.0, 0.5: one cent, the greater rate of the two
        self.check(sums(r100=7, r200=2, r300=1), 5, 5, {"100": 4, "200": 2, "300": 0}, 5)
        self.check(sums(r300=7, r200=2, r100=1), 5, 5, {"100": 1, "200": 2, "300": 9}, 5)

    # Arguments and results

    def test_arguments_are_not_changed(self) -> None:
        lines = [line("1.50", 333, "19.0", "2.5"), line("-1", 10, "7"), line("2", 55, "7.00"), line("1", 8, "0")]
        before = copy.deepcopy(lines)
        order = [id(each) for each in lines]
        first = told(totals(lines, 17))
        self.assertEqual(repr(lines), repr(before))
        self.assertEqual([id(each) for each in lines], order)
        self.assertEqual(told(totals(lines, 17)), first)

    def test_results_have_nothing_in_common(self) -> None:
        one, other = totals([]), totals([])
        one.taxes[D(19)] = 5
        self.assertEqual((other.taxes, totals([]).taxes), ({}, {}))
        lines = sums(r19=100)
        totals(lines).taxes.clear()
        self.assertEqual(totals(lines).taxes, {D(19): 19})

    def test_great_amounts(self) -> None:
        great = 9_007_199_254_740_993
        self.check([line("1", great, "100")], 0, great, {"100": great}, 0)
        self.check([line("3", great, "100", "50")], 0, 13_510_798_882_111_490, {"100": 13_510_798_882_111_490}, 0)
        self.check([line("1", great, "100"), line("1", great, "200")], great, great, {"100": 4_503_599_627_370_497, "200": 9_007_199_254_740_992}, great)

    def test_many_invoices(self) -> None:
        dice = random.Random(2026)
        rates = [D(text) for text in ("0", "0.0", "5", "5.5", "7", "7.0", "7.00", "10", "19", "19.0", "100", "2.5", "200", "350")]
        discounts = [D(text) for text in ("0", "0", "0", "10", "50", "33.3", "2.5", "100", "99.99", "12.5")]
        quantities = [D(text) for text in ("1", "1", "2", "3", "-1", "-2", "0.5", "-0.5", "0", "1.25", "0.333", "10", "-3.75")]
        for _ in range(2000):
            most = dice.choice((3, 12, 60, 1000, 100_000))
            few = dice.sample(rates, dice.randint(1, 6))
            lines = [
                Line(dice.choice(quantities), dice.randint(0, most), dice.choice(few), dice.choice(discounts)) for _ in range(dice.randint(0, 7))
            ]
            voucher = dice.choice((0, dice.randint(0, 5), dice.randint(0, most * 3)))
            before = repr(lines)
            got = totals(lines, voucher)
            found = [(str(rate), tax) for rate, tax in got.taxes.items()], got.net, got.gross, got.voucher
            if found != reckon(lines, voucher):
                self.assertEqual(found, reckon(lines, voucher), f"{lines}, voucher {voucher}")
            self.check_types(got)
            self.assertEqual(repr(lines), before)


if __name__ == "__main__":
    unittest.main()
