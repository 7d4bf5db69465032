"""Two agents compared, on one screen of a terminal: the sentence, the numbers, the tasks, what it takes to know."""

from collections.abc import Iterator

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text

from honestly.report._comparison import PairReport
from honestly.report._needs import Needs
from honestly.report._text import number, p_value, percent, plural, points, printable, shorten

__all__ = ["PairView"]

_TASKS = 6


class PairView:
    """A comparison that rich can print: `Console().print(PairView(report))`."""

    def __init__(self, report: PairReport) -> None:
        self._report = report

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        report = self._report
        yield Text(report.sentence, style="bold")
        if report.caution:
            yield Text.assemble(("! ", "bold yellow"), report.caution)
        yield Text()
        yield _numbers(report)
        if report.deciding:
            yield Text()
            yield _tasks(report, options.max_width)
        yield Text()
        for line in _needed(report.needs):
            yield Text(line)
        yield Text(f"Policy: {report.policy.text}.", style="dim")
        yield Text(f"The difference and its interval are about {report.estimand}.", style="dim")


def _numbers(report: PairReport) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    for label, text in _facts(report):
        table.add_row(Text(label), Text(text))
    return table


def _facts(report: PairReport) -> Iterator[tuple[str, str]]:
    level = percent(1 - report.alpha, 0)
    yield "A", f"{percent(report.score_a)}%  {printable(report.a)}"
    yield "B", f"{percent(report.score_b)}%  {printable(report.b)}"
    if report.interval:
        low, high = report.interval
        error = f", standard error {percent(report.se)}" if report.se is not None else ""
        interval = f"{level}% interval [{points(low)}, {points(high)}]{error}"
        yield "A − B", f"{points(report.difference)} points, {interval}"
    else:
        yield "A − B", f"{points(report.difference)} points; no interval: {report.reasons.get('se', 'not estimable')}"
    yield "p-value", f"{p_value(report.p_value)}  ({report.method})"
    if report.robust:
        found = report.robust
        ends = f"[{points(found.interval[0])}, {points(found.interval[1])}], " if found.interval else ""
        yield "clusters", f"{ends}p {p_value(found.p_value)}: {found.note}"
    for other in report.other_policies:
        yield other.name, f"{points(other.difference)} points, p {p_value(other.p_value)} (void and missing trials)"
    yield "tasks", f"A better on {report.wins}, B on {report.losses}, equal on {report.ties} of {report.n}"
    noise = report.noise
    if noise.prediction is not None and noise.total:
        share = percent(min(max(noise.prediction / noise.total, 0), 1), 0)
        yield "noise", f"{share}% of one sample's variance is from run to run, the rest from task to task"


def _tasks(report: PairReport, width: int) -> Table:
    shown = report.deciding[:_TASKS]
    more = len(report.deciding) - len(shown)
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    table.add_column("tasks that decide it" + (f" ({more} more differ)" if more else ""), no_wrap=True)
    for title in ("A", "B", "A − B"):
        table.add_column(title, justify="right", no_wrap=True)
    for task in shown:
        counts = (_count(task.a, task.a_samples), _count(task.b, task.b_samples))
        name = shorten(printable(task.task), max(width - 32, 12), cell_len)
        table.add_row(Text(name), *map(Text, counts), Text(points(task.difference, 0)))
    return table


def _count(share: float, samples: int) -> str:
    return f"{number(share * samples, 0)}/{samples}"


def _needed(needs: Needs) -> Iterator[str]:
    power = percent(needs.power, 0)
    if needs.detectable is None:
        yield f"What it would take to know cannot be said: {needs.reason}."
        return
    floor = ""
    if needs.detectable_at_most_samples is not None:
        floor = f"; more samples of the same tasks bring that to {percent(needs.detectable_at_most_samples)} at best"
    yield f"A study of this size finds a true gap of {percent(needs.detectable)} points with {power}% power{floor}."
    now = plural(round(sum(needs.samples) / 2), "sample")
    sizes = [
        f"{percent(size.gap, 0)} points {plural(size.questions, 'task')}" for size in needs.sizes if size.questions
    ]
    if sizes:
        yield f"To find a smaller one takes, at {now} each: {'; '.join(sizes)}."
