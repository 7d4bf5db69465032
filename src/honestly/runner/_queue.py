"""The trials that are to begin: those of the plan in their order, and between them void ones that are tried again."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from heapq import heapify, heappop, heappush
from itertools import count

import anyio

from honestly.records import Outcome
from honestly.runner._attempt import Attempted
from honestly.runner._plan import Planned
from honestly.runner._redo import Breaker, Redo
from honestly.store import Trials


class Queue:
    """What an executor takes its trials from. It may be empty for now: `more` says whether something will come."""

    def __init__(self, todo: Iterable[Planned], before: Mapping[str, int], redo: Redo, study: Trials) -> None:
        """A queue.

        Args:
            todo: trials that are to begin, in order.
            before: attempts that the study holds, by the trial's id.
            redo: how often a void trial is tried again, and when an agent is given up.
            study: where a trial is claimed, before it begins.
        """
        self._fresh = deque(todo)
        self._known = {planned.id: planned for planned in self._fresh}
        self._again: list[tuple[float, int, Planned]] = []
        self._order = count()
        self._before, self._tries, self._redo = before, Counter[str](), redo
        self.breaker = Breaker(redo.breaker)
        self._study = study
        self.elsewhere: dict[str, Planned] = {}
        """Trials that another runner of the study has, or had and has done, by id."""

    def __iter__(self) -> Iterator[Planned]:
        return self

    def __next__(self) -> Planned:
        self._drop()
        if self._again and self._again[0][0] <= anyio.current_time():
            return heappop(self._again)[-1]
        while self._fresh:
            planned = self._fresh.popleft()
            if self._study.claim(planned.id, self._before.get(planned.id, 0)):
                self.elsewhere.pop(planned.id, None)
                return planned
            self.elsewhere[planned.id] = planned
        raise StopIteration

    def held(self, trial: str) -> bool:
        """Whether the study holds an attempt at this trial."""
        return self.attempts(trial) > 0

    def attempts(self, trial: str) -> int:
        """Attempts at a trial, those of other runs included."""
        return self._before.get(trial, 0) + self._tries[trial]

    def note(self, result: Attempted) -> None:
        """Takes into account how an attempt ended: a void one may be tried again after a while."""
        trial = result.trial
        self._tries[trial.id] += 1
        self.breaker.note(trial)
        tries, waits = self._tries[trial.id], self._redo.waits_s
        often = tries > len(waits) or self.attempts(trial.id) >= self._redo.attempts
        if trial.outcome is Outcome.VOID and result.passing and not often:
            ready = anyio.current_time() + waits[tries - 1]
            heappush(self._again, (ready, next(self._order), self._known[trial.id]))

    async def more(self) -> bool:
        """Whether a trial can begin, if need be after a wait."""
        self._drop()
        if self._fresh:
            return True
        if not self._again:
            return self._inherit()
        await anyio.sleep(max(0.0, max(ready for ready, *_ in self._again) - anyio.current_time()))
        return True

    def _inherit(self) -> bool:
        """Whether there are trials of a runner that ended without them."""
        for planned in self.elsewhere.values():
            if self._study.claim(planned.id, self._before.get(planned.id, 0)):
                self._fresh.append(planned)
        return bool(self._fresh)

    def _drop(self) -> None:
        """Forgets the trials of agents that were given up."""
        while self._fresh and self._given_up(self._fresh[0]):
            self._fresh.popleft()
        if any(self._given_up(planned) for *_, planned in self._again):
            self._again = [entry for entry in self._again if not self._given_up(entry[-1])]
            heapify(self._again)

    def _given_up(self, planned: Planned) -> bool:
        return bool(self.breaker.open) and planned.actor.record.name in self.breaker.open
