"""Hidden checks of depot-changes: sets by what the changes were seen to do, lines by the code as it was given."""

import json
import re
from types import SimpleNamespace

NAMES = r'''
"""Names of tools and of people."""


def key(name: str) -> str:
    """What two spellings of a name have in common: case and the number of blanks do not count."""
    return " ".join(name.casefold().split())


def same(one: str, other: str) -> bool:
    """Whether two names are spellings of one."""
    return key(one) == key(other)


def initials(name: str) -> str:
    """First letters of the words of a name."""
    return "".join(word[0] for word in key(name).split()).upper()
'''
STORE = r'''
"""What the depot has."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from depot.names import key


class Missing(KeyError):
    """Raised for a tool that the depot does not have."""


@dataclass
class Tool:
    """A tool: its name, its rate in cents per day, who has it, and who waits for it."""

    name: str
    rate: int
    holder: str | None = None
    waiting: list[str] = field(default_factory=list)


class Store:
    """Tools by the key of their name."""

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._tools = {key(tool.name): tool for tool in tools}

    def all(self) -> list[Tool]:
        """All tools, in the order in which they came."""
        return list(self._tools.values())

    def find(self, name: str) -> Tool:
        """A tool by a spelling of its name."""
        try:
            return self._tools[key(name)]
        except KeyError as error:
            raise Missing(name) from error

    def add(self, tool: Tool) -> None:
        """Adds a tool, in the place of one of the same name."""
        self._tools[key(tool.name)] = tool

    def queue(self, name: str) -> list[str]:
        """Who waits for a tool; of one that is not there, nobody."""
        try:
            return self.find(name).waiting
        except LookupError:
            return []
'''
PRICES = r'''
"""What lending costs."""

from collections.abc import Callable
from functools import partial, reduce

WEEK = 7


def price(days: int, rate: int, discount: int = 0) -> int:
    """Cents for some days; the seventh day of each week is free, and a discount is in percent."""
    paid = days - days // WEEK
    return paid * rate * (100 - discount) // 100


def member_price(days: int, rate: int) -> int:
    """What members pay."""
    return price(days, rate, discount=10)


def weekend_price(rate: int) -> int:
    """Two days for the price of one and a half."""
    return price(2, rate=rate, discount=25)


def total(days: int, rates: list[int]) -> int:
    """Cents for several tools."""
    return reduce(lambda cents, rate: cents + price(days, rate), rates, 0)


TARIFFS: dict[str, Callable[[int, int], int]] = {"guest": price, "member": member_price, "staff": partial(price, discount=50)}


def by_tariff(tariff: str, days: int, rate: int) -> int:
    """Cents by the name of a tariff; an unknown one is that of guests."""
    return TARIFFS.get(tariff, price)(days, rate)
'''
LISTS = r'''
"""Lists for the screen and for the shelf."""

from depot.names import initials, key
from depot.store import Store


def shelf(store: Store) -> list[str]:
    """Names of the tools that are there."""
    return [tool.name for tool in store.all() if tool.holder is None]


def share(store: Store) -> str:
    """How many of the tools are lent."""
    tools = store.all()
    lent = sum(tool.holder is not None for tool in tools)
    return f"{lent} of {len(list(tools))}"


def newest(store: Store) -> str:
    """The name of the tool that came last."""
    tools = store.all()
    return tools[-1].name if tools else "none"


def extremes(store: Store) -> str:
    """The cheapest and the dearest tool; of equal ones, the first."""
    tools = store.all()
    cheap, dear = min(tools, key=lambda t: t.rate, default=None), max(tools, key=lambda t: t.rate, default=None)
    return f"{cheap.name}, {dear.name}" if cheap and dear else "none"


def label(store: Store, name: str) -> str:
    """What is written on a tool: its initials and its place in the order of names."""
    order = sorted(store.all(), key=lambda tool: key(tool.name))
    return f"{initials(name)}{order.index(store.find(name)) + 1}"


def pairs(store: Store) -> list[str]:
    """Tools that one person has, two by two."""
    tools = store.all()
    return [f"{a.name}+{b.name}" for a in tools for b in tools if a.name < b.name and a.holder and a.holder == b.holder]


def has_any(store: Store) -> bool:
    """Whether the depot has a tool at all."""
    return bool(store.all())
'''
DESK = r'''
"""The desk: commands by their verbs."""

from collections.abc import Callable

from depot import lists, prices
from depot.names import key, same
from depot.store import Missing, Store, Tool

Handler = Callable[..., str]
VERBS: dict[str, Handler] = {}


def verb(*names: str) -> Callable[[Handler], Handler]:
    """Registers a handler under one or more verbs."""

    def register(handler: Handler) -> Handler:
        VERBS.update(dict.fromkeys(names, handler))
        return handler

    return register


def run(store: Store, line: str) -> str:
    """Does what a line says, its parts separated by `/`, and gives the answer: `lend/saw/ann`.

    A line whose verb is unknown, or whose parts are too many or too few, is answered by `what?`; a tool that is not there by `no NAME`, where the handler does not say something else.
    """
    name, *parts = line.split("/")
    handler = VERBS.get(key(name)) or _listing(name)
    if handler is None or not _fits(handler, len(parts)):
        return "what?"
    try:
        return handler(store, *parts)
    except KeyError as error:
        return f"no {error.args[0]}"


def _listing(name: str) -> Handler | None:
    """A handler made of a function of `lists` that needs nothing but the store: `list shelf`."""
    word, _, what = name.partition(" ")
    function = getattr(lists, what, None) if word == "list" and what in ("shelf", "share", "newest", "pairs") else None
    return function and (lambda store: str(function(store)))


def _fits(handler: Handler, count: int) -> bool:
    code = handler.__code__
    most = code.co_argcount - 1
    return most - len(handler.__defaults__ or ()) <= count <= most


@verb("lend", "give")
def lend(store: Store, name: str, person: str) -> str:
    """Lends a tool, or lets somebody wait for it."""
    tool = store.find(name)
    if tool.holder is None:
        tool.holder = person
        return "lent"
    if any(same(person, other) for other in (tool.holder, *tool.waiting)):
        return "known"
    store.queue(name).append(person)
    return f"waits behind {len(tool.waiting) - 1}"


@verb("back")
def back(store: Store, name: str, days: str = "1", tariff: str = "guest") -> str:
    """Takes a tool back; the next who waits gets it."""
    try:
        tool = store.find(name)
    except Missing:
        return "not ours"
    cents = prices.by_tariff(tariff, int(days), tool.rate)
    tool.holder = tool.waiting.pop(0) if tool.waiting else None
    return f"{cents}"


@verb("offer")
def offer(store: Store, days: str, *names: str) -> str:
    """What several tools would cost."""
    return str(prices.total(int(days), [store.find(name).rate for name in names]))


@verb("buy")
def buy(store: Store, name: str, rate: str) -> str:
    """Adds a tool, or changes the rate of one."""
    if _has(store, name):
        store.find(name).rate = int(rate)
        return "changed"
    store.add(Tool(name, int(rate)))
    return "bought"


@verb("wait")
def wait(store: Store, name: str) -> str:
    """Who waits for a tool."""
    return ", ".join(store.queue(name)) or "nobody"


@verb("sticker")
def sticker(store: Store, name: str) -> str:
    """What is written on a tool."""
    return lists.label(store, name)


@verb("rates")
def rates(store: Store) -> str:
    """The cheapest and the dearest tool, or that there is none."""
    return lists.extremes(store) if lists.has_any(store) else "empty"


@verb("who")
def who(store: Store, name: str) -> str:
    """Who has a tool."""
    try:
        return store.find(name).holder or "the depot"
    except (ValueError, KeyError):
        return "who knows"


def _has(store: Store, name: str) -> bool:
    return any(same(tool.name, name) for tool in store.all())
'''


