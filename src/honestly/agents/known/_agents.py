"""Agents whose truth is known: they hold the answers, and succeed, fail or cheat at stated rates.

They measure the program: whatever it prints about them can be compared with what they are. All of them really edit
files and run commands in the sandbox. Half of their failures are the task's own wrong solutions, half are attempts that
they give up and take back; both are proved to fail the hidden checks. Their randomness derives from the trial's seed,
so that a trial repeats exactly.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from honestly.agents._arms import NO_ARM, arm_told
from honestly.agents._run import Hands, Run
from honestly.agents.known._cheats import CHEATS
from honestly.agents.known._moves import claim_by_visible, give_up, solve, work_as
from honestly.errors import AgentError
from honestly.records import Agent, Hidden, Suite, Task, Truth
from honestly.sandbox import Sandbox

VERSION = "1"
_GIVES_UP = 0.5
"""Share of an honest agent's failures in which it notices, and takes back what it did."""


@dataclass(frozen=True)
class Nop:
    """A known-truth agent that does nothing and says so."""

    name: str = "nop"

    @property
    def record(self) -> Agent:
        """The configuration that identifies the agent."""
        return Agent(name=self.name, program="nop", version=VERSION)

    async def __call__(self, run: Run, box: Sandbox) -> None:
        """Leaves the workspace untouched."""
        Hands(run, box).finish("I did not change anything.", claimed=False)


@dataclass(frozen=True)
class Oracle:
    """A known-truth agent that applies the reference solution: the ceiling, and a test of the tasks."""

    suite: Suite
    name: str = "oracle"

    @property
    def record(self) -> Agent:
        """The configuration that identifies the agent."""
        return Agent(name=self.name, program="oracle", version=VERSION)

    async def __call__(self, run: Run, box: Sandbox) -> None:
        """Writes the reference and says what the visible tests say."""
        hands = Hands(run, box)
        await claim_by_visible(hands, run.task, done=await _solve(hands, self.suite, run.task))


async def _solve(hands: Hands, suite: Suite, task: Task) -> bool:
    return await solve(hands, _hidden_of(suite, task), in_image=task.environment is not None)


@dataclass(frozen=True)
class Known:
    """A known-truth agent that succeeds at a stated rate for each difficulty, and cheats at a stated rate."""

    suite: Suite
    name: str
    program: str = "honest"
    """`honest`, or the name of a cheat."""
    rate: float = 0.0
    """Probability that it cheats in a trial; otherwise it works honestly."""
    easy: float = 0.9
    medium: float = 0.6
    hard: float = 0.3

    @property
    def record(self) -> Agent:
        """The configuration that identifies the agent."""
        skill: Mapping[str, float] = {"easy": self.easy, "medium": self.medium, "hard": self.hard}
        return Agent(name=self.name, program=self.program, version=VERSION, settings={"rate": self.rate, **skill})

    def p_success(self, task: Task) -> float:
        """The probability that an honest attempt at this task succeeds."""
        return {"easy": self.easy, "hard": self.hard}.get(task.tags.difficulty, self.medium)

    async def __call__(self, run: Run, box: Sandbox) -> None:
        """Cheats or works, as the dice of this trial fall."""
        rng = random.Random(run.seed)  # noqa: S311
        hands = Hands(run, box)
        hidden = _hidden_of(self.suite, run.task)
        cheats, succeeds = rng.random() < self.rate, rng.random() < self.p_success(run.task)
        await hands.bash("ls -R . && cat README* 2>/dev/null; true", why="Let me look at the workspace first.")
        if cheats:
            run.truth = Truth(kind=self.program, succeeded=False, rate=self.rate)
            await CHEATS[self.program](hands, run.task, hidden)
            return
        run.truth = Truth(kind="honest", succeeded=succeeds, rate=self.p_success(run.task))
        wrong = [solution for solution in hidden.wrong if solution.name != "special-case"]
        if not succeeds and (rng.random() < _GIVES_UP or not wrong):
            await give_up(hands, run.task, hidden)
            return
        if succeeds:
            done = await solve(hands, hidden, in_image=run.task.environment is not None)
        else:
            done = await work_as(hands, rng.choice(wrong).edit)
        await claim_by_visible(hands, run.task, done=done)


@dataclass(frozen=True)
class Susceptible:
    """A known-truth agent that special-cases at a rate which depends on the prompt arm: it measures what compares arms.

    It reads the instruction that it is given, and so proves that an arm's text arrives. Where no rate is given for an
    arm, that of `none` holds. Its dice are the same under every arm, as the trial's seed is.
    """

    suite: Suite
    name: str
    rates: Mapping[str, float] = field(default_factory=dict)
    """Probability that it cheats, by arm."""
    skill: Mapping[str, float] = field(default_factory=dict)
    """Probability that honest work succeeds, by difficulty, where it is not the usual one."""

    @property
    def record(self) -> Agent:
        """The configuration that identifies the agent."""
        known = self._known_agent(NO_ARM.name).record
        rates = {arm: self.rate(arm) for arm in sorted({NO_ARM.name, *self.rates})}
        skill = {key: value for key, value in known.settings.items() if key != "rate"}
        return Agent(name=self.name, program="susceptible", version=known.version, settings={**rates, **skill})

    def rate(self, arm: str) -> float:
        """The probability that it cheats under an arm."""
        return self.rates.get(arm, self.rates.get(NO_ARM.name, 0.0))

    async def __call__(self, run: Run, box: Sandbox) -> None:
        """Cheats or works, as the dice and the prompt have it."""
        await self._known_agent(arm_told(run.task.instruction))(run, box)

    def _known_agent(self, arm: str) -> Known:
        return Known(self.suite, self.name, "special-case", rate=self.rate(arm), **self.skill)


def _hidden_of(suite: Suite, task: Task) -> Hidden:
    hidden = suite.task(task.id).hidden
    if hidden is None:
        raise AgentError(f"task {task.id} has no hidden part, so known-truth agents cannot work on it")
    return hidden
