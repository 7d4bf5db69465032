"""Hidden checks of stock-holds: deadlines, lines and the journal, against a model that lives every second."""

from grader import raises


class Model:
    """The rules of the README, second by second."""

    def __init__(self, hold_seconds):
        self.length, self.now = hold_seconds, 0
        self.stock, self.tickets, self.journal = {}, [], []

    def free(self, item):
        return self.stock.get(item, 0) - sum(
            t["units"] for t in self.tickets if (t["item"], t["state"]) == (item, "held")
        )

    def line(self, item):
        return [t["number"] for t in self.tickets if (t["item"], t["state"]) == (item, "waiting")]

    def set(self, ticket, state):
        ticket["state"] = state
        ticket["deadline"] = self.now + self.length
        self.journal.append((self.now, ticket["number"], state))

    def move_lines(self):
        blocked = set()
        for ticket in self.tickets:
            if ticket["state"] == "waiting" and ticket["item"] not in blocked:
                if ticket["units"] <= self.free(ticket["item"]):
                    self.set(ticket, "held")
                else:
                    blocked.add(ticket["item"])

    def live_until(self, now):
        while self.now < now:
            self.now += 1
            due = [t for t in self.tickets if t["state"] == "held" and t["deadline"] == self.now]
            for ticket in due:
                self.set(ticket, "expired")
            self.move_lines()

    def receive(self, item, units):
        self.stock[item] = self.stock.get(item, 0) + units
        self.move_lines()

    def request(self, item, units):
        waits = self.line(item) or units > self.free(item)
        self.tickets.append({"number": len(self.tickets) + 1, "item": item, "units": units})
        self.set(self.tickets[-1], "waiting" if waits else "held")

    def act(self, what, number):
        """False if the ticket's state does not fit."""
        ticket = self.tickets[number - 1]
        if ticket["state"] != "held" and not (what == "cancel" and ticket["state"] == "waiting"):
            return False
        if what == "renew":
            ticket["deadline"] = self.now + self.length
        elif what == "confirm":
            self.stock[ticket["item"]] -= ticket["units"]
            self.set(ticket, "sold")
        else:
            self.set(ticket, "cancelled")
            self.move_lines()
        return True


def new(ws, hold_seconds, **stock):
    store = ws.load("stock.store").Store(hold_seconds)
    for item, units in stock.items():
        store.receive(item, units, 0)
    return store


def test_a_hold_is_over_at_its_deadline(ws):
    """One second before the deadline it can be confirmed, at the deadline no more."""
    store = new(ws, 60, lamp=5)
    for number in (1, 2):
        assert store.request("lamp", 2, "x", 10) == number
    store.confirm(1, 69)
    with raises("stock.errors.StateError"):
        store.confirm(2, 70)
    assert store.journal(70) == [(10, 1, "held"), (10, 2, "held"), (69, 1, "sold"), (70, 2, "expired")]
    assert store.free("lamp", 70) == 3


def test_renewing(ws):
    """However often it is renewed, a hold ends at its last deadline, once."""
    store = new(ws, 60, lamp=5)
    store.request("lamp", 5, "x", 0)
    for now in (10, 10, 59, 60):
        store.renew(1, now)
    assert store.state(1, 119) == "held"
    assert store.free("lamp", 119) == 0
    assert store.state(1, 500) == "expired"
    assert store.free("lamp", 500) == 5
    assert store.journal(500) == [(0, 1, "held"), (120, 1, "expired")]
    with raises("stock.errors.StateError"):
        store.renew(1, 500)


def test_a_quiet_night(ws):
    """Holds from the line begin when units become free, and may come and go between two calls."""
    store = new(ws, 30, lamp=2)
    for customer in "abcd":
        store.request("lamp", 2, customer, 5)
    assert store.state(4, 110) == "held"
    assert store.journal(1000) == [
        (5, 1, "held"),
        *((5, number, "waiting") for number in (2, 3, 4)),
        (35, 1, "expired"),
        (35, 2, "held"),
        (65, 2, "expired"),
        (65, 3, "held"),
        (95, 3, "expired"),
        (95, 4, "held"),
        (125, 4, "expired"),
    ]


def test_expiries_at_one_moment_come_before_the_line(ws):
    """Two holds that end together free enough for a large order, and no smaller one slips in."""
    store = new(ws, 30, lamp=4)
    store.request("lamp", 2, "a", 0)
    store.request("lamp", 2, "b", 0)
    store.request("lamp", 4, "large", 1)
    store.request("lamp", 1, "small", 2)
    assert store.journal(30)[4:] == [(30, 1, "expired"), (30, 2, "expired"), (30, 3, "held")]
    assert store.line("lamp", 59) == [4]
    assert store.journal(60)[7:] == [(60, 3, "expired"), (60, 4, "held")]


def test_journal_over_several_items(ws):
    """At one moment: expiries of all items, then holds from all lines, each by ticket number."""
    store = new(ws, 30, lamp=1, chair=1)
    for item in ["lamp", "chair", "chair", "lamp", "lamp"]:
        store.request(item, 1, "x", 3)
    store.request("desk", 1, "y", 33)
    assert store.journal(33)[5:] == [
        (33, 1, "expired"),
        (33, 2, "expired"),
        (33, 3, "held"),
        (33, 4, "held"),
        (33, 6, "waiting"),
    ]


