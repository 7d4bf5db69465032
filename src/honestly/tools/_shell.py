"""A bash that lives as long as a trial: commands go in one after the other, and each comes back with what it wrote.

The shell reads its own standard input as a script. A command is one line, `eval` of a quoted text, with an empty
standard input and with both streams in a file; so what it starts in the background can write on without ever blocking,
and nothing that it prints is taken for an answer of ours. The next line makes the shell itself say how the command
ended, on a pipe that no command inherits, under a mark that is drawn anew for each command and that the shell reads
only after it. Small outputs come with that answer, without starting a process; large ones are fetched with `cat`, at
most as much as the sandbox keeps.

What it does not keep out: a command that works on its own shell's descriptors or memory on purpose. It can end the
session, or lie about its own exit status; it could do that anyway.
"""

import re
import secrets
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from shlex import quote

import anyio

from honestly.errors import SandboxError, ToolError
from honestly.sandbox import Process, Result, Sandbox, unpaused_limit

_VARIABLES = {"HISTFILE": "", "PAGER": "cat", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0", "TERM": "dumb"}
_START = (
    "PS1= PS2=; set +o history +H; trap 'kill -INT $$' USR1; cd -- {cwd}; "
    '__d=${{TMPDIR:-/tmp}}/.shell-{token}; mkdir -p "$__d"; '
    "printf '\\0%s\\0%s\\0%s\\0%s\\0' {mark} \"$__d\" $$ {mark}; unset __d\n"
)
# A backslash keeps aliases out, `builtin` the functions that somebody may have defined under these names.
_RUN = (
    "\\builtin : >|{file} || {{ \\builtin command mkdir -p {folder}; \\builtin : >|{file}; }}; "
    "\\builtin eval {command} </dev/null >>{file} 2>&1\n"
)
_REPORT = (
    "__s=$?; LC_ALL=C IFS= \\builtin read -rN {inline} __o <{file} || \\builtin :; "
    "IFS= \\builtin read -r __c </proc/$$/task/$$/children || \\builtin :; "
    "\\builtin printf '\\0%s\\0%s\\0%s\\0%s\\0%s\\0%s\\0%s\\0' "
    '{mark} "$__s" "$PWD" "${{__o+kept}}" "${{__o-}}" "${{__c-}}" {mark}; \\builtin unset __s __o __c\n'
)
_STARTED = re.compile(rb"([^\x00]*)\x00(\d+)\x00")
_REPORTED = re.compile(rb"(\d+)\x00([^\x00]*)\x00(kept|)\x00([^\x00]*)\x00([\d ]*)\x00")
_START_S, _FETCH_S, _PATIENCE_S, _DYING_S, _SHORT_S = 30.0, 10.0, 3.0, 2.0, 0.2
_NOISE = 1 << 20  # bytes kept of what is not an answer: a command that writes to the shell's pipe must not fill memory
_KEPT_FILES, _KEPT_BYTES = 8, 16 << 20
_WITHOUT_TERMINAL = re.compile(rb"^bash: \[\d+: \d+ \(\d+\)\] tcsetattr: [^\n]*\n", re.MULTILINE)

TREE_KILL = r"""
root=$1 signal=$2 first=$3; shift 3
spared=" $* " found=" $root " grown=1
[ "$first" = KILL ] && kill -STOP "$root"
while [ "$grown" ]; do
    grown=
    for stat in /proc/[0-9]*/stat; do
        { IFS= read -r line <"$stat"; } 2>/dev/null || continue
        pid=${stat#/proc/} pid=${pid%/stat}
        set -- ${line##*) }
        case "$spared$found" in *" $pid "*) continue ;; esac
        case "$found" in *" $2 "*) found="$found$pid " grown=1; [ "$signal" = KILL ] && kill -STOP "$pid" ;; esac
    done
done
for one in $first; do kill -"$one" "$root"; done
kill -"$signal" ${found#" $root "}
[ "$first" = KILL ] || exit 0
looks=0
for pid in $found; do
    while [ "$looks" -lt 100 ] && { read -r line <"/proc/$pid/stat"; } 2>/dev/null; do
        case "${line##*) }" in [ZX]*) break ;; esac
        looks=$((looks + 1)); sleep 0.02
    done
done
"""
"""Signals a process and all that descends from it: process, signal for descendants, signals for it, pids to spare.

What is to be killed is stopped as it is found, so that nothing can fork away between the search and the end. A process
that is killed with all its descendants is waited for, two seconds at most: a signal is sent sooner than it is obeyed.
"""

_TO_SHELL = "USR1 INT"
# Its trap for the first comes before the next command of a list, even if the one that was interrupted dies otherwise.


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedCommand:
    """How a command in the shell ended."""

    code: int | None
    """Exit status; None if it was killed, or took the shell with it."""
    output: bytes
    """What it wrote to both streams; of much output, the beginning and the end."""
    dropped: int = 0
    """Bytes that are not in `output`."""
    file: str = ""
    """Where all of it lies, if that was kept."""
    timed_out: bool = False
    left: tuple[int, ...] = ()
    """Processes that the shell has in the background now."""
    lost: bool = False
    """Nobody knows what it wrote, nor whether it ran: the shell's own files are gone."""
    death: Result | None = None
    """How the shell ended, if it did."""


class Shell:
    """A running bash in a sandbox."""

    def __init__(self, box: Sandbox, process: Process, inline: int) -> None:
        self._box, self._process, self._inline = box, process, inline
        self._buffer = b""
        self._number = 0
        self._kept: list[str] = []
        self._pid = 0
        self.left: tuple[int, ...] = ()
        self.folder = ""
        self.cwd = ""

    @classmethod
    async def open(cls, box: Sandbox, cwd: str, inline: int) -> "Shell":
        """Starts one.

        Args:
            box: Where.
            cwd: Its directory, if that is there.
            inline: Bytes of output up to which a command's file is not kept.

        Raises:
            ToolError: The sandbox has no bash, or no room for its files.
        """
        # Interactive, so that an interrupt ends the command and not the shell.
        start = ["bash", "--noprofile", "--norc", "--noediting", "-i"]
        try:
            shell = cls(box, await box.start(start, env=_VARIABLES), inline)
        except SandboxError as error:
            raise ToolError(f"cannot start a shell: {error}") from error
        mark = secrets.token_hex(16)
        found = None
        text = _START.format(token=secrets.token_hex(4), mark=mark, cwd=quote(cwd))
        try:
            with anyio.move_on_after(_START_S):
                found = await shell._ask_shell(text, mark, _STARTED)
        except BaseException:  # whoever waited is gone
            await shell.kill()
            raise
        if found is None:
            result = await shell.kill()
            why = result.stderr.decode("utf-8", "replace").strip().splitlines()[-1:] or ["it gave no answer"]
            raise ToolError(f"cannot start a shell: {why[0]}; expected bash in the sandbox's PATH")
        shell.folder, shell._pid = found[0].decode("utf-8", "surrogateescape"), int(found[1])
        return shell

    async def run_command(self, command: str, timeout_s: float) -> EndedCommand:
        """Runs a command to its end, or to that of its time.

        Raises:
            ToolError: The command cannot be given to a shell.
        """
        file = f"{self.folder}/{self._number}.out"
        quoted = quote(file)
        before, mark = self.left, secrets.token_hex(16)
        text = _RUN.format(file=quoted, folder=quote(self.folder), command=quote(command))
        report = _REPORT.format(file=quoted, inline=self._inline + 1, mark=mark)
        found, timed_out = None, True
        with unpaused_limit(self._box, timeout_s):
            found = await self._ask_shell(text + report, mark, _REPORTED)
            timed_out = False
        if timed_out:
            found = await self._interrupt(before, report, mark)
        if found is None:
            death = await self.kill(0 if timed_out else _DYING_S)
            output, dropped = await self._fetch(file)
            output = output.removesuffix(b"exit\n")
            return EndedCommand(code=None, output=output, dropped=dropped, timed_out=timed_out, death=death)
        code, cwd, kept, output, children = found
        self.cwd, self.left = cwd.decode("utf-8", "surrogateescape"), tuple(map(int, children.split()))
        if not kept:
            return EndedCommand(code=None, output=b"", timed_out=timed_out, lost=True, death=await self.kill())
        dropped, keep = 0, ""
        if len(output) > self._inline:
            output, dropped = await self._fetch(file)
            keep = file if dropped < _KEPT_BYTES else ""
        if keep or self.left:
            # Leaves a file to whoever wants to read it, and goes on with another; the oldest is deleted.
            self._kept.append(file)
            self._number += 1
            if len(self._kept) > _KEPT_FILES:
                await self._box.exec(["rm", "-f", "--", self._kept.pop(0)], timeout=_FETCH_S)
        return EndedCommand(
            code=None if timed_out else int(code),
            output=_WITHOUT_TERMINAL.sub(b"", output),
            dropped=dropped,
            file=keep,
            timed_out=timed_out,
            left=self.left,
        )

    async def kill(self, after_s: float = 0.0) -> Result:
        """Ends the shell and all that it has started, unless it ends by itself before. Returns how it ended."""
        with anyio.CancelScope(shield=True):
            with anyio.move_on_after(after_s):
                await self._process.wait()
            await self._process.kill()
        return await self._process.wait()

    async def _ask_shell(self, text: str, mark: str, pattern: re.Pattern[bytes]) -> tuple[bytes, ...] | None:
        """Sends lines and waits for what answers them; None once the shell is gone."""
        try:
            await self._process.send(text.encode("utf-8", "surrogateescape"))
        except SandboxError:
            return None
        found = None
        # What the shell has in the background may hold its pipe open: the end of the shell is looked for by itself.
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._end_of_shell, tasks.cancel_scope)
            found = await self._answer_fields(mark.encode(), pattern)
            tasks.cancel_scope.cancel()
        return found

    async def _end_of_shell(self, waiting: anyio.CancelScope) -> None:
        await anyio.sleep(_SHORT_S)  # most commands are over by then, and looking costs more than they do
        with suppress(SandboxError):  # the sandbox is gone, and the shell with it
            await self._process.wait()
        waiting.cancel()

    async def _answer_fields(self, mark: bytes, pattern: re.Pattern[bytes]) -> tuple[bytes, ...] | None:
        """The fields between a mark and the same mark."""
        while True:
            rest = self._buffer.partition(b"\0%b\0" % mark)[2]
            found = pattern.match(rest)
            if found and rest.startswith(mark + b"\0", found.end()):
                self._buffer = b""
                return found.groups()
            data = await self._process.receive()
            if not data:
                return None
            self._buffer = (self._buffer + data)[-_NOISE:]

    async def _interrupt(self, spared: Sequence[int], report: str, mark: str) -> tuple[bytes, ...] | None:
        """Ends the command that runs, as Ctrl-C does, then with force; None if the shell did not come back."""
        until = time.monotonic() + _PATIENCE_S
        signal = "INT"
        while time.monotonic() < until:
            pids = [str(self._pid), signal, _TO_SHELL, *map(str, spared)]
            await self._box.exec(["/bin/sh", "-c", TREE_KILL, "sh", *pids], timeout=_FETCH_S)
            signal = "KILL"
            with anyio.move_on_after(0.4):
                # An interrupt may swallow what is being read, the first character of a line or all of it.
                return await self._ask_shell("\n\n" + report, mark, _REPORTED)
        return None

    async def _fetch(self, file: str) -> tuple[bytes, int]:
        """The content of a file, as far as a sandbox keeps the output of a command."""
        result = await self._box.exec(["cat", "--", file], timeout=_FETCH_S)
        return result.stdout, result.truncated
