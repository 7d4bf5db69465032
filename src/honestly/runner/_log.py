"""The log of a run, as JSON lines that are appended to a file: one for each event, for other programs to read.

Every line has `event`, `time` (ISO 8601, UTC), `run` (the process and when it began, so that several runs can share a
file) and `suite`; what else it has is said in docs/status.md. A line is written in one call, so that lines of
two runs do not mix. Where a line cannot be written any more (the disk is full), that is said once, and the run goes on.
"""

import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from honestly.errors import StoreError
from honestly.runner._attempt import TrialResult, utc_timestamp
from honestly.runner._oversight import Looker
from honestly.runner._plan import Plan, Planned
from honestly.work import refuse_database

if TYPE_CHECKING:
    from honestly.runner._progress import Progress


class RunLog(Looker):
    """Writes a log of a run."""

    def __init__(self, path: Path) -> None:
        """A log; the file is made, or added to.

        Raises:
            StoreError: it cannot be written.
        """
        self._path, self._run, self._suite = path, f"{utc_timestamp()}/{os.getpid()}", ""
        refuse_database(path)
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        except OSError as error:
            said = f"the log {path} cannot be written: {error.strerror}; expected a file in a folder that exists"
            raise StoreError(said) from error

    def run_began(self, plan: Plan, held: int) -> None:
        """A run begins."""
        self._suite = plan.suite.name
        self._write("run-began", planned=len(plan.trials), held=held, agents=plan.names, seed=plan.seed)

    def began(self, planned: Planned) -> None:
        """An attempt begins."""
        self._write("trial-began", **_planned_fields(planned))

    def ended(self, planned: Planned, result: TrialResult) -> None:
        """It has ended."""
        trial = result.trial
        self._write(
            "trial-ended",
            **_planned_fields(planned),
            outcome=str(trial.outcome),
            error=trial.reason or None,
            seconds=trial.seconds,
            agent_seconds=trial.agent_seconds,
            usd=trial.usage.usd,
            input_tokens=trial.usage.input_tokens,
            output_tokens=trial.usage.output_tokens,
        )

    def run_ended(self, now: "Progress") -> None:
        """The run has ended."""
        for agent, reason in now.given_up.items():
            self._write("agent-given-up", agent=agent, error=reason)
        names = ("done", "void", "missing", "elsewhere", "redone", "stopped")
        self._write("run-ended", **{name: getattr(now, name) for name in names})
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _write(self, event: str, **fields: object) -> None:
        if self._file < 0:
            return
        known = {name: value for name, value in fields.items() if value is not None}
        line = {"event": event, "time": utc_timestamp(), "run": self._run, "suite": self._suite, **known}
        data = msgspec.json.encode(line) + b"\n"
        try:
            complete = os.write(self._file, data) == len(data)
        except OSError:
            complete = False
        if not complete:
            os.close(self._file)
            self._file = -1
            logging.getLogger("honestly").warning("the run continues, but its log %s cannot be written", self._path)


def _planned_fields(planned: Planned) -> dict[str, object]:
    return {"trial": planned.id, "agent": planned.actor.record.name, "task": planned.task.id, "sample": planned.sample}
