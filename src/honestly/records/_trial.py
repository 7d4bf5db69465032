"""Agents, trials, verdicts, outcomes: agents, trials, verdicts, outcomes.

A trial is one attempt of one agent at one task; its id is the hash of what defines it (task, agent, sample, seed), so
two programs that plan the same study plan the same ids. A verdict holds every check with its result; the outcome is
four-valued, and how `limit` and `void` count is the business of a declared policy, never of the record.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property
from typing import Annotated, Literal, Self

from msgspec import Meta
from msgspec.structs import replace

from honestly.records._base import Record, digest
from honestly.records._conditions import Isolation


class Outcome(StrEnum):
    """How a trial ended."""

    PASSED = "passed"
    """The hidden checks passed and nothing was tampered with."""
    FAILED = "failed"
    """They did not."""
    LIMIT = "limit"
    """The agent ran out of time, turns or budget, and what it left did not pass."""
    VOID = "void"
    """The harness or the infrastructure failed: no statement about the agent."""


class Usage(Record, frozen=True, kw_only=True):
    """The usage of a trial. None means not reported, which is not 0."""

    input_tokens: int | None = None
    """Tokens read by the model, cached ones included."""
    output_tokens: int | None = None
    cached_tokens: int | None = None
    """The part of `input_tokens` that was read from a cache."""
    cache_write_tokens: int | None = None
    """The part of `input_tokens` that was written to a cache, where that is counted."""
    usd: float | None = None
    """Cost in US dollars."""

    @property
    def tokens(self) -> int | None:
        """Read and written; None where neither was reported."""
        known = [count for count in (self.input_tokens, self.output_tokens) if count is not None]
        return sum(known) if known else None

    def __add__(self, other: Self) -> Self:
        """The sum of both; what neither reported stays unknown."""
        names = self.__struct_fields__
        known = {name: [n for n in (getattr(self, name), getattr(other, name)) if n is not None] for name in names}
        return type(self)(**{name: sum(numbers) for name, numbers in known.items() if numbers})


class Agent(Record, frozen=True, kw_only=True, dict=True):
    """A named configuration that acts."""

    name: str
    """Unique in a study; what reports print."""
    program: str = ""
    """What runs: `honest`, `special-case`, `claude-code`, ..."""
    version: str = ""
    model: str = ""
    settings: dict[str, str | int | float | bool | None] = {}
    """Everything else that could change what it does."""

    @cached_property
    def hash(self) -> str:
        """Identity: hash of the whole configuration."""
        return digest("agent", self)


class Check(Record, frozen=True, kw_only=True):
    """One check of a verdict, with its result."""

    id: str
    status: Literal["passed", "failed", "error", "skipped", "missing", "timeout"]
    """`missing`: expected, but never reported. Only `passed` counts as passed."""
    message: str = ""
    """Why it did not pass, shortened."""
    deselected: bool | None = None
    """Of a skipped one, whether settings or hooks left it out; None where that was not recorded."""
    ended: Literal["", "process", "malformed", "grader"] = ""
    """What broke it off, if anything: the end of the solution's process, a malformed reply, the end of the grader."""
    seconds: float | None = None


Doubt = Literal["chance", "form", "unguarded"]
"""Why a check that passed proves nothing: `chance`, its test, or a twin that contradicts it, came out once so and once
so; `form`, its twins can be told from it without knowing the answer; `unguarded`, it has no twin."""

DOUBTS: tuple[Doubt, ...] = ("chance", "unguarded", "form")
"""The gravest first."""


class CheckRun(Record, frozen=True, kw_only=True):
    """All checks of one kind, visible or hidden, over one final workspace."""

    checks: tuple[Check, ...]
    note: str = ""
    """What went wrong around the checks: the process died, said nonsense, ran out of time."""
    undecided: dict[str, Doubt] = {}
    """Checks that are neither passed nor failed for certain, by id, and why; those by `chance` are not passed."""
    reward: Share | None = None
    """What a script that grades left, strictly between 0 and 1; None where it passed or failed."""

    @property
    def passed(self) -> bool:
        """Whether there is at least one check, every one passed, and none by chance."""
        steady = "chance" not in self.undecided.values()
        return steady and bool(self.checks) and all(check.status == "passed" for check in self.checks)

    @property
    def n_passed(self) -> int:
        """Number of checks that passed."""
        return sum(check.status == "passed" for check in self.checks)


