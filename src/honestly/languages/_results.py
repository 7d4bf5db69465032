"""The results of judging, sample by sample, on disk: the same command goes on where it was stopped.

A line holds how far the program came and what was written then, not its class of failure: classes follow from rules,
and better rules read old results anew. A verdict is used again for the same program, cases, toolchain (its version and
its commands) and limit of time, whoever wrote it.
"""

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

from honestly.errors import FormatError
from honestly.languages._find import FoundToolchain
from honestly.languages._judge import ProgramRun
from honestly.languages._puzzles import Puzzle
from honestly.languages._samples import ProgramSample
from honestly.work import Journal


def verdict_key(found: FoundToolchain, puzzle: Puzzle, code: str, cpu_s: int) -> str:
    """A hash of all that a verdict depends on."""
    parts = (found.key, puzzle.key, str(cpu_s), code)
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class JudgedProgram:
    """A sample with its verdict."""

    sample: ProgramSample
    ran: ProgramRun
    """`stage` is `no-code` where there was nothing to run."""

    @property
    def all_passed(self) -> bool:
        """Whether every case was answered rightly."""
        return self.ran.stage == "passed"


class ProgramResults:
    """The file of verdicts, open for more; a line that was cut off is judged again."""

    def __init__(self, path: Path) -> None:
        """Reads what is there.

        Raises:
            FormatError: The file was not written by this command, or cannot be written.
            StudyBusyError: The command is at work on it.
        """
        self._journal = Journal(path, error=FormatError)
        try:
            what = "a verdict of honestly bench languages (another --out names a new file)"
            self.known: dict[str, ProgramRun] = dict(self._journal.rows(_result_verdict, what))
        except BaseException:
            self._journal.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._journal.close()

    def add(self, key: str, sample: ProgramSample, ran: ProgramRun) -> None:
        """Keep a verdict.

        Raises:
            FormatError: It cannot be written.
        """
        who = {"language": sample.language, "puzzle": sample.puzzle, "model": sample.model, "sample": sample.sample}
        self._journal.append(json.dumps({**who, "key": key, **asdict(ran)}).encode())
        self.known[key] = ran


def _result_verdict(line: bytes) -> tuple[str, ProgramRun]:
    row = json.loads(line)
    return str(row["key"]), ProgramRun(row["stage"], row["output"], row["case"], row["seconds"])
