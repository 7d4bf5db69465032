"""Days at the depot. Each gives the kernel, its store, and the list into which lorries write what they got."""

from __future__ import annotations

from depot.kernel import Kernel, Sleep, Steps
from depot.store import Store

Log = list[tuple[str, str | None]]


def lorry(name: str, store: Store, log: Log, arrival: int, patience: int | None = None, tries: int = 1) -> Steps:
    """Comes at a time, and tries to get one good; gives up when all tries are used up."""
    yield Sleep(arrival)
    for _ in range(tries):
        good = yield from store.take(patience)
        if good is not None:
            log.append((name, good))
            return
        yield None
    log.append((name, None))


def crane(store: Store, goods: list[str], pause: int) -> Steps:
    """Puts goods into the store, with a pause before each."""
    for good in goods:
        yield Sleep(pause)
        store.put(good)


def helper(store: Store, tick: int, good: str) -> Steps:
    """Puts one good into the store; looks around first."""
    yield Sleep(tick)
    yield None
    store.put(good)


def monday() -> tuple[Kernel, Store, Log]:
    """An easy day."""
    kernel, log = Kernel(), Log()
    store = Store(kernel)
    kernel.add("crane", crane(store, ["sand", "bricks"], 3))
    kernel.add("Ida", lorry("Ida", store, log, 1))
    kernel.add("Olaf", lorry("Olaf", store, log, 2, patience=5))
    return kernel, store, log


def friday() -> tuple[Kernel, Store, Log]:
    """A day on which there is enough for everybody, if nobody is forgotten."""
    kernel, log = Kernel(), Log()
    store = Store(kernel)
    kernel.add("crane", crane(store, ["sand", "bricks"], 4))
    kernel.add("Ida", lorry("Ida", store, log, 2, patience=1, tries=2))
    kernel.add("Emil", helper(store, 4, "lime"))
    kernel.add("Olaf", lorry("Olaf", store, log, 4))
    kernel.add("Ruth", lorry("Ruth", store, log, 4))
    return kernel, store, log
