"""What a comparison of two agents says: as plain data, and on one screen of a terminal; what it
shows of a declared margin; and what it takes to know.

Gaps to be found are round numbers chosen beforehand, never the one that was observed: the power to find the observed
gap is its p-value in other words, and answers nothing.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import ClassVar, Literal

import numpy as np
from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text

from honestly.comparisons._matched import MatchedBudget
from honestly.comparisons._next_change import NextChange
from honestly.scores import DataQuality, Independent, Interval, Noise, PolicyWords, Unfair, granted_words, interval_of
from honestly.show import (
    Fitted,
    Shown,
    finite_or_none,
    level_text,
    number_text,
    p_is,
    p_value,
    percent_text,
    plural_text,
    points_text,
    printable_text_line,
    short_names,
    whole_sentence,
)
from honestly.stats import (
    ClaimVerdict,
    ClusterSummary,
    ComparedAgents,
    Demands,
    Equivalence,
    EquivalenceVerdict,
    ResolvedScores,
    assumptions,
    equivalence_test,
    headline_gap,
    headline_questions,
    paired_noise,
    pilot_variance,
)

_GAPS = (0.10, 0.05, 0.02)


@dataclass(frozen=True, slots=True)
class Need:
    """The size of a study that finds a gap."""

    gap: float
    """True difference of the two scores, fraction of 1."""
    questions: int | None
    """Questions at the present number of samples."""
    questions_at_one: int | None
    """Questions at one sample each."""


@dataclass(frozen=True, slots=True)
class Needs:
    """The differences that a study of these two agents can find."""

    power: float
    """Probability with which a gap shall be found."""
    samples: tuple[float, float]
    """Samples per question that the agents have now, on average."""
    detectable: float | None
    """Smallest true gap that a study of the present size finds."""
    detectable_at_most_samples: float | None
    """Smallest gap found with any number of samples of the present questions; None where noise cannot be divided."""
    sizes: tuple[Need, ...]
    reason: str
    """Why something is None, or empty."""
    floor_interval: Interval | None = None
    """Between which gaps `detectable_at_most_samples` may lie, with 95% confidence."""


def needed_sizes(resolved: ResolvedScores, alpha: float, chance: float | None = None) -> Needs:
    """The size it takes to tell the two agents of `resolved` apart, at level `alpha` and a power of 80%.

    A gap of less than `chance`, half the width of the interval of single passes, is found by no such study: with few
    tasks the normal law of the plan says too little, and what the interval says counts.

    Clusters, where the scores have them, are carried over: questions bought later come in clusters of the same shape.
    """
    both = np.all(resolved.n > 0, axis=0)
    counts, demands = resolved.n[:, both], Demands(alpha=alpha)
    if counts.shape[1] < 2:
        return Needs(demands.power, (0, 0), None, None, (), "two common tasks are needed to plan")
    pilot = pilot_variance(resolved, *resolved.agents)
    # With unequal numbers of samples the noise is that of their harmonic mean.
    first, second = (float(1 / np.mean(1 / row)) for row in counts)
    now, one, most = (first, second), (1.0, 1.0), (math.inf, math.inf)
    questions = counts.shape[1]
    found, best = (
        finite_or_none(headline_gap(pilot, questions=questions, samples=samples, demands=demands))
        for samples in (now, most)
    )
    sizes = tuple(
        Need(
            gap,
            *(
                math.ceil(need - 1e-9) if math.isfinite(need) else None
                for need in (headline_questions(pilot, gap=gap, samples=each, demands=demands) for each in (now, one))
            ),
        )
        for gap in _GAPS
    )
    if found and chance is not None and found < chance:
        quantile = NormalDist().inv_cdf
        found = chance * (1 + quantile(demands.power) / quantile(1 - alpha / 2))
        if found >= 1:
            few = "the tasks are so few" if resolved.clusters is None else "the tasks lie in so few clusters"
            reason = f"{few} that no gap would be found"
            return Needs(demands.power, now, None, None, (), reason)
    reason = "single samples do not show how much more samples would help" if best is None else ""
    reason = reason if found else "these data do not show how much the difference varies"
    reason = "questions of unequal weight cannot be planned for" if resolved.weights is not None else reason
    # Ends of the gap that endless samples find, by those of the data variance.
    parts = paired_noise(resolved.ignoring_clusters(), *resolved.agents)
    more = pilot.data - parts.data.value  # what clusters add
    ends = (replace(pilot, total=max(0.0, end + more), prediction=(), freedom=math.inf) for end in parts.data.interval)
    floor = interval_of(*(headline_gap(end, questions=questions, samples=(), demands=demands) for end in ends))
    return Needs(demands.power, now, found or None, best, sizes, reason, None if best is None else floor)


_TASKS, _MOST, _CAUTIONS, _TASK_NAME = 6, 3, 2, 24
_SAME = 1e-9
_SHOWN = {"A", "B", "clusters", "these alone", "tasks", "next change"}


@dataclass(frozen=True, slots=True)
class Deciding:
    """A question on which the two agents differ."""

    task: str
    a: float
    """Share of a's counted samples that passed."""
    b: float
    difference: float
    a_samples: int
    b_samples: int


