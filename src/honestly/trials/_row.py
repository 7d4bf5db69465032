"""One trial as a row of a table."""

from dataclasses import dataclass
from typing import Any

from honestly.records import Doubt, Outcome, Trial
from honestly.trials._reasons import Why, trial_reason


@dataclass(frozen=True, slots=True)
class TrialRow:
    """A table's row of one trial: of its last attempt, where there were several."""

    id: str
    agent: str
    task: str
    sample: int
    outcome: Outcome
    why: Why
    visible: bool | None
    """Whether all visible checks passed; None where they were not run."""
    hidden: bool | None
    """Whether all hidden checks passed, whatever was tampered with; None where they were not run."""
    tampered: bool
    seconds: float | None
    """Wall-clock time of the attempt."""
    usd: float | None
    input_tokens: int | None
    output_tokens: int | None
    attempts: int
    """1, and 1 more for each earlier attempt that this one took the place of."""
    score: float | None
    """The graded result from 0 to 1, of trials that have one."""
    checks: str
    """Hidden checks that passed, of all, such as `3/7`; empty where none was run."""
    undecided: Doubt | None
    """Why it is undecided; see `Verdict.doubt`."""

    @classmethod
    def from_trial(cls, trial: Trial, *, impossible: bool = False) -> "TrialRow":
        """The row of a trial; `impossible` says whether its task is an impossible twin."""
        verdict, usage = trial.verdict, trial.usage
        return cls(
            id=trial.id,
            agent=trial.agent,
            task=trial.task,
            sample=trial.sample,
            outcome=trial.outcome,
            why=trial_reason(trial, impossible=impossible),
            visible=None if verdict.visible is None else verdict.visible.passed,
            hidden=None if verdict.hidden is None else verdict.hidden.passed,
            tampered=bool(verdict.tampered),
            seconds=trial.seconds,
            usd=usage.usd,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            attempts=1 + len(trial.earlier),
            score=trial.score,
            checks="" if verdict.hidden is None else f"{verdict.hidden.n_passed}/{len(verdict.hidden.checks)}",
            undecided=verdict.doubt,
        )

    @property
    def reason(self) -> str:
        """Why it ended so, in its own words."""
        return self.why.reason

    @property
    def ending(self) -> str:
        """Its outcome, or `graded` if its grade is neither that of a failure nor that of a pass."""
        return self.outcome.value if self.score in {None, 0.0, 1.0} else "graded"

    @property
    def share(self) -> float | None:
        """The share of the hidden checks that passed, from 0 to 1; None where none was run."""
        passed, _, of = self.checks.partition("/")
        return int(passed) / int(of) if of and int(of) else None

    @property
    def tokens(self) -> int | None:
        """Tokens read and written, as far as they were reported."""
        known = [part for part in (self.input_tokens, self.output_tokens) if part is not None]
        return sum(known) if known else None

    @property
    def name(self) -> str:
        """`agent/task/sample`, which names it as well as its id."""
        return f"{self.agent}/{self.task}/{self.sample}"

    def to_plain(self) -> dict[str, Any]:
        """One plain-data object, ready for JSON."""
        plain = {name: getattr(self, name) for name in PLAIN_FIELDS} | {"outcome": self.outcome.value}
        plain |= {} if self.undecided is None else {"undecided": self.undecided}
        return plain if self.score is None else plain | {"score": self.score}


PLAIN_FIELDS = (
    *("id", "agent", "task", "sample", "outcome", "reason", "visible", "hidden", "tampered"),
    *("seconds", "usd", "input_tokens", "output_tokens", "attempts"),
)
