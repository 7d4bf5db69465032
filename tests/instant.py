"""An executor whose trials end at once, for tests of what stands around them; and an agent that is never called."""

from contextlib import asynccontextmanager

import anyio

from honestly.records import Agent, Conditions, Edit, Outcome, Trajectory, Tree, Trial, Usage
from honestly.runner import TrialResult
from honestly.runner._execute import in_parallel

START = "2026-01-01T00:00:{:02}+00:00"


class Priced:
    """An agent that works with a model; nothing of it is called here."""

    def __init__(self, name="priced", model="m"):
        self.record = Agent(name=name, model=model)

    async def __call__(self, run, box):
        raise AssertionError("the executor of these tests does not run agents")


class Instant:
    """An executor whose trials end at once, one at a time, with what they are said to have used."""

    def __init__(self, usage=None, outcome=Outcome.PASSED):
        self.usage, self.outcome, self.began = usage or Usage(), outcome, []

    @asynccontextmanager
    async def submit(self, trials):
        yield self._each(trials)

    async def _each(self, trials):
        async for planned in trials:
            self.began.append((planned.actor.record.name, planned.task.id, planned.sample))
            yield self.result_of(planned)

    def result_of(self, planned):
        """How a trial ended."""
        trial = Trial(
            id=planned.id, agent=planned.actor.record.name, task=planned.task.id, sample=planned.sample,
            outcome=self.outcome, usage=self.usage, started_at=START.format(0), seconds=1.0,
        )  # fmt: skip
        return TrialResult(trial, Trajectory(steps=()), Edit.between(Tree(), Tree()), Conditions())


class Flying(Instant):
    """An executor of trials that sleep for a while, so many at a time."""

    def __init__(self, jobs, seconds):
        super().__init__()
        self.jobs, self.seconds = jobs, seconds

    def submit(self, trials):
        return in_parallel(trials, self.jobs, self._one)

    async def _one(self, planned):
        await anyio.sleep(self.seconds)
        return self.result_of(planned)