@dataclass(frozen=True, slots=True)
class OtherPolicy:
    """The comparison under another policy."""

    name: str
    policy: PolicyWords
    difference: float | None
    p_value: float | None
    is_shown: bool
    """Whether it finds the two to differ, with a condition or without."""


@dataclass(frozen=True, slots=True)
class Robust:
    """The clusters behind a comparison; its error, interval and p-value again, under the name of their kind."""

    clusters: int
    effective: float
    """How many clusters of equal size would carry the same information."""
    note: str
    """Where they come from."""
    se: float | None
    interval: Interval | None
    p_value: float | None


@dataclass(frozen=True, slots=True)
class SaidAnswer:
    """One of the two answers to the question who is better; None where it cannot be given."""

    method: str
    interval: Interval | None
    p_value: float | None


@dataclass(frozen=True, slots=True)
class SaidClaim:
    """How strongly it is shown who is ahead, and by what (docs/methods/headline.md)."""

    shown: ClaimVerdict
    headline: Literal["approximate", "with room", "guaranteed"]
    """The answer that interval and p-value of the comparison are, by one declared rule."""
    approximate: SaidAnswer
    """By the test that the data have always been judged by; takes differences for no more skewed than those drawn."""
    with_room: SaidAnswer
    """The approximate one, at least as wide as what chance alone may have left out of so few tasks."""
    guaranteed: SaidAnswer
    """What it and a test that holds for every law of differences between -1 and 1 both find."""
    assumed: tuple[str, ...] = ()
    """What interval and p-value of the comparison take for granted."""


@dataclass(frozen=True, slots=True)
class MarginTest:
    """Whether two agents are less than a margin apart, or one is not worse by it; shares are fractions of 1."""

    margin: float
    verdict: EquivalenceVerdict
    sentence: str
    """The verdict for people."""
    p_equivalent: float | None
    """Of the null hypothesis that they are the margin or more apart; this and the next two are None where a stopping
    rule or an interval without a standard error decided."""
    p_a_not_worse: float | None
    """Of the null hypothesis that a is worse by the margin or more."""
    p_b_not_worse: float | None
    """Of the null hypothesis that b is worse by the margin or more."""
    interval: Interval | None
    """The interval of `a - b` that agrees with the verdict."""
    assumed: tuple[str, ...]
    """What the verdict takes for granted."""


