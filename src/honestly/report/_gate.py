"""May this change pass? Whether an agent is worse than a baseline, as a verdict, a page for a pull request, and JUnit.

The tests are those of `stats.gate`. Void trials are no agent's doing, so that a verdict which holds only because they
count as failed, or only because they do not, is none.
"""

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar
from xml.etree import ElementTree

import numpy as np
from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from honestly.errors import StatisticsError
from honestly.report._comparison import comparison
from honestly.report._declared import UNDECLARED, Declared
from honestly.report._evaluation import StudyData, study_scores
from honestly.report._fairness import demand_fair, unfair
from honestly.report._pair import Deciding, PairReport
from honestly.report._shown import Shown
from honestly.report._text import finite, level_text, markdown_text, p_is, percent, plural, points, printable, sentence
from honestly.report._two import Joined, Sides
from honestly.report._variants import DEFAULT_POLICY
from honestly.stats import Demands, Gate, GateVerdict, Policy, ResolvedScores, gate, pilot_variance, questions_needed
from honestly.store import Store

_MOST_TASKS = 20
_MARKS: dict[GateVerdict, str] = {"not worse": "✅", "worse": "❌", "cannot tell": "❔"}


@dataclass(frozen=True, slots=True, repr=False)
class GateReport(Shown):
    """Whether an agent is worse than a baseline. Shares are fractions of 1; differences are agent minus baseline."""

    main_table: ClassVar[str] = "tasks"

    verdict: GateVerdict
    difference: float | None
    """None where the two have no task in common."""
    interval: tuple[float, float]
    """At level `1 - 2 alpha`: worse where it ends below `-gap`, not worse where it begins above."""
    p_value: float
    """Of the null hypothesis that the verdict denies; where none is denied, the smaller of both."""
    gap: float
    alpha: float
    agent: str
    baseline: str
    n: int
    """Tasks that both have."""
    score: float | None
    baseline_score: float | None
    sentence: str
    caution: str
    """Why a verdict was withheld, or what it depends on; empty where nothing."""
    needed: str
    """What it would take to tell; empty where the verdict is told, or that cannot be said."""
    tasks: tuple[Deciding, ...]
    """Tasks on which the two differ, the largest difference first; `a` is the agent, `b` the baseline."""
    notes: tuple[str, ...]

    def exit_code(self, cannot_tell: int = 4) -> int:
        """0 for not worse, 1 for worse; what is given where the data cannot tell."""
        return {"not worse": 0, "worse": 1, "cannot tell": cannot_tell}[self.verdict]

    def to_markdown(self) -> str:
        """A comment for a pull request. Names are quoted: they may come from anybody's files."""
        lines = [f"### {_MARKS[self.verdict]} honestly gate: {self.verdict}", "", markdown_text(self.sentence)]
        lines += ["", f"**{markdown_text(self.caution)}**"] if self.caution else []
        lines += ["", markdown_text(self.needed)] if self.needed else []
        level = level_text(1 - 2 * self.alpha)
        lines += ["", f"| | score | difference | {level} interval |", "|---|---:|---:|---:|"]
        ends = f"{points(self.interval[0])} to {points(self.interval[1])}"
        lines.append(f"| {_quoted(self.agent)} | {percent(self.score)} | {points(self.difference)} | {ends} |")
        lines.append(f"| {_quoted(self.baseline)} (baseline) | {percent(self.baseline_score)} | | |")
        if self.tasks:
            lines += ["", "| task | baseline | now |", "|---|---:|---:|"]
            lines += [
                f"| {_quoted(t.task)} | {percent(t.b, 0)} | {percent(t.a, 0)} |" for t in self.tasks[:_MOST_TASKS]
            ]
        if len(self.tasks) > _MOST_TASKS:
            lines += ["", f"and {plural(len(self.tasks) - _MOST_TASKS, 'more task')} on which they differ"]
        lines += ["", *(f"- {markdown_text(sentence(note))}" for note in self.notes)] if self.notes else []
        return "\n".join(lines) + "\n"

    def to_junit(self, cannot_tell: int = 4) -> str:
        """A suite of two: the gate, which alone can fail, and for reading, each task on which the two differ."""
        code = self.exit_code(cannot_tell)
        suite = ElementTree.Element("testsuite", name="honestly gate", tests=str(1 + len(self.tasks)))
        suite.set("failures", str(int(code not in {0, 4})))
        suite.set("skipped", str(int(code == 4)))
        case = ElementTree.SubElement(suite, "testcase", classname="honestly.gate", name="not worse than the baseline")
        if code:
            tag = "skipped" if code == 4 else "failure"
            ElementTree.SubElement(case, tag, message=printable(self.sentence))
        for task in self.tasks:
            case = ElementTree.SubElement(suite, "testcase", classname="honestly.gate.task", name=printable(task.task))
            words = f"baseline {percent(task.b, 0)}% of {task.b_samples}, now {percent(task.a, 0)}% of {task.a_samples}"
            ElementTree.SubElement(case, "system-out").text = words
        return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        style = {"not worse": "bold green", "worse": "bold red", "cannot tell": "bold yellow"}[self.verdict]
        yield Text.assemble((self.verdict, style), ": ", self.sentence)
        if self.caution:
            yield Text.assemble(("! ", "bold yellow"), self.caution)
        if self.needed:
            yield Text(self.needed)
        for task in self.tasks[:_MOST_TASKS]:
            yield Text(f"  {printable(task.task)}: {percent(task.b, 0)}% → {percent(task.a, 0)}%")
        if len(self.tasks) > _MOST_TASKS:
            yield Text(f"  and {plural(len(self.tasks) - _MOST_TASKS, 'more task')} on which they differ")
        for note in self.notes:
            yield Text(sentence(note), style="dim")


