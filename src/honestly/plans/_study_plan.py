"""The answer of `honestly stats plan`, as plain data: what was asked, the sizes, the gap at hand, the purchase.

Everything is about two agents at the same questions, before any of them is run. There is no post-hoc power here: gaps
are chosen, never observed. `_answer.py` computes it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text

from honestly.plans._basis import PlanBasis
from honestly.plans._figure import plan_figure
from honestly.plans._question import PlanQuestion, Size
from honestly.show import (
    Figures,
    Fitted,
    FittingTable,
    Shown,
    all_of,
    gap_text,
    level_text,
    number_text,
    percent_text,
    plural_text,
)


@dataclass(frozen=True, slots=True)
class AtHand:
    """The gaps that the questions at hand can find."""

    questions: int
    samples: int
    gap: float | None
    """Smallest true gap that is found with the wanted power; None where it is not known, or no gap is large enough."""
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Bought:
    """The best purchase for a budget."""

    budget: float
    questions: int | None
    """None where the budget does not pay for one sample of each agent."""
    samples: tuple[int, ...]
    """Of each of the two."""
    cost: float | None
    se: float | None
    gap: float | None
    """Smallest true gap that it finds."""
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Variance:
    """Of the difference of one sample each, at one question."""

    total: float | None
    data: float | None
    """What more samples cannot remove."""
    prediction: tuple[float | None, ...]
    """What they can, for each of the two."""


@dataclass(frozen=True, slots=True, repr=False)
class StudyPlan(Shown):
    """Everything that `honestly stats plan` says. Shares and gaps are fractions of 1."""

    main_table: ClassVar[str] = "sizes"

    sentence: str
    basis: str
    """`pilot` or `prior`."""
    basis_words: str
    bounds_are: str
    """What `low` and `high` are."""
    agents: tuple[str, ...]
    """The pair of the pilot, where there is one."""
    estimand: str
    alpha: float
    power: float
    comparisons: int
    alpha_each: float
    """Level of each comparison, after Holm's first step."""
    theory: str
    """`normal` or `t`."""
    early: bool
    """Whether the run may stop early."""
    variance: Variance
    sizes: tuple[Size, ...]
    """Every gap with every number of samples; the headline's gap first."""
    at_hand: tuple[AtHand, ...]
    purchase: Bought | None
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    assumed: tuple[str, ...]
    """What the sizes take for granted."""
    asked: PlanQuestion
    """What it answers."""
    variances: PlanBasis
    """What it was computed from."""

    def to_plain(self) -> dict[str, Any]:
        """One plain-data object, ready for JSON: the answer, without what was asked."""
        plain = Shown.to_plain(self)
        return {name: value for name, value in plain.items() if name not in {"asked", "variances"}}

    @property
    def figures(self) -> Figures:
        """The curve of the smallest gap against the number of questions."""
        return Figures([plan_figure(self.variances, self.asked, self.first_sizes)])

    @property
    def first_sizes(self) -> tuple[Size, ...]:
        """The sizes for the first gap."""
        return tuple(size for size in self.sizes if size.gap == self.sizes[0].gap)

    def brief(self) -> RenderableType:
        """The advice, its warnings, and the sizes with their ranges: in twelve lines."""
        parts: list[tuple[int, RenderableType]] = [(0, Text(self.sentence, style="bold"))]
        parts += [(1, Text.assemble(("! ", "bold yellow"), warning)) for warning in self.warnings]
        parts += [(0, _sizes_table(self)), *((3, Text(line, style="dim")) for line in list(_plan_lines(self))[:2])]

        def last_line(cut: int) -> str:
            more = f"{plural_text(cut, 'more warning')}, " if cut else ""
            return f"More: --details ({more}variances, level, every note)."

        return Fitted(parts, last_line)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        yield Text(self.sentence, style="bold")
        for warning in self.warnings:
            yield Text.assemble(("! ", "bold yellow"), warning)
        yield Text()
        yield _sizes_table(self)
        for line in _plan_lines(self):
            yield Text(line, style="dim")


def _sizes_table(plan: StudyPlan) -> Table:
    """Questions by gap and samples, with the range below each; then the gap at hand in the same columns."""
    samples = list(dict.fromkeys(size.samples for size in plan.sizes))
    table = FittingTable(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold", title_justify="left")
    table.title = "Questions that it takes" if not plan.early else "Questions to allow for"
    table.add_column("gap", no_wrap=not plan.at_hand)
    for count in samples:
        table.add_column(plural_text(count, "sample"), justify="right", no_wrap=True)
    for gap in dict.fromkeys(size.gap for size in plan.sizes):
        cells = [_cell(size) for size in plan.sizes if size.gap == gap]
        table.add_row(Text(f"{gap_text(gap)} points"), *cells)
    if plan.at_hand:
        gaps = [Text(f"{percent_text(size.gap)} points" if size.gap is not None else "–") for size in plan.at_hand]
        table.add_section()
        table.add_row(Text(f"{plan.at_hand[0].questions:,} questions find"), *gaps)
    return table


def _cell(size: Size) -> Text:
    if size.questions is None:
        return Text("–")
    cell = Text(f"{size.questions:,}")
    if size.low is not None and size.high is not None and size.low < size.high:
        cell.append(f"\n{size.low:,}–{size.high:,}", style="dim")
    return cell


def _plan_lines(plan: StudyPlan) -> Iterator[str]:
    if plan.bounds_are and any(size.low is not None and size.low < (size.high or 0) for size in plan.sizes):
        yield f"Below each number: {plan.bounds_are}."
    yield f"Basis: {plan.basis_words}."
    parts = plan.variance
    if parts.data is not None:
        noise = all_of([number_text(part, 3) for part in parts.prediction])
        split = f"data {number_text(parts.data, 3)}, prediction {noise}"
        yield f"Variance of one sample's difference {number_text(parts.total, 3)}: {split}."
    elif parts.total is not None:
        yield f"Variance of one sample's difference {number_text(parts.total, 3)}; its parts are not known."
    yield f"Two-sided level {level_text(plan.alpha)}, {percent_text(plan.power, 0)}% power, about {plan.estimand}."
    yield f"Taken for granted: {'; '.join(plan.assumed)}."
    for note in (*plan.notes, *(plan.purchase.notes if plan.purchase else ())):
        yield f"{note[:1].upper()}{note[1:]}."
