"""How the agents of a study worked: measures with denominators, marks, and how far those who gave marks agree."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from honestly.audit._coverage import coverage_words
from honestly.audit.conduct import Agreement, Conduct, Marker, Marks, Rating
from honestly.audit.monitor import Estimate
from honestly.show import Shown, as_json, dim_line, hundredths_text, interval_text, numbers_table, printable_text_line


@dataclass(frozen=True, slots=True, repr=False)
class ConductReport(Shown):
    """Six dimensions of conduct, counted from steps, and marked by people and models."""

    main_table: ClassVar[str] = "conduct"

    study: str
    """Its file."""
    conduct: tuple[Conduct, ...]
    marks: tuple[Rating, ...]
    agreement: tuple[Agreement, ...]
    asked: Mapping[str, object] = field(default_factory=dict)
    """What was done for it before: marks that were imported, what a judge did."""

    def to_plain(self) -> dict[str, Any]:
        """One plain-data object, ready for JSON; what cannot be known is null."""
        said = {"conduct": self.conduct, "marks": self.marks, "agreement": self.agreement}
        return as_json({"study": self.study, **self.asked, **said})

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        widths = {"measure, arm": 0, "%": 5, "95% interval": 14, "trials": 6, "tasks": 5, "unread": 6}
        title = "Conduct: shares of the occasions for it, means over tasks"
        known = [row for row in self.conduct if row.trials]
        yield numbers_table(title, widths, _measure_rows(known), options.max_width)
        for arm, row in {row.arm: row for row in self.conduct}.items():
            if row.coverage.steps:
                yield dim_line(printable_text_line(f"{arm}: {coverage_words(row.coverage)}"))
        if silent := len(self.conduct) - len(known):
            yield dim_line(f"{silent} more rows had no occasion, or nothing that could be read; --json has all of them")
        if self.marks:
            widths = {"dimension, arm, by whom": 0, "mark": 5, "95% interval": 12, "trials": 6, "of": 5, "tasks": 5}
            yield numbers_table("Marks, 0 to 10, means over tasks", widths, _marks(self.marks), options.max_width)
            yield from map(Text, _agreement_lines(self.agreement))


def _measure_rows(rows: Sequence[Conduct]) -> Iterator[tuple[str, ...]]:
    dimension = measure = ""
    for row in rows:
        if row.dimension != dimension:
            dimension = row.dimension
            yield (dimension,)
        if row.measure != measure:
            measure = row.measure
            yield (f"  {measure} ({row.good} is good)",)
        yield (
            f"    {row.arm}",
            hundredths_text(row.value),
            interval_text(row.low, row.high, none="one task"),
            str(row.trials),
            str(row.tasks),
            f"{row.unreadable / (row.trials + row.idle + row.unreadable):.0%}",
        )


def _marks(rows: Sequence[Rating]) -> Iterator[tuple[str, ...]]:
    dimension = ""
    for row in rows:
        if row.dimension != dimension:
            dimension = row.dimension
            yield (dimension,)
        interval = f"[{row.low:.1f}, {row.high:.1f}]" if row.low == row.low else "one task"
        yield (f"  {row.arm}, {row.reviewer}", f"{row.value:.1f}", interval, *map(str, (row.trials, row.of, row.tasks)))


def _agreement_lines(rows: Sequence[Agreement]) -> Iterator[str]:
    """How far reviewers agree; where nobody marked the same trials, that nothing is known of the marks."""
    for row in rows:
        kappa = row.kappa
        low, high = kappa.interval
        known = f"{kappa.kappa:.2f} [{low:.2f}, {high:.2f}]" if not kappa.reason else f"unknown: {kappa.reason}"
        yield printable_text_line(
            f"{row.dimension}: {row.first} and {row.second}: kappa {known}, same band {kappa.raw:.0%} of "
            f"{kappa.units}, {row.apart:.1f} points apart"
        )
    if not rows:
        yield "No trial was marked by two: what these marks mean is not known. People's marks: --import FILE --as NAME"


def marks_plain(marker: Marker, expected: Estimate, marks: Marks | None) -> dict[str, object]:
    """The cost of asking a judge, and its result, as plain data."""
    usd = expected.usd(marker.prices)
    told: dict[str, object] = {"reviewer": marker.reviewer, "expected_calls": expected.calls, "expected_usd": usd}
    if marks is None:
        return told
    names = ("given", "no_occasion", "unreadable", "without_answer", "left", "stopped")
    purse = marks.purse
    counts = {name: getattr(marks, name) for name in names}
    return told | counts | {"calls": purse.calls, "usd": None if purse.unpriced else purse.usd}


def marks_lines(marks: Marks) -> Iterator[str]:
    """The result of asking a judge, for people."""
    purse = marks.purse
    cost = f"${purse.usd:.4f}" if not purse.unpriced else "cost unknown"
    yield f"{marks.given} marks given in {purse.calls} calls, {cost}"
    for count, what in (
        (marks.no_occasion, "had no occasion"),
        (marks.unreadable, "could not be read, or too little of them"),
        (marks.without_answer, "got no answer that could be used"),
        (
            marks.left,
            f"are left{': ' + marks.stopped if marks.stopped else ''}; run the same command again to continue",
        ),
    ):
        if count:
            yield f"  {count} {what}"
