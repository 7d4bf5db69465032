"""Is an agent worse than a baseline by more than a gap that is tolerated? For a build that shall be red only then.

The rule is `honestly.stats.regression`. What the harness spoilt is no doing of the agent's: a verdict stands only where
void trials counted as failed, left out and passed all give it. What makes the comparison unfair stops it.

The answer is left for others to show, too: Markdown for a pull request, and JUnit's XML for a build server. In the XML
one case is the gate's verdict, and it alone can fail: a task that was lost may be luck, and is skipped with what
happened to it, so that a build is red for one reason only. Names stand as code, where nothing acts or leads away.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal
from xml.sax.saxutils import quoteattr

import numpy as np
from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text

from honestly.comparisons._sides import JoinedSides, Sides, pair_of, void_policies
from honestly.comparisons._threshold import ThresholdReport
from honestly.errors import AgentError, StatisticsError
from honestly.scores import (
    DEFAULT_POLICY,
    UNDECLARED,
    Declared,
    Interval,
    StudyData,
    Unfair,
    fitting_names,
    granted_words,
    question_means,
    some_names,
    void_caution,
)
from honestly.show import (
    AtWidth,
    Fitted,
    Shown,
    all_of,
    finite_or_none,
    gap_text,
    number_text,
    p_is,
    p_value,
    percent_text,
    plural_text,
    points_text,
    printable_text_line,
    short_names,
    text_apart,
    whole_sentence,
)
from honestly.stats import (
    Estimand,
    GateVerdict,
    Policy,
    Regression,
    Scores,
    assumptions,
    compare,
    fisher_exact,
    holm_adjusted,
    regression_test,
)

if TYPE_CHECKING:
    from honestly.stats import ResolvedScores
    from honestly.store import Store

_SHOWN = 4
_ABOUT = {Estimand.NEW_QUESTIONS: "new tasks of this kind", Estimand.THESE_QUESTIONS: "exactly these tasks"}


@dataclass(frozen=True, slots=True)
class GateRule:
    """What a gate tests, declared before the data were seen."""

    gap: float = 0.0
    """The loss that is tolerated, in units of the score."""
    alpha: float = 0.05
    """Chance of a red build without a loss beyond the gap, and of a green one with it."""
    estimand: Estimand = Estimand.NEW_QUESTIONS
    """Whether the tasks stand for more of their kind, or are all that counts."""


@dataclass(frozen=True, slots=True)
class GateTask:
    """One task under both; shares of the samples that passed, or mean grades."""

    task: str
    agent: float
    baseline: float
    agent_samples: int
    baseline_samples: int
    difference: float
    certain: bool | None
    """Whether this task alone changed for certain: Fisher's exact test, after Holm's correction; None for grades."""


@dataclass(frozen=True, slots=True)
class OtherTasks:
    """The gate's decision about the other kind of tasks: exactly these, or new ones."""

    about: str
    verdict: GateVerdict
    interval: Interval
    p_value: float


