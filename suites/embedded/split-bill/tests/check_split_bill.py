"""Hidden checks of split-bill: exact cents, largest remainders, credit notes."""

from fractions import Fraction

from grader import raises


def largest_remainder(total, weights):
    """The rule of the instruction, computed with fractions."""
    sign = -1 if total < 0 else 1
    exact = [Fraction(abs(total) * weight, sum(weights)) for weight in weights]
    shares = [int(share) for share in exact]
    order = sorted(range(len(weights)), key=lambda i: (shares[i] - exact[i], i))
    for i in order[: abs(total) - sum(shares)]:
        shares[i] += 1
    return [sign * share for share in shares]


def test_every_amount_is_exact(ws):
    """to_cents is exact for amounts of every size, sign and number of decimals."""
    money = ws.load("ledger.money")
    cases = {"0": 0, "0.29": 29, "-0.5": -50, "1.1": 110, "-19.99": -1999, "0.07": 7, "-0.01": -1}
    cases["90071992547409.93"] = 9007199254740993
    cases["12345678901234567890.07"] = 1234567890123456789007
    for text, cents in cases.items():
        assert money.to_cents(text) == cents, text
    for _ in range(150):
        cents = ws.rng.randrange(1, 10**6)
        assert money.to_cents(f"{cents // 100}.{cents % 100:02d}") == cents


def test_malformed_amounts_are_refused(ws):
    """What is not an amount raises ValueError, as before."""
    money = ws.load("ledger.money")
    for text in ["", "-", "1.", ".5", "1.234", "1e3", "+1", " 1", "1,00", "1\n", "--1", "nan"]:
        with raises(ValueError):
            money.to_cents(text)


def test_examples(ws):
    """Small bills that can be worked out by hand."""
    split = ws.load("ledger.shares").split
    assert split(100, [1, 1, 1]) == [34, 33, 33]
    assert split(100, [3, 3, 1]) == [43, 43, 14]
    assert split(1000, [3, 2, 1]) == [500, 333, 167]
    assert split(5, [2, 2, 2, 2, 2, 2, 2]) == [1, 1, 1, 1, 1, 0, 0]
    assert split(0, [1, 2]) == [0, 0]


def test_spare_cents_go_to_the_largest_fractions(ws):
    """Any bill, any weights: the rule of the instruction, ties to the earlier party."""
    split = ws.load("ledger.shares").split
    for _ in range(150):
        weights = [ws.rng.randrange(0, 12) for _ in range(ws.rng.randrange(1, 9))] + [1]
        ws.rng.shuffle(weights)
        total = ws.rng.randrange(0, 5000)
        assert split(total, weights) == largest_remainder(total, weights), (total, weights)


def test_huge_bills(ws):
    """Shares add up and are exact far beyond the precision of a float."""
    split = ws.load("ledger.shares").split
    for _ in range(40):
        total = ws.rng.randrange(10**17, 10**24)
        weights = [ws.rng.randrange(1, 10**6) for _ in range(5)]
        shares = split(total, weights)
        assert sum(shares) == total
        assert shares == largest_remainder(total, weights)


def test_credit_notes_mirror_bills(ws):
    """A negative total gives the same shares with every sign turned."""
    split = ws.load("ledger.shares").split
    assert split(-100, [1, 1, 1]) == [-34, -33, -33]
    for _ in range(60):
        weights = [ws.rng.randrange(1, 9) for _ in range(ws.rng.randrange(1, 7))]
        total = ws.rng.randrange(1, 3000)
        assert split(-total, weights) == largest_remainder(-total, weights), (-total, weights)


def test_weightless_parties_pay_nothing(ws):
    """A weight of zero gives a share of zero, wherever it stands."""
    split = ws.load("ledger.shares").split
    for total in [1, 2, 100, 1001, -7]:
        assert split(total, [0, 3, 0, 4, 0])[::2] == [0, 0, 0]


def test_errors_stay(ws):
    """Negative weights, no weights and weights of zero raise ValueError."""
    split = ws.load("ledger.shares").split
    for weights in [[], [0], [0, 0], [1, -1, 3], [-1]]:
        with raises(ValueError):
            split(100, weights)


def test_arguments_are_left_alone(ws):
    """The caller's list of weights is not changed."""
    split = ws.load("ledger.shares").split
    weights = ws.hold([5, 1, 3])
    split(100, weights)
    assert ws.value(weights) == [5, 1, 3]


def test_statement_splits_line_by_line(ws):
    """Every line is split by itself, and the amounts owed add up to the bills."""
    statement = ws.load("ledger.statement").statement
    assert statement([("a", "0.01"), ("b", "0.01"), ("c", "-0.05")], {"x": 1, "y": 1}) == {"x": "-0.01", "y": "-0.02"}
    for _ in range(30):
        tenants = {f"t{i}": ws.rng.randrange(1, 9) for i in range(ws.rng.randrange(1, 6))}
        cents = [ws.rng.randrange(1, 9999) for _ in range(4)]
        lines = [("bill", f"{c // 100}.{c % 100:02d}") for c in cents]
        owed = statement(lines, tenants)
        expected = [sum(column) for column in zip(*(largest_remainder(c, list(tenants.values())) for c in cents))]
        assert list(owed) == list(tenants)
        assert [round(float(text) * 100) for text in owed.values()] == expected


def test_amounts_as_text(ws):
    """Cents are written with two decimals, nothing is never negative, and the smallest credit note is one."""
    money = ws.load("ledger.money")
    cases = {0: "0.00", 1: "0.01", -1: "-0.01", 100: "1.00", -1999: "-19.99", 5: "0.05", -100: "-1.00"}
    assert {cents: money.format_cents(cents) for cents in cases} == cases
    split = ws.load("ledger.shares").split
    assert (split(-1, [1, 1]), split(1, [1, 1]), split(-1, [0, 2])) == ([-1, 0], [1, 0], [0, -1])
