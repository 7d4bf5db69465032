"""What judging came to, sample by sample, on disk: the same command goes on where it was stopped.

A line holds how far the program came and what was written then, not its class of failure: classes follow from rules,
and better rules read old results anew. A verdict is used again for the same program, cases, toolchain (its version and
its commands) and limit of time, whoever wrote it.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self, TextIO

from honestly.errors import FormatError
from honestly.languages._find import FoundToolchain
from honestly.languages._judge import Ran
from honestly.languages._puzzles import Puzzle
from honestly.languages._samples import ProgramSample

_BEGINS = b'{"language": '
"""How a line begins that was cut off; nothing else is ever cut away."""


def verdict_key(found: FoundToolchain, puzzle: Puzzle, code: str, cpu_s: int) -> str:
    """A hash of all that a verdict depends on."""
    parts = (found.key, puzzle.key, str(cpu_s), code)
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class JudgedProgram:
    """A sample with its verdict."""

    sample: ProgramSample
    ran: Ran
    """`stage` is `no-code` where there was nothing to run."""

    @property
    def passed(self) -> bool:
        """Whether every case was answered rightly."""
        return self.ran.stage == "passed"


class ProgramResults:
    """The file of verdicts, open for more; a line that was cut off is judged again."""

    def __init__(self, path: Path) -> None:
        """Reads what is there.

        Raises:
            FormatError: The file was not written by this command.
            OSError: It cannot be read or written.
        """
        self._path = path
        self.known: dict[str, Ran] = dict(self._read()) if path.exists() else {}
        self._file: TextIO | None = None

    def __enter__(self) -> Self:
        whole = self._path.read_bytes() if self._path.exists() else b""
        if whole and not whole.endswith(b"\n"):
            os.truncate(self._path, whole.rfind(b"\n") + 1)
        self._file = self._path.open("a", encoding="utf-8")
        return self

    def __exit__(self, *_: object) -> None:
        if self._file:
            self._file.close()

    def add(self, key: str, sample: ProgramSample, ran: Ran) -> None:
        """Keep a verdict."""
        assert self._file
        self.known[key] = ran
        who = {"language": sample.language, "puzzle": sample.puzzle, "model": sample.model, "sample": sample.sample}
        self._file.write(json.dumps({**who, "key": key, **asdict(ran)}) + "\n")
        self._file.flush()

    def _read(self) -> Iterator[tuple[str, Ran]]:
        lines = self._path.read_bytes().split(b"\n")
        for number, line in enumerate(lines, 1):
            if not line:
                continue
            try:
                row = json.loads(line)
                yield str(row["key"]), Ran(row["stage"], row["output"], row["case"], row["seconds"])
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                if number == len(lines) and isinstance(error, ValueError) and line.startswith(_BEGINS):
                    return
                what = f"{self._path}, line {number}: not a verdict of honestly languages"
                raise FormatError(f"{what}; expected its own results there: name another --out") from None
