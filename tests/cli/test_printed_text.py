"""What files of others say is printed as it stands: brackets are no markup, `:watch:` is no picture."""

import re
from dataclasses import dataclass
from pathlib import Path

from honestly.command import show
from honestly.show import FittingTable, Shown

SOURCE = Path(__file__).parents[2] / "src" / "honestly"
FOREIGN = "test_a[red] [/red] npm run x:watch: :smile:"


@dataclass(frozen=True, slots=True, repr=False)
class Said(Shown):
    text: str

    def __rich_console__(self, console, options):
        yield self.text
        table = FittingTable("a", "b")
        table.add_row(self.text, "c")
        yield table


def test_brackets_and_colons_are_printed_as_they_are(capsys):
    show(Said(FOREIGN))
    assert capsys.readouterr().out.count(FOREIGN) == 2
    assert repr(Said(FOREIGN)).count(FOREIGN) == 2


def test_no_console_replaces_colons_and_only_one_that_escapes_reads_markup():
    for path in SOURCE.rglob("*.py"):
        text = path.read_text("utf-8")
        for call in re.findall(r"(?<![\w`])Console\(([^)]*)", text):
            assert "emoji=False" in call, path
            assert "markup=False" in call or "rich.markup import escape" in text, path
