"""Hidden checks of till-memory: exact answers, and random leaflets and baskets against the rules."""

import json

from grader import raises

KINDS = {"percent": "Percent", "bundle": "Bundle", "three-for-two": "ThreeForTwo"}

def diagnosis(ws):
    """What the solution says."""
    return json.loads(ws.read("diagnosis.json"))


def test_where_the_fault_is(ws):
    """The function."""
    found = diagnosis(ws)
    assert (found["module"], found["function"]) == ("till/ranking.py", "rank")


def test_what_was_wrong_on_monday(ws):
    """Receipts, totals, and what was taken too much."""
    found = diagnosis(ws)
    assert found["receipts_wrong"] == [19, 33, 47, 49, 65, 72]
    assert found["totals_wrong"] == [19, 72]
    assert type(found["overcharged"]) is int and found["overcharged"] == 150
    assert all(type(number) is int for number in found["receipts_wrong"] + found["totals_wrong"])


def test_what_came_before(ws):
    """All baskets that would have done it."""
    found = diagnosis(ws)["before"]
    assert found == [6, 18, 37, 42, 47, 53, 69] and all(type(number) is int for number in found)


def using(offer, basket, prices):
    """Pieces that an offer uses, and what it saves."""
    kind, _name, articles, number = offer
    if kind == "percent":
        used = {article: basket.get(article, 0) for article in articles}
        return used, sum(count * (prices[article] * number // 100) for article, count in used.items())
    if kind == "bundle":
        saved = sum(prices[article] for article in articles) - number
        times = min(basket.get(article, 0) for article in articles)
        return ({article: times for article in articles}, times * saved) if saved > 0 else ({}, 0)
    used = {article: basket.get(article, 0) // 3 * 3 for article in articles}
    return used, sum(count // 3 * prices[article] for article, count in used.items())


def receipt_of(offers, basket, prices):
    """Total and savings, by the rules."""
    order = sorted(range(len(offers)), key=lambda n: (-using(offers[n], basket, prices)[1], n))
    left, savings = dict(basket), []
    for number in order:
        used, saved = using(offers[number], left, prices)
        if saved > 0:
            savings.append((offers[number][1], saved))
            left = {article: count - used.get(article, 0) for article, count in left.items()}
    return sum(prices[a] * n for a, n in basket.items()) - sum(saved for _name, saved in savings), tuple(savings)


def made(ws, offer):
    """An offer of the solution's."""
    kind, name, articles, number = offer
    return getattr(ws.load("till"), KINDS[kind])(name, articles, *([] if kind == "three-for-two" else [number]))


def random_shop(rng):
    """Prices and a leaflet with many equal savings."""
    articles = ("milk", "bread", "jam", "tea", "rice", "nuts")
    prices = {article: 50 * rng.randrange(1, 6) for article in articles}
    offers = []
    for name in rng.sample("abcdefghij", rng.randrange(1, 8)):
        kind = rng.choice(list(KINDS))
        some = tuple(rng.sample(articles, rng.randrange(1, 4)))
        number = rng.choice((10, 25, 50, 33)) if kind == "percent" else sum(prices[a] for a in some) - 50 * rng.randrange(0, 3)
        offers.append((kind, name, some, number))
    return prices, offers


def random_basket(rng, prices):
    """Some pieces of some articles."""
    return {article: rng.choice((1, 1, 2, 3, 3, 6)) for article in rng.sample(sorted(prices), rng.randrange(0, 6))}


def test_random_days(ws):
    """Random baskets at random tills, one after the other."""
    till = ws.load("till")
    for _ in range(12):
        prices, offers = random_shop(ws.rng)
        machine, takings = till.Till(prices, [made(ws, offer) for offer in offers]), 0
        for _ in range(14):
            basket = random_basket(ws.rng, prices)
            receipt = machine.ring(basket)
            wanted = receipt_of(offers, basket, prices)
            assert (receipt.total, receipt.savings) == wanted, (prices, offers, basket)
            takings += wanted[0]
        assert machine.takings == takings


def test_refused_between(ws):
    """Baskets that are refused leave nothing behind."""
    till = ws.load("till")
    for _ in range(10):
        prices, offers = random_shop(ws.rng)
        machine = till.Till(prices, [made(ws, offer) for offer in offers])
        for _ in range(8):
            with raises("till.register.Unknown"):
                machine.ring({**random_basket(ws.rng, prices), "caviar": 1})
            with raises(ValueError):
                machine.ring({**random_basket(ws.rng, prices), "milk": ws.rng.choice((0, -1))})
            basket = random_basket(ws.rng, prices)
            receipt = machine.ring(basket)
            assert (receipt.total, receipt.savings) == receipt_of(offers, basket, prices), (prices, offers, basket)


def test_one_leaflet_for_two_tills(ws):
    """Tills that are made from one list of offers do not disturb each other, nor the list."""
    till = ws.load("till")
    for _ in range(10):
        prices, offers = random_shop(ws.rng)
        leaflet = [made(ws, offer) for offer in offers]
        one, two = till.Till(prices, leaflet), till.Till(prices, leaflet)
        for _ in range(8):
            first, second = random_basket(ws.rng, prices), random_basket(ws.rng, prices)
            one.ring(first)
            receipt = two.ring(second)
            assert (receipt.total, receipt.savings) == receipt_of(offers, second, prices)
    names = [offer[1] for offer in offers]
    assert [offer.name for offer in leaflet] == names


def test_monday_again(ws):
    """The shop is read as before, and Monday rung up at one till is right."""
    shop = ws.load("till.shop")
    baskets, machine = shop.baskets("data/monday.txt"), shop.open_till("data")
    leaflet = [(kind, name, tuple(articles), *number, *[0][len(number) :]) for kind, name, articles, *number in json.loads(ws.read("data/leaflet.json"))]
    prices = {line.split(",")[0]: int(line.split(",")[1]) for line in ws.read("data/prices.csv").splitlines()[1:]}
    assert list(baskets) == list(range(1, 81))
    assert [offer.name for offer in shop.offers("data")] == [offer[1] for offer in leaflet]
    for number, basket in baskets.items():
        receipt = machine.ring(basket)
        assert (receipt.total, receipt.savings) == receipt_of(leaflet, basket, prices), number
