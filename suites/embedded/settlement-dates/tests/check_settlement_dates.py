"""Hidden checks of settlement-dates: conventions at the edges of months, counting, month ends and contracts."""

from datetime import date, timedelta

from grader import raises

DAY = timedelta(days=1)


class Days:
    """A calendar of the solution, and the same one here."""

    def __init__(self, ws, holidays=(), weekend=(5, 6)):
        self.remote = ws.load("settle.calendar").Calendar(list(holidays), list(weekend))
        self.holidays, self.weekend = set(holidays), set(weekend)

    def search(self, day, step):
        while day.weekday() in self.weekend or day in self.holidays:
            day += step
        return day


def random_days(ws):
    start = date(2023, 1, 1)
    holidays = {start + timedelta(days=ws.rng.randrange(1500)) for _ in range(200)}
    gap = start + timedelta(days=ws.rng.randrange(1400))
    holidays |= {gap + timedelta(days=n) for n in range(ws.rng.randrange(40))}
    return Days(ws, sorted(holidays), ws.rng.choice([[5, 6], [6], [4, 5], []]))


def rolled(days, day, convention):
    if convention == "none":
        return day
    step = DAY if convention.endswith("following") else -DAY
    found = days.search(day, step)
    if convention.startswith("modified") and found.strftime("%Y%m") != day.strftime("%Y%m"):
        found = days.search(day, -step)
    return found


