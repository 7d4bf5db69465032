"""Hidden checks of order-book: random orders against a book that is one list, searched anew for each trade."""


class Model:
    """Oracle: resting orders in a dict; each has a turn, and the best is the least by price and turn."""

    def __init__(self):
        self.orders, self.turn, self.said = {}, 0, []

    def say(self, *words):
        """One line of output."""
        self.said.append(" ".join(map(str, words)))

    def matching(self, side, price):
        """Orders of the other side that an order may trade with, the best first."""
        sign = 1 if side == "buy" else -1
        found = [order for order in self.orders.values() if order["side"] != side]
        if price is not None:
            found = [order for order in found if sign * order["price"] <= sign * price]
        return sorted(found, key=lambda order: (sign * order["price"], order["turn"]))

    def trade(self, name, side, quantity, price):
        """What is left after trading."""
        while quantity and (found := self.matching(side, price)):
            best = found[0]
            amount = min(quantity, best["shown"])
            self.say("trade", best["name"], name, amount, best["price"])
            quantity -= amount
            best["total"] -= amount
            best["shown"] -= amount
            if not best["total"]:
                del self.orders[best["name"]]
            elif not best["shown"]:
                best["shown"] = min(best["most"], best["total"])
                self.turn += 1
                best["turn"] = self.turn
        return quantity

    def rest(self, name, side, quantity, price, most):
        """An order that trades, and whose remainder rests."""
        quantity = self.trade(name, side, quantity, price)
        if quantity:
            self.turn += 1
            shown = min(quantity, most or quantity)
            order = {"name": name, "side": side, "price": price, "total": quantity, "shown": shown}
            self.orders[name] = {**order, "most": most, "turn": self.turn}
            self.say("rest", name, quantity)

    def obey(self, what, *rest):
        """One line of input."""
        if what == "show":
            for side in ("sell", "buy"):
                mine = [order for order in self.orders.values() if order["side"] == side]
                for price in sorted({order["price"] for order in mine}, reverse=True):
                    level = [order["shown"] for order in mine if order["price"] == price]
                    self.say(side, price, sum(level), len(level))
            self.say("end")
            return
        name = rest[0]
        if (name in self.orders) != (what in ("cancel", "amend")):
            self.say("reject", name)
        elif what == "cancel":
            self.say("cancelled", name, self.orders.pop(name)["total"])
        elif what == "amend":
            order, quantity, price = self.orders[name], rest[1], rest[2]
            if price == order["price"] and quantity <= order["total"]:
                order["total"], order["shown"] = quantity, min(quantity, order["shown"])
                self.say("kept", name, quantity)
            else:
                del self.orders[name]
                self.rest(name, order["side"], quantity, price, order["most"])
        elif what in ("limit", "iceberg"):
            self.rest(name, *rest[1:4], rest[4] if what == "iceberg" else 0)
        else:
            side, quantity, price = rest[1], rest[2], rest[3] if what != "market" else None
            if what == "fok" and sum(order["total"] for order in self.matching(side, price)) < quantity:
                self.say("reject", name)
                return
            left = self.trade(name, side, quantity, price)
            if left:
                self.say("drop", name, left)


def built(ws):
    """Compiles the program."""
    done = ws.run(["g++", "-std=c++17", "-Wall", "-Wextra", "-o", "/tmp/book", "book.cpp"], timeout=60)
    assert done.code == 0, done


def agrees(ws, lines):
    """Demands what the oracle says after each line."""
    done = ws.run(["/tmp/book"], stdin="".join(" ".join(map(str, line)) + "\n" for line in lines))
    assert done.code == 0 and not done.stderr, done
    model = Model()
    for line in lines:
        model.obey(*line)
    given = done.stdout.splitlines()
    for number, (wanted, said) in enumerate(zip(model.said, given)):
        assert wanted == said, (number, wanted, said, lines)
    assert len(given) == len(model.said), lines


def line(rng, names, big):
    """A random line; prices lie close together, so that most orders trade."""
    what = rng.choice(
        ("limit",) * 4 + ("iceberg",) * 4 + ("market", "ioc", "fok", "fok", "amend", "amend", "amend", "cancel")
    )
    if rng.random() < 0.15:
        return ("show",)
    name, side = rng.choice(names), rng.choice(("buy", "sell"))
    quantity, price = rng.choice((1, 2, 3, 5, 8, 13, 30)) * big, rng.randrange(98, 104)
    if what == "cancel":
        return what, name
    if what == "amend":
        return what, name, quantity, price
    words = (what, name, side, quantity, price)
    return words[:4] if what == "market" else (*words, rng.randrange(1, 6) * big) if what == "iceberg" else words


def test_random_orders(ws):
    """Everything in any order, small and great."""
    built(ws)
    for size, count in ((200, 12), (200, 40), (60, 4), (60, 8), (300, 20), (300, 12), (25, 3)):
        names = [f"o{number}" for number in range(count)]
        agrees(ws, [line(ws.rng, names, 1) for _ in range(size)])

    # Sums beyond 32 bits.
    names = [f"order-{number}" for number in range(30)]
    limits = [("limit", name, "sell", 10**9, 10**9) for name in names]
    agrees(ws, [*limits, ("show",), ("fok", "x", "buy", 10**9, 10**9), ("market", "y", "buy", 10**9), ("show",)])
    icebergs = [("iceberg", name, "buy", 10**9, 10**9 - 1, 10**8) for name in names[:9]]
    agrees(ws, [*icebergs, ("show",), ("fok", "x", "sell", 10**9, 5), ("amend", "order-3", 10**9, 10**9), ("show",)])
    agrees(ws, [line(ws.rng, names, 3 * 10**7) for _ in range(200)])


def test_places_in_the_queue(ws):
    """What keeps its place and what goes to the end of the queue."""
    built(ws)
    two = [("iceberg", "a", "sell", 10, 100, 3), ("limit", "b", "sell", 4, 100), ("iceberg", "c", "sell", 5, 100, 2)]
    for amended in (2, 3, 4, 9, 10, 11):
        for bought in (1, 3, 4, 8, 30):
            agrees(ws, [*two, ("amend", "a", amended, 100), ("show",), ("market", "d", "buy", bought), ("show",)])
            bid = ("market", "d", "buy", bought)
            agrees(ws, [*two, ("market", "e", "buy", 2), ("amend", "a", amended, 100), ("show",), bid, ("show",)])
    agrees(ws, [*two, ("limit", "d", "buy", 3, 99), ("amend", "d", 3, 100), ("amend", "d", 30, 101), ("show",)])
    agrees(ws, [*two, ("iceberg", "d", "buy", 30, 100, 4), ("show",), ("amend", "d", 40, 100), ("show",)])
    agrees(ws, [("limit", "a", "buy", 3, 9), ("market", "a", "sell", 1), ("fok", "a", "sell", 9, 9), ("cancel", "b")])
    agrees(ws, [("limit", "a", "buy", 3, 9), ("market", "b", "sell", 3), ("limit", "a", "buy", 2, 8), ("show",)])
    agrees(ws, [("show",), ("market", "b", "sell", 3), ("ioc", "b", "buy", 3, 5), ("fok", "b", "buy", 1, 5), ("show",)])