def gate_report(
    baseline: Store,
    old: str,
    study: Store | None,
    new: str,
    *,
    gap: float,
    alpha: float = 0.05,
    policy: Policy = DEFAULT_POLICY,
    declared: Declared = UNDECLARED,
    despite: Collection[str] = (),
) -> GateReport:
    """Whether an agent is worse than a baseline by more than a gap, on the tasks that both have.

    Args:
        baseline: where the old agent is.
        old: its name, or a part of it that no other agent's name contains.
        study: where the new one is, if in another study; tasks are the same where their content is.
        new: the new agent's name, or a part of it.
        gap: the loss that is put up with, at least 0 and below 1.
        alpha: chance, at most, of either error.
        policy: what trials without a verdict count as.
        declared: what is known of the tasks beyond their tags and ids.
        despite: kinds of unfairness that are put up with, of `UNFAIR_KINDS`.

    Raises:
        AgentError: a name is unknown, or fits several agents.
        StatisticsError: the agents are the same, or have no task in common.
        UnfairComparisonError: they were not measured alike.
    """
    sides = Sides(baseline, study or baseline, old, new)
    data: StudyData = baseline if study is None else Joined(sides)
    before, after = sides.names
    reasons = unfair([sides.agent(side) for side in (0, 1)], sides.changed)
    demand_fair(reasons, despite)
    pair = comparison(data, after, before, policy, 2 * alpha, declared)
    if not pair.n:
        raise StatisticsError(f"{before} and {after} have no task in common; nothing can be compared")
    scores = study_scores(data, declared)

    def judged(how: Policy) -> tuple[Gate, ResolvedScores]:
        resolved = scores.resolve(how).select((after, before))
        return gate(resolved, after, before, gap, alpha), resolved

    found, resolved = judged(policy)
    others = {judged(replace(policy, void=void))[0].verdict for void in ("fail", "drop")}
    caution = pair.caution
    verdict = found.verdict
    if others - {verdict}:
        verdict = "cannot tell"
        caution = "the verdict depends on whether void trials, which are no agent's doing, count as failed; redo them"
    denied = {"worse": found.p_worse, "not worse": found.p_not_worse}
    return GateReport(
        verdict=verdict,
        difference=finite(found.difference),
        interval=found.interval,
        p_value=denied.get(verdict, min(denied.values())),
        gap=gap,
        alpha=alpha,
        agent=after,
        baseline=before,
        n=found.n,
        score=pair.score_a,
        baseline_score=pair.score_b,
        sentence=_sentence(found, verdict, pair),
        caution=caution,
        needed=_needed(resolved, found) if verdict == "cannot tell" else "",
        tasks=pair.deciding,
        notes=(*sides.notes, *(f"compared all the same: {each.detail}" for each in reasons)),
    )


def _sentence(found: Gate, verdict: GateVerdict, pair: PairReport) -> str:
    new, old = printable(pair.a), printable(pair.b)
    low, high = (points(end) for end in found.interval)
    level = level_text(1 - 2 * found.alpha)
    ends = f"{points(found.difference)} points on {plural(found.n, 'task')}, {level} interval {low} to {high}"
    gap = f"{percent(found.gap)} points"
    if verdict == "worse":
        more = f" by more than {gap}" if found.gap else ""
        return f"{new} is worse than {old}{more}: {ends} ({p_is(found.p_worse)})."
    if verdict == "not worse":
        said = f"loses less than {gap} against {old}" if found.gap else f"is better than {old}"
        return f"{new} {said}: {ends} ({p_is(found.p_not_worse)})."
    asked = f"loses {gap} or more against {old}" if found.gap else f"is worse than {old}, or better,"
    return f"Whether {new} {asked} the data cannot tell: {ends}."


def _needed(resolved: ResolvedScores, found: Gate) -> str:
    """About how large a study would have to be; for two equal agents, with a power of 80%."""
    if not found.gap:
        return "Without a gap, two equal agents can never be told; --min-gap says which loss you put up with."
    both = np.all(resolved.n > 0, axis=0)
    if both.sum() < 2:
        return ""
    samples = tuple(float(1 / np.mean(1 / row)) for row in resolved.n[:, both])
    try:
        pilot = pilot_variance(resolved, *resolved.agents)
        size = questions_needed(pilot, gap=found.gap, samples=samples, demands=Demands(alpha=2 * found.alpha))
    except StatisticsError:
        return ""
    if size.questions_to_buy is None or not math.isfinite(size.questions_to_buy):
        return ""
    now = plural(round(sum(samples) / 2), "sample")
    many = plural(round(size.questions_to_buy), "task")
    return (
        f"If the two are equal, a study shows so with about {many} at {now} each (power 80%); this one has {found.n}."
    )


def _quoted(text: str) -> str:
    return "`" + printable(text).replace("`", "'").replace("|", "¦") + "`"
