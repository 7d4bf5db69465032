"""A plan in a terminal: the sentence, the table of sizes, what is at hand, and everything that it rests on."""

from collections.abc import Iterator

from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text

from honestly.report._text import all_of, level_text, number, percent, plural
from honestly.report.plan._study_plan import Size, StudyPlan
from honestly.report.plan._words import gap_text

__all__ = ["PlanView"]


class PlanView:
    """A plan that rich can print: `Console().print(PlanView(plan))`."""

    def __init__(self, plan: StudyPlan) -> None:
        self._plan = plan

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        plan = self._plan
        yield Text(plan.sentence, style="bold")
        for warning in plan.warnings:
            yield Text.assemble(("! ", "bold yellow"), warning)
        yield Text()
        yield _table(plan)
        for line in _lines(plan):
            yield Text(line, style="dim")


def _table(plan: StudyPlan) -> Table:
    """Questions by gap and samples, with the range below each; then the gap at hand in the same columns."""
    samples = list(dict.fromkeys(size.samples for size in plan.sizes))
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold", title_justify="left")
    table.title = "Questions that it takes" if not plan.early else "Questions to allow for"
    table.add_column("gap")
    for count in samples:
        table.add_column(plural(count, "sample"), justify="right", no_wrap=True)
    for gap in dict.fromkeys(size.gap for size in plan.sizes):
        cells = [_cell(size) for size in plan.sizes if size.gap == gap]
        table.add_row(Text(f"{gap_text(gap)} points"), *cells)
    if plan.at_hand:
        gaps = [Text(f"{percent(size.gap)} points" if size.gap is not None else "–") for size in plan.at_hand]
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


def _lines(plan: StudyPlan) -> Iterator[str]:
    if plan.bounds_are and any(size.low is not None for size in plan.sizes):
        yield f"Below each number: {plan.bounds_are}."
    yield f"Basis: {plan.basis_words}."
    parts = plan.variance
    if parts.data is not None:
        noise = all_of([number(part, 3) for part in parts.prediction])
        split = f"data {number(parts.data, 3)}, prediction {noise}"
        yield f"Variance of one sample's difference {number(parts.total, 3)}: {split}."
    elif parts.total is not None:
        yield f"Variance of one sample's difference {number(parts.total, 3)}; its parts are not known."
    yield f"Two-sided level {level_text(plan.alpha)}, {percent(plan.power, 0)}% power, about {plan.estimand}."
    for note in (*plan.notes, *(plan.purchase.notes if plan.purchase else ())):
        yield f"{note[:1].upper()}{note[1:]}."
