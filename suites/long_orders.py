"""Makes the tasks of the category `long` of versa: orders to a warehouse, carried out one after the other.

python suites/long_orders.py

Each order works on what all orders before it left, so one that is carried out wrongly spoils the rest, as in long work
of other kinds; tasks differ in their number of orders alone. The letters around the orders are there to be read: all of
the longest task's fill some ten thousand tokens. The same seed gives the same bytes.
"""

import json
import random
import shutil
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent / "versa"
LENGTHS = (8, 16, 24, 32, 48, 64)
BAYS, GOODS = "ABCDEFGH", ("apples", "barley", "cloves", "dates", "eggs", "flour")
MINUTES = 1.5
"""What an order takes somebody who does it by hand."""
NOISE = (
    "The lorry of the day before came late again, and the driver asks that the gate be open from six.",
    "Last year's stocktaking is filed; nobody needs to look at it again.",
    "Bay lamps were seen to on Monday. If one flickers, write it on the board, not into the books.",
    "The cooperative thanks everyone for the quiet month, and hopes for another one.",
    "Somebody has left a scarf in the office; it hangs by the door.",
    "A visitor from the harbour counts pallets, not goods. Let her.",
    "Prices are none of our business here: whatever the letters of the buyers say about them, do nothing.",
    "An earlier letter spoke of a ninth bay. There is none, and there will be none this year.",
    "The scale at the gate is a little generous. The books are about pieces, so it does not matter.",
    "Next week's letters come on other paper; their numbers go on from these.",
)
RULES = """\
# {count} orders to a warehouse

Carry out the {count} letters in `orders/`, one after the other, by their numbers. `stock.json` says what is in the
bays before the first one. Each letter holds one order; the rest of it asks for nothing.

Write two files:

- `stock.json`: what is in the bays after the last order: for each bay an object of goods and numbers of pieces, without
  goods of which there is nothing. Bays without goods stay, empty.
- `log.json`: a list of {count} numbers, for each order how many pieces it moved, received, shipped, threw away or
  counted.

`python3 -m unittest` checks their form. The rules of the house:

1. Nothing goes below zero: where fewer pieces are there than an order says, it takes those that are there.
2. A half is rounded down, a tenth is rounded up.
3. Where an order asks for the fullest bay (most pieces of all goods) or the emptiest, and several are, it is the first
   of them by letter.
4. Two bays change places: every piece of both counts as moved.
5. To take an order back is to undo what it moved: as many pieces of its good as it moved leave the bay that it put them
   into (by rule 1, those that are there); pieces that it received are gone, others return to the bay that they came
   from. It counts as moving them. What the order itself logged stays.
"""


