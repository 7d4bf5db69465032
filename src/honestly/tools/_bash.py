"""The tool `bash`: commands in one shell that lives as long as the trial, and commands that go on in the background.

What the shell is and what it withstands is in `_shell.py`; here is what the model asks and what it is told: the output
without terminal noise, its beginning and end if it is long, the exit status, what still runs, and what was lost when a
shell had to be replaced.
"""

from dataclasses import dataclass
from shlex import quote
from typing import Annotated

import anyio
from msgspec import Meta

from honestly.errors import ToolError
from honestly.sandbox import Sandbox
from honestly.tools._api import FunctionTool, ToolResult
from honestly.tools._shell import TREE_KILL, EndedCommand, Shell
from honestly.tools._text import middle_dropped, printed_text

_DOC = """
Runs commands in a bash that stays open: directory, variables, functions and activated environments last from one call
to the next; `exit` starts it afresh. Standard input is empty, and there is no terminal: pass flags instead of
answering prompts. A server or other long work is started with `background`, which gives a job number; ask for a `job`
to see what it has written since you last asked, with `kill` to end it.
"""
_LONGEST = 1 << 20
_SMALL_WAIT_S = 20.0
_POLL = r"""
code=$(cat "$1.code" 2>/dev/null); kill -0 "$3" 2>/dev/null && alive=yes
size=$(wc -c <"$1.out"); tail -c +"$2" "$1.out" | head -c $((size - $2 + 1))
echo "$size ${alive:-no} ${code:-none}" >&2
"""


@dataclass
class _Job:
    stem: str
    """Path of its files: what it wrote, and its exit status at the end."""
    pid: int
    seen: int = 0
    """Bytes of its output that the model has been given, or told of."""


