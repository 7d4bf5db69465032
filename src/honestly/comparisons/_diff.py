"""The changes from one agent to another: the tasks that flipped, how certain each flip is, and what went with it.

The two may be in one study or in two. The question "is it better" is `comparison`'s; here are the tasks one by one, for
whoever changes an agent and looks. Most flips of single tasks are luck, so that how many luck alone would show stands
beside how many there are. Why a task flipped is what the record holds of its trials: checks that pass more or less
often, steps, tokens, cost, and the reasons of trials that did not pass. That is what went with it, and no proof of a
cause.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any, ClassVar, Literal

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from honestly.comparisons._comparison import compared
from honestly.comparisons._pair import PairReport
from honestly.comparisons._sides import JoinedSides, Sides, pair_of
from honestly.errors import StatisticsError
from honestly.records import Outcome, Trial
from honestly.scores import DEFAULT_POLICY, UNDECLARED, UNFAIR, Declared, StudyData, void_caution
from honestly.show import (
    Shown,
    as_json,
    finite_or_none,
    number_text,
    p_is,
    p_value,
    percent_text,
    plural_text,
    printable_text_line,
    shorten_middle,
    whole_sentence,
)
from honestly.stats import Flips, Policy, question_flips, samples_for_certainty
from honestly.store import Store

Change = Literal["gained", "lost", "more", "less", "same"]
_SHOWN = 25
_MOST_CHECKS = 2
_MUCH = 1.5
_FIXED = 44


@dataclass(frozen=True, slots=True)
class CheckDiff:
    """A hidden check (a visible one where there are no hidden ones) that passes more or less often."""

    id: str
    a_passed: int
    a_trials: int
    b_passed: int
    b_trials: int

    @property
    def difference(self) -> float:
        """Share of the trials in which it passes: a - b."""
        return self.a_passed / self.a_trials - self.b_passed / self.b_trials


@dataclass(frozen=True, slots=True)
class Deeds:
    """The means over one agent's trials; None where it was not recorded."""

    trials: int
    steps: float | None
    seconds: float | None
    input_tokens: float | None
    output_tokens: float | None
    usd: float | None
    reasons: dict[str, int]
    """How the trials that did not pass ended, and how many."""


@dataclass(frozen=True, slots=True)
class TaskDiff:
    """One task under the two agents: `a` is the one before, `b` the one after."""

    task: str
    change: Change
    """`gained`, `lost`: it flipped, b passes more than half of its samples and a at most half, or the reverse; `more`,
    `less`: a smaller change; `same`."""
    a_passed: float
    """How many samples passed, or the sum of their grades."""
    a_samples: int
    b_passed: float
    b_samples: int
    difference: float
    """Share of the samples that passed: a - b, so below 0 where b gained."""
    p_value: float | None
    """Fisher's exact test of this task alone; None for grades."""
    p_holm: float | None
    """The same, corrected for all tasks."""
    certainty: str
    """`certain` (after the correction), `perhaps` (alone only), `may be luck`; empty where nothing changed."""
    checks: tuple[CheckDiff, ...]
    """Checks that changed, the largest change first."""
    a: Deeds
    b: Deeds
    why: str = ""
    """What went with the change, in words."""

    @property
    def results(self) -> tuple[str, str]:
        """Passes of samples before and after, or mean grades in percent."""
        both = (self.a_passed, self.a_samples), (self.b_passed, self.b_samples)
        shown = [percent_text(got / n) if self.p_value is None else f"{got}/{n}" for got, n in both]
        return shown[0], shown[1]

    @property
    def worth(self) -> str:
        """The change, and how certain it is."""
        return f"{self.change}, {self.certainty}" if self.certainty else self.change