@dataclass(frozen=True, slots=True, repr=False)
class GateReport(Shown):
    """The answer of `honestly gate`. Shares and differences are fractions of 1."""

    main_table: ClassVar[str] = "tasks"

    verdict: GateVerdict
    difference: float
    """Agent less baseline."""
    interval: Interval
    """Each end one-sided at level alpha."""
    p_value: float
    """Of the null hypothesis that the agent is not worse by more than the gap."""
    gap: float
    n: int
    """Tasks that both have."""
    agent: str
    baseline: str
    alpha: float
    p_not_worse: float
    """Of the null hypothesis that it is worse by the gap or more."""
    about: str
    """What tasks the decision is about."""
    method: str
    agent_score: float | None
    baseline_score: float | None
    detectable: float | None
    """The gap for which two equal agents would pass with 80% power, about."""
    tasks_needed: int | None
    """Tasks, at these samples, for that power at `gap`."""
    samples_needed: int | None
    """Samples of these tasks for it."""
    other: OtherTasks | None
    message: str
    """The verdict for people."""
    notes: tuple[str, ...]
    """What a reader must know beside it."""
    unfair: tuple[Unfair, ...]
    only_agent: tuple[str, ...]
    """Tasks that the agent alone has results of; they do not count."""
    only_baseline: tuple[str, ...]
    policy: str
    tasks: tuple[GateTask, ...]
    """All that both have, the largest loss first."""
    assumed: tuple[str, ...]
    """What the verdict takes for granted."""
    barred: tuple[str, ...] = ()
    """Packages of a barred status that trials install; any makes the build red."""

    def exit_code(self, cannot_tell: str = "") -> int:
        """0 where the agent is not worse, 1 where it is or a package is barred, 4 where the data cannot tell.

        Args:
            cannot_tell: `pass` or `fail`, which make 4 a 0 or a 1.
        """
        undecided = {"pass": 0, "fail": 1}.get(cannot_tell, 4)
        return 1 if self.barred else {"not worse": 0, "worse": 1}.get(self.verdict, undecided)

    @property
    def changed_tasks(self) -> tuple[GateTask, ...]:
        """Tasks on which the two differ."""
        return tuple(task for task in self.tasks if task.difference)

    @property
    def warned(self) -> tuple[str, ...]:
        """The differences beside the agents."""
        return tuple(map(str, self.unfair))

    def brief(self) -> RenderableType:
        """The message, why it says so, and the tasks that changed most: in twelve lines."""
        parts: list[tuple[int, RenderableType]] = [(0, Text(self.message, style="bold"))]
        parts += [(0, Text(each)) for each in self.barred]
        parts += [(1, Text.assemble(("! ", "bold yellow"), str(each))) for each in self.unfair if each.blocks]
        parts += [(1 if at == 0 else 2 + at, Text(text)) for at, text in enumerate(self.notes)]
        parts += [(2, AtWidth(partial(_task_table, self.changed_tasks)))] if self.changed_tasks else []
        return Fitted(parts, lambda _: f"More: --details (what else is known, policy, method). About {self.about}.")

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        yield Text(self.message, style="bold")
        yield from map(Text, self.barred)
        for each in self.unfair:
            yield Text.assemble(("! " * each.blocks, "bold yellow"), str(each))
        for text in self.notes:
            yield Text(text)
        if self.changed_tasks:
            yield AtWidth(partial(_task_table, self.changed_tasks))
        yield Text(
            f"Policy: {self.policy}. {whole_sentence(self.method)} The verdict is about {self.about}.", style="dim"
        )


