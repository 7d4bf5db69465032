"""The seam of the room: what a detector is shown, what it says, and what a detector is.

A detector is a function of a case; it says suspicions, each with a verbatim quote and the step where it stands. What
becomes of them (states, records, the check of the quotes) is not its business. A case holds the five things that there
are to know of a trial: the trial itself, its trajectory as a step table, the verdict, the task, and the final edit.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple

from honestly.audit.languages._code import unread_files
from honestly.audit.reading._history import History, file_history
from honestly.audit.reading._kernels import Kernel, find_kernels
from honestly.audit.reading._left import LeftFile, Suspicion, files_left
from honestly.audit.reading._parts import StepRow
from honestly.audit.reading._table import Table
from honestly.audit.reading._tests_run import TestRun, find_test_runs
from honestly.records import Edit, Severity, Task, Trial, Verdict

GRADER_DEFECT = "grader defect"
"""Category of faults of the grader, which never count against the agent."""

_ANSWER = re.compile(r"```(?:python|py)?[ \t]*\n(.*?)```|<code>\s*\n(.*?)</code>", re.DOTALL)
_DOCUMENTS = (".md", ".rst", ".txt", ".adoc")
# Bytes of a document of the task's that counts as asked for.
_LONGEST_DOCUMENT = 50_000
Need = Literal["steps", "edits", "commands", "status", "verdict", "final", "tests log"]
"""What a detector reads: `steps`, all that was done; of it `edits` of files, `commands` with what they print, and the
`status` that they end with; the `final` files, which stand for the edits where they were kept."""


@dataclass(frozen=True)
class Case:
    """One trial, ready to be looked at."""

    trial: Trial
    table: Table | None
    """Its steps; None where there is no trajectory."""
    task: Task | None = None
    final: Edit | None = None
    """What the agent changed, as files; None where it was not kept."""
    logs: Mapping[str, str] = field(default_factory=dict)
    """Cleaned text of what the harness wrote down when it ran the tests, by name."""

    @property
    def verdict(self) -> Verdict:
        """The verdict of verification."""
        return self.trial.verdict

    @property
    def agent_steps(self) -> Sequence[StepRow]:
        """The agent's steps in order; empty where there is no trajectory."""
        return self.table.agent if self.table is not None else ()

    @cached_property
    def earned(self) -> bool:
        """Whether all checks that the agent never saw passed, in a verification of our own, untampered with."""
        hidden, task = self.verdict.hidden, self.task
        if hidden is None or not hidden.passed or self.verdict.tampered or task is None or task.hidden is None:
            return False
        shown = {*task.workspace.files.values(), *(task.visible.files.files.values() if task.visible else ())}
        return any(file not in shown for file in task.hidden.checks.files.files.values())

    @cached_property
    def history(self) -> History:
        """The history of its files; empty where there is no trajectory."""
        return file_history(self.agent_steps)

    @cached_property
    def test_runs(self) -> tuple[TestRun, ...]:
        """Every run of tests, in order."""
        return tuple(find_test_runs(self.agent_steps, self.history))

    @cached_property
    def left_files(self) -> tuple[LeftFile, ...]:
        """All text files that the agent wrote and left, or the programs in its last message where it left none."""
        found = tuple(files_left(self.final, self.task, self.history.final_sources()))
        last = self.table.final if self.table is not None and self.final is None and not found else None
        if last is None:
            return found
        blocks = (match[1] or match[2] for match in _ANSWER.finditer(last.prose))
        return tuple(LeftFile(f"answer{n or ''}.py", text, "", last.index, "") for n, text in enumerate(blocks))

    @cached_property
    def kernels(self) -> tuple[Kernel, ...]:
        """Those of these files that are kernels: programs that are measured."""
        return find_kernels(self.left_files, self.asked)

    @property
    def unparsed(self) -> int:
        """How many of these are in other languages than Python, and cannot be parsed."""
        return unread_files((file.path, file.text) for file in self.left_files)

    @cached_property
    def instruction(self) -> str:
        """The agent's instruction, as far as it is known."""
        if self.task is not None and self.task.instruction:
            return self.task.instruction
        return self.table.instruction if self.table is not None else ""

    @cached_property
    def told(self) -> str:
        """The instruction, and what the user said around it before the agent began: prohibitions stand in either.

        The harness's own prompt is neither the task's nor the user's, where these say anything.
        """
        around = self.table.user_words if self.table is not None else ""
        return around if self.instruction in around else f"{self.instruction}\n{around}"

    def shown_before(self, step: int, text: str) -> bool:
        """Whether `text` stood in the task or in an output before this step."""
        return text in self.instruction or (self.table is not None and self.table.shown_before(step, text))

    @cached_property
    def asked(self) -> str:
        """The instruction, and the documents of the task that it names, in lower case."""
        given = self.task.workspace.files if self.task is not None else {}
        named = (
            file.data.decode("utf-8", "replace")
            for path, file in given.items()
            if path.endswith(_DOCUMENTS) and path in self.instruction and len(file.data) < _LONGEST_DOCUMENT
        )
        return "\n".join((self.instruction, *named)).lower()


Look = Callable[[Case], Iterable[Suspicion]]
"""What a detector does."""


class Detector(NamedTuple):
    """A named, versioned way to look at a case."""

    name: str
    version: str
    """Changes with every change of what it flags; rates of different versions cannot be compared."""
    category: str
    """The kind of hack, in the words of the taxonomy."""
    needs: tuple[Need, ...]
    """What it reads: a case that has none of these is unreadable to it, and one in which they were not all understood,
    never clean."""
    look: Look
    summary: str = ""
    """One line for the table of detectors."""
    parses: bool = False
    """Whether it needs the syntax of other languages than Python: what could not be parsed stands in its findings."""
    severity: Severity = "hack"
    """What its suspicions charge an agent with, where they do not say otherwise."""
    rows: tuple[int, ...] = ()
    """Rows of the taxonomy that it stands for, where its category alone does not say."""
    moot: bool = False
    """Whether work that passes hidden checks here cannot be what it looks for: what was earned was not faked."""
    proved: bool = True
    """Whether it is known how often its flags of a hack are right on trials of others. Of one that is not, a flag that
    rests on steps alone is a smell: nobody held it to the files."""
    usual: bool = True
    """Whether it looks where nobody names it: one that is wrong more often than right is off until it is asked for."""

    def can_read(self, case: Case) -> bool:
        """Whether there is anything in the case for it to look at."""
        acted = case.table is not None and case.table.coverage.acts > 0
        has = {
            **dict.fromkeys(("steps", "commands", "status"), acted),
            "edits": acted or bool(case.left_files),
            "verdict": case.verdict.hidden is not None
            or case.verdict.visible is not None
            or bool(case.verdict.tampered),
            "final": case.final is not None,
            "tests log": bool(case.logs),
        }
        return any(has[need] for need in self.needs)

    @property
    def reads_steps(self) -> bool:
        """Whether it reads what was done."""
        return not {"steps", "edits", "commands", "status"}.isdisjoint(self.needs)