@dataclass(frozen=True, slots=True, repr=False)
class DiffReport(Shown):
    """What changed from one agent, `a`, to another, `b`. `overall` compares them, and is `a - b` as everywhere."""

    main_table: ClassVar[str] = "tasks"

    before: str
    after: str
    overall: PairReport
    n: int
    """Tasks that both have."""
    gained: int
    """Tasks that flipped for the better."""
    lost: int
    certain: int
    """Tasks whose change is certain at level `alpha`, all tasks taken together."""
    between: float | None
    """Tasks that flip between one sample of each agent, on average, among the `known`."""
    by_chance: float | None
    """Tasks that flip between two runs of one and the same agent, on average, among the `known`; None if 0 are."""
    known: int
    """Tasks of which an agent has two samples or more, so that their noise is known."""
    p_any: float | None
    """That no task changed at all (permutation test); None where single samples cannot say so."""
    samples: tuple[float, float]
    """Samples per task, on average, before and after."""
    dependent_samples: bool
    """Whether the number of samples seems to depend on their results; then no test of a task holds, and `p_any` is
    None."""
    samples_for_certainty: int
    """Samples of each with which one task that flips from none to all would be certain."""
    alpha: float
    sides: tuple[Deeds, ...]
    """What the two did at these tasks, before and after."""
    tasks: tuple[TaskDiff, ...]
    """All tasks that both have, the most certain change first; of grades, the largest."""
    notes: tuple[str, ...]
    graded: bool = False

    def to_plain(self) -> dict[str, Any]:
        """Plain data, with the sentence."""
        return {**as_json(self), "sentence": self.sentence}

    @property
    def sentence(self) -> str:
        """The worth of the flips."""
        if self.graded:
            better, worse = (sum(task.change == change for task in self.tasks) for change in ("more", "less"))
            return (
                f"Of {plural_text(self.n, 'task')} {better} got better and {worse} worse. Grades of single tasks are "
                "not tested: go by the difference of the two."
            )
        flipped = self.gained + self.lost
        certain = (
            f"{plural_text(self.certain, 'task')} changed for certain" if self.certain else "none is certain by itself"
        )
        counted = (
            f"{flipped} of {plural_text(self.n, 'task')} flipped: {self.gained} gained, {self.lost} lost; {certain}."
        )
        none = f"None of {plural_text(self.n, 'task')} flipped."
        return f"{counted if flipped else none} {self._flip_worth}"

    @property
    def _flip_worth(self) -> str:
        enough = self.samples_for_certainty
        if self.by_chance is None or self.between is None:
            return (
                "One sample each cannot tell a change of a task from luck: run both with -k 3 or more, and go by the "
                f"difference of the two until then. The flip of one task is certain from {enough} samples on."
            )
        of = "" if self.known == self.n else f" of the {self.known} with repeats"
        luck = (
            f"On average {number_text(self.between)} tasks{of} differ between single runs of the two; rerunning one "
            f"agent would give {number_text(self.by_chance)}"
        )
        if self.p_any is not None:
            changed = "tasks did change" if self.p_any <= self.alpha else "that any task changed is not shown"
            luck += f": {changed} ({p_is(self.p_any)})"
        elif self.dependent_samples:
            luck += ": whether any changed cannot be told, as the number of samples seems to depend on their results"
        if min(self.samples) < enough:
            return f"{luck}. For one task to be certain, take {enough} samples of each."
        return f"{luck}."

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        yield Text(self.overall.sentence, style="bold")
        for text in self.overall.warned:
            yield Text.assemble(("! ", "bold yellow"), text)
        yield Text(self.sentence)
        yield Text()
        table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
        for title in ("", "score", "steps", "seconds", "tokens in", "out", "US$", "agent"):
            wraps = title == "agent"
            table.add_column(
                title, justify="right" if title and not wraps else "left", no_wrap=not wraps, overflow="fold"
            )
        scores = (self.overall.score_a, self.overall.score_b)
        names = (self.before, self.after)
        for mark, name, score, side in zip(("before", "after"), names, scores, self.sides, strict=True):
            cells = (
                percent_text(score),
                number_text(side.steps),
                number_text(side.seconds),
                number_text(side.input_tokens, 0),
                number_text(side.output_tokens, 0),
                number_text(side.usd, 4),
            )
            table.add_row(Text(mark), *map(Text, cells), Text(printable_text_line(name)))
        yield table
        changed = [task for task in self.tasks if task.change != "same"]
        if changed:
            yield Text()
            yield from _task_lines(changed, options.max_width)
        if len(changed) > _SHOWN:
            yield Text(f"and {len(changed) - _SHOWN} more tasks changed: --json has all", style="dim")
        yield Text()
        for note in self.notes:
            yield Text(whole_sentence(note), style="dim")
        yield Text(f"Policy: {self.overall.policy.text}.", style="dim")
        if not self.graded:
            yield Text("p of a task: Fisher's exact test; certain: after Holm's correction for all tasks.", style="dim")