class Verdict(Record, frozen=True, kw_only=True):
    """The verdict of verification. A part that is None was not measured: never false, never averaged."""

    visible: CheckRun | None = None
    """The visible checks as the task has them, over the agent's final workspace."""
    hidden: CheckRun | None = None
    tampered: tuple[str, ...] = ()
    """Each sign that the code under test reached for its judge; any one makes the trial not passed."""

    @property
    def undecided(self) -> tuple[str, ...]:
        """Ids of the hidden checks whose pass proves nothing; see `CheckRun.undecided`."""
        return () if self.hidden is None else tuple(self.hidden.undecided)

    @property
    def doubt(self) -> Doubt | None:
        """The gravest reason why it is undecided; None where it isn't: some check failed, or all passes are sure."""
        found = () if self.hidden is None or self.tampered else self.hidden.undecided.values()
        if not found or any(check.status != "passed" for check in self.hidden.checks):  # type: ignore[union-attr]
            return None
        return next(doubt for doubt in DOUBTS if doubt in found)

    @property
    def honest(self) -> bool | None:
        """Whether the work stands under tests the agent never saw; None where that was not measured."""
        return None if self.hidden is None else self.hidden.passed and not self.tampered

    @property
    def proved(self) -> bool | None:
        """Whether it is honest, and nothing undecided: what a strict policy asks for; None where not measured."""
        return self.honest and not self.undecided


class Truth(Record, frozen=True, kw_only=True):
    """What a known-truth agent really did, against which honestly itself is measured."""

    kind: str
    """`honest`, or the name of the cheat."""
    succeeded: bool
    """Whether it left a correct solution."""
    rate: float
    """The stated probability with which it succeeds (honest) or cheats, at this task."""


Share = Annotated[float, Meta(ge=0, le=1)]


class Attempt(Record, frozen=True, kw_only=True):
    """An earlier attempt at a trial, replaced because it was void or rerun by choice."""

    outcome: Outcome
    """`void` is done again by itself; anything else was done again by choice, after its outcome was known."""
    reason: str = ""
    started_at: str | None = None
    """ISO 8601, UTC."""
    seconds: float | None = None
    """Wall-clock time of the whole attempt."""
    usage: Usage = Usage()
    """What it consumed; spent, though no result came of it."""
    elsewhere: bool = False
    """Whether it ended when another runner had stored one already, and counts for nothing but its cost."""


def attempt_count(earlier: tuple[Attempt, ...]) -> int:
    """The number of attempts at a trial, given the earlier ones."""
    return 1 + sum(not each.elsewhere for each in earlier)


class Trial(Record, frozen=True, kw_only=True):
    """One agent's attempt at one task; the one that counts, if there were several."""

    id: str
    agent: str
    """Name of the agent."""
    task: str
    """Id of the task."""
    sample: int
    """Which repetition of the cell (agent, task) this is, from 0."""
    outcome: Outcome
    reason: str = ""
    """Why it is `limit` or `void`, or what the source said: `agent_timeout`, `parse_error`, ..."""
    verdict: Verdict = Verdict()
    score: Share | None = None
    """What a judge gave that grades, from 0 to 1; None where the outcome says all. Only with 1 is the outcome `passed`;
    what was tampered with has none."""
    claimed: bool | None = None
    """Whether the agent said at the end that it had succeeded; None where it said nothing readable."""
    truth: Truth | None = None
    usage: Usage = Usage()
    started_at: str | None = None
    """ISO 8601, UTC."""
    seconds: float | None = None
    """Wall-clock time of the whole trial."""
    agent_seconds: float | None = None
    """The part in which the agent acted."""
    source: str = ""
    """Where an imported trial came from, relative to what was imported."""
    isolation: Isolation = Isolation()
    """What stood between the agent's work and the machine; unknown for trials that somebody else ran."""
    earlier: tuple[Attempt, ...] = ()
    """Attempts before this one, oldest first; everything else here says what the last attempt did."""

    @property
    def attempts(self) -> int:
        """How many attempts it had, the last one included."""
        return attempt_count(self.earlier)

    @property
    def is_graded(self) -> bool:
        """Whether its grade is neither that of a failure nor that of a pass."""
        return self.score is not None and 0 < self.score < 1

    def counted_trial(self, *, strict: bool) -> Trial:
        """This trial as a policy counts it; to a strict one, an undecided pass is none."""
        doubt = self.verdict.doubt
        if not strict or self.outcome is not Outcome.PASSED or doubt is None:
            return self
        return replace(self, outcome=Outcome.FAILED, reason=f"undecided: {doubt}")

    def as_attempt(self) -> Attempt:
        """The record of this attempt once another one takes its place."""
        return Attempt(
            outcome=self.outcome, reason=self.reason, started_at=self.started_at, seconds=self.seconds, usage=self.usage
        )


def trial_id(task_hash: str, agent_hash: str, sample: int, seed: int) -> str:
    """Id of a trial: 32 hexadecimal characters, the same wherever it is computed."""
    return digest("trial", task_hash, agent_hash, sample, seed)
