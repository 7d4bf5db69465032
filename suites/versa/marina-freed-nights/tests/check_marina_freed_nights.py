"""Hidden checks of marina-freed-nights: random seasons at the desk against a marina that is counted night by night."""

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
    what = rng.choice(("reserve", "reserve", "wait", "change", "change", "cancel", "pay"))
    start, end = random_days(rng)
    boat = random_boat(ws)
    if what == "wait":
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


def test_everybody_who_fits_is_served(ws):
    """A change that frees nights serves the whole list at once, in its order."""
    marina = ws.load("marina")
    desk, model = open_desk(ws, [("X", 1300, 260)])
    june = [date(2026, 6, day) for day in range(1, 29)]
    model.reserve(NEW_YEAR, ("Gull", "Ada", 900, 100), june[0], june[20])
    desk.reserve(NEW_YEAR, marina.Boat("Gull", "Ada", 900, 100), marina.Span(june[0], june[20]))
    wanted = [(10, 12), (5, 8), (3, 6), (8, 10), (12, 15), (11, 13), (15, 16)]
    for number, (first, last) in enumerate(wanted):
        boat = (f"boat{number}", "Ben", 1000, 100)
        desk.wait(marina.Boat(*boat), marina.Span(june[first], june[last]))
        model.waiting.append((boat, june[first], june[last]))
    desk.change(date(2026, 5, 30), 1, marina.Span(june[0], june[5]))
    model.change(date(2026, 5, 30), 1, june[0], june[5])
    assert desk.waiting.names() == ["boat2", "boat5"]
    compare(ws, desk, model)
    desk.cancel(date(2026, 5, 31), 2)
    model.cancel(date(2026, 5, 31), 2)
    compare(ws, desk, model)


def test_same_boat_twice_on_the_list(ws):
    """One boat may wait for two spans, and for one span twice."""
    marina = ws.load("marina")
    desk, model = open_desk(ws, [("X", 1300, 260)])
    boat = ("Gull", "Ada", 900, 100)
    first, middle, last = date(2026, 6, 1), date(2026, 6, 4), date(2026, 6, 9)
    desk.reserve(NEW_YEAR, marina.Boat(*boat), marina.Span(first, last))
    model.reserve(NEW_YEAR, boat, first, last)
    for start, end in ((middle, last), (middle, last), (first, middle)):
        desk.wait(marina.Boat(*boat), marina.Span(start, end))
        model.waiting.append((boat, start, end))
    desk.cancel(NEW_YEAR, 1)
    model.cancel(NEW_YEAR, 1)
    assert desk.waiting.names() == ["Gull"]
    compare(ws, desk, model)
