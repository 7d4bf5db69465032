"""The puzzles: statements, inputs and right answers, from the archive that the package ships or from a folder.

Answers are compared here and never enter a sandbox. The first case of a puzzle is its example, which a model is shown;
the others it never sees.
"""

import hashlib
import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from honestly.errors import FormatError, TaskError
from honestly.formats import read_bytes
from honestly.languages._toolchains import Toolchain

_ARCHIVE = Path(__file__).with_name("puzzles.zip")
_LARGEST = 16 << 20


@dataclass(frozen=True)
class Puzzle:
    """One puzzle."""

    name: str
    statement: str
    cases: tuple[tuple[str, str], ...]
    """Inputs with their answers; the first is the example."""

    @cached_property
    def key(self) -> str:
        """A hash of what verdicts depend on."""
        return hashlib.sha256(repr(self.cases).encode()).hexdigest()[:16]

    def puzzle_prompt(self, toolchain: Toolchain) -> str:
        """The prompt for a model."""
        shown, answer = self.cases[0]
        return (
            f"Write a {toolchain.title} program that solves this puzzle.\n\n{self.statement.strip()}\n\n"
            f"The program reads words, separated by spaces or ends of lines, from standard input, and prints words, "
            f"separated by spaces, to standard output. For example, the input\n\n{shown}\n\ngives\n\n{answer}\n\n"
            f"It must find each answer in a few seconds. Use nothing but what the language comes with. "
            f"{toolchain.hint} Answer with the whole program in one block of code.".replace("  ", " ")
        )


def load_puzzles(folder: Path | None = None) -> dict[str, Puzzle]:
    """The puzzles by name.

    Args:
        folder: One folder for each, with `puzzle.md` and `cases.json`; the archive of the package if None.

    Raises:
        TaskError: There is none, or one is malformed.
    """
    found: dict[str, Puzzle] = {}
    for name, statement, cases in _puzzle_files(folder):
        try:
            read = tuple((str(case["input"]), str(case["output"])) for case in json.loads(cases))
        except (ValueError, TypeError, KeyError) as error:
            raise TaskError(f"the cases of puzzle {name!r}: {error!r}; expected a list of input and output") from error
        if len(read) < 2:
            raise TaskError(f"puzzle {name!r} has {len(read)} cases; expected an example, and one that stays hidden")
        found[name] = Puzzle(name, statement, read)
    if not found:
        raise TaskError(f"{folder or _ARCHIVE} contains no puzzles; expected PUZZLE/puzzle.md and PUZZLE/cases.json")
    return found


def _puzzle_files(folder: Path | None) -> Iterator[tuple[str, str, str]]:
    try:
        if folder is not None:
            for path in sorted(folder.glob("*/puzzle.md")):
                statement, cases = (read_bytes(path.with_name(name), _LARGEST) for name in ("puzzle.md", "cases.json"))
                yield path.parent.name, statement.decode(), cases.decode()
            return
        with zipfile.ZipFile(_ARCHIVE) as archive:
            for member in archive.namelist():
                name, _, file = member.rpartition("/")
                if file == "puzzle.md":
                    yield name, archive.read(member).decode(), archive.read(f"{name}/cases.json").decode()
    except (OSError, FormatError, KeyError, UnicodeDecodeError, zipfile.BadZipFile) as error:
        raise TaskError(f"puzzles in {folder or _ARCHIVE} cannot be read: {error}") from error
