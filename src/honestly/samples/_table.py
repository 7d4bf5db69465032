"""The output of `honestly bench samples` on pass rates; apart from them, since `--json` needs nothing of rich."""

from collections.abc import Iterator, Sequence

from rich.console import Console, ConsoleOptions, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from honestly.samples._pass_rates import LooksLike, PassRates
from honestly.show import all_of, finite_or_none, level_text, percent_text, plural_text, printable_text_line
from honestly.stats import PassEstimate, clopper_pearson_interval

_SHOWN = 3
_LONGEST = 160
_MOST_ROWS = 30
_LOOKS = "Looks like reaching for the judge; no verdict depends on it:"
_LOOKS_FINE = "No sample looks like reaching for its judge."
_OUTCOMES = {
    "passed": "passed",
    "failed": "failed",
    "timeout": "ran out of time",
    "error": "met a broken problem",
    "undecided": "are undecided",
}


class RatesView:
    """Rates that rich can print: `Console().print(RatesView(rates, "HumanEval", notes))`."""

    def __init__(self, rates: PassRates, name: str, notes: Sequence[str] = ()) -> None:
        """Args:
        rates: what is shown.
        name: of the problems.
        notes: further sentences, at the end.
        """
        self._rates, self._name, self._notes = rates, name, notes

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        rates = self._rates
        counts = f"{plural_text(len(rates.problems), 'problem')}, {plural_text(rates.samples, 'sample')}"
        yield Text(f"{printable_text_line(self._name)}: {counts}", style="bold")
        yield Text()
        yield _rates_table(rates)
        yield Text()
        for line in _rates_lines(rates):
            yield Text(line, style="dim")
        for warning in _rates_warnings(rates):
            yield Text.assemble(("! ", "bold yellow"), warning)
        yield Text(_LOOKS if rates.looks_like else _LOOKS_FINE, style="" if rates.looks_like else "dim")
        for found in rates.looks_like:
            yield Padding(Text(_sign(found)), (0, 0, 0, 2), expand=False)
        for note in self._notes:
            yield Text(note, style="dim")


def _rates_table(rates: PassRates) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    table.add_column("")
    table.add_column("%", justify="right", style="bold")
    table.add_column(f"{level_text(rates.estimates[0].level)} interval" if rates.estimates else "", justify="right")
    for estimate in rates.estimates:
        table.add_row(f"pass@{estimate.k}", *_estimate_cells(estimate))
    for check, estimates in rates.by_check.items() if len(rates.by_check) <= _MOST_ROWS else ():
        for estimate in estimates:
            table.add_row(
                Text(f"pass@{estimate.k}, {printable_text_line(check)} alone"), *_estimate_cells(estimate), style="dim"
            )
    for name, samples in rates.problems.items() if 1 < len(rates.problems) <= _MOST_ROWS else ():
        passed = sum(sample.judged.passed for sample in samples)
        counts = f"{passed} of {len(samples)} passed"
        table.add_row(Text(printable_text_line(name)), percent_text(passed / len(samples)), counts, style="dim")
    if (again := rates.rejudged) is not None and again.n:
        low, high = clopper_pearson_interval(again.disagree, again.n)
        bounds = f"[{percent_text(float(low))}, {percent_text(float(high))}]"
        table.add_row(
            "passes refuted", percent_text(again.disagree / again.n), bounds, style="red" if again.disagree else "dim"
        )
    return table


def _estimate_cells(estimate: PassEstimate) -> tuple[str, str]:
    low, high = map(finite_or_none, estimate.interval)
    return percent_text(estimate.value), "–" if low is None else f"[{percent_text(low)}, {percent_text(high)}]"


def _rates_lines(rates: PassRates) -> Iterator[str]:
    parts = [f"{rates.outcomes[key]:,} {words}" for key, words in _OUTCOMES.items() if rates.outcomes.get(key)]
    if parts:
        yield f"Of the samples, {all_of(parts)}."
    if (again := rates.rejudged) is not None and again.n:
        passes = plural_text(again.n, "pass", "passes")
        yield f"{passes} judged again, each alone in a new sandbox: {again.disagree} refuted."
    if rates.estimates:
        yield f"Unbiased estimates; the intervals are for {rates.estimates[0].estimand}, with problems as the unit."
    for note in dict.fromkeys(note for estimate in rates.estimates for note in estimate.notes):
        yield f"{printable_text_line(note)}."
    if rates.left_out:
        why = next(iter(rates.left_out.values()))
        yield f"Not estimated: {all_of(list(rates.left_out))}, because {printable_text_line(why)}."


def _rates_warnings(rates: PassRates) -> Iterator[str]:
    if void := rates.outcomes.get("void"):
        yield f"{plural_text(void, 'sample')} could not be judged, counted as failed; run it again to judge them."
    if rates.tampered:
        yield f"{plural_text(rates.tampered, 'sample')} tampered with the judge, counted as failed."
    if rates.undecided:
        reasons = all_of([f"{count:,} by {reason}" for reason, count in rates.doubts.items()])
        counted = (
            "all counted as failed" if rates.strict else "form and unguarded counted as passed, the others as failed"
        )
        found = " For a second verdict, run it again." if rates.doubts.get("again") else ""
        yield f"{plural_text(rates.undecided, 'sample')} undecided ({reasons}): {counted}; see docs/verdicts.md.{found}"
    for name, words in list(rates.broken.items())[:_SHOWN]:
        yield f"The problem {printable_text_line(name)} is broken: {printable_text_line(words)[:_LONGEST]}"
    if len(rates.broken) > _SHOWN:
        yield f"{len(rates.broken) - _SHOWN} more problems are broken (--json lists them)."


def _sign(found: LooksLike) -> str:
    shown = ", ".join(map(printable_text_line, found.samples[:_SHOWN])) + (
        ", ..." if len(found.samples) > _SHOWN else ""
    )
    return f"{found.sign}: {plural_text(len(found.samples), 'sample')}, {found.passed} of them passed ({shown})"
