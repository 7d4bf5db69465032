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
