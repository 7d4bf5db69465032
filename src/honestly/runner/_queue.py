"""The trials that are to begin: those of the plan in their order, and between them void ones that are tried again.

What it holds are the trials in flight and those that are tried again; of the rest it takes one at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from heapq import heapify, heappop, heappush
from itertools import count

import anyio

from honestly.records import Outcome
from honestly.runner._attempt import Attempted
from honestly.runner._plan import Planned
from honestly.runner._redo import Breaker, Redo


class Queue:
    """What an executor takes its trials from. It may be empty for now: `more` says whether something will come."""

    def __init__(self, todo: Iterable[Planned], before: Mapping[str, int], redo: Redo) -> None:
        """A queue.

        Args:
            todo: trials that are to begin, in order.
            before: attempts that the study holds, by the trial's id.
            redo: how often a void trial is tried again, and when an agent is given up.
        """
        self._fresh = iter(todo)
        self._next = next(self._fresh, None)
        self._flying: dict[str, Planned] = {}
        self._again: list[tuple[float, int, Planned]] = []
        self._order = count()
        self._before, self._tries, self._redo = before, Counter[str](), redo
        self.breaker = Breaker(redo.breaker)

    def __iter__(self) -> Iterator[Planned]:
        return self

    def __next__(self) -> Planned:
        self._drop()
        if self._again and self._again[0][0] <= anyio.current_time():
            planned = heappop(self._again)[-1]
        elif self._next is not None:
            planned, self._next = self._next, next(self._fresh, None)
        else:
            raise StopIteration
        self._flying[planned.id] = planned
        return planned

    def held(self, trial: str) -> bool:
        """Whether the study holds an attempt at this trial."""
        return self.attempts(trial) > 0

    def attempts(self, trial: str) -> int:
        """Attempts at a trial, those of other runs included."""
        return self._before.get(trial, 0) + self._tries[trial]

    def note(self, result: Attempted) -> int:
        """Takes into account how an attempt ended: a void one may be tried again after a while.

        Returns how many attempts the trial has had.
        """
        trial, planned = result.trial, self._flying.pop(result.trial.id)
        all_tries, tries = self.attempts(trial.id) + 1, self._tries.pop(trial.id, 0) + 1
        self.breaker.note(trial)
        waits = self._redo.waits_s
        often = tries > len(waits) or all_tries >= self._redo.attempts
        if trial.outcome is Outcome.VOID and result.passing and not often:
            self._tries[trial.id] = tries
            heappush(self._again, (anyio.current_time() + waits[tries - 1], next(self._order), planned))
        return all_tries

    async def more(self) -> bool:
        """Whether a trial can begin, if need be after a wait."""
        self._drop()
        if self._next is not None:
            return True
        if not self._again:
            return False
        await anyio.sleep(max(0.0, max(ready for ready, *_ in self._again) - anyio.current_time()))
        return True

    def _drop(self) -> None:
        """Forgets the trials of agents that were given up."""
        while self._next is not None and self._given_up(self._next):
            self._next = next(self._fresh, None)
        if self.breaker.open and any(self._given_up(planned) for *_, planned in self._again):
            self._again = [entry for entry in self._again if not self._given_up(entry[-1])]
            heapify(self._again)

    def _given_up(self, planned: Planned) -> bool:
        return bool(self.breaker.open) and planned.actor.record.name in self.breaker.open
