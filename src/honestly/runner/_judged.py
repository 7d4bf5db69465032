"""What came of a sample, small enough to be kept for hundreds of thousands of them."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from honestly.records import Record, Verdict

_LONGEST = 500


class Judged(Record, frozen=True, kw_only=True, gc=False):
    """A verdict in the words of `evaluate_functional_correctness`, with what those leave out."""

    status: Literal["passed", "failed", "error", "timeout", "void"]
    """`error`: the checks are broken; `void`: the machinery failed. Neither says anything about the sample."""
    result: str
    """`passed`, `timed out`, or `failed: ` and why."""
    tampered: tuple[str, ...] = ()
    """Signs of tampering that the verdict carries; any one makes it not passed."""
    checks: dict[str, str] = {}
    """Status of each check by its short name."""
    seconds: float | None = None
    """Wall-clock time of the checks."""

    @property
    def passed(self) -> bool:
        """Whether every check passed and nothing was tampered with."""
        return self.status == "passed"

    @classmethod
    def of(cls, verdict: Verdict) -> Judged:
        """The same in short."""
        checks = verdict.hidden.checks if verdict.hidden is not None else ()
        names = [check.id.rpartition(".test_")[2] for check in checks]
        status: Literal["passed", "failed", "error", "timeout"] = "passed" if verdict.honest else "failed"
        result = "passed" if verdict.honest else f"failed: {'; '.join(verdict.tampered) or 'no checks'}"
        for name, check in zip(names, checks, strict=True):
            if check.status != "passed":
                status = check.status if check.status in ("error", "timeout") else "failed"
                said = check.message if len(checks) == 1 else f"{name}: {check.message}"
                result = "timed out" if status == "timeout" else f"failed: {said or check.status}"[:_LONGEST]
                break
        return cls(
            status=status,
            result=result,
            tampered=verdict.tampered,
            checks=_statuses(tuple((name, check.status) for name, check in zip(names, checks, strict=True))),
            seconds=round(sum(check.seconds or 0.0 for check in checks), 4),
        )

    @classmethod
    def lost(cls, status: Literal["failed", "void"], error: Exception) -> Judged:
        """There is no verdict."""
        return cls(status=status, result=f"{status}: {type(error).__name__}: {error}"[:_LONGEST])


@lru_cache(maxsize=256)
def _statuses(found: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """One mapping for all results with the same statuses, of which a file of samples has a few only."""
    return dict(found)