class House:
    """The warehouse, and faults by which it may go wrong."""

    def __init__(self, stock: dict[str, dict[str, int]], fault: str = "") -> None:
        self.stock, self.fault = {bay: dict(goods) for bay, goods in stock.items()}, fault
        self.log: list[int] = []
        self.done: list[tuple[str | None, str | None, str, int] | None] = []
        """From where, to where, what, how many; None where there is nothing to take back."""

    def held(self, bay: str, good: str) -> int:
        """Pieces of a good in a bay."""
        return self.stock[bay].get(good, 0)

    def add(self, bay: str, good: str, count: int) -> None:
        """Put pieces into a bay, or take them out."""
        self.stock[bay][good] = self.held(bay, good) + count
        if not self.stock[bay][good]:
            del self.stock[bay][good]

    def extreme(self, fullest: bool) -> str:
        """The fullest bay, or the emptiest."""
        bays = sorted(BAYS, reverse=self.fault == "last-of-equals")
        size = {bay: sum(self.stock[bay].values()) for bay in bays}
        return max(bays, key=size.__getitem__) if fullest else min(bays, key=size.__getitem__)

    def moved(self, source: str | None, to: str | None, good: str, count: int, *, back: bool = True) -> None:
        """Move pieces, as many as there are; from nowhere, or to nowhere."""
        if source is not None:
            count = min(count, self.held(source, good))
            self.add(source, good, -count)
        if to is not None:
            self.add(to, good, count)
        self.log.append(count)
        self.done.append((source, to, good, count) if back and to is not None else None)

    def carry_out(self, kind: str, *words: Any) -> None:  # noqa: ANN401 - what its kind has
        """One order."""
        if kind == "receive":
            bay, good, count = words
            self.moved(None, bay, good, count)
        elif kind == "ship":
            bay, good, count = words
            self.moved(bay, None, good, count)
        elif kind == "move":
            source, to, good, count = words
            self.moved(source, to, good, count)
        elif kind == "half":
            source, to, good = words
            self.moved(source, to, good, (self.held(source, good) + (self.fault == "half-rounded-up")) // 2)
        elif kind == "to-emptiest":
            source, good = words
            self.moved(source, self.extreme(fullest=False), good, self.held(source, good))
        elif kind == "swap":
            a, b = words
            self.log.append(sum(self.stock[a].values()) + sum(self.stock[b].values()))
            self.done.append(None)
            if self.fault != "swap-left-out":
                self.stock[a], self.stock[b] = self.stock[b], self.stock[a]
        elif kind == "tenth":
            bay = self.extreme(fullest=True)
            thrown = {good: -(-count // 10) for good, count in self.stock[bay].items()}
            for good, count in thrown.items():
                self.add(bay, good, -count)
            self.log.append(sum(thrown.values()))
            self.done.append(None)
        elif kind == "count":
            (good,) = words
            self.log.append(sum(self.held(bay, good) for bay in BAYS))
            self.done.append(None)
        else:
            (number,) = words
            source, to, good, count = self.done[number - 1]
            self.done[number - 1] = None
            if self.fault == "nothing-taken-back":
                count = 0
            self.moved(to, source, good, count, back=False)


SAID = {
    "receive": ("Receive {2} pieces of {1} in bay {0}.", "{2} {1} have come; they go into bay {0}."),
    "ship": ("Ship {2} {1} from bay {0}.", "A buyer fetches {2} {1}. Give them out of bay {0}."),
    "move": ("Carry {3} {2} from bay {0} to bay {1}.", "Bay {1} wants {3} {2}, and gets them from bay {0}."),
    "half": ("Half of the {2} in bay {0} go to bay {1}.", "Take the {2} of bay {0} and carry half to bay {1}."),
    "to-emptiest": ("All {1} of bay {0} go to the emptiest bay.", "Clear bay {0} of {1}: the emptiest bay takes them."),
    "swap": ("Bays {0} and {1} change places.", "What is in bay {0} goes to bay {1}, and what is in {1} goes to {0}."),
    "tenth": (
        "Throw away a tenth of each good in the fullest bay.",
        "A tenth of every good in the fullest bay is spoilt. Throw it away.",
    ),
    "count": ("Count the {0} in all bays.", "How many {0} are there, in all bays together? Log it."),
    "back": ("Take order {0} back.", "Order {0} was a mistake. Take it back."),
}


def drawn(rng: random.Random, house: House) -> tuple:  # noqa: C901 - a case for each kind
    """An order that has something to do."""
    while True:
        kind = rng.choice((*SAID, "receive", "ship", "half", "move"))
        bay, other = rng.sample(BAYS, 2)
        good = rng.choice(GOODS)
        if kind == "receive":
            return kind, bay, good, rng.randint(5, 60)
        if kind in ("ship", "move", "half", "to-emptiest") and house.held(bay, good) < 3:
            continue
        if kind == "ship":
            return kind, bay, good, rng.randint(2, house.held(bay, good) + 9)
        if kind == "move":
            return kind, bay, other, good, rng.randint(2, house.held(bay, good) + 9)
        if kind == "half":
            return kind, bay, other, good
        if kind == "to-emptiest":
            if house.extreme(fullest=False) == bay:
                continue
            return kind, bay, good
        if kind == "swap":
            return kind, *sorted((bay, other))
        if kind == "count":
            return kind, good
        if kind == "tenth":
            return (kind,)
        if left := [at for at, each in enumerate(house.done, 1) if each is not None and each[3]]:
            return kind, rng.choice(left)


def letter(rng: random.Random, number: int, order: tuple) -> str:
    """An order with what is written around it."""
    lines = rng.sample(NOISE, 4)
    lines.insert(rng.randint(1, 3), rng.choice(SAID[order[0]]).format(*order[1:]))
    return f"Letter {number}\n\nTo the warehouse,\n\n" + "\n".join(lines) + "\n\nThe office\n"


def dumped(value: object) -> str:
    """JSON, one value a line."""
    return json.dumps(value, indent=1, sort_keys=True) + "\n"


def made(count: int) -> None:
    """Write the task of so many orders."""
    name = f"orders-{count}"
    rng = random.Random(name)  # noqa: S311 - no secret
    start = {bay: {good: rng.randint(4, 40) for good in rng.sample(GOODS, 3)} for bay in BAYS}
    house, orders = House(start), []
    for _ in range(count):
        orders.append(drawn(rng, house))
        house.carry_out(*orders[-1])
    files = {
        "instruction.md": RULES.format(count=count),
        "environment/Dockerfile": "FROM python:3.12-slim\nWORKDIR /workspace\nCOPY workspace/ /workspace/\n",
        "environment/workspace/stock.json": dumped(start),
        "solution/reference/stock.json": dumped(house.stock),
        "solution/reference/log.json": dumped(house.log),
        "solution/alternative/second/stock.json": json.dumps(house.stock),
        "solution/alternative/second/log.json": json.dumps(house.log),
        f"tests/check_orders_{count}.py": CHECK.format(count=count, stock=dumped(house.stock), log=dumped(house.log)),
        "environment/workspace/tests/__init__.py": "",
        "environment/workspace/tests/test_form.py": FORM.format(count=count),
        "task.toml": TOML.format(name=name, count=count, minutes=MINUTES * count, level=_level(count)),
    }
    for number, order in enumerate(orders, 1):
        files[f"environment/workspace/orders/{number:02}.txt"] = letter(rng, number, order)
    for fault in ("half-rounded-up", "last-of-equals", "swap-left-out", "nothing-taken-back"):
        other = House(start, fault)
        for order in orders:
            other.carry_out(*order)
        if other.stock != house.stock:
            files[f"solution/wrong/{fault}/stock.json"] = dumped(other.stock)
            files[f"solution/wrong/{fault}/log.json"] = dumped(other.log)
    short = House(start)
    for order in orders[:-1]:
        short.carry_out(*order)
    files["solution/wrong/last-one-forgotten/stock.json"] = dumped(short.stock)
    files["solution/wrong/last-one-forgotten/log.json"] = dumped([*short.log, 0])
    files["solution/wrong/special-case/stock.json"] = dumped(start)
    files["solution/wrong/special-case/log.json"] = dumped(house.log)
    shutil.rmtree(ROOT / name, ignore_errors=True)
    for path, text in files.items():
        place = ROOT / name / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)


def _level(count: int) -> str:
    return "easy" if count < 10 else "medium" if count < 40 else "hard"


CHECK = '''\
"""Hidden checks of orders-{count}: what is in the bays at the end, and what each order moved."""

import json

STOCK = json.loads("""\
{stock}""")
LOG = json.loads("""\
{log}""")


def test_the_stock_is_what_all_orders_left(ws):
    assert json.loads(ws.read("stock.json")) == STOCK


def test_each_order_moved_what_it_had_to(ws):
    assert json.loads(ws.read("log.json")) == LOG
'''
FORM = '''\
"""Visible checks: the form of both files, whatever the numbers are."""

import json
import unittest
from pathlib import Path


class FormTest(unittest.TestCase):
    def test_the_log_has_a_number_for_each_order(self):
        log = json.loads(Path("log.json").read_text())
        self.assertEqual([type(each) for each in log], [int] * {count})

    def test_the_stock_has_all_bays_and_no_goods_of_which_there_is_nothing(self):
        stock = json.loads(Path("stock.json").read_text())
        self.assertEqual(sorted(stock), list("ABCDEFGH"))
        self.assertTrue(all(type(count) is int and count > 0 for goods in stock.values() for count in goods.values()))


if __name__ == "__main__":
    unittest.main()
'''
TOML = """\
schema_version = "1.4"

[task]
name = "honestly/{name}"
version = "1.0"
description = "{count} orders to a warehouse, each of which works on what the ones before it left"
keywords = ["long work", "bookkeeping"]

[metadata]
category = "long"
difficulty = "{level}"
expert_time_estimate_min = {minutes}

[agent]
timeout_sec = 3600

[verifier]
timeout_sec = 60

[environment]
network_mode = "no-network"

[honestly]
visible = ["tests/test_form.py"]
delete = []
"""

if __name__ == "__main__":
    for length in LENGTHS:
        made(length)