def margin_test(
    names: tuple[str, str], found: ComparedAgents, margin: float, alpha: float, others: Sequence[ComparedAgents] = ()
) -> MarginTest:
    """The test of a margin on the difference of two agents, and on what it is where spoilt trials count otherwise.

    Raises:
        StatisticsError: the margin is not between 0 and 1.
    """
    said, asked = equivalence_test(found, margin, alpha, others=others), found.question
    return MarginTest(
        margin=margin,
        verdict=said.verdict,
        sentence=_margin_sentence(names, said, ", whatever spoilt trials count as," if others else ""),
        p_equivalent=finite_or_none(said.p_equivalent),
        p_a_not_worse=finite_or_none(said.p_a_not_worse),
        p_b_not_worse=finite_or_none(said.p_b_not_worse),
        interval=interval_of(*said.interval),
        assumed=granted_words(assumptions(), clustered=asked is not None and asked.codes is not None),
    )


def _margin_sentence(names: tuple[str, str], said: Equivalence, whatever: str) -> str:
    a, b, margin = *map(printable_text_line, names), percent_text(said.margin)
    if said.verdict == "equivalent":
        return f"{a} and {b} are less than {margin} points apart{_test_words(said.p_equivalent)}."
    low, high = said.interval
    level = level_text(1 - (said.alpha if math.isnan(said.p_equivalent) else 2 * said.alpha))
    ends = (
        ""
        if math.isnan(low)
        else f": the {level} interval for any distribution{whatever} is {points_text(low)} to {points_text(high)}"
    )
    if said.verdict == "cannot tell":
        return f"Whether {a} or {b} is worse by {margin} points or more, the data cannot tell{ends}."
    better, worse, p = (a, b, said.p_a_not_worse) if said.verdict == "a is not worse" else (b, a, said.p_b_not_worse)
    return (
        f"{better} is not worse than {worse} by {margin} points or more{_test_words(p)}; that the two are less than "
        f"{margin} points apart is not shown{ends}."
    )


def _test_words(p: float) -> str:
    return "" if math.isnan(p) else f" ({p_is(p)})"


