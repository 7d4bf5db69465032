"""Hidden checks of marina-closed-berths: random seasons with closures against a marina that is counted night by night."""

from datetime import date, timedelta

from grader import raises

DAY = timedelta(days=1)
NEW_YEAR = date(2026, 1, 1)
SEASONS = [("high", (6, 15), (8, 31), 210), ("winter", (11, 16), (2, 10), 65), ("Easter", (3, 28), (4, 12), 175)]
RATE = 120
BERTHS = [("A1", 800, 150), ("A2", 800, 190), ("B1", 1000, 200), ("B7", 1300, 260), ("C2", 1000, 180)]


def rounded(cents, numerator, denominator):
    """A fraction of an amount to the nearest cent."""
    whole, rest = divmod(cents * numerator, denominator)
    return whole + (2 * rest >= denominator)


def night_price(day, length, seasons=None, rate=RATE):
    """What a night costs."""
    here = (day.month, day.day)
    for _name, first, last, cents in SEASONS if seasons is None else seasons:
        inside = first <= here <= last if first <= last else not last < here < first
        if inside:
            rate = cents
            break
    return -(-length // 100) * rate


def days_of(start, end):
    """The nights from a day to a day."""
    return [start + n * DAY for n in range((end - start).days)]


class Model:
    """The marina, night by night, as README.md describes it."""

    def __init__(self, berths, seasons=None, rate=RATE):
        self.berths = sorted(berths, key=lambda berth: (berth[1], berth[0]))
        self.seasons, self.rate = seasons, rate
        self.stays, self.entries, self.waiting, self.closed = [], [], [], set()

    def price(self, length, start, end):
        full = sum(night_price(day, length, self.seasons, self.rate) for day in days_of(start, end))
        nights = (end - start).days
        return full - rounded(full, 25 if nights >= 28 else 10 if nights >= 7 else 0, 100)

    def holder(self, code, day):
        for stay in self.stays:
            if stay["active"] and stay["code"] == code and stay["start"] <= day < stay["end"]:
                return stay
        return None

    def best(self, boat, start, end, stay=None):
        codes = [code for code, length, depth in self.berths if boat[2] <= length and boat[3] + 30 <= depth]
        if stay is not None and stay["code"] in codes:
            codes = [stay["code"], *[code for code in codes if code != stay["code"]]]
        for code in codes:
            if all(self.holder(code, d) in (None, stay) and (code, d) not in self.closed for d in days_of(start, end)):
                return code
        return None

    def write(self, day, stay, kind, cents):
        if cents:
            self.entries.append((day, stay["boat"][1], stay["number"], kind, cents))

    def reserve(self, day, boat, start, end):
        code = self.best(boat, start, end)
        if code is None:
            return None
        stay = {"number": len(self.stays) + 1, "boat": boat, "code": code, "start": start, "end": end, "active": True}
        stay["price"], stay["first"] = self.price(boat[2], start, end), start
        self.stays.append(stay)
        self.write(day, stay, "charge", stay["price"])
        return stay["number"]

    def serve(self, day):
        self.waiting = [(boat, start, end) for boat, start, end in self.waiting if not self.reserve(day, boat, start, end)]

    def rate_of_fee(self, day, arrival):
        before = (arrival - day).days
        return 0 if before >= 14 else 30 if before >= 2 else 100

    def change(self, day, number, start, end):
        stay = self.stays[number - 1]
        if not stay["active"]:
            return ValueError
        code = self.best(stay["boat"], start, end, stay)
        if code is None:
            return "NoBerth"
        more = self.price(stay["boat"][2], start, end) - stay["price"]
        stay.update(code=code, start=start, end=end, price=stay["price"] + more)
        self.write(day, stay, "charge" if more > 0 else "credit", more)
        self.serve(day)
        return None

    def cancel(self, day, number):
        stay = self.stays[number - 1]
        if not stay["active"]:
            return ValueError
        stay["active"] = False
        fee = rounded(stay["price"], self.rate_of_fee(day, stay["start"]), 100)
        self.write(day, stay, "credit", -stay["price"])
        self.write(day, stay, "fee", fee)
        self.serve(day)
        return None

    def close(self, day, code, start, end):
        self.closed.update((code, night) for night in days_of(start, end))
        homeless = []
        for stay in list(self.stays):
            nights = days_of(stay["start"], stay["end"])
            if not stay["active"] or stay["code"] != code or not any(start <= night < end for night in nights):
                continue
            other = self.best(stay["boat"], stay["start"], stay["end"])
            if other is None:
                stay["active"] = False
                self.write(day, stay, "credit", -stay["price"])
                homeless.append((stay["boat"], stay["start"], stay["end"]))
            else:
                stay["code"] = other
        self.waiting = homeless + self.waiting
        self.serve(day)

    def statement(self, owner):
        lines, balance = [], 0
        for day, whose, number, kind, cents in self.entries:
            if whose == owner:
                balance += cents
                lines.append(f"{day} {number} {kind} {money(cents)} {money(balance)}")
        return lines

    def arrivals(self, day):
        found = [s for s in self.stays if s["active"] and s["start"] == day]
        return sorted(f"{s['code']} {s['boat'][0]} {(s['end'] - s['start']).days}" for s in found)

    def occupancy(self, start, end):
        found = {}
        for code in sorted(code for code, _length, _depth in self.berths):
            opened = [day for day in days_of(start, end) if (code, day) not in self.closed]
            taken = [day for day in opened if self.holder(code, day)]
            found[code] = rounded(100, len(taken), len(opened)) if opened else None
        return found


def money(cents):
    """An amount as text."""
    digits = f"{abs(cents):03d}"
    return ("-" if cents < 0 else "") + digits[:-2] + "." + digits[-2:]


def month_of(number, year=2026):
    """First day of a month and of the next."""
    return date(year, number, 1), (date(year, number, 28) + 4 * DAY).replace(day=1)


def months_of(model, year, number):
    """What a month brings in, by the rules."""
    start, end = month_of(number, year)
    earned = sum(entry[4] for entry in model.entries if entry[3] == "fee" and start <= entry[0] < end)
    for stay in model.stays:
        if stay["active"]:
            nights = days_of(stay["start"], stay["end"])
            before, until = sum(day < start for day in nights), sum(day < end for day in nights)
            earned += rounded(stay["price"], until, len(nights)) - rounded(stay["price"], before, len(nights))
    return earned


def open_desk(ws, berths=BERTHS, seasons=None, rate=RATE):
    """A desk of the solution's, and its model."""
    marina = ws.load("marina")
    harbour = marina.Harbour()
    for berth in berths:
        harbour.add(marina.Berth(*berth))
    return marina.Desk(harbour, tariff(ws, seasons, rate)), Model(berths, seasons, rate)


def tariff(ws, seasons=None, rate=RATE):
    """A tariff of the solution's."""
    marina = ws.load("marina")
    return marina.Tariff([marina.Season(*s) for s in (SEASONS if seasons is None else seasons)], rate)


def compare(ws, desk, model, owners=("Ada", "Ben", "Cleo")):
    """Accounts, waiting list and reports are as in the model."""
    reports = ws.load("marina.reports")
    for owner in owners:
        assert desk.ledger.statement(owner) == model.statement(owner), owner
        assert desk.ledger.balance(owner) == sum(entry[4] for entry in model.entries if entry[1] == owner)
    assert desk.waiting.names() == [boat[0] for boat, _start, _end in model.waiting]
    for stay in model.stays:
        found = desk.register.get(stay["number"])
        assert (found.code, found.cancelled) == (stay["code"], not stay["active"]), stay
        assert (found.span.start, found.span.end) == (stay["start"], stay["end"]), stay
    for number in (5, 6, 7):
        assert reports.occupancy(desk, 2026, number) == model.occupancy(*month_of(number)), number
        assert reports.revenue(desk, 2026, number) == months_of(model, 2026, number), number
    for stay in model.stays[:6]:
        assert reports.arrivals(desk, stay["start"]) == model.arrivals(stay["start"])


def random_boat(ws):
    """Name, owner, length and draught."""
    rng = ws.rng
    return (
        f"boat{rng.randrange(10**6)}",
        rng.choice(("Ada", "Ben", "Cleo")),
        rng.choice((600, 701, 800, 801, 1000, 1250)),
        rng.choice((90, 120, 150, 151, 170)),
    )


def random_days(rng):
    """Arrival and departure in May to July."""
    start = date(2026, 5, 1) + rng.randrange(60) * DAY
    return start, start + rng.choice((1, 2, 4, 6, 7, 8, 12, 27, 28, 31)) * DAY


def step(ws, desk, model, day):
    """One random thing happens, here and in the model."""
    rng, marina = ws.rng, ws.load("marina")
    what = rng.choice(("reserve", "reserve", "wait", "change", "change", "cancel", "pay", "close"))
    start, end = random_days(rng)
    boat = random_boat(ws)
    if what == "close":
        code, end = rng.choice(model.berths)[0], min(end, start + 9 * DAY)
        if rng.random() < 0.8:
            desk.close(day, code, marina.Span(start, end))
            model.close(day, code, start, end)
        else:
            desk.harbour.close(code, marina.Span(start, end))
            model.closed.update((code, night) for night in days_of(start, end))
    elif what == "wait":
        desk.wait(marina.Boat(*boat), marina.Span(start, end))
        model.waiting.append((boat, start, end))
    elif what == "reserve" or not model.stays:
        wanted = model.reserve(day, boat, start, end)
        if wanted is None:
            with raises("NoBerth"):
                desk.reserve(day, marina.Boat(*boat), marina.Span(start, end))
        else:
            assert desk.reserve(day, marina.Boat(*boat), marina.Span(start, end)) == wanted
    else:
        stay = rng.choice(model.stays)
        number = stay["number"]
        if what == "pay":
            cents = rng.randrange(1, 30_000)
            desk.pay(day, number, cents)
            model.write(day, stay, "payment", -cents)
            return
        if what == "change":
            start, end = rng.choice(
                [(start, end), (stay["start"], stay["start"] + DAY), (stay["start"] + DAY, stay["end"] + DAY)]
            )
            refused = model.change(day, number, start, end)
        else:
            refused = model.cancel(day, number)
        if refused is None:
            desk.change(day, number, marina.Span(start, end)) if what == "change" else desk.cancel(day, number)
        else:
            with raises(refused):
                desk.change(day, number, marina.Span(start, end)) if what == "change" else desk.cancel(day, number)


def test_random_seasons(ws):
    """Random bookings, changes, cancellations and payments: everything is as the rules say, step by step."""
    for _ in range(3):
        desk, model = open_desk(ws)
        day = date(2026, 4, 20)
        for number in range(30):
            step(ws, desk, model, day)
            day += ws.rng.randrange(4) * DAY
            if number % 6 == 5:
                compare(ws, desk, model)


def test_few_berths(ws):
    """The same with two berths, for which many wait."""
    for _ in range(3):
        desk, model = open_desk(ws, [("X", 1300, 260), ("Y", 900, 260)])
        day = date(2026, 5, 1)
        for number in range(30):
            step(ws, desk, model, day)
            day += ws.rng.randrange(3) * DAY
            if number % 5 == 4:
                compare(ws, desk, model)


def test_refused_changes(ws):
    """Who is refused keeps what he has; the unknown and the cancelled are refused as before."""
    marina = ws.load("marina")
    desk, model = open_desk(ws, [("X", 1300, 260)])
    one, two = ("Gull", "Ada", 900, 100), ("Tern", "Ben", 950, 100)
    spans = [(date(2026, 6, 1), date(2026, 6, 5)), (date(2026, 6, 5), date(2026, 6, 9))]
    for boat, span in zip((one, two), spans, strict=True):
        assert desk.reserve(NEW_YEAR, marina.Boat(*boat), marina.Span(*span)) == model.reserve(NEW_YEAR, boat, *span)
    for end in (date(2026, 6, 6), date(2026, 6, 12)):
        with raises("NoBerth"):
            desk.change(NEW_YEAR, 1, marina.Span(date(2026, 6, 2), end))
    with raises("NoBerth"):
        desk.reserve(NEW_YEAR, marina.Boat(*two), marina.Span(date(2026, 6, 1), date(2026, 6, 2)))
    compare(ws, desk, model)
    desk.cancel(NEW_YEAR, 1)
    model.cancel(NEW_YEAR, 1)
    for call in (lambda: desk.cancel(NEW_YEAR, 1), lambda: desk.change(NEW_YEAR, 1, marina.Span(*spans[0]))):
        with raises(ValueError):
            call()
    for call in (lambda: desk.cancel(NEW_YEAR, 9), lambda: desk.pay(NEW_YEAR, 9, 100)):
        with raises(KeyError):
            call()
    compare(ws, desk, model)


def test_fees_of_cancellations(ws):
    """Fees at the limits of days, and changes that cost the same."""
    marina = ws.load("marina")
    desk, model = open_desk(ws, BERTHS, [], 101)
    for number, before in enumerate((15, 14, 13, 3, 2, 1, 0)):
        boat, start = (f"boat{number}", "Ben", 700, 90), date(2026, 6, 1) + 3 * number * DAY
        desk.reserve(NEW_YEAR, marina.Boat(*boat), marina.Span(start, start + DAY))
        model.reserve(NEW_YEAR, boat, start, start + DAY)
        for shift in (1, 0):
            desk.change(NEW_YEAR, number + 1, marina.Span(start + shift * DAY, start + (shift + 1) * DAY))
            model.change(NEW_YEAR, number + 1, start + shift * DAY, start + (shift + 1) * DAY)
        desk.cancel(start - before * DAY, number + 1)
        model.cancel(start - before * DAY, number + 1)
    compare(ws, desk, model)


def test_closures_of_a_full_harbour(ws):
    """Most must leave, few find something, and others are waiting."""
    marina = ws.load("marina")
    for _ in range(5):
        berths = [("P", 1300, 260), ("Q", 1300, 260), ("R", 900, 260)]
        desk, model = open_desk(ws, berths)
        for number in range(18):
            start = date(2026, 6, 1) + ws.rng.randrange(20) * DAY
            end = start + ws.rng.randrange(1, 6) * DAY
            boat = (f"boat{number}", ws.rng.choice(("Ada", "Ben")), ws.rng.choice((700, 1200)), 100)
            if model.reserve(NEW_YEAR, boat, start, end):
                desk.reserve(NEW_YEAR, marina.Boat(*boat), marina.Span(start, end))
            else:
                desk.wait(marina.Boat(*boat), marina.Span(start, end))
                model.waiting.append((boat, start, end))
        for number in range(3):
            start = date(2026, 6, 1) + ws.rng.randrange(20) * DAY
            end = start + ws.rng.randrange(1, 8) * DAY
            day, code = date(2026, 5, 25) + number * DAY, ws.rng.choice(berths)[0]
            desk.close(day, code, marina.Span(start, end))
            model.close(day, code, start, end)
            compare(ws, desk, model)


def test_order_of_those_who_leave(ws):
    """By number, before those who wait; a lower number gets the berth that is left."""
    marina = ws.load("marina")
    desk, model = open_desk(ws, [("P", 1300, 260), ("Q", 1400, 260)])
    june = [date(2026, 6, day) for day in range(1, 29)]
    plan = [("one", 8, 10), ("two", 1, 3), ("three", 4, 7), ("block", 2, 5), ("late", 12, 14)]
    for name, first, last in plan:
        boat = (name, "Ada", 1250, 100)
        desk.reserve(NEW_YEAR, marina.Boat(*boat), marina.Span(june[first], june[last]))
        model.reserve(NEW_YEAR, boat, june[first], june[last])
    desk.wait(marina.Boat("first", "Ben", 1250, 100), marina.Span(june[0], june[20]))
    model.waiting.append((("first", "Ben", 1250, 100), june[0], june[20]))
    desk.close(june[0], "P", marina.Span(june[2], june[9]))
    model.close(june[0], "P", june[2], june[9])
    assert desk.waiting.names() == ["two", "three", "first"]
    assert [desk.register.get(number).code for number in (1, 5)] == ["Q", "P"]
    compare(ws, desk, model)
    desk.cancel(june[0], 4)
    model.cancel(june[0], 4)
    assert desk.waiting.names() == ["first"]
    compare(ws, desk, model)


def test_nobody_has_to_leave(ws):
    """The list is gone through all the same, and an unknown berth changes nothing."""
    marina = ws.load("marina")
    desk, model = open_desk(ws, [("P", 1300, 260)])
    boat, span = ("Gull", "Ada", 1250, 100), (date(2026, 6, 5), date(2026, 6, 8))
    desk.wait(marina.Boat(*boat), marina.Span(*span))
    model.waiting.append((boat, *span))
    with raises(KeyError):
        desk.close(NEW_YEAR, "Z", marina.Span(*span))
    assert desk.waiting.names() == ["Gull"]
    days = [date(2026, 6, 8), date(2026, 6, 9)]
    desk.close(NEW_YEAR, "P", marina.Span(*days))
    model.close(NEW_YEAR, "P", *days)
    assert desk.waiting.names() == []
    compare(ws, desk, model)
    for start, end in ((date(2026, 6, 1), date(2026, 7, 1)), (date(2026, 5, 20), date(2026, 6, 3))):
        desk.close(NEW_YEAR, "P", marina.Span(start, end))
        model.close(NEW_YEAR, "P", start, end)
        compare(ws, desk, model)
    assert ws.load("marina.reports").occupancy(desk, 2026, 6) == {"P": None}


def test_price_stays(ws):
    """Who gets another berth pays what was agreed, whatever the tariff is by now."""
    marina = ws.load("marina")
    desk, model = open_desk(ws, [("P", 1300, 260), ("Q", 1400, 260)])
    boat, span = ("Gull", "Ada", 1250, 100), (date(2026, 6, 5), date(2026, 6, 16))
    desk.reserve(NEW_YEAR, marina.Boat(*boat), marina.Span(*span))
    model.reserve(NEW_YEAR, boat, *span)
    desk.tariff, model.seasons, model.rate = tariff(ws, [], 333), [], 333
    desk.close(date(2026, 6, 6), "P", marina.Span(date(2026, 6, 15), date(2026, 6, 17)))
    model.close(date(2026, 6, 6), "P", date(2026, 6, 15), date(2026, 6, 17))
    compare(ws, desk, model)
    desk.close(date(2026, 6, 7), "Q", marina.Span(date(2026, 6, 5), date(2026, 6, 6)))
    model.close(date(2026, 6, 7), "Q", date(2026, 6, 5), date(2026, 6, 6))
    assert desk.waiting.names() == ["Gull"] and desk.ledger.balance("Ada") == 0
    compare(ws, desk, model)


def test_closed_under_a_boat(ws):
    """A night that the harbour closes is not taken, although a boat still lies there."""
    marina = ws.load("marina")
    desk, model = open_desk(ws, [("P", 1300, 260)])
    boat, span = ("Gull", "Ada", 1250, 100), (date(2026, 6, 5), date(2026, 6, 16))
    desk.reserve(NEW_YEAR, marina.Boat(*boat), marina.Span(*span))
    model.reserve(NEW_YEAR, boat, *span)
    for first, last in ((14, 20), (1, 7), (9, 10)):
        start, end = date(2026, 6, first), date(2026, 6, last)
        desk.harbour.close("P", marina.Span(start, end))
        model.closed.update(("P", night) for night in days_of(start, end))
        compare(ws, desk, model)


def test_how_often_a_night_is_closed(ws):
    """Closures that overlap count their nights once."""
    marina = ws.load("marina")
    desk, model = open_desk(ws)
    for _ in range(8):
        start = date(2026, 5, 20) + ws.rng.randrange(45) * DAY
        end = start + ws.rng.randrange(1, 12) * DAY
        desk.harbour.close("A1", marina.Span(start, end))
        model.closed.update(("A1", night) for night in days_of(start, end))
        for month in (5, 6, 7):
            first, last = month_of(month)
            wanted = sum(("A1", night) in model.closed for night in days_of(first, last))
            assert desk.harbour.closed_nights("A1", marina.Span(first, last)) == wanted
        assert desk.harbour.closed_nights("A2", marina.Span(start, end)) == 0
        assert desk.harbour.is_closed("A1", marina.Span(start - DAY, end)) is True
    compare(ws, desk, model)
    with raises(ValueError):
        desk.harbour.add(marina.Berth("A1", 700, 100))