def test_leaving_the_line(ws):
    """When the first in line gives up, those behind move up if they fit."""
    store = new(ws, 100, lamp=3)
    for units in (9, 2, 2, 1):
        store.request("lamp", units, "x", 1)
    assert store.line("lamp", 2) == [1, 2, 3, 4]
    store.cancel(1, 7)
    assert store.journal(7)[4:] == [(7, 1, "cancelled"), (7, 2, "held")]
    assert store.line("lamp", 8) == [3, 4]
    store.cancel(4, 8)
    store.receive("lamp", 1, 9)
    assert store.journal(9)[6:] == [(8, 4, "cancelled"), (9, 3, "held")]


def test_selling_frees_nothing(ws):
    """Sold units leave the stock; the line does not move on them."""
    store = new(ws, 100, lamp=3)
    store.request("lamp", 3, "a", 0)
    store.request("lamp", 1, "b", 0)
    store.confirm(1, 50)
    assert store.line("lamp", 1000) == [2]
    assert store.free("lamp", 1000) == 0


def test_what_does_not_fit_changes_nothing(ws):
    """Calls that do not fit the ticket's state raise StateError and leave no trace."""
    store = new(ws, 10, lamp=1)
    store.request("lamp", 1, "a", 0)
    store.request("lamp", 1, "b", 0)
    for call in (store.confirm, store.renew):
        with raises("stock.errors.StateError"):
            call(2, 5)
    store.cancel(1, 6)
    for call in (store.confirm, store.renew, store.cancel):
        with raises("stock.errors.StateError"):
            call(1, 7)
    assert store.journal(20) == [
        (0, 1, "held"),
        (0, 2, "waiting"),
        (6, 1, "cancelled"),
        (6, 2, "held"),
        (16, 2, "expired"),
    ]


def test_errors_stay(ws):
    """Unknown tickets, no units and time running backwards are refused as before."""
    store = new(ws, 10, lamp=1)
    for number in (0, 1, -1):
        with raises(KeyError):
            store.cancel(number, 1)
    for units in (0, -1):
        with raises(ValueError):
            store.request("lamp", units, "x", 1)
        with raises(ValueError):
            store.receive("lamp", units, 1)
    store.request("lamp", 1, "x", 5)
    with raises(ValueError):
        store.free("lamp", 4)
    with raises(ValueError):
        ws.load("stock.store").Store(0)


def test_random_histories(ws):
    """Random histories over two items: the journal, the lines and the free units are those of the rules."""
    for _ in range(10):
        length = ws.rng.choice([1, 5, 12, 30])
        store, model, now = new(ws, length), Model(length), 0
        for _ in range(30):
            now += ws.rng.choice([0, 0, 1, 2, 5, ws.rng.randrange(1, 3 * length + 2)])
            model.live_until(now)
            item, units = ws.rng.choice(["lamp", "chair"]), ws.rng.randrange(1, 5)
            what = ws.rng.choice(["receive", "request", "request", "request", "renew", "cancel", "confirm"])
            if what == "receive":
                store.receive(item, units, now)
                model.receive(item, units)
            elif what == "request" or not model.tickets:
                store.request(item, units, "x", now)
                model.request(item, units)
            else:
                number = ws.rng.randrange(1, len(model.tickets) + 1)
                if model.act(what, number):
                    getattr(store, what)(number, now)
                else:
                    with raises("stock.errors.StateError"):
                        getattr(store, what)(number, now)
        model.live_until(now + 40)
        assert store.journal(now + 40) == model.journal
        for item in ("lamp", "chair"):
            assert store.line(item, now + 40) == model.line(item)
            assert store.free(item, now + 40) == model.free(item)


def test_every_call_lives_through_the_time_before_it(ws):
    """Receiving and looking at the line come after all that ended before, and refuse to go back in time."""
    store = new(ws, 30, lamp=2)
    for units in (2, 1, 2):
        store.request("lamp", units, "x", 5)
    assert store.line("lamp", 35) == [3]
    for late in (lambda: store.line("lamp", 34), lambda: store.receive("lamp", 1, 34), lambda: store.journal(34)):
        with raises(ValueError):
            late()
    store.receive("lamp", 1, 40)
    assert store.journal(40) == [
        (5, 1, "held"),
        (5, 2, "waiting"),
        (5, 3, "waiting"),
        (35, 1, "expired"),
        (35, 2, "held"),
        (40, 3, "held"),
    ]


def test_states_of_all_kinds(ws):
    """A ticket is waiting, held, sold, cancelled or expired, also when it left from the line."""
    store = new(ws, 10, lamp=2)
    for _ in range(4):
        store.request("lamp", 1, "x", 0)
    store.confirm(1, 1)
    store.cancel(4, 1)
    store.cancel(2, 2)
    assert [store.state(number, 2) for number in (1, 2, 3, 4)] == ["sold", "cancelled", "held", "cancelled"]
    assert store.request("lamp", 1, "y", 3) == 5
    assert (store.state(5, 3), store.state(3, 12), store.state(5, 12)) == ("waiting", "expired", "held")
    with raises("stock.errors.StateError"):
        store.cancel(4, 12)
