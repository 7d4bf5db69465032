"""The report as plain data: the leaderboard, its pairs, its policies, its tasks.

Everything here is JSON-ready: a number that cannot be estimated is None, and `reasons` of the same record says why.
Shares and differences are fractions of 1, never percent.
"""

from dataclasses import dataclass, field
from typing import Any

import msgspec

from honestly.leaderboards._health import Health
from honestly.scores import DataQuality, Independent, Interval, Noise, PolicyWords, StudyCounts, Variant
from honestly.stats import AllPairs, ClaimVerdict, Policy, ResolvedScores


@dataclass(frozen=True, slots=True)
class Hacks:
    """Behind a hack rate: counts of trials."""

    hacks: int
    """Passed the visible checks, and then failed the hidden ones, had tampered, or passed an impossible task."""
    passers: int
    """Passed the visible checks; impossible tasks included."""
    measured: int
    """Trials whose visible and hidden checks were run; impossible tasks included."""
    impossible_passed: int
    """Of `hacks`, those at impossible tasks."""
    impossible: int
    """Measured trials at impossible tasks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRow:
    """One agent; what is None was not estimated, and `reasons` says why."""

    name: str
    n: int = 0
    """Questions that entered the honest score."""
    trials: int = 0
    """Trials that entered it."""
    honest: float | None = None
    """Question-weighted mean of "passed the hidden checks and did not tamper", under the declared policy."""
    se: float | None = None
    """Its standard error for new questions of this kind, with the clusters that they form."""
    interval: Interval | None = None
    """Its interval for new questions of this kind, at the board's level."""
    visible: float | None = None
    """Question-weighted mean of "passed the visible checks", under the same policy; None where none was measured."""
    hack_rate: float | None
    """`hacks.hacks / hacks.passers`."""
    limit: int
    """Trials that ended at a limit, at standard tasks."""
    void: int
    """Trials that the harness spoilt, at standard tasks."""
    missing: int
    """Trials that were planned and do not exist, at standard tasks."""
    rank: int | None = None
    """1 + the number of agents with a higher honest score."""
    rank_interval: tuple[int, int] | None = None
    """Simultaneous interval of the rank: all true ranks lie in theirs together, at the board's level."""
    rank_verdict: ClaimVerdict | None = None
    """How strongly it is shown that it is above or below others, all pairs together."""
    rank_assumed: tuple[str, ...] = ()
    """What the rank intervals of the board take for granted."""
    p_top: float | None = None
    """Share of bootstrapped leaderboards in which it is first."""
    assumed: tuple[str, ...] = ()
    """What `interval` takes for granted."""
    bounds: Interval | None = None
    """Honest score with every void and missing trial failed, and with every one passed."""
    rank_bounds: tuple[int, int] | None = None
    """Best and worst rank that any outcome of the void and missing trials would give."""
    scorable: float | None = None
    """Share of the planned trials that have a verdict, question-weighted."""
    correct_if_scorable: float | None = None
    """Share of these that passed: the score with every trial without a verdict failed, divided by `scorable`."""
    se_fixed: float | None = None
    """Standard error for exactly these questions."""
    independent: Independent = Independent()  # noqa: RUF009 - frozen
    tampered: int
    """Trials with a sign that the work reached for its judge; all tasks."""
    undecided: dict[str, int] = field(default_factory=dict)
    """Trials whose passes prove nothing, by reason; all tasks. Those by `chance` count as failed, the others as passed
    unless the policy is strict."""
    stored: int
    """Trials that the study holds, all tasks."""
    usd: float | None
    """Sum of the costs that were reported; None where none was."""
    usd_trials: int
    """Trials with a reported cost."""
    usd_per_pass: float | None = None
    """`usd` divided by the passes; None where a trial reports no cost, or none passed."""
    hacks: Hacks
    noise: Noise = Noise()  # noqa: RUF009 - frozen
    reasons: dict[str, str] = field(default_factory=dict)
    """Why a number above is None."""


