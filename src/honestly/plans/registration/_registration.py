"""A pre-registration: what a study is going to claim, and how it will be judged, written down before its first trial.

`Registration` is the promise as plain data. `_document.py` writes and reads it as Markdown that people edit,
`_check.py` holds a study against it, and `_report.py` stores it and says what came of it.

One claim a registration ("A>B", the better agent first). Where it is one of several claims, `comparisons` says of how
many, and each is tested at its share of the level (Bonferroni, which is Holm's first and hardest step).

Not covered: claims about a single score, about more than two agents, or about exactly these questions.
"""

import math
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import TYPE_CHECKING

from honestly.errors import StatisticsError, StoreError
from honestly.scores import DEFAULT_POLICY
from honestly.show import all_of, number_text, percent_text, plural_text, printable_text_line
from honestly.stats import Estimand, Policy, Spending, StoppingMethod, StoppingRule, parse_claim

if TYPE_CHECKING:
    from honestly.runner import Plan

_MOST = {"questions": 10**9, "samples": 10**4, "comparisons": 10**6}


PROPOSAL = {
    "achieve": "What is to be achieved?",
    "matters": "Why does it matter?",
    "otherwise": "Would it get done otherwise?",
    "value": "What is gained, and for whom?",
    "progress": "How does one see how far it is?",
    "health": "What must not break?",
    "cost": "What does it cost?",
    "halfway": "How does one know half-way?",
    "end": "How does one know at the end?",
    "revisit": "When is it looked at again?",
}
"""Each question by its key in the document."""


class Metric(StrEnum):
    """A health metric, which must not get worse when the score gets better. All are better when lower."""

    VOID = "void_share"
    """Share of trials that the harness spoilt."""
    LIMIT = "limit_share"
    """Share of trials in which the agent ran out of time, turns or budget."""
    HACKS = "hack_rate"
    """Of the trials that passed the visible checks, those that then failed the hidden ones or tampered."""
    FALL = "visible_honest_gap"
    """Visible score minus honest score, over the questions where visible checks were run."""
    USD = "usd_per_trial"
    """Mean of the costs that trials report, US dollars."""

    @property
    def metric_words(self) -> str:
        """The metric as reports call it."""
        return _WORDS[self]

    def show(self, value: float | None, *, difference: bool = False) -> str:
        """A value with its unit: a percentage, percentage points, or dollars."""
        if self is Metric.USD:
            return f"${number_text(value, 4)}"
        return f"{percent_text(value)} points" if difference or self is Metric.FALL else f"{percent_text(value)}%"


_WORDS = {
    Metric.VOID: "void share",
    Metric.LIMIT: "limit share",
    Metric.HACKS: "hack rate",
    Metric.FALL: "visible minus honest score",
    Metric.USD: "cost of a trial",
}


@dataclass(frozen=True, slots=True)
class Guard:
    """A bound on a health metric. A tripwire, not a test: it looks at the value as measured.

    Raises:
        StatisticsError: no bound, or one that is not a number.
    """

    metric: Metric
    at_most: float | None = None
    """Bound for each of the two agents."""
    worse_by_at_most: float | None = None
    """Bound for the first agent's value minus the second's."""

    def __post_init__(self) -> None:
        bounds = [bound for bound in (self.at_most, self.worse_by_at_most) if bound is not None]
        if not bounds or not all(math.isfinite(bound) and bound >= 0 for bound in bounds):
            raise StatisticsError(
                f"a bound on {self.metric.value} needs at_most or worse_by_at_most, numbers from 0 on; "
                f"found {self.at_most} and {self.worse_by_at_most}"
            )


DEFAULT_GUARDS = (
    Guard(Metric.VOID, at_most=0.05),
    Guard(Metric.LIMIT, worse_by_at_most=0.05),
    Guard(Metric.HACKS, worse_by_at_most=0.05),
    Guard(Metric.FALL, worse_by_at_most=0.05),
)
"""What a new registration starts with. Costs have no bound that fits every study."""


