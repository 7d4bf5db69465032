"""The trials that are to begin: those of the plan in their order, and between them void ones that are tried again."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from heapq import heapify, heappop, heappush
from itertools import count

import anyio

from honestly.records import Outcome
from honestly.runner._attempt import Attempted
from honestly.runner._oversight import Oversight
from honestly.runner._plan import Planned
from honestly.runner._redo import Breaker, Redo
from honestly.store import Trials


class Queue:
    """What an executor takes its trials from. It may be empty for now: `more` says whether something will come."""

    def __init__(
        self,
        todo: Iterable[Planned],
        before: Mapping[str, int],
        redo: Redo,
        study: Trials,
        oversight: Oversight | None = None,
    ) -> None:
        """A queue.

        Args:
            todo: trials that are to begin, in order.
            before: attempts that the study holds, by the trial's id.
            redo: how often a void trial is tried again, and when an agent is given up.
            study: where a trial is claimed, before it begins.
            oversight: what may let no further trial begin.
        """
        self._fresh = deque(todo)
        self._known = {planned.id: planned for planned in self._fresh}
        self._again: list[tuple[float, int, Planned]] = []
        self._order = count()
        self._before, self._tries, self._redo = before, Counter[str](), redo
        self._oversight = oversight or Oversight()
        self.breaker = Breaker(redo.breaker)
        self._study = study
        self.elsewhere: dict[str, Planned] = {}
        """Trials that another runner of the study has, or had and has done, by id."""

    def __iter__(self) -> Iterator[Planned]:
        return self

    def __next__(self) -> Planned:
        self._drop()
        if self._again and self._again[0][0] <= anyio.current_time():
            planned = heappop(self._again)[-1]
        else:
            planned = self._claimed()
        self._oversight.begin(planned, new=not self.held(planned.id))
        return planned

    def _claimed(self) -> Planned:
        """The next trial that no other runner has."""
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
        self._oversight.end(result)
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
        ready = max(ready for ready, *_ in self._again)
        await self._oversight.pause(ready - anyio.current_time())
        self._drop()
        return bool(self._again)

    def _inherit(self) -> bool:
        """Whether there are trials of a runner that ended without them."""
        for planned in self.elsewhere.values():
            if not self._barred(planned) and self._study.claim(planned.id, self._before.get(planned.id, 0)):
                self._fresh.append(planned)
        return bool(self._fresh)

    def _drop(self) -> None:
        """Forgets trials that may not begin: of agents that were given up, or any where there is no budget left."""
        while self._fresh and self._barred(self._fresh[0]):
            self._fresh.popleft()
        if any(self._barred(planned) for *_, planned in self._again):
            self._again = [entry for entry in self._again if not self._barred(entry[-1])]
            heapify(self._again)

    def _barred(self, planned: Planned) -> bool:
        if self.breaker.open and planned.actor.record.name in self.breaker.open:
            return True
        return not self._oversight.lets(new=not self.held(planned.id))
