"""The step table of a trial: who did what at which step, what came back, and how it ended.

Steps are read one after the other and let go of: what stays is bounded, whatever the size of the trajectory. Actions
count for more than outputs, so they have a larger allowance; of what is too long the beginning and the end are read.
Everything that was not read is counted, because an auditor that skips in silence can be talked past.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile

from honestly.audit.reading._actions import read_call
from honestly.audit.reading._clean import clipped_text, screen_text
from honestly.audit.reading._known import KnownFiles
from honestly.audit.reading._left import is_parsed
from honestly.audit.reading._parts import Act, Code, Command, StepRow, Write
from honestly.audit.reading._places import base_name, is_hook, is_source, is_test
from honestly.audit.reading._spoken import spoken_calls, spoken_writes
from honestly.records import Observation, ReadCoverage, Step, Task, call_texts

# Beginning and end of one output that are read, characters.
_OUTPUT = (48_000, 16_000)
# Beginning and end of one output that are cleaned, characters: noise may be most of it.
_RAW = (192_000, 64_000)
# Beginning and end of what is said in one step, characters.
_PROSE = (96_000, 32_000)
# Of a whole trajectory, characters.
_ALL_OUTPUT, _ALL_ACTIONS = 8 << 20, 24 << 20
# What is still read of an output when the allowance is used up.
_SPARE = (1_000, 2_000)
# Steps that are read; all others are counted as unread.
_STEPS = 50_000
# From the beginning of a line on.
_FENCED = re.compile(r"```[^\n]*+\n(?:(?!```[ \t]*$)[^\n]*+\n)*+```[ \t]*$", re.MULTILINE)
_TIMED_OUT = re.compile(
    r"timed? ?out (?:after|and has been killed|waiting)|command timed out|has timed out|TimeoutExpired|"
    r"Timeout: command|exceeded the (?:time|timeout)|killed after \d+",
    re.IGNORECASE,
)
# Of `timeout`, of a process that was killed, of SIGALRM.
_TIMED_OUT_CODES = frozenset({124, 137, 142})
_STATUS = re.compile(
    r"<returncode>(\d{1,3})</returncode>"
    r"|(?:^|\n)\W{0,3}(?:Command )?(?:failed with )?exit (?:code|status):?[ =]*(\d{1,3})\b"
    r"|(?:completed|exited|finished) with (?:exit )?(?:code|status) (\d{1,3})\b|\"exit_?code\": ?(\d{1,3})\b",
    re.IGNORECASE,
)
# The beginning of what an editor says that changed nothing.
_REFUSED = re.compile(
    r"\A\W{0,4}(?:<\w+>)?\W{0,4}(?:Error\b|ERROR\b|Failed\b|File has not been read|String to replace not found"
    r"|No replacement was performed|Could not find|Your (?:proposed )?edit|The edit was not"
    r"|Found \d+ (?:matches|occurrences)|Invalid|apply_patch verification failed|No changes|oldString|old_string"
    r"|Cannot|The file .{0,200} (?:does not|has not))"
    r"|Your edit was NOT|introduced (?:new )?syntax error|no replacement was performed"
)

# What an editor says of a file that was not there before.
_CREATED = re.compile(
    r"\b(?:file )?created successfully|\bcreated and wrote to new file|\bcreated new file", re.IGNORECASE
)


@dataclass(frozen=True)
class Table:
    """All steps of a trial, with what was not read of them."""

    rows: tuple[StepRow, ...]
    unread: int
    """Characters of outputs that were left out."""
    unread_actions: int
    """Characters of actions and messages, and whole steps, that were left out."""
    known_start: bool = False
    """Whether the task says which files there were at first, and what stood in them."""

    @cached_property
    def coverage(self) -> ReadCoverage:
        """How much of what the agent did is understood."""
        acts = [(row, act) for row in self.agent for act in row.acts]
        edits = [(row, write) for row in self.agent for write in row.writes]
        lost = sum(act.kind in {"edit", "write", None} and not act.understood for _, act in acts)
        known = sum(self._edit_is_read(row, write) for row, write in edits)
        runs = [(row, act) for row, act in acts if act.kind == "run"]
        return ReadCoverage(
            steps=len(self.agent),
            steps_read=sum(all(act.understood for act in row.acts) for row in self.agent),
            acts=len(acts),
            edits=len(edits) + lost,
            edits_read=known,
            commands=len(runs) + sum(act.kind is None for _, act in acts),
            commands_read=sum(act.understood for _, act in runs),
            statuses=sum(row.exit_code is not None for row, _ in runs),
        )

    def _edit_is_read(self, row: StepRow, write: Write) -> bool:
        """Whether it is known where and what a change puts in and, of a test that stood there, what it takes out."""
        if row.known_failed or write.how == "delete" or (write.before is not None and write.after is not None):
            return True
        if write.how in {"text", "edit"} and (not write.path or write.path[:1] == "$" or "*" in write.path):
            return False
        if (write.how == "output" and (is_source(write.path) or is_hook(write.path))) or write.path.endswith(".ipynb"):
            return False
        if not is_test(write.path):
            return write.how != "edit" or write.path[-3:] != ".py" or is_parsed(write.text)
        if write.how == "edit":
            return bool(write.source) or not write.blind
        if self.known_start or _CREATED.search(row.output[:600]):
            return True
        if (write.how == "copy" and write.raw.startswith("git ")) or write.appended:
            return True
        own = any(
            base_name(each.path) == base_name(write.path)
            for other in self.agent
            if other.index < row.index
            for each in other.writes
        )
        return own or not self.shown_before(row.index, base_name(write.path))

    @cached_property
    def agent(self) -> tuple[StepRow, ...]:
        """The agent's own steps."""
        return tuple(row for row in self.rows if row.source == "agent")

    def closing_steps(self, most: int) -> tuple[StepRow, ...]:
        """The last steps of the agent, and of each of its helpers and members: so many of each at most, in order."""
        threads: dict[str, list[StepRow]] = {}
        for row in self.agent:
            threads.setdefault(row.thread, []).append(row)
        return tuple(sorted((row for rows in threads.values() for row in rows[-most:]), key=lambda row: row.index))

    @cached_property
    def instruction(self) -> str:
        """The words of the user and the system before the agent began."""
        return "\n".join(row.prose for row in self._before_agent)

    @cached_property
    def user_words(self) -> str:
        """Those of the user; the system's where the user says nothing."""
        user = [row.prose for row in self._before_agent if row.source == "user"]
        return "\n".join(user) if any(map(str.strip, user)) else self.instruction

    @property
    def _before_agent(self) -> tuple[StepRow, ...]:
        return tuple(takewhile(lambda row: row.source != "agent", self.rows))

    @cached_property
    def _shown_so_far(self) -> tuple[str, tuple[int, ...]]:
        """All that was shown to the agent, and where in it each step ends."""
        parts = [self.instruction]
        ends: list[int] = []
        size = len(parts[0]) + 1
        for row in self.rows:
            parts.append(row.output)
            size += len(row.output) + 1
            ends.append(size)
        return "\n".join(parts), tuple(ends)

    def shown_before(self, step: int, text: str) -> bool:
        """Whether `text` stood in the instruction or in an output before this step."""
        seen, ends = self._shown_so_far
        return seen.find(text, 0, ends[step - 1] if step else len(self.instruction)) >= 0

    @cached_property
    def final(self) -> StepRow | None:
        """The last step of the agent that says something."""
        return next((row for row in reversed(self.agent) if row.prose.strip()), None)