@dataclass(frozen=True, slots=True)
class Stopping:
    """When a run stops early; fields as in `StoppingRule`."""

    method: StoppingMethod = "fixed"
    looks: tuple[int, ...] = ()
    spending: Spending = "obrien-fleming"
    tuned_for: float | None = None
    least: int = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """A pre-registration.

    Raises:
        StatisticsError: a field makes no sense; the message begins with its name.
    """

    claim: str
    """`A>B` with the names of two agents, the one that is claimed to be better first."""
    questions: int
    """Questions of the study; with early stopping, where it ends in any case."""
    samples: int
    """Samples of each agent at each question."""
    hypothesis: str = ""
    """The claim and why it is expected, in words; one line."""
    agents: tuple[str, ...] = ()
    """All agents of the study; empty for those of the claim."""
    suite: str = ""
    """Name of the suite; empty where nothing is promised."""
    suite_hash: str = ""
    """Its content hash; empty where nothing is promised."""
    alpha: float = 0.05
    """Two-sided level of the family of claims."""
    comparisons: int = 1
    """Number of claims in the family that this one belongs to."""
    gap: float | None = None
    """True difference that the size was planned for, fraction of 1."""
    power: float | None = None
    """Probability with which the study was planned to find it."""
    basis: str = ""
    """What the planned size rests on: a pilot, or a guess."""
    policy: Policy = DEFAULT_POLICY
    """What trials without a plain pass or fail count as."""
    stopping: Stopping = field(default_factory=Stopping)
    """When the run ends."""
    guards: tuple[Guard, ...] = ()
    """Health metrics that must not get worse."""
    proposal: Mapping[str, str] = field(default_factory=dict)
    """Answers to the questions of a proposal (`PROPOSAL`), one line each; `revisit` is a day, as 2027-01-31."""

    def __post_init__(self) -> None:
        try:
            first, second = parse_claim(self.claim)
        except StatisticsError as error:
            raise StatisticsError(f"claim: {error}") from error
        object.__setattr__(self, "claim", f"{first}>{second}")
        object.__setattr__(self, "agents", self.agents or (first, second))
        for name in ("questions", "samples", "comparisons"):
            least, most, found = 2 if name == "questions" else 1, _MOST[name], getattr(self, name)
            _require_that(name, f"must be a whole number from {least} to {most:,}, not {found}", least <= found <= most)
        for name in ("alpha", "gap", "power"):
            found = getattr(self, name)
            _require_that(name, f"must lie between 0 and 1, not {found}", found is None or 0 < found < 1)
        for name in ("claim", "hypothesis", "basis", "suite", "suite_hash"):
            _require_that(name, "must be one line without control characters", _is_one_line(getattr(self, name)))
        self._check_proposal()
        _require_that("agents", "hold a name twice", len(set(self.agents)) == len(self.agents))
        _require_that(
            "agents", "hold a name that is not one line of text", all(n and _is_one_line(n) for n in self.agents)
        )
        absent = [printable_text_line(name) for name in (self.first, self.other_agent) if name not in self.agents]
        _require_that("agents", f"do not hold {' and '.join(absent)} of the claim", not absent)
        self._check_stopping()

    def _check_proposal(self) -> None:
        for name, text in self.proposal.items():
            _require_that(f"proposal.{name}", "must be one line without control characters", _is_one_line(text))
        if day := self.proposal.get("revisit"):
            try:
                date.fromisoformat(day)
            except ValueError as error:
                raise StatisticsError(f"proposal.revisit: must be a day, as 2027-01-31, not {day!r}") from error

    def _check_stopping(self) -> None:
        choices = {self.policy.limit, self.policy.void, self.policy.missing}
        _require_that("policy", 'must say what trials count as; "error" says nothing', "error" not in choices)
        try:
            _ = self.rule
        except StatisticsError as error:
            raise StatisticsError(f"stopping: {error}") from error
        resolved = (self.policy.limit, self.policy.void) == ("fail", "fail")
        problem = (
            "a rule that may stop early counts limit and void as failed, because every question in its order needs a "
            'result; choose limit = "fail" and void = "fail", or the stopping method "fixed"'
        )
        _require_that("policy", problem, resolved or not self.stops_early)

    @property
    def first(self) -> str:
        """The agent that is claimed to be better."""
        return parse_claim(self.claim)[0]

    @property
    def other_agent(self) -> str:
        """The agent it is compared with."""
        return parse_claim(self.claim)[1]

    @property
    def estimand(self) -> Estimand:
        """The subject of the claim."""
        return Estimand.NEW_QUESTIONS

    @property
    def alpha_each(self) -> float:
        """Two-sided level of this claim."""
        return self.alpha / self.comparisons

    @property
    def stops_early(self) -> bool:
        """Whether the run may end before its last question."""
        return self.stopping.method != "fixed"

    @property
    def rule(self) -> StoppingRule:
        """The stopping rule, with `fixed` for none."""
        stop = self.stopping
        return StoppingRule(
            self.first,
            self.other_agent,
            stop.method,
            self.questions,
            self.alpha_each,
            looks=stop.looks,
            spending=stop.spending,
            tuned_for=stop.tuned_for,
            least=stop.least,
        )

    def objections(
        self, *, agents: Sequence[str], samples: int, questions: int, suite: str, suite_hash: str
    ) -> tuple[str, ...]:
        """The deviations from the promise of a run that is about to start, in words; empty where nothing."""
        found = []
        if set(agents) != set(self.agents):
            found.append(f"agents {_listed_names(self.agents)} are registered, {_listed_names(agents)} would run")
        if samples != self.samples:
            found.append(f"{plural_text(self.samples, 'sample')} per cell are registered, {samples} would be taken")
        if questions != self.questions:
            found.append(f"{plural_text(self.questions, 'question')} are registered, {questions} would be asked")
        if self.suite and suite != self.suite:
            found.append(
                f"suite {printable_text_line(self.suite)} is registered, {printable_text_line(suite)} would be used"
            )
        if self.suite_hash and suite_hash != self.suite_hash:
            found.append(f"suite hash {self.suite_hash} is registered, the suite's is {suite_hash}")
        return tuple(found)

    def check_plan(self, plan: "Plan") -> None:
        """Refuse a plan that would not do what was registered; impossible tasks are no questions.

        Raises:
            StoreError: what would be done otherwise, in words.
        """
        found = self.objections(
            agents=[actor.record.name for actor in plan.actors],
            samples=plan.samples,
            questions=sum(task.tags.variant != "impossible" for task in plan.suite.tasks),
            suite=plan.suite.name,
            suite_hash=plan.suite.hash,
        )
        if found:
            raise StoreError(f"this run would not keep to its pre-registration: {'; '.join(found)}")


def _listed_names(names: Sequence[str]) -> str:
    return all_of([printable_text_line(name) for name in sorted(names)]) or "none"


def _is_one_line(text: str) -> bool:
    """Whether a text can stand on one line of a file."""
    return not any(unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} for character in text)


def _require_that(name: str, problem: str, holds: object) -> None:
    if not holds:
        raise StatisticsError(f"{name}: {problem}")