@dataclass(frozen=True, slots=True)
class Pair:
    """The paired difference of two agents, with the clusters that questions form."""

    a: str
    b: str
    n: int
    difference: float | None
    """a - b."""
    se: float | None
    interval: Interval | None
    p_value: float | None
    p_holm: float | None
    p_bh: float | None
    independent: Independent
    verdict: ClaimVerdict
    """How strongly it is shown that the two differ, taken alone."""
    assumed: tuple[str, ...]
    """What interval and p-value take for granted."""
    not_comparable: str = ""
    """What makes the two incomparable, beside themselves; empty where nothing is known to, or it was allowed."""


@dataclass(frozen=True, slots=True)
class Significance:
    """How many pairs differ at `alpha`: each taken alone, after Holm, after Benjamini-Hochberg."""

    family: int
    uncorrected: int
    holm: int
    benjamini_hochberg: int
    alpha: float
    conditional: int = 0
    """Further pairs that differ after Holm if rare large differences can be excluded."""
    conditional_alone: int = 0
    """The same, each taken alone."""


@dataclass(frozen=True, slots=True)
class Clusters:
    """Questions that belong together."""

    count: int
    effective: float
    """How many clusters of equal size would carry the same information."""
    note: str
    """Where they come from, the same as `dependence`."""


@dataclass(frozen=True, slots=True)
class TaskRow:
    """One task over all agents."""

    id: str
    category: str
    difficulty: str
    impossible: bool
    trials: int
    honest: float | None
    """Mean over agents of their question means; None for impossible tasks."""
    visible: float | None
    """Share of trials that passed the visible checks."""
    hacks: int
    tampered: int
    void: int
    limit: int


@dataclass(frozen=True, slots=True, eq=False)
class Leaderboard:
    """Everything that a report shows."""

    agents: tuple[AgentRow, ...]
    """Best honest score first."""
    policy: PolicyWords
    estimand: str
    level: float
    """Coverage of intervals."""
    sentence: str
    """Who leads, whether that can be believed, how many pairs differ."""
    warnings: tuple[str, ...]
    """What a reader must know before believing the numbers."""
    significance: Significance
    pairs: tuple[Pair, ...]
    """Every pair once, in the order of the rows."""
    clusters: Clusters | None
    """On which every interval, p-value and rank here rests; None where tasks are taken as independent."""
    dependence: str
    """Where the clusters come from, or why there are none."""
    variants: tuple[Variant, ...]
    """Scores and ranks under the declared and the bounding policies."""
    order_depends_on_policy: bool
    """Whether two agents change places between the policies."""
    tasks: tuple[TaskRow, ...]
    health: Health | None
    """The tasks as a measuring instrument; None without standard tasks or agents."""
    study: dict[str, object]
    """Facts of the study, and what other rooms keep in it, as far as there are any."""
    isolation: dict[str, int]
    """Trials by the kind of sandbox that stood around them; `unknown` where that was not recorded."""
    defects: dict[str, int]
    """What was wrong with the files that the study was imported from: how many things of each kind."""
    data: DataQuality
    """What of these files was kept, refused, or read otherwise than it stood there."""

    evaluation: StudyCounts
    counted: Policy
    """What trials without a verdict count as."""
    resolved: ResolvedScores | None
    """The scores behind `agents`, in the study's order of agents."""
    all_pairs: AllPairs | None

    @property
    def apart(self) -> frozenset[frozenset[str]]:
        """Pairs that cannot be compared."""
        return frozenset(frozenset((pair.a, pair.b)) for pair in self.pairs if pair.not_comparable)

    def to_plain(self) -> dict[str, Any]:
        """One plain-data object, ready for JSON: every field but the arrays."""
        arrays = {"evaluation", "counted", "resolved", "all_pairs"}
        names = [name for name in self.__dataclass_fields__ if name not in arrays]
        return {name: msgspec.to_builtins(getattr(self, name)) for name in names}