class Bash(FunctionTool):
    """The tool that runs commands in one lasting shell; made once for each trial."""

    def __init__(self, *, timeout_s: float = 120.0, most_s: float = 1800.0, keep: int = 20_000) -> None:
        """A shell that is started when it is first needed.

        Args:
            timeout_s: Time of a command that asks for none.
            most_s: The longest time that it may ask for.
            keep: Characters of output that the model is shown for one call.
        """
        self._timeout_s, self._most_s, self._keep = timeout_s, most_s, keep
        doc = f"{_DOC.strip()} A command is killed after {timeout_s:g} seconds, or `timeout_s` (at most {most_s:g})."
        super().__init__(self._run_call, name="bash", doc=doc.replace("\n", " "))
        self._shell: Shell | None = None
        self._cwd = "."
        self._jobs: dict[int, _Job] = {}
        self._one_at_a_time = anyio.Lock()

    async def _run_call(
        self,
        box: Sandbox,
        command: Annotated[str, Meta(description="What to run.")] = "",
        timeout_s: Annotated[float | None, Meta(description="Seconds until it is killed.")] = None,
        background: Annotated[bool, Meta(description="Start it as a job, and return at once.")] = False,
        job: Annotated[int | None, Meta(description="Instead of a command: the number of a job.")] = None,
        kill: Annotated[bool, Meta(description="End that job.")] = False,
    ) -> ToolResult:
        if (job is None) == (not command.strip()):
            raise ToolError("expected either a command, or the number of a job")
        async with self._one_at_a_time:
            if job is not None:
                return await self._look_at_job(box, job, kill=kill)
            _require_command(command)
            if background:
                return await self._begin_job(box, command)
            return await self._run_command(box, command, min(timeout_s or self._timeout_s, self._most_s))

    async def close(self) -> None:
        """Ends the shell and its jobs."""
        shell, self._shell = self._shell, None
        if shell is not None:
            await shell.kill()

    async def _run_command(self, box: Sandbox, command: str, timeout_s: float) -> ToolResult:
        before = self._shell.left if self._shell else ()
        ended = await self._execute_command(box, command, timeout_s)
        text, dropped = self._shown_output(ended.output, ended.dropped, ended.file)
        notes = []
        if ended.timed_out:
            notes.append(f"killed: it ran for more than {timeout_s:g} seconds")
        if ended.death is None and ended.timed_out:
            notes.append("the shell lives on, with its directory and variables")
        elif ended.death is not None:
            notes.append(self._shell_obituary(ended))
        elif ended.code:
            notes.append(f"exit code {ended.code}")
        fresh = [str(pid) for pid in ended.left if pid not in before]
        if fresh:
            notes.append(f"still running in the background: {', '.join(fresh)}")
        code = ended.death.code if ended.death and not (ended.timed_out or ended.lost) else ended.code
        return ToolResult(text=_joined_output(text, notes), code=code, dropped=dropped + ended.dropped)

    async def _execute_command(self, box: Sandbox, command: str, timeout_s: float) -> EndedCommand:
        """Runs a command in the shell, which is started if need be, and forgotten if the command was its last."""
        if self._shell is None:
            self._shell = await Shell.open(box, self._cwd, self._keep)
        shell = self._shell
        try:
            ended = await shell.run_command(command, timeout_s)
        except BaseException:
            # Whoever was waiting is gone; a shell that still works on a command answers nobody else.
            await self.close()
            raise
        self._cwd = shell.cwd or self._cwd
        if ended.death is not None:
            self._shell = None
        return ended

    def _shell_obituary(self, ended: EndedCommand) -> str:
        death = ended.death
        if ended.lost:
            how = (
                "what the command wrote is lost, if it ran at all: the shell's own files could not be made (full disk?)"
            )
        elif ended.timed_out:
            how = "the shell could not be saved, nor what it had in the background"
        elif death is not None and death.out_of_memory:
            how = "the sandbox ran out of memory, and the shell was killed"
        elif death is not None and death.code is not None and death.code < 0:
            how = f"the shell was killed by signal {-death.code}"
        else:
            how = f"the shell itself ended, with exit code {death.code if death else None}"
        return f"{how}; the next command gets a new one in {self._cwd}, without the variables and functions of this one"

    async def _begin_job(self, box: Sandbox, command: str) -> ToolResult:
        number = len(self._jobs) + 1
        if self._shell is None:
            self._shell = await Shell.open(box, self._cwd, self._keep)
        stem = f"{self._shell.folder}/job{number}"
        begun = f": >|{quote(stem)}.out"  # by the shell itself: the job may be looked at before it has begun
        inside = f"{{ (eval {quote(command)}); echo $? >|{quote(stem)}.code; }} </dev/null >>{quote(stem)}.out 2>&1 &"
        ended = await self._execute_command(box, f"{begun}; {inside} printf ' %s' $!", _SMALL_WAIT_S)
        words = ended.output.split()
        if ended.death is not None or not words or not words[-1].isdigit():
            raise ToolError(
                f"the job could not be started: {printed_text(ended.output).strip() or 'the shell has ended'}"
            )
        self._jobs[number] = _Job(stem, int(words[-1]))
        return ToolResult(text=f"job {number} runs in the background, as process {self._jobs[number].pid}")

    async def _look_at_job(self, box: Sandbox, number: int, *, kill: bool) -> ToolResult:
        if number not in self._jobs:
            known = ", ".join(map(str, self._jobs)) or "none"
            raise ToolError(f"there is no job {number}; jobs: {known}")
        job = self._jobs[number]
        if kill:
            signals = [str(job.pid), "KILL", "KILL"]
            await box.exec(["/bin/sh", "-c", TREE_KILL, "sh", *signals], timeout=_SMALL_WAIT_S)
        asked = [job.stem, str(job.seen + 1), str(job.pid)]
        found = await box.exec(["/bin/sh", "-c", _POLL, "sh", *asked], timeout=_SMALL_WAIT_S)
        status = found.stderr.decode("utf-8", "replace").split()
        if found.code != 0 or len(status) < 3 or not status[-3].isdigit():
            raise ToolError(f"what job {number} wrote cannot be read: {printed_text(found.stderr).strip()}")
        size, alive, code = int(status[-3]), status[-2] == "yes", status[-1]
        text, dropped = self._shown_output(found.stdout, found.truncated, f"{job.stem}.out")
        job.seen = size
        state = f"exit code {code}" if code.isdigit() else ("still running" if alive and not kill else "killed")
        exit_code = int(code) if code.isdigit() else None
        return ToolResult(
            text=_joined_output(text, [f"job {number}: {state}"]), code=exit_code, dropped=dropped + found.truncated
        )

    def _shown_output(self, output: bytes, dropped: int, file: str) -> tuple[str, int]:
        where = f"; all of it is in {file}" if file else ""
        return middle_dropped(printed_text(output, dropped), self._keep, where)


def _require_command(command: str) -> None:
    if "\0" in command or len(command) > _LONGEST:
        raise ToolError("a command holds no null characters, and at most a million others; write a file instead")
    try:
        command.encode()
    except UnicodeEncodeError as error:
        raise ToolError(f"the command is not valid text: {error}") from None


def _joined_output(text: str, notes: list[str]) -> str:
    said = f"[{'; '.join(notes)}]" if notes else ""
    return "\n".join(part for part in (text.rstrip("\n"), said) if part) or "[no output]"
