"""The grader's report of a check. It runs only trusted code, but on hostile answers: so its word is checked."""

import math
from dataclasses import dataclass
from typing import Literal

from honestly.errors import VerifierError
from honestly.records import Check
from honestly.sandbox._guest._cpu_time import CpuTime
from honestly.verify._guest import wire

MALFORMED = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError)
"""What a message of a malformed task raises; it becomes the grader's error, never the host's."""
_STATUSES = ("passed", "failed", "error", "timeout")
_HOW = ("whole", "process", "malformed", "unbegun", "host", "apart")


@dataclass(frozen=True, slots=True)
class GraderReport:
    """Status and message of a check."""

    status: Literal["passed", "failed", "error", "timeout"]
    message: str
    seconds: float
    waited: float
    """Seconds of these in which the grader was ready to run while others did; NaN where that is not known."""
    how: Literal["whole", "process", "malformed", "grader", "unbegun", "host", "apart"]
    """Whether the check was run, to its end or to that of its time, or until something ended it (`Check.ended`). If it
    was not, because the candidate's process did not begin, or because the check needs the host, it says nothing of the
    candidate. "apart": it was, and failed by an error of the system or of an import."""

    def check(self, name: str, seconds: float) -> Check:
        """The check for the verdict."""
        ended = self.how if self.how in ("process", "malformed", "grader") else ""
        return Check(id=name, status=self.status, message=self.message, ended=ended, seconds=round(seconds, 4))


NO_RESULT = GraderReport("error", "the grader did not survive what the solution sent", 0.0, 0.0, "grader")
"""Of a check that its grader did not survive."""


def with_grader(got: CpuTime | None, waited: float) -> CpuTime | None:
    """The time that a candidate got, and what it and its grader lacked, who take turns; None if either is not known."""
    return None if got is None or math.isnan(waited) else CpuTime(got.cpu, got.waited + waited)


def told_of_frame(payload: bytes) -> GraderReport:
    """Reads the payload of a frame; what is not text in the message, as escapes.

    Raises:
        VerifierError: it is something else.
    """
    try:
        status, message, seconds, waited, how = wire.loads(payload, None)
        if status in _STATUSES and how in _HOW:
            text = message.encode("utf-8", "backslashreplace").decode()
            return GraderReport(status, text, float(seconds), float(waited), how)
    except (wire.WireError, *MALFORMED):
        pass
    raise VerifierError("the grader sent what is not a result: the hidden checks must leave its channel alone")
