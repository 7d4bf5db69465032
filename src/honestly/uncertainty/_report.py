"""The answer of `honestly uncertainty`: for a terminal and as data."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from honestly.show import (
    Shown,
    all_of,
    dim_line,
    interval_text,
    number_text,
    numbers_table,
    percent_text,
    plural_text,
    printable_text_line,
)
from honestly.uncertainty._sets import SET_SCORES, DisturbanceEffect, KnownPart, MethodEvaluation, MethodResult


@dataclass(frozen=True, slots=True, repr=False)
class UncertaintyReport(Shown):
    """The sets of answers of each method, and how sure their order is."""

    main_table: ClassVar[str] = "methods"

    model: str
    """Who answered; empty for recorded scores."""
    questions: int
    alpha: float
    seed: int
    pseudo_labelled: bool
    """The right options are not known: the other methods' likeliest ones stand in for them."""
    methods: tuple[MethodResult, ...]
    tasks: tuple[MethodResult, ...]
    differences: tuple[DisturbanceEffect, ...]
    known: tuple[KnownPart, ...]
    warnings: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """What may be said of the order of the methods."""
        names = list(dict.fromkeys(each.name for each in self.methods if each.rank))
        if len(names) == 1:
            sizes = [f"{number_text(each.set_size, 2)} ({each.score})" for each in self.methods if each.rank]
            accuracy = percent_text(self.methods[0].accuracy, 1)
            return f"{names[0]}: {accuracy}% right; options per set: {', '.join(sizes)}."
        sure: dict[str, list[str]] = {}
        for score in SET_SCORES:
            first = [each.name for each in self.methods if each.score == score and each.rank_interval == (1, 1)]
            if len(first) == 1:
                sure.setdefault(first[0], []).append(score)
        if not sure:
            return f"Which of {len(names)} methods is first by UAcc cannot be told from these questions."
        if [*sure.values()] == [[*SET_SCORES]]:
            return f"{next(iter(sure))} is first of {len(names)} methods by UAcc, whichever score makes the sets."
        told = "; ".join(
            f"{name} is first of {len(names)} methods by UAcc with {all_of(s)}" for name, s in sure.items()
        )
        open_ = [score for score in SET_SCORES if not any(score in scores for scores in sure.values())]
        return f"{told}; with {all_of(open_)} it cannot be told." if open_ else f"{told}."

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        yield from self._parts(options.max_width, details=True)

    def brief(self) -> RenderableType:
        """The sentence, a line for each method and score, and the warnings."""
        from rich.console import Group

        return Group(*self._parts(100, details=False))

    def _parts(self, room: int, *, details: bool) -> Iterator[RenderableType]:
        if self.pseudo_labelled:
            yield Text("PSEUDO-LABELLED: no right answers are known; what the other methods think counts as right.")
        yield Text(printable_text_line(self.sentence), style="bold")
        one = self.methods[0]
        yield _report_table(
            f"{plural_text(one.n, 'tested question')}, {one.calibration} for calibration, sets for "
            f"{percent_text(1 - self.alpha, 0)}%",
            self.methods,
            room,
        )
        if details and self.tasks:
            yield _report_table("by task", self.tasks, room, by_task=True)
        for each in self.differences:
            yield dim_line(
                f"{each.name} - {each.base} ({each.score}): accuracy {_signed(each.accuracy, 100, 1)} points "
                f"{interval_text(*each.accuracy_interval, signed=True)}, options per set "
                f"{_signed(each.set_size, 1, 2)} [{_signed(each.set_size_interval[0], 1, 2)}, "
                f"{_signed(each.set_size_interval[1], 1, 2)}]"
            )
        for part in self.known if details else ():
            which = "gets right" if part.known else "gets wrong"
            yield dim_line(
                f"{part.name} ({part.score}), {plural_text(part.n, 'question')} that none {which}: "
                f"{percent_text(part.accuracy)}% right, {number_text(part.set_size, 2)} options per set"
            )
        for text in self.warnings:
            yield Text(f"! {printable_text_line(text)}", style="yellow")
        for text in self.notes:
            yield dim_line(text)