def diff_report(
    study: Store,
    before: str,
    after: str,
    other: Store | None = None,
    how: tuple[Policy, float] = (DEFAULT_POLICY, 0.05),
    declared: Declared = UNDECLARED,
) -> DiffReport:
    """The changes from one agent to another on the tasks that both have.

    Args:
        study: where the first one is.
        before: name of the first, or a part of it that no other agent's name contains.
        after: the second.
        other: where the second one is, if in another study; tasks are the same where their content is.
        how: what trials without a verdict count as, and the level of the tests.
        declared: what is known of the tasks beyond their tags and ids, as for `comparison`.

    Raises:
        AgentError: a name is unknown, or fits several agents.
        StatisticsError: the agents are the same, or have no task in common.
        StoreError: a study cannot be read.
    """
    policy, alpha = how
    sides = Sides(study, other or study, before, after)
    data: StudyData = study if other is None else JoinedSides(sides)
    pair = pair_of(data, sides.names, replace(declared, despite=UNFAIR))
    overall = compared(pair, policy, alpha)
    if not overall.n:
        raise StatisticsError(f"{sides.names[0]} and {sides.names[1]} have no task in common; nothing can be compared")
    found = question_flips(pair.scores.resolve(policy).select(sides.names), *sides.names)
    deeds = tuple(_deeds_by_task(store, name) for store, name in sides.found)
    depend = bool(pair.scores.dependent_samples(sides.names))
    tasks = [
        _task_diff(found, at, (deeds[0], deeds[1]), 0.0 if depend else alpha) for at in range(len(found.questions))
    ]
    return DiffReport(
        before=sides.names[0],
        after=sides.names[1],
        overall=overall,
        n=len(tasks),
        gained=int(found.gained_questions.sum()),
        lost=int(found.lost_questions.sum()),
        certain=sum(task.certainty == "certain" for task in tasks),
        between=finite_or_none(found.between),
        by_chance=finite_or_none(found.by_chance),
        known=found.known,
        p_any=None if depend else finite_or_none(found.p_any),
        dependent_samples=depend,
        samples=(float(found.samples[0].mean()), float(found.samples[1].mean())),
        samples_for_certainty=samples_for_certainty(len(tasks), alpha),
        alpha=alpha,
        sides=tuple(_deed_means([deed for name in found.questions for deed in each.get(name, ())]) for each in deeds),
        tasks=tuple(sorted(tasks, key=_certain_first)),
        notes=tuple(filter(None, (*sides.notes, void_caution(pair.scores, sides.names, policy)))),
        graded=found.graded,
    )


def _certain_first(task: TaskDiff) -> tuple[bool, float, float, str]:
    return task.change == "same", task.p_value or 0.0, -abs(task.difference), task.task


class _Deed:
    """The compared numbers of one trial."""

    def __init__(self, trial: Trial, steps: int | None) -> None:
        self.trial, self.steps = trial, steps
        verdict = trial.verdict
        self.checks = verdict.hidden or verdict.visible


def _deeds_by_task(store: Store, name: str) -> Mapping[str, Sequence[_Deed]]:
    found: dict[str, list[_Deed]] = {}
    strict = store.facts().strict
    for trial in (each.counted_trial(strict=strict) for each in store.trials(name)):
        info = store.trajectory_info(trial.id)
        found.setdefault(trial.task, []).append(_Deed(trial, info.steps if info else None))
    return found