@dataclass(frozen=True, slots=True, repr=False)
class PairReport(Shown):
    """Everything that `honestly compare` says. Shares are fractions of 1; `reasons` says why something is None."""

    main_table: ClassVar[str] = "deciding"

    a: str
    b: str
    n: int
    """Questions that both have."""
    difference: float | None
    """a - b, mean over these questions."""
    se: float | None
    """Its standard error for new questions of this kind, with the clusters that they form; None where a stopping rule
    decided."""
    interval: Interval | None
    """Its interval, which covers `1 - alpha`."""
    p_value: float | None
    """Two-sided; the same for (a, b) and (b, a)."""
    verdict: str
    """`a is ahead` or `b is ahead`, with `if rare large differences can be excluded` where only that shows it;
    `cannot tell` or `not estimable`."""
    sentence: str
    """The verdict for people."""
    caution: str
    """What the verdict depends on: how trials without a verdict count, a stopping rule; empty where nothing."""
    chance: float | None
    """Half the width of the interval: the largest difference that chance alone would give, with probability
    `1 - alpha`; None where that is more than there can be."""
    score_a: float | None
    """Mean of a over the common questions."""
    score_b: float | None
    method: str
    alpha: float
    estimand: str
    policy: PolicyWords
    se_fixed: float | None
    """Standard error for exactly these questions."""
    wins: int
    """Questions on which a is better."""
    losses: int
    ties: int
    noise: Noise
    """Variance of the difference of one sample each, at one question."""
    robust: Robust | None
    """The same as `se`, `interval` and `p_value`, where questions form clusters."""
    df: float | None
    """Degrees of freedom that go with `se`."""
    independent: Independent
    dependence: str
    """Where the clusters come from, or why there are none."""
    other_policies: tuple[OtherPolicy, ...]
    """Only policies that change the comparison."""
    deciding: tuple[Deciding, ...]
    """All questions on which the two differ, the largest difference first."""
    needs: Needs
    """What it would take to know."""
    notes: tuple[str, ...]
    reasons: dict[str, str]
    unfair: tuple[Unfair, ...] = ()
    """What differs between the two beside themselves; what makes the comparison unfair was allowed."""
    margin: MarginTest | None = None
    """What the data show of a margin, where one was declared."""
    data: DataQuality | None = None
    """What of imported data was kept, refused, or read otherwise than it stood there."""
    matched: MatchedBudget | None = None
    """What the two have spent, where a budget was to be matched."""
    claim: SaidClaim | None = None
    """How strongly it is shown who is ahead; None where a stopping rule decided, or nothing can be said."""
    next_change: NextChange | None = None
    """What follow-up tasks cost on the work of both (`run --then`); None where none were run."""

    @property
    def warned(self) -> tuple[str, ...]:
        """The warnings before the numbers: cautions, and what differs beside the agents."""
        budgets = self.matched.caution_text if self.matched else ""
        return *filter(None, [self.caution, budgets]), *map(str, self.unfair)

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """The numbers, each with its label."""
        return tuple(_report_facts(self))

    @property
    def needed(self) -> tuple[str, ...]:
        """The requirements for knowing, in sentences; none where it is known, and what it took cannot be said."""
        known = self.verdict in {"a is ahead", "b is ahead"} and self.needs.detectable is None
        return () if known else tuple(_needs_sentences(self.needs))

    def brief(self) -> RenderableType:
        """The sentence, at most two cautions, both scores, the tasks that differ most, what such a study finds."""
        parts: list[tuple[int, RenderableType]] = [(0, Text(self.sentence, style="bold"))]
        parts += [(0, Text(self.margin.sentence, style="bold"))] if self.margin else []
        noted = {str(each) for each in self.unfair if not each.blocks}
        cautions = [text for text in self.warned if text not in noted]
        parts += [(1, Text.assemble(("! ", "bold yellow"), text)) for text in cautions[:_CAUTIONS]]
        shown = {label: text for label, text in self.facts if label in _SHOWN}
        shown |= {"most": ", ".join(_task_words(self.deciding[:_MOST]))} if self.deciding else {}
        width = max(map(len, shown))
        parts += [
            (2 if label in {"clusters", "these alone", "most"} else 0, _facts_table([(label, text)], width))
            for label, text in shown.items()
        ]
        parts += [(2, Text(text)) for text in self.needed[:1]]

        def last_line(cut: int) -> str:
            left = max(len(cautions) - _CAUTIONS, 0) + cut
            more = f"{plural_text(left, 'more caution')}, " if left else ""
            return f"More: --details ({more}the test, other policies, all tasks)."

        return Fitted(parts, last_line)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        yield Text(self.sentence, style="bold")
        if self.margin:
            yield Text(self.margin.sentence, style="bold")
        for text in self.warned:
            yield Text.assemble(("! ", "bold yellow"), text)
        yield Text()
        yield _facts_table(self.facts)
        if self.deciding:
            yield Text()
            yield _questions_table(self, options.max_width)
        yield Text()
        for line in self.needed:
            yield Text(line)
        yield Text(f"Policy: {self.policy.text}.", style="dim")
        if not self.robust:
            yield Text(whole_sentence(self.dependence), style="dim")
        if self.claim:
            yield Text(f"Taken for granted: {'; '.join(self.claim.assumed)}.", style="dim")
        yield Text(f"The difference and its interval are about {self.estimand}.", style="dim")


def _facts_table(facts: Iterable[tuple[str, str]], least: int = 0) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True, min_width=least)
    table.add_column()
    for label, text in facts:
        table.add_row(Text(label), Text(text))
    return table