def month_length(year, month):
    return ((date(year + month // 12, month % 12 + 1, 1)) - DAY).day


def shifted(day, months, month_end):
    year, month = (day.year * 12 + day.month - 1 + months) // 12, (day.month - 1 + months) % 12 + 1
    longest = month_length(year, month)
    at_end = month_end and day.day == month_length(day.year, day.month)
    return date(year, month, longest if at_end else min(day.day, longest))


def random_day(rng):
    return date(2023, 6, 1) + timedelta(days=rng.randrange(900))


def test_modified_conventions_stay_in_the_month(ws):
    """At the ends of months the modified conventions turn round."""
    roll = ws.load("settle.rules").roll
    plain = Days(ws)
    assert roll(date(2026, 5, 30), "modified-following", plain.remote) == date(2026, 5, 29)
    assert roll(date(2026, 5, 31), "modified-following", plain.remote) == date(2026, 5, 29)
    assert roll(date(2026, 2, 1), "modified-preceding", plain.remote) == date(2026, 2, 2)
    assert roll(date(2026, 5, 9), "modified-preceding", plain.remote) == date(2026, 5, 8)
    closed = Days(ws, [date(2026, 12, 31), date(2027, 1, 1)], [])
    assert roll(date(2026, 12, 31), "modified-following", closed.remote) == date(2026, 12, 30)
    assert roll(date(2027, 1, 1), "modified-preceding", closed.remote) == date(2027, 1, 2)
    year = Days(ws, [date(2026, 5, 10) + n * DAY for n in range(400)], [])
    assert roll(date(2026, 5, 20), "modified-following", year.remote) == date(2026, 5, 9)
    assert roll(date(2026, 6, 20), "modified-following", year.remote) == date(2026, 5, 9)


def test_rolling_at_random(ws):
    """All conventions on random days, over single holidays, long closures and several weekends."""
    roll = ws.load("settle.rules").roll
    for _ in range(6):
        days = random_days(ws)
        for _ in range(8):
            day = random_day(ws.rng)
            for convention in ["none", "following", "preceding", "modified-following", "modified-preceding"]:
                assert roll(day, convention, days.remote) == rolled(days, day, convention), (day, convention)


def test_unknown_conventions(ws):
    """Other conventions raise ValueError on open and on closed days."""
    rules, plain = ws.load("settle.rules"), Days(ws)
    for convention in ["", "Following", "modified", "modified-none", "modified-", "modified-modified-following"]:
        for day in [date(2026, 5, 8), date(2026, 5, 9)]:
            with raises(ValueError):
                rules.roll(day, convention, plain.remote)
        with raises(ValueError):
            rules.payment_days(date(2026, 1, 1), date(2026, 5, 8), 1, plain.remote, convention)


def test_counting_open_days(ws):
    """The day itself never counts, open or closed; zero rolls to the following open day."""
    add = ws.load("settle.rules").add_open_days
    plain = Days(ws)
    for start in [date(2026, 5, 9), date(2026, 5, 10)]:
        found = [add(start, count, plain.remote).day for count in (-6, -2, -1, 0, 1, 2, 6)]
        assert found == [1, 7, 8, 11, 11, 12, 18]
    assert [add(date(2026, 5, 8), count, plain.remote).day for count in (-1, 0, 1)] == [7, 8, 11]
    for _ in range(30):
        days, day, count = random_days(ws), random_day(ws.rng), ws.rng.randrange(1, 30)
        later, earlier = day, day
        for _ in range(count):
            later, earlier = days.search(later + DAY, DAY), days.search(earlier - DAY, -DAY)
        assert add(day, count, days.remote) == later
        assert add(day, -count, days.remote) == earlier
        assert add(day, 0, days.remote) == days.search(day, DAY)


def test_adding_months(ws):
    """Short months, leap years, turns of the year, backwards, and month ends only on demand."""
    add = ws.load("settle.rules").add_months
    assert add(date(2024, 1, 31), 1) == date(2024, 2, 29)
    assert add(date(2024, 2, 29), 12) == date(2025, 2, 28)
    assert add(date(2024, 2, 29), 48) == date(2028, 2, 29)
    assert add(date(2026, 3, 31), -1) == date(2026, 2, 28)
    assert add(date(2026, 12, 15), 1) == date(2027, 1, 15)
    assert add(date(2026, 1, 15), -1) == date(2025, 12, 15)
    assert add(date(2024, 2, 28), 1, True) == date(2024, 3, 28)
    assert add(date(2026, 4, 30), -2, True) == date(2026, 2, 28)
    assert add(date(2026, 4, 30), 1) == date(2026, 5, 30)
    assert add(date(2026, 6, 30), 0, True) == date(2026, 6, 30)
    for _ in range(120):
        day, months, month_end = random_day(ws.rng), ws.rng.randrange(-60, 61), ws.rng.random() < 0.5
        assert add(day, months, month_end) == shifted(day, months, month_end)


def test_payments_do_not_drift(ws):
    """Every payment is reckoned from the last day, not from the payment after it."""
    pay = ws.load("settle.rules").payment_days
    always = Days(ws, weekend=[])
    assert pay(date(2025, 12, 30), date(2026, 5, 30), 1, always.remote) == [
        *[date(2026, 1, 30), date(2026, 2, 28), date(2026, 3, 30), date(2026, 4, 30), date(2026, 5, 30)]
    ]
    assert pay(date(2024, 11, 29), date(2025, 8, 29), 3, always.remote) == [
        *[date(2025, 2, 28), date(2025, 5, 29), date(2025, 8, 29)]
    ]


def test_payments_at_month_ends(ws):
    """If the last day is the last of its month, so are all the others, before they are rolled."""
    pay = ws.load("settle.rules").payment_days
    always, plain = Days(ws, weekend=[]), Days(ws)
    assert pay(date(2025, 10, 31), date(2026, 4, 30), 2, always.remote) == [
        *[date(2025, 12, 31), date(2026, 2, 28), date(2026, 4, 30)]
    ]
    assert pay(date(2025, 11, 30), date(2026, 2, 28), 1, plain.remote) == [
        *[date(2025, 12, 31), date(2026, 1, 30), date(2026, 2, 27)]
    ]
    assert pay(date(2026, 1, 31), date(2026, 5, 31), 2, plain.remote, "following") == [
        *[date(2026, 3, 31), date(2026, 6, 1)]
    ]


def test_contracts_at_random(ws):
    """Random contracts: stubs at the start, all conventions, closed weeks, each day once."""
    pay = ws.load("settle.rules").payment_days
    for _ in range(40):
        days, last, months = random_days(ws), random_day(ws.rng), ws.rng.choice([1, 2, 3, 6, 12])
        if ws.rng.random() < 0.4:
            last = last.replace(day=1) - DAY
        first = last - timedelta(days=ws.rng.randrange(1, 500))
        convention = ws.rng.choice(["none", "following", "preceding", "modified-following", "modified-preceding"])
        expected, steps = set(), 0
        while shifted(last, -steps * months, True) > first:
            expected.add(rolled(days, shifted(last, -steps * months, True), convention))
            steps += 1
        assert pay(first, last, months, days.remote, convention) == sorted(expected)


def test_payments_that_coincide(ws):
    """Payments that are rolled to the same day are one; the first day itself is none."""
    pay = ws.load("settle.rules").payment_days
    closed = Days(ws, [date(2026, 3, 1) + n * DAY for n in range(92)], [])
    assert pay(date(2026, 2, 15), date(2026, 6, 15), 1, closed.remote, "following") == [
        *[date(2026, 6, 1), date(2026, 6, 15)]
    ]


def test_impossible_contracts(ws):
    """Steps below one month and contracts without time raise ValueError."""
    pay, plain = ws.load("settle.rules").payment_days, Days(ws)
    for first, last, months in [(1, 20, 0), (1, 20, -1), (20, 20, 1), (21, 20, 1)]:
        with raises(ValueError):
            pay(date(2026, 5, first), date(2026, 5, last), months, plain.remote)