def _task_diff(
    found: Flips, at: int, deeds: tuple[Mapping[str, Sequence[_Deed]], Mapping[str, Sequence[_Deed]]], alpha: float
) -> TaskDiff:
    name = found.questions[at]
    (one, other), (n, m) = found.passed[:, at].tolist(), found.samples[:, at].tolist()
    apart = one / n - other / m
    change: Change = (
        "gained"
        if found.gained_questions[at]
        else "lost"
        if found.lost_questions[at]
        else "more"
        if apart < 0
        else "less"
    )
    p, adjusted = float(found.p_values[at]), float(found.p_holm[at])
    certainty = "certain" if adjusted <= alpha else "perhaps" if p <= alpha else "may be luck"
    certainty = "" if found.graded else certainty
    then, now = (each.get(name, ()) for each in deeds)
    # Checks that passed in another share of the trials, the largest change first.
    counts = [_passes(each) for each in (then, now)]
    totals = [sum(deed.checks is not None for deed in each) for each in (then, now)]
    if not all(totals):
        changed_checks = []
    else:
        named = [
            CheckDiff(name, counts[0][name], totals[0], counts[1][name], totals[1]) for name in {*counts[0], *counts[1]}
        ]
        moved = [check for check in named if check.difference]
        changed_checks = sorted(moved, key=lambda check: (-abs(check.difference), check.id))
    task = TaskDiff(
        task=name,
        change=change if apart else "same",
        a_passed=one,
        a_samples=n,
        b_passed=other,
        b_samples=m,
        difference=apart,
        p_value=finite_or_none(p),
        p_holm=finite_or_none(adjusted),
        certainty=certainty if apart else "",
        checks=tuple(changed_checks),
        a=_deed_means(then),
        b=_deed_means(now),
    )
    return replace(task, why=change_reason(task)) if apart else task


def _passes(deeds: Sequence[_Deed]) -> Counter[str]:
    found: Counter[str] = Counter()
    for deed in deeds:
        for check in deed.checks.checks if deed.checks else ():
            found[check.id] += check.status == "passed"
    return found


def _deed_means(deeds: Sequence[_Deed]) -> Deeds:
    trials = [deed.trial for deed in deeds]
    reasons = Counter(_reason(trial) for trial in trials if trial.outcome is not Outcome.PASSED)
    return Deeds(
        trials=len(trials),
        steps=_known_mean(deed.steps for deed in deeds),
        seconds=_known_mean(trial.agent_seconds for trial in trials),
        input_tokens=_known_mean(trial.usage.input_tokens for trial in trials),
        output_tokens=_known_mean(trial.usage.output_tokens for trial in trials),
        usd=_known_mean(trial.usage.usd for trial in trials),
        reasons=dict(reasons.most_common()),
    )


def _reason(trial: Trial) -> str:
    if trial.verdict.tampered:
        return "tampered"
    said, kind = trial.reason, trial.outcome.value
    return said if said.startswith(f"{kind}: ") else f"{kind}: {said}" if said else kind


def _known_mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def change_reason(task: TaskDiff) -> str:
    """The changes beside that of a task's result: checks, ends of trials, steps, tokens and cost where
    they changed much.
    """
    better = task.difference < 0
    checks = [check for check in task.checks if (check.difference < 0) == better]
    parts = [
        f"{shorten_middle(printable_text_line(each.id), 40, cell_len)} {each.a_passed}/{each.a_trials} → "
        f"{each.b_passed}/{each.b_trials}"
        for each in checks[:_MOST_CHECKS]
    ]
    parts += [f"{len(checks) - _MOST_CHECKS} more checks"] if len(checks) > _MOST_CHECKS else []
    for reason in {**task.a.reasons, **task.b.reasons}:
        then, now = (side.reasons.get(reason, 0) for side in (task.a, task.b))
        if reason != "failed" and then != now:
            parts.append(f"{printable_text_line(reason)[:60]} {then} → {now}")
    for name, unit in (("steps", "steps"), ("output_tokens", "output tokens"), ("usd", "US$")):
        then_, now_ = getattr(task.a, name), getattr(task.b, name)
        if then_ and now_ and max(then_, now_) > _MUCH * min(then_, now_):
            digits = 3 if name == "usd" else 0
            parts.append(f"{unit} {number_text(then_, digits)} → {number_text(now_, digits)}")
    return "; ".join(parts)


def _task_lines(changed: list[TaskDiff], width: int) -> Iterator[RenderableType]:
    """A line for each task, and what went with its change below."""
    shown = changed[:_SHOWN]
    room = min(max(cell_len(printable_text_line(task.task)) for task in shown), max(width - _FIXED, 16))
    yield Text(f"{'task':<{room}}  before   after       p  change", style="bold")
    for task in shown:
        name = shorten_middle(printable_text_line(task.task), room, cell_len)
        yield Text.assemble(
            name + " " * (room - cell_len(name)),
            f"  {task.results[0]:>6}  ",
            (f"{task.results[1]:>6}", "green" if task.difference < 0 else "red"),
            f"  {p_value(task.p_value):>6}  {task.worth}",
        )
        if task.why:
            yield Padding(Text(task.why, style="dim"), (0, 0, 0, 4))
