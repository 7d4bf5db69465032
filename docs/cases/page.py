"""What the case studies share: commands that run in an empty folder, and the page that is written from their answers.

A page is a text with names in braces, which a script fills in: `str.format`, so `{pair[n]}` and `{share:.1f}` work.
Paragraphs and lists are wrapped, everything else stays as it is. Nothing of the machine gets onto a page: commands are
shown with the names of their files, and run with the paths.

Not covered: drawing, which the report and the methods' chart do.
"""

import argparse
import json
import re
import shlex
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1] / "methods"))

__all__ = ["Desk", "Page", "count", "percent", "points", "short", "tick", "write"]

_WIDE = 118
_AS_THEY_ARE = ("    ", "|", "#", "![")


@dataclass(frozen=True, slots=True)
class Desk:
    """A folder in which commands run, and the published data that they read."""

    folder: Path
    data: Mapping[str, Path]
    """Where each name that commands use for published data lies."""

    def path(self, name: str) -> Path:
        """The published data of this name, or a file of the folder."""
        return self.data.get(name, self.folder / name)

    def ask(self, words: str) -> Any:  # noqa: ANN401 (any JSON)
        """What `honestly WORDS --json` answers.

        Raises:
            RuntimeError: the command ended with wrong input, or worse.
        """
        run = [str(self.data.get(word, word)) for word in shlex.split(words)]
        command = [sys.executable, "-m", "honestly", *run, "--json"]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode > 1:
            raise RuntimeError(f"honestly {words} ended with {done.returncode}: {done.stderr.strip()}")
        return json.loads(done.stdout)


@dataclass(frozen=True, slots=True)
class Page:
    """A text with names in braces, what they stand for, and pictures by their file's name."""

    template: str
    facts: Mapping[str, Any]
    pictures: Mapping[str, str]

    @property
    def text(self) -> str:
        """The page, filled in, no line of prose longer than 118 characters."""
        blocks = self.template.strip("\n").format(**self.facts).split("\n\n")
        return "\n\n".join(block if block.startswith(_AS_THEY_ARE) else _wrapped(block) for block in blocks) + "\n"


def _wrapped(block: str) -> str:
    """A paragraph, or a list whose items begin with a hyphen."""
    hyphen = "- " if block.startswith("- ") else ""
    return "\n".join(
        textwrap.fill(
            " ".join(item.split()),
            _WIDE,
            initial_indent=hyphen,
            subsequent_indent=" " * len(hyphen),
            break_long_words=False,
            break_on_hyphens=False,
        )
        for item in (block[2:].split("\n- ") if hyphen else [block])
    )


def percent(share: float) -> str:
    """A share of 1 in percent, one decimal."""
    return f"{100 * share + 1e-9:.1f}%"


def points(difference: float) -> str:
    """A difference of shares in percentage points, with its sign."""
    return f"{100 * difference + (1e-9 if difference >= 0 else -1e-9):+.1f}".replace("-", "−")


def tick(difference: float) -> str:
    """A difference of shares along an axis, in whole points."""
    return f"{100 * difference:+.0f}".replace("-", "−") if difference else "0"


def count(number: int) -> str:
    """A small number in words."""
    words = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    return words[number] if 0 <= number < len(words) else f"{number:,}"


def short(name: str) -> str:
    """A submission's name without the day on which it was made."""
    return re.sub(r"^\d{8}_|-\d\d-\d\d-\d\d$", "", name)


def write(name: str, describe: str, given: Sequence[str], make: Callable[[Desk], Page]) -> None:
    """The command line of a case: read the data, write `NAME.md` and its pictures.

    Args:
        name: of the case, its script, its page and the beginning of its pictures' names.
        describe: for `--help`.
        given: what commands call each piece of published data; one argument each.
        make: the page, from a desk with that data.
    """
    parser = argparse.ArgumentParser(description=describe)
    for each in given:
        parser.add_argument(re.sub(r"\W", "_", each), type=Path, metavar=each, help="where it lies")
    parser.add_argument("--into", type=Path, default=Path(__file__).parent, help="folder for the page and its pictures")
    parser.add_argument("--desk", type=Path, help="folder in which commands run, and leave their files")
    asked = parser.parse_args()
    data = {each: getattr(asked, re.sub(r"\W", "_", each)).resolve() for each in given}
    if missing := [
        str(path) for path in [*data.values(), asked.into, *filter(None, [asked.desk])] if not path.exists()
    ]:
        parser.error(f"nothing lies at {', '.join(missing)}")
    with tempfile.TemporaryDirectory() as folder:
        page = make(Desk((asked.desk or Path(folder)).resolve(), data))
    (asked.into / f"{name}.md").write_text(page.text, encoding="utf-8", newline="\n")
    for picture, svg in page.pictures.items():
        (asked.into / picture).write_text(svg, encoding="utf-8", newline="\n")
