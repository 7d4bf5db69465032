"""A pre-registration in a terminal: the sentence, then every promise with what became of it."""

from collections.abc import Iterator

from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text

from honestly.report.registration._report import RegistrationReport

_STYLES = {
    "kept": "green",
    "broken": "bold red",
    "undecided": "yellow",
    "not yet": "yellow",
    "not measurable": "yellow",
}


class RegistrationView:
    """A registration held against its study, which rich can print: `Console().print(RegistrationView(report))`."""

    def __init__(self, report: RegistrationReport) -> None:
        self._report = report

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        report = self._report
        yield Text(report.sentence, style="bold")
        if report.checks:
            yield Text()
            yield _table(report, options.max_width)
        yield Text(f"Hash of the registered document: {report.hash}", style="dim")


def _table(report: RegistrationReport, width: int) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    table.add_column("promise", no_wrap=True)
    table.add_column("", no_wrap=True)
    narrow = width < 100
    table.add_column("promised, and found" if narrow else "promised", overflow="fold", ratio=1)
    if not narrow:
        table.add_column("found", overflow="fold", ratio=1)
    for check in report.checks:
        words = [Text(check.promised), Text(check.found)]
        if narrow:
            words = [Text.assemble((check.promised, "dim"), "\n", check.found)]
        table.add_row(Text(check.topic.replace("_", " ")), Text(check.outcome, style=_STYLES[check.status]), *words)
    return table