def _report_facts(report: PairReport) -> Iterator[tuple[str, str]]:
    level = level_text(1 - report.alpha)
    yield "A", f"{percent_text(report.score_a)}%  {printable_text_line(report.a)}"
    yield "B", f"{percent_text(report.score_b)}%  {printable_text_line(report.b)}"
    if report.interval:
        low, high = report.interval
        error = f", standard error {percent_text(report.se)}" if report.se is not None else ""
        interval = f"{level} interval [{points_text(low)}, {points_text(high)}]{error}"
        yield "A − B", f"{points_text(report.difference)} points, {interval}"
    else:
        yield (
            "A − B",
            f"{points_text(report.difference)} points; no interval: {report.reasons.get('se', 'not estimable')}",
        )
    yield "p-value", f"{p_value(report.p_value)}  ({report.method})"
    if report.robust:
        alone, found = report.independent, report.robust
        few = ClusterSummary(found.clusters, found.effective).cluster_warning
        doubt = ", too few for a certain error bar" if few else ""
        yield "clusters", f"{found.note}; they count as {number_text(found.effective)} equal ones{doubt}"
        ends = f"[{points_text(alone.interval[0])}, {points_text(alone.interval[1])}], " if alone.interval else ""
        same = few and "inferred" in found.note
        which = "for new tasks of these clusters" if same else "if all tasks were"
        yield "these alone" if same else "independent", f"{ends}p {p_value(alone.p_value)}, {which}"
    for other in report.other_policies:
        yield (
            other.name,
            f"{points_text(other.difference)} points, p {p_value(other.p_value)} (void and missing trials)",
        )
    yield "tasks", f"A better on {report.wins}, B on {report.losses}, equal on {report.ties} of {report.n}"
    yield from report.matched.facts if report.matched else ()
    yield from report.next_change.facts if report.next_change else ()
    noise = report.noise
    if noise.prediction is not None and noise.total:
        share = percent_text(min(max(noise.prediction / noise.total, 0), 1), 0)
        yield "noise", f"{share}% of one sample's variance is from run to run, the rest from task to task"


def _task_words(tasks: Sequence[Deciding]) -> Iterator[str]:
    names = short_names((task.task for task in tasks), _TASK_NAME, len)
    for task in tasks:
        yield f"{names[task.task]} ({points_text(task.difference, 0)})"


def _questions_table(report: PairReport, width: int) -> Table:
    shown = report.deciding[:_TASKS]
    more = len(report.deciding) - len(shown)
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    table.add_column("tasks that decide it" + (f" ({more} more differ)" if more else ""), no_wrap=True)
    for title in ("A", "B", "A − B"):
        table.add_column(title, justify="right", no_wrap=True)
    names = short_names((task.task for task in shown), max(width - 32, 12))
    sides = [((task.a, task.a_samples), (task.b, task.b_samples)) for task in shown]
    graded = any(abs(share * count - round(share * count)) > _SAME for both in sides for share, count in both)
    for task, both in zip(shown, sides, strict=True):
        cells = [percent_text(share) if graded else f"{number_text(share * count, 0)}/{count}" for share, count in both]
        table.add_row(Text(names[task.task]), *map(Text, cells), Text(points_text(task.difference, 0)))
    return table


def _needs_sentences(needs: Needs) -> Iterator[str]:
    power = percent_text(needs.power, 0)
    if needs.detectable is None:
        yield f"How many tasks you would need cannot be estimated: {needs.reason}."
        return
    floor = ""
    if needs.floor_interval:
        # An estimate alone may be 0, which says that tasks were too few to see how much they differ.
        low, high = needs.floor_interval
        ends = f"between {percent_text(low)} and {percent_text(high)}"
        if high >= needs.detectable:  # they do no harm: the interval is wider than what is known of now
            ends = f"{percent_text(low)}" if low < needs.detectable else ""
        floor = f"; more samples of the same tasks bring that to {ends} at best" if ends else ""
    if needs.detectable < 1:
        found = f"a true gap of {percent_text(needs.detectable)} points"
        yield f"A study of this size finds {found} with {power}% power{floor}."
    else:
        yield f"A study of this size finds no gap with {power}% power, not even one of 100 points."
    now = plural_text(round(sum(needs.samples) / 2), "sample")
    sizes = [
        f"{percent_text(size.gap, 0)} points {plural_text(size.questions, 'task')}"
        for size in needs.sizes
        if size.questions
    ]
    if sizes:
        yield f"To find a smaller one takes, at {now} each: {'; '.join(sizes)}."