def uncertainty_report(
    found: MethodEvaluation,
    *,
    model: str,
    questions: int,
    alpha: float,
    seed: int,
    pseudo_labelled: bool = False,
    warnings: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> UncertaintyReport:
    """Evaluate the sets of methods, with warnings.

    Args:
        found: the sets, measured.
        model: who answered.
        questions: how many there are.
        alpha: allowed share of sets without the right option.
        seed: of the split.
        pseudo_labelled: no right option is known.
        warnings: what is known already of how the answers came about.
        notes: the same, of less weight.
    """
    return UncertaintyReport(
        model, questions, alpha, seed, pseudo_labelled, found.methods, found.tasks, found.differences, found.known,
        (*warnings, *_warnings(found, alpha)), tuple(notes),
    )  # fmt: skip


def _warnings(found: MethodEvaluation, alpha: float) -> Iterator[str]:
    for score in SET_SCORES:
        rows = [each for each in found.methods if each.score == score and each.rank]
        turned = [
            (one, other)
            for one in rows
            for other in rows
            if one.set_size < other.set_size and one.temperature[1] > other.temperature[0]
        ]
        if turned:
            one, other = max(turned, key=lambda pair: pair[1].set_size - pair[0].set_size)
            yield (
                f"{score}: temperature alone, at the same answers, gives {one.name} {_range(one)} and {other.name} "
                f"{_range(other)} options per set, so that {plural_text(len(turned), 'pair')} of methods may change "
                "places: their order by set size or UAcc may be one of scale, not of knowledge"
            )
        elif len(rows) == 1 and rows[0].temperature[1] > 1.05 * rows[0].temperature[0]:
            gives = f"gives {rows[0].name} {_range(rows[0])} options per set"
            yield f"{score}: temperature alone, at the same answers, {gives}"
    least = math.ceil(1 / alpha - 1 - 1e-9)
    parts = found.tasks or found.methods
    if few := {each.task: each.calibration for each in parts if each.calibration < least}:
        shown = ", ".join(f"{task or 'all'} ({n})" for task, n in list(few.items())[:3])
        yield (
            f"{plural_text(len(few), 'task')} with fewer than {least} questions for calibration: {shown}. Their sets "
            "hold every option; give more questions, or --pool them"
        )
    for each in found.methods:
        if each.coverage_unfilled < each.interval[0]:
            yield (
                f"{each.name} ({each.score}) covers {percent_text(each.coverage_unfilled)}%, below "
                f"{interval_text(*each.interval)}: calibration and test are unlike each other, or the split is "
                "an unlucky one (try --seed)"
            )
    filled = [each for each in found.methods if each.empty > 0.02]
    if filled:
        most = max(filled, key=lambda each: each.empty)
        yield (
            f"{plural_text(len(filled), 'row')} with empty sets, which got their likeliest option (at most "
            f"{percent_text(most.empty)}%, {most.name} by {most.score}): coverage is above its target by that"
        )


def _report_table(title: str, rows: Sequence[MethodResult], room: int, *, by_task: bool = False) -> RenderableType:
    widths = {
        "method": 10,
        "score": 5,
        "right %": 6,
        "set size": 8,
        "covered %": 6,
        "expected": 14,
        "UAcc": 6,
        "rank": 8,
    }
    return numbers_table(
        title,
        widths,
        [
            (
                f"{each.name}, {each.task}" if by_task else each.name,
                each.score,
                percent_text(each.accuracy),
                number_text(each.set_size, 2),
                percent_text(each.coverage),
                interval_text(*each.interval),
                percent_text(each.uacc, 2),
                f"{each.rank} ({each.rank_interval[0]}-{each.rank_interval[1]})" if each.rank else "",
            )
            for each in rows
        ],
        room,
        left=("score",),
    )


def _range(each: MethodResult) -> str:
    return f"{number_text(each.temperature[0], 2)} to {number_text(each.temperature[1], 2)}"


def _signed(value: float, factor: float, digits: int) -> str:
    return number_text(factor * value, digits, sign=True)
