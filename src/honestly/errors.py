"""The one tree of errors.

Every error that a user can meet is a `HonestlyError`; its message says what was found, what was expected and what to
do. A failed attempt of an agent is data (an `Outcome`), never one of these. Anything else that escapes is a bug.
"""

__all__ = [
    "AgentError",
    "AttemptError",
    "BudgetError",
    "FormatError",
    "FrameError",
    "GitError",
    "HonestlyError",
    "ModelError",
    "PreflightError",
    "ReferenceFailsError",
    "SandboxBusyError",
    "SandboxError",
    "SandboxLimitError",
    "SandboxUnavailableError",
    "SettingsError",
    "SiteError",
    "StatisticsError",
    "StoreError",
    "StudyAwayError",
    "StudyBusyError",
    "StudyDamagedError",
    "StudyMovedError",
    "StudyTooNewError",
    "TaskError",
    "ToolError",
    "TrackerError",
    "UnfairComparisonError",
    "VerifierError",
    "ViewError",
    "WorkflowError",
]


class HonestlyError(Exception):
    """Root of the tree; the command line prints its message and exits with `exit_code`."""

    exit_code = 2


class StatisticsError(HonestlyError, ValueError):
    """The data cannot answer the question asked of them (missing cells, a flat 0/1 list, n < k)."""


class UnfairComparisonError(StatisticsError):
    """Two sides differ in more than the agents: in tasks, limits or harness, or attempts are there twice."""


class FrameError(HonestlyError):
    """A result has no such table, or what makes data frames is not installed."""


class TaskError(HonestlyError):
    """A task or suite on disk is malformed, or does not exist."""


class GitError(TaskError):
    """Git is not there, or could not do what a repository was asked for."""


class FormatError(HonestlyError):
    """Somebody else's file is not in the format that it claims."""


class NoResultsError(FormatError):
    """No file at a place holds a result that can be read."""


class StoreError(HonestlyError):
    """A study cannot be opened, read or written."""


class StudyDamagedError(StoreError):
    """The file is a study, but its content is not intact."""


class StudyTooNewError(StoreError):
    """The file was written by a newer version of honestly."""


class StudyAwayError(StoreError):
    """The database of a study cannot be reached."""


class StudyMovedError(StoreError):
    """The file of a study is no longer where it was opened: it was removed, renamed, replaced or overwritten."""


class StudyBusyError(StoreError):
    """Another process is writing this study."""


class SandboxError(HonestlyError):
    """A sandbox broke in a way that is not the doing of the code inside it."""


class SandboxBusyError(SandboxError):
    """The machine is so busy that work did not get the processor time that its limit allows."""


class SandboxLimitError(SandboxError):
    """The code inside left more than the sandbox hands out: its own doing, like a full disk or a huge workspace."""


class UnhealthyError(SandboxError):
    """A service of a task's image did not pass its health check."""


class SandboxUnavailableError(SandboxError):
    """This machine does not let us build a sandbox."""

    exit_code = 3


class SettingsError(HonestlyError, ValueError):
    """What was asked of a verb makes no sense: a value is out of its range, or two settings do not go together."""


class SiteError(HonestlyError):
    """There is no such web site to open."""


class AgentError(HonestlyError):
    """An agent's name or parameters make no sense."""


class ModelError(HonestlyError):
    """A model did not answer."""

    def __init__(
        self, message: str, *, transient: bool = False, status: int | None = None, retry_after_s: float | None = None
    ) -> None:
        """An error.

        Args:
            message: What was found, what was expected, what to do.
            transient: Asking again later may help.
            status: Of the HTTP reply, where there was one.
            retry_after_s: Seconds that the server wants to be left alone for, where it said so.
        """
        super().__init__(message)
        self.transient = transient
        self.status = status
        self.retry_after_s = retry_after_s


class PreflightError(HonestlyError):
    """A requirement of trials is missing, so that none was begun."""


class BudgetError(HonestlyError):
    """The budget of a trial is spent."""


class ToolError(HonestlyError):
    """A tool was asked for what it cannot do; the message is for whoever asked."""


class VerifierError(HonestlyError):
    """The verification machinery itself failed; the trial becomes void."""


class ReferenceFailsError(VerifierError):
    """A task's own reference does not pass its hidden checks, without which no work can be judged."""


class ViewError(HonestlyError):
    """The viewer cannot be started, or was asked for what it does not have."""


class WorkflowError(HonestlyError):
    """A workflow of `honestly agent tickets` cannot be read or followed."""

    def __init__(self, kind: str, message: str) -> None:
        """An error of a kind that programs can tell apart: `missing_workflow_file`, `workflow_parse_error`, ..."""
        super().__init__(f"{kind}: {message}")
        self.kind = kind


class TrackerError(HonestlyError):
    """The tickets cannot be read, or one of them cannot be written."""


class AttemptError(HonestlyError):
    """One attempt at a ticket has failed; the next one may do better."""

    def __init__(self, kind: str, message: str) -> None:
        """An error of a kind that programs can tell apart: `workspace`, `hook`, `turn_timeout`, ..."""
        super().__init__(f"{kind}: {message}")
        self.kind = kind