def package():
    """The package's names, from its modules put one behind the other."""
    space = {"__name__": __name__}
    for name, source in (("names", NAMES), ("store", STORE), ("prices", PRICES), ("lists", LISTS), ("desk", DESK)):
        exec(re.sub(r"(?m)^from depot\b.*$", "", source), space)
        space[name] = SimpleNamespace(**space)
    return space


CODE = package()


def answers(ws, key):
    """One answer."""
    return json.loads(ws.read("answers.json"))[key]


def same_set(ws, key, wanted):
    """Demands these elements, each once, in any order."""
    given = answers(ws, key)
    assert isinstance(given, list) and sorted(given) == sorted(wanted.split()), key


def replies(lines):
    """What the small store answers to lines."""
    store = CODE["Store"]([CODE["Tool"]("saw", 300), CODE["Tool"]("drill", 500)])
    return [CODE["run"](store, line) for line in lines]


def test_generator(ws):
    """Who needs a list."""
    same_set(ws, "generator", "lists.extremes lists.has_any lists.newest lists.pairs lists.share")


def test_missing(ws):
    """Where the error comes out."""
    same_set(ws, "missing", "give lend sticker who")


def test_keyword(ws):
    """Who gives the rate by its place, and out of whom the error comes then, too; `run` offers nothing but no tools."""
    callers = "desk.back desk.offer desk.run"
    same_set(ws, "keyword", f"{callers} prices.by_tariff prices.member_price prices.total")
    same_set(ws, "keyword_verbs", "back")


def test_case(ws):
    """Whose answers depend on case."""
    same_set(ws, "case", "back buy give lend sticker wait who")


def test_unreached(ws):
    """What no line executes."""
    same_set(ws, "unreached", "desk.verb prices.weekend_price")


def test_empty(ws):
    """Lists of nothing."""
    wanted = {name: CODE["run"](CODE["Store"](), f"list {name}") for name in ("shelf", "share", "newest", "pairs")}
    assert answers(ws, "empty") == wanted


def test_queue(ws):
    """Four lines are needed."""
    lines = answers(ws, "queue")
    assert len(lines) == 4 and replies(lines)[-1] == "waits behind 2"


def test_sticker(ws):
    """A tool between the others."""
    lines = answers(ws, "sticker")
    assert len(lines) <= 2 and replies(lines)[-1] == "IB2"


def test_negative(ws):
    """The negative number nearest to 0."""
    assert replies([answers(ws, "negative")]) == ["-150"]


def test_crash(ws):
    """A line that raises."""
    line = answers(ws, "crash")
    assert isinstance(line, str)
    try:
        replies([line])
    except Exception:
        return
    raise AssertionError(line)
