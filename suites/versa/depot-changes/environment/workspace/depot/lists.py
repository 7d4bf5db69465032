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