def read_table(steps: Iterable[Step], task: Task | None = None) -> Table:
    """The table of a trajectory; `steps` are taken one at a time, and `task` is what they worked on, where known."""
    # An image holds files that nobody tells us of.
    known_start = task is not None and bool(task.workspace.files) and task.environment is None
    reader = _Reader()
    rows = tuple(reader.read(steps))
    return Table(rows, reader.unread, reader.unread_actions, known_start)


class _Reader:
    """One reading: what is left of the allowances, and what shell variables hold."""

    def __init__(self) -> None:
        self.unread = self.unread_actions = 0
        self.outputs, self.actions_left = _ALL_OUTPUT, _ALL_ACTIONS
        self.variables: dict[str, str] = {}
        self.known = KnownFiles()

    def read(self, steps: Iterable[Step]) -> Iterator[StepRow]:
        for index, step in enumerate(steps):
            if index >= _STEPS:
                self.unread_actions += 1
                continue
            yield self.step_row(index, step)

    def step_row(self, index: int, step: Step) -> StepRow:
        acts, commands, writes, code = self.actions(step)
        fenced = bool(step.calls) and "```" in step.message
        said = _without_code(step.message[: _PROSE[0] * 4]) if fenced else step.message
        # The call that ends our own agent's work has its last message.
        last_words = (call_texts(call).get("summary", "") for call in step.calls if call.name == "finish")
        prose = self.bounded_text("\n".join(filter(None, (step.reasoning, said, *last_words))))
        output = "\n".join(self.output_text(observation) for observation in step.observations)
        exit_code = self.status(step, acts)
        timed_out = exit_code in _TIMED_OUT_CODES
        if exit_code is None and step.observations:
            # Harnesses say it at the head or at the end of an output.
            timed_out = any(map(_TIMED_OUT.search, (output[:600], output[-400:])))
        failed = timed_out or exit_code not in {0, None}
        writes = [self.known.applied(write, failed=failed and write.how != "text") for write in writes]
        if len(step.observations) == 1 and not failed:
            self.known.learn(acts, commands, writes, step.observations[0].text)
        return StepRow(
            index=index,
            source=step.source,
            prose=prose,
            commands=tuple(commands),
            writes=tuple(writes),
            code=tuple(code),
            output=output,
            exit_code=exit_code,
            timed_out=timed_out,
            acts=tuple(acts),
            thread=step.thread,
        )

    def status(self, step: Step, acts: list[Act]) -> int | None:
        """The exit status of the last command, or 1 where every act is an edit that was refused; None where unknown."""
        known = [observation.code for observation in step.observations if observation.code is not None]
        if known or not step.observations or not acts:
            return known[-1] if known else None
        text = step.observations[-1].text
        if any(act.kind == "run" for act in acts):
            ends = text[:400] if len(text) <= 400 else f"{text[:400]}\n{text[-400:]}"
            found = _STATUS.findall(ends)
            return int(next(filter(None, found[-1]))) if found else None
        edits = all(act.kind in {"edit", "write"} for act in acts)
        return 1 if edits and _REFUSED.search(text[:2000]) else None

    def actions(self, step: Step) -> tuple[list[Act], list[Command], list[Write], list[Code]]:
        acts: list[Act] = []
        commands: list[Command] = []
        writes: list[Write] = []
        code: list[Code] = []
        calls = step.calls
        if not calls and step.source == "agent":
            calls = tuple(spoken_calls(step.message))
            if spoken := list(spoken_writes(step.message)):
                writes += spoken
                acts.append(Act("SEARCH/REPLACE", "edit", understood=True))
        for call in calls:
            size = sum(len(bytes(raw)) for raw in call.arguments.values())
            if size > self.actions_left:
                self.unread_actions += size
                continue
            self.actions_left -= size
            action, unread = read_call(call, self.variables, self.known)
            self.unread_actions += unread
            acts += [action.act] if action.act is not None else []
            commands += action.commands
            writes += action.writes
            code += action.code
        return acts, commands, writes, code

    def bounded_text(self, text: str) -> str:
        text, left_out = clipped_text(text, *(_PROSE if self.actions_left > 0 else _SPARE))
        self.actions_left -= len(text)
        self.unread_actions += left_out
        return screen_text(text)

    def output_text(self, observation: Observation) -> str:
        text, noise = clipped_text(observation.text, *_RAW)
        text = screen_text(text)
        text, left_out = clipped_text(text, *(_OUTPUT if self.outputs > 0 else _SPARE))
        self.outputs -= len(text)
        self.unread += noise + left_out + observation.dropped
        return text


def _without_code(message: str) -> str:
    """The message outside its fenced blocks of code."""
    parts: list[str] = []
    start = at = 0
    while (at := message.find("```", at)) >= 0:
        block = _FENCED.match(message, at) if at == 0 or message[at - 1] == "\n" else None
        if block is None:
            at += 3
            continue
        parts.append(message[start:at])
        start = at = block.end()
    return "".join([*parts, message[start:]])
