"""Who looks on while a run goes: before its first trial, when a trial begins and ends; and what lets no more begin.

A run stops beginning trials when somebody asks it to (Ctrl-C), or when the budget of the study is spent. Those in
flight go on to their end, so that money, tokens and time may pass the budget by what these still take; the number of
trials never does.
"""

from collections.abc import Awaitable, Callable, Sequence

import anyio
import anyio.to_thread

from honestly.runner._attempt import TrialResult
from honestly.runner._plan import Plan, Planned
from honestly.runner._progress import Progress
from honestly.runner._spending import Account, unaccounted_limits
from honestly.store import Store
from honestly.work import Budget


class Looker:
    """Base class for observers of a run; override the events that you need."""

    def run_began(self, plan: Plan, held: int) -> None:
        """A run begins over a study that holds so many trials."""

    def began(self, planned: Planned) -> None:
        """An attempt at a trial begins."""

    def ended(self, planned: Planned, result: TrialResult) -> None:
        """It has ended, and is in the study."""

    def run_ended(self, now: Progress) -> None:
        """The run has ended, or was stopped."""


class Oversight:
    """The oversight of one run."""

    def __init__(
        self,
        budget: Budget | None = None,
        lookers: Sequence[Looker] = (),
        before: Callable[[Sequence[Planned]], Awaitable[object]] | None = None,
    ) -> None:
        """An oversight of one run.

        Args:
            budget: of the whole study; None for none.
            lookers: told of each attempt.
            before: looks at what the trials need before the study learns of the plan, where there are any to begin: it
                is given the first of each agent.
        """
        self.before = before
        self.stopped = ""
        """Why no further trial begins; empty while they may."""
        self.full = ""
        """Why no trial begins that the study does not hold; empty while they may."""
        self.flying: dict[str, tuple[Planned, float]] = {}
        """Trials in flight by id, and when each began by the clock of the event loop."""
        self.lookers = lookers
        self._budget = budget
        self._account: Account | None = None
        self._halt: anyio.Event | None = None
        self.storing = anyio.Lock()
        """Held while what has ended is stored and noted, so that nobody counts it twice."""

    def stop(self, reason: str) -> None:
        """Lets no further trial begin."""
        self.stopped = self.stopped or reason
        if self._halt is not None:
            self._halt.set()

    def agents_end_in(self) -> float:
        """Seconds after which the agents of all trials in flight will have ended; their work is judged after that."""
        now = anyio.current_time()
        return max((began + planned.task.timeout_s - now for planned, began in self.flying.values()), default=0.0)

    async def pause(self, seconds: float) -> None:
        """Waits so long, or until no trial may begin any more."""
        self._halt = anyio.Event()
        with anyio.move_on_after(0 if self.stopped else max(0.0, seconds)):
            await self._halt.wait()

    def run_began(self, plan: Plan, study: Store) -> None:
        """Notes that a run begins. Only a budget reads the trials that the study holds."""
        if self._budget is not None:
            self._account = Account(study, anyio.current_time())
        held = sum(study.tally().values()) if self.lookers else 0
        for each in self.lookers:
            each.run_began(plan, held)

    def run_ended(self, now: Progress) -> None:
        """Notes that it has ended, however."""
        for each in self.lookers:
            each.run_ended(now)

    async def look(self) -> None:
        """Looks at what other runners of the study have spent, if that is due."""
        if self._account is not None and self._account.is_due():
            async with self.storing:
                await anyio.to_thread.run_sync(self._account.read_stored)

    def allows_trial(self, *, new: bool) -> bool:
        """Whether a trial may begin: one that the study does not hold, or another attempt at one that it does."""
        if self.stopped or self._budget is None or self._account is None:
            return not self.stopped
        spent = self._account.now(anyio.current_time())
        if reached := spent.limit_reached(self._budget):
            self.stopped = f"the budget is used up: {reached}"
        elif new and self._budget.trials is not None and spent.trials >= self._budget.trials:
            self.stop_new_trials()
        return not (self.stopped or (new and self.full))

    @property
    def most_trials(self) -> int | None:
        """Trials that may have begun, those of other runners included; None for any number."""
        return None if self._budget is None else self._budget.trials

    def stop_new_trials(self) -> None:
        """Lets no trial begin that the study does not hold; another attempt at one still may."""
        self.full = f"the budget is used up: {self.most_trials:,} trials have started"

    def begin(self, planned: Planned, *, new: bool) -> None:
        """Notes that an attempt begins."""
        if self._account is not None:
            self._account.begin(new=new)
        self.flying[planned.id] = planned, anyio.current_time()
        for each in self.lookers:
            each.began(planned)

    def end(self, result: TrialResult) -> Planned:
        """Notes that one has ended, and is stored; returns which."""
        planned, _ = self.flying.pop(result.trial.id)
        if self._account is not None:
            self._account.end(result.trial)
        if self._budget is not None and (
            why := unaccounted_limits(result.trial, planned.actor.record.model, self._budget)
        ):
            self.stop(why)
        for each in self.lookers:
            each.ended(planned, result)
        return planned
