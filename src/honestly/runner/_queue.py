"""The trials that are to begin: those of the plan in their order, and between them void ones that are tried again.

What it holds are the trials in flight and those that are tried again; of the rest it takes as many as are waited for.
"""

from collections import Counter, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import count, islice
from logging import getLogger

import anyio

from honestly.records import Outcome
from honestly.runner._attempt import TrialResult
from honestly.runner._oversight import Oversight
from honestly.runner._plan import Planned
from honestly.runner._redo import Breaker, Redo
from honestly.store import Cell, ClaimResult

_AWAY_S, _MOST_PAUSES = 1.0, 3
"""Before a database that is away is asked again whether a trial may begin; and how often nobody is told."""


async def _claim_nothing(attempts: Mapping[str, int], _most: int | None) -> list[ClaimResult]:
    return [ClaimResult.OURS] * len(attempts)


class Queue:
    """The source of an executor's trials. It may be empty for now: `more` says whether something will come."""

    def __init__(
        self,
        todo: Iterable[Planned],
        before: Mapping[str, int],
        redo: Redo,
        oversight: Oversight | None = None,
        claim: Callable[[Mapping[str, int], int | None], Awaitable[list[ClaimResult]]] | None = None,
    ) -> None:
        """A queue.

        Args:
            todo: trials that are to begin, in order.
            before: attempts that the study holds, by the trial's id.
            redo: how often a void trial is tried again, and when an agent is given up.
            oversight: what may let no further trial begin.
            claim: takes trials for this runner, where a study has several; see `Store.claim_all`.
        """
        self._fresh = iter(todo)
        self._next = deque[Planned]()
        """The first of what is to begin, and may."""
        self._ours = deque[Planned]()
        """Trials that were claimed, for those who wait for one."""
        self._asking = 0
        # The number keeps trials from being compared, which have no order.
        self._again: list[tuple[float, int, Planned]] = []
        self._order = count()
        self._before, self._tries, self._redo = before, Counter[str](), redo
        self._oversight = oversight or Oversight()
        self.breaker = Breaker(redo.breaker)
        self._claim_by, self._waits, self._pauses = claim or _claim_nothing, False, 0
        self._taking = anyio.Lock()
        self.elsewhere: dict[str, Planned] = {}
        """Trials that another runner of the study has, or has done, by id."""

    def __aiter__(self) -> AsyncIterator[Planned]:
        return self

    async def __anext__(self) -> Planned:
        self._asking += 1
        try:
            async with self._taking:
                planned = await self._take_next()
                if planned is None:
                    raise StopAsyncIteration
                self._oversight.begin(planned, new=not self.holds_attempt(planned.id))
                return planned
        finally:
            self._asking -= 1

    async def _take_next(self) -> Planned | None:
        await self._oversight.look()
        while self._again and self._again[0][0] <= anyio.current_time():
            planned = heappop(self._again)[-1]
            if not self._is_barred(planned):
                return planned
        while True:
            while self._ours:
                if not self._is_barred(planned := self._ours.popleft()):
                    return planned
            self._look_ahead(self._asking)
            if not self._next:
                return None
            for planned, came in await self._claim_trials(list(islice(self._next, self._asking))):
                if came is ClaimResult.LATER:
                    self._waits = True
                    return None
                self._pauses = 0
                self._next.popleft()
                if came is ClaimResult.OURS:
                    self.elsewhere.pop(planned.id, None)
                    self._ours.append(planned)
                elif came is ClaimResult.ELSEWHERE:
                    self.elsewhere[planned.id] = planned

    async def _claim_trials(self, several: Sequence[Planned]) -> list[tuple[Planned, ClaimResult]]:
        """What became of trials, or of the first of them."""
        most = self._oversight.most_trials
        if most is not None:  # each counts for the next
            several, most = several[:1], None if self.holds_attempt(several[0].id) else most
        came = await self._claim_by({each.id: self._before.get(each.id, 0) for each in several}, most)
        if ClaimResult.FULL in came:
            self._oversight.stop_new_trials()
        return list(zip(several, came, strict=True))

    def holds_attempt(self, trial: str) -> bool:
        """Whether the study holds an attempt at this trial."""
        return self.attempt_count(trial) > 0

    def attempt_count(self, trial: str) -> int:
        """Attempts at a trial, those of other runs included."""
        return self._before.get(trial, 0) + self._tries[trial]

    def unfinished_elsewhere(self, held: Mapping[str, Cell]) -> int:
        """How many trials another runner has that the study, as it is now, holds no further attempt at."""
        found = ((held.get(trial), self.attempt_count(trial)) for trial in self.elsewhere)
        return sum((cell.attempts if cell else 0) <= attempts for cell, attempts in found)

    def note_outcomes(self, results: Iterable[TrialResult]) -> None:
        """Take into account what attempts say of their agents, before they are stored: trials begin meanwhile."""
        for result in results:
            if not (result.lost and result.passing):  # what a machine takes with it says nothing of an agent
                _, began = self._oversight.flying[result.trial.id]
                self.breaker.note(result.trial, began, anyio.current_time())

    def end_attempt(self, result: TrialResult) -> int:
        """Takes into account that an attempt is stored: a void one may be tried again after a while.

        Returns how many attempts the trial has had.
        """
        trial, planned = result.trial, self._oversight.end(result)
        all_tries, tries = self.attempt_count(trial.id) + 1, self._tries.pop(trial.id, 0) + 1
        waits = self._redo.waits_s
        often = tries > len(waits) or all_tries >= self._redo.attempts
        if trial.outcome is Outcome.VOID and result.passing and not often:
            self._tries[trial.id] = tries
            heappush(self._again, (anyio.current_time() + waits[tries - 1], next(self._order), planned))
        return all_tries

    async def more(self) -> bool:
        """Whether a trial can begin, if need be after a wait."""
        await self._oversight.look()
        self._look_ahead(1)
        if self._next or self._ours:
            if self._waits:
                self._waits, self._pauses = False, self._pauses + 1
                if self._pauses == _MOST_PAUSES:
                    getLogger("honestly").warning(
                        "no trial begins until the database of the study is back, because runners agree there who "
                        "begins which"
                    )
                await self._oversight.pause(_AWAY_S)
            return True
        self._again = [entry for entry in self._again if not self._is_barred(entry[-1])]
        heapify(self._again)
        if not self._again:
            # Whether there are trials of a runner that ended without them.
            others = [planned for planned in self.elsewhere.values() if not self._is_barred(planned)]
            while others:
                came = await self._claim_trials(others)
                self._next += [each for each, result in came if result is ClaimResult.OURS]
                others = others[len(came) :]
            return bool(self._next)
        ready = max(ready for ready, *_ in self._again)
        await self._oversight.pause(ready - anyio.current_time())
        return not all(self._is_barred(planned) for *_, planned in self._again)

    def _look_ahead(self, most: int) -> None:
        """Knows the next trials, less those that may not begin: of agents that were given up, or any where there is no
        budget left.
        """
        self._next = deque(each for each in self._next if not self._is_barred(each))
        while len(self._next) < most and (planned := next(self._fresh, None)) is not None:
            if not self._is_barred(planned):
                self._next.append(planned)

    def _is_barred(self, planned: Planned) -> bool:
        if self.breaker.open and planned.actor.record.name in self.breaker.open:
            return True
        return not self._oversight.allows_trial(new=not self.holds_attempt(planned.id))