def _task_table(changed: Sequence[GateTask], width: int) -> Table:
    more = len(changed) - _SHOWN
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    table.add_column("tasks that changed" + (f" ({more} more)" if more > 0 else ""), no_wrap=True)
    for title in ("baseline", "agent"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    names = short_names((task.task for task in changed[:_SHOWN]), max(width - 40, 12))
    for task in changed[:_SHOWN]:
        table.add_row(Text(names[task.task]), *map(Text, task_cells(task)))
    return table


def task_cells(task: GateTask) -> tuple[str, str, str]:
    """A table's cells for a changed task: baseline, agent, and what that is worth."""
    if task.certain is None:
        return number_text(task.baseline, 2), number_text(task.agent, 2), points_text(task.difference, 0)
    before, after = (
        f"{share * samples:.0f}/{samples}"
        for share, samples in ((task.baseline, task.baseline_samples), (task.agent, task.agent_samples))
    )
    change = "lost" if task.difference < 0 else "gained"
    return before, after, f"{change}, {'certain' if task.certain else 'may be luck'}"


def gate_report(
    study: Store,
    baseline: Store | None = None,
    names: tuple[str, str] = ("", ""),
    rule: GateRule = GateRule(),
    policy: Policy = DEFAULT_POLICY,
    declared: Declared = UNDECLARED,
) -> GateReport:
    """Decide whether an agent is worse than a baseline by more than a gap.

    Args:
        study: where the agent is.
        baseline: where the baseline is; None for the same study.
        names: of the agent and the baseline, or parts of them; of two studies they may be empty where each study has
            one agent, or both have one of the same name.
        rule: the gap, the level, and what tasks it is about.
        policy: what trials at a limit, spoilt by the harness, or missing count as.
        declared: what is known of the tasks; and what does not stop an unfair comparison.

    Raises:
        AgentError: a name is unknown, fits several agents, or is missing.
        UnfairComparisonError: the two differ in more than the agents.
        StatisticsError: they have no task in common, or a study could stop early; see `regression_test`.
    """
    sides = Sides(baseline or study, study, *_gate_names(study, baseline, names), ("baseline", "now"))
    data: StudyData = study
    if baseline is not None:
        data = JoinedSides(sides, changed="task-hashes" in declared.despite)
    if any(store.facts().stopping_rule for store in sides.stores):
        raise StatisticsError("a study with a stopping rule has its own test; use honestly compare")
    pair = (sides.names[1], sides.names[0])
    counted = pair_of(data, pair, declared)
    scores = counted.scores
    found, turned = _gate_decision(scores, pair, rule, policy)
    resolved = scores.resolve(policy).select(pair)
    only = _unmatched_tasks(data, resolved)
    both = resolved.select(questions=np.all(resolved.n > 0, axis=0))
    other = _other(scores, pair, rule, policy)
    new, clustered = rule.estimand is Estimand.NEW_QUESTIONS, resolved.clusters is not None
    depends = [whole_sentence(counted.evaluation.known.dependence)] if new else []
    notes = [
        *(turned or filter(None, [void_caution(scores, pair, policy)])),
        *(_both_sides(found, resolved) if new else ()),
        *(depends if clustered else ()),
        *(_gate_advice(found, both, other) if not turned else ()),
        *(whole_sentence(each) for each in sides.notes if "only in" not in each),
    ]
    notes += [
        f"{plural_text(len(names), 'task')} only {of} has, not counted: {some_names(names)}."
        for names, of in zip(only, ("the agent", "the baseline"), strict=True)
        if names
    ]
    notes += [] if clustered else depends
    first, second = question_means(both)
    return GateReport(
        verdict=found.verdict,
        difference=found.difference,
        interval=found.interval,
        p_value=found.p_worse,
        gap=rule.gap,
        n=found.n,
        agent=pair[0],
        baseline=pair[1],
        alpha=rule.alpha,
        p_not_worse=found.p_not_worse,
        about=_ABOUT[rule.estimand],
        method=found.method,
        agent_score=first,
        baseline_score=second,
        detectable=finite_or_none(found.detectable),
        tasks_needed=found.questions_needed,
        samples_needed=found.samples_needed,
        other=other,
        message=_gate_message(found, pair, turned=bool(turned)),
        notes=tuple(notes),
        unfair=counted.unfair,
        only_agent=only[0],
        only_baseline=only[1],
        policy=str(policy),
        assumed=granted_words(assumptions(), clustered=clustered) if new else ("samples independent of one another",),
        tasks=_gate_tasks(both, 0.0 if scores.dependent_samples(pair) else rule.alpha),
    )


def _gate_names(study: Store, baseline: Store | None, given: tuple[str, str]) -> tuple[str, str]:
    """The names of baseline and agent, as far as they need not be said."""
    agent, base = given
    mine, theirs = ([each.name for each in store.agents()] for store in (study, baseline or study))
    if baseline is None:
        if agent and base:
            return base, agent
        raise AgentError(
            "give --at-least SCORE, another study with --baseline, or two agents of this study with --agent and "
            "--baseline-agent"
        )
    if not agent and not base and len(mine) > 1 and len(same := sorted(set(mine) & set(theirs))) == 1:
        return same[0], same[0]
    if not agent:
        agent = _only_agent(mine, "the study", "--agent", base)
    if not base:
        base = _only_agent(theirs, "the baseline", "--baseline-agent", *fitting_names(mine, agent, "agent"))
    return base, agent


def _only_agent(names: Sequence[str], where: str, option: str, *wanted: str) -> str:
    """The only agent of a study, or the one of a name that is wanted."""
    if len(names) == 1:
        return names[0]
    if len(wanted) == 1 and wanted[0] in names:
        return wanted[0]
    raise AgentError(
        f"{where} has {plural_text(len(names), 'agent')}, so say which with {option} NAME: {some_names(names)}"
    )


def _gate_decision(
    scores: Scores, pair: tuple[str, str], rule: GateRule, policy: Policy
) -> tuple[Regression, tuple[str, ...]]:
    """The decision, and what turns it: none where the number of samples depends on their results, which biases means
    of any size, or where it depends on what void trials count as.
    """

    def judged(counted: Policy) -> Regression:
        resolved = scores.resolve(counted).select(pair)
        return regression_test(resolved, *pair, gap=rule.gap, alpha=rule.alpha, estimand=rule.estimand)

    found = judged(policy)
    if biased := scores.dependent_samples(pair):
        return replace(found, verdict="cannot tell"), tuple(f"{printable_text_line(each)}." for each in biased)
    if found.verdict == "cannot tell":
        return found, ()
    turned = []
    for counted in void_policies(scores, pair, policy):
        try:
            other = judged(counted)
        except StatisticsError:  # left out, the two have other numbers of samples
            continue
        if other.verdict != found.verdict:
            words = {"fail": "failed", "drop": "left out", "pass": "passed"}[counted.void]
            turned.append(f"{other.verdict} ({points_text(other.difference)} points) where they are {words}")
    if not turned:
        return found, ()
    void = int(scores.void[[scores.agents.index(name) for name in pair]].sum())
    why = f"The verdict turns on {plural_text(void, 'trial')} that the harness spoilt: {found.verdict} as declared"
    return replace(found, verdict="cannot tell"), (f"{why}, {all_of(turned)}. Run them again.",)


def _other(scores: Scores, pair: tuple[str, str], rule: GateRule, policy: Policy) -> OtherTasks | None:
    """The decision about the other kind of tasks; None where the data are not of the form for it."""
    about = next(each for each in Estimand if each is not rule.estimand)
    try:
        found, _ = _gate_decision(scores, pair, replace(rule, estimand=about), policy)
    except StatisticsError:
        return None
    return OtherTasks(_ABOUT[about], found.verdict, found.interval, found.p_worse)


def _both_sides(found: Regression, resolved: ResolvedScores) -> Iterator[str]:
    """Why `compare` says otherwise than a gate without a gap, which asks of one side and for any distribution."""
    claim = compare(resolved, *resolved.agents, level=1 - found.alpha).claim if not found.gap else None
    if claim is None or (found.verdict == "cannot tell") == (claim.verdict != "shown"):
        return
    p, level = p_is(claim.answer.p_value), f"{percent_text(found.alpha, 0)}%"
    if found.verdict == "cannot tell":
        how = "with room for rare differences honestly compare tells the two apart"
        yield f"A gate must hold for any distribution; {how} ({p})."
    else:
        how = "cannot tell" if claim.verdict == "cannot tell" else "has a condition"
        yield f"A gate asks of one side, at {level}; honestly compare of both, at {level} together, and {how} ({p})."


def _gate_message(found: Regression, pair: tuple[str, str], *, turned: bool) -> str:
    names = short_names(pair, 60, len)
    agent, baseline, gap = names[pair[0]], names[pair[1]], gap_text(found.gap)
    low, high = found.interval
    bottom, top = (text_apart(end, -found.gap, points_text) for end in (low, high))
    ends = f"{bottom} to {top} with {percent_text(1 - found.alpha, 0)}% confidence at each end"
    seen = f"{points_text(found.difference)} points on {plural_text(found.n, 'task')}, {ends}"
    beyond = f" by more than {gap} points" if found.gap else ""
    if found.verdict == "worse":
        return f"WORSE: {agent} is worse than {baseline}{beyond} ({seen}; {p_is(found.p_worse)})."
    if found.verdict == "not worse":
        by = f" by {gap} points or more" if found.gap else ""
        is_better = low > 0 and not found.gap
        better = f"{agent} is better than {baseline}" if is_better else f"{agent} is not worse than {baseline}{by}"
        return f"NOT WORSE: {better} ({seen}; {p_is(found.p_not_worse)})."
    text = f"CANNOT TELL whether {agent} is worse than {baseline}{beyond} ({seen})"
    return f"{text}: a loss is real, but it may lie within the gap." if high < 0 and not turned else f"{text}."


def _gate_advice(found: Regression, both: ResolvedScores, other: OtherTasks | None) -> Iterator[str]:
    """Beside the verdict: the other kind of tasks, and what it would take."""
    if other is not None and other.verdict != found.verdict:
        ends = f"{points_text(other.interval[0])} to {points_text(other.interval[1])}, {p_is(other.p_value)}"
        yield f"About {other.about} the answer is: {other.verdict} ({ends})."
    if found.verdict != "cannot tell":
        return
    if not found.gap:
        yield (
            "With a gap of 0 no number of trials shows two equal agents to be equal: say with --min-gap what loss you "
            "would tolerate."
        )
    if math.isnan(found.detectable) and both.weights is None:
        yield "What it would take cannot be said: these data do not show how much the difference varies."
    if found.detectable < 1:
        least = percent_text(found.detectable)
        yield f"At this sample size, two equal agents pass (80% power) only with --min-gap {least} or more."
    now = plural_text(round(float(both.n.mean())), "sample")
    ways = [f"{plural_text(found.questions_needed, 'task')} at {now} each"] if found.questions_needed else []
    ways += [f"{plural_text(found.samples_needed, 'sample')} of each of these tasks"] if found.samples_needed else []
    if found.gap and ways:
        yield f"For {gap_text(found.gap)} points it takes about {all_of(ways, 'or')}."


def _unmatched_tasks(data: StudyData, resolved: ResolvedScores) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Tasks that the agent alone has, and those that the baseline alone has."""
    has = resolved.n > 0
    agent, baseline = ([resolved.questions[at] for at in np.flatnonzero(has[row] & ~has[1 - row])] for row in (0, 1))
    before, after = data.pairing.alone if isinstance(data, JoinedSides) else ([], [])
    return (*agent, *after), (*baseline, *before)


def _gate_tasks(both: ResolvedScores, alpha: float) -> tuple[GateTask, ...]:
    n, mean = both.n, both.mean
    certain: list[bool | None] = [None] * len(both.questions)
    if both.binary:
        passed = np.rint(mean * n).astype(np.int64)
        p_values = [fisher_exact(*p, *k) for p, k in zip(passed.T.tolist(), n.T.tolist(), strict=True)]
        certain = (holm_adjusted(np.array(p_values)) <= alpha).tolist()
    found = [
        GateTask(
            task=name,
            agent=float(mean[0, at]),
            baseline=float(mean[1, at]),
            agent_samples=int(n[0, at]),
            baseline_samples=int(n[1, at]),
            difference=float(mean[0, at] - mean[1, at]),
            certain=certain[at],
        )
        for at, name in enumerate(both.questions)
    ]
    return tuple(sorted(found, key=lambda task: (task.difference >= 0, -abs(task.difference), task.task)))


_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MARKDOWN_ROWS = 50
_SIGNS = {"worse": "❌", "not worse": "✅", "cannot tell": "❔", "below": "❌", "at least": "✅"}


def gate_markdown(found: GateReport | ThresholdReport) -> str:
    """The verdict, the numbers and the tasks that changed, as Markdown."""
    title = f"### {_SIGNS['worse' if found.barred else found.verdict]} honestly gate: {found.verdict}"
    if found.barred:
        title += f", {plural_text(len(found.barred), 'barred package')}"
    if isinstance(found, ThresholdReport):
        notes = "".join(f"\n- {_plain_sentence(text)}\n" for text in (*found.barred, *found.notes))
        return f"{title}\n\n{_plain_sentence(found.message)}\n{notes}"
    low, high = found.interval
    level = percent_text(1 - found.alpha, 0)
    who = f"{_markdown_code(found.agent)} against {_markdown_code(found.baseline)} on {plural_text(found.n, 'task')}"
    numbers = [f"{percent_text(score)}%" for score in (found.baseline_score, found.agent_score)]
    numbers += [points_text(each) for each in (found.difference, low, high)]
    numbers += [p_value(each) for each in (found.p_value, found.p_not_worse)]
    lines = [
        title,
        "",
        f"{who}, with a gap of {gap_text(found.gap)} points; the verdict is about {found.about}.",
        "",
        "| | baseline | agent | difference | from | to | p, worse | p, not worse |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
        f"| score | {' | '.join(numbers)} |",
        "",
        f"Each end of the interval holds with {level}% confidence.",
    ]
    for text in (*found.barred, *found.warned, *found.notes):
        lines += ["", f"- {_plain_sentence(text)}"]
    if changed := found.changed_tasks:
        lost = sum(task.difference < 0 for task in changed)
        counts = f"{len(changed)} tasks changed: {lost} lost, {len(changed) - lost} gained"
        lines += ["", f"<details><summary>{counts}</summary>", ""]
        lines += ["| task | baseline | agent | |", "|---|---:|---:|---|"]
        lines += [
            f"| {_markdown_code(task.task)} | {' | '.join(task_cells(task))} |" for task in changed[:_MARKDOWN_ROWS]
        ]
        lines += ["", f"and {len(changed) - _MARKDOWN_ROWS} more"] if len(changed) > _MARKDOWN_ROWS else []
        lines += ["", "</details>"]
    return "\n".join(lines) + "\n"


def gate_junit(found: GateReport | ThresholdReport, cannot_tell: Literal["", "pass", "fail"] = "") -> str:
    """JUnit XML with a case for the gate, for each barred package and for each task."""
    red = replace(found, barred=()).exit_code(cannot_tell) == 1
    tag = "failure" if red else "skipped" if found.verdict == "cannot tell" else ""
    title = "at least the score" if isinstance(found, ThresholdReport) else "not worse than the baseline"
    cases = [_junit_case("gate", title, tag, " ".join((found.message, *found.notes)))]
    cases += [_junit_case("gate.packages", line.split(" (")[0], "failure", line) for line in found.barred]
    for task in () if isinstance(found, ThresholdReport) else found.tasks:
        before, after, worth = task_cells(task)
        lost = task.difference < 0
        cases.append(_junit_case("gate.tasks", task.task, "skipped" if lost else "", f"{before} to {after}: {worth}"))
    skipped = sum("<skipped" in case for case in cases)
    head = f'tests="{len(cases)}" failures="{red + len(found.barred)}" errors="0" skipped="{skipped}"'
    return (
        f'<?xml version="1.0" encoding="utf-8"?>\n<testsuites {head}><testsuite name="honestly gate" {head}>'
        f'<properties><property name="agent" value={_xml_attribute(found.agent)}/></properties>\n'
        f"{''.join(cases)}</testsuite></testsuites>\n"
    )


def _junit_case(group: str, name: str, tag: str, message: str) -> str:
    start = f"<testcase classname={_xml_attribute(group)} name={_xml_attribute(name)}"
    return f"{start}><{tag} message={_xml_attribute(message)}/></testcase>\n" if tag else f"{start}/>\n"


def _xml_attribute(text: str) -> str:
    return quoteattr(_NOT_IN_XML.sub("?", text))


def _markdown_code(name: str) -> str:
    """A name as code, in which Markdown sees neither links nor people."""
    return f"`{printable_text_line(name).replace('`', chr(39)).replace('|', chr(92) + '|')}`"


def _plain_sentence(text: str) -> str:
    """A sentence in which nothing acts: a sign without width keeps `@` from naming anybody, and `://` from leading."""
    escaped = "".join(f"\\{char}" if char in "\\`*_{}[]<>#|!~" else char for char in printable_text_line(text))
    return escaped.replace("@", "@\u200b").replace("://", ":\u200b//").replace("www.", "www\u200b.")
