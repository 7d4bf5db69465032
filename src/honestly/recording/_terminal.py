"""A shell in a terminal of its own, between the person's terminal and the journal of a recording.

Keys go to the shell and are never written down; what was typed in a line while the terminal did not echo is from then
on a secret. The bash tells in marks of its own (an operating system command with a word that no program knows) where
a command begins and how it ended; they are taken out before the person or the journal sees them.
"""

import base64
import codecs
import fcntl
import os
import pty
import re
import select
import shlex
import signal
import struct
import sys
import termios
import tty
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from typing import NamedTuple

from honestly.recording._journal import RecordingJournal

RECORDING = "HONESTLY_RECORDING"
"""The variable by which a shell knows that it is being recorded."""

_BASHRC = r"""
trap '' INT
[ -r ~/.bashrc ] && . ~/.bashrc
__honestly_word=@WORD@
[ -r "$HISTFILE" ] && history -r "$HISTFILE"
unset HISTFILE; HISTCONTROL=; HISTIGNORE=; set -o history; shopt -s cmdhist lithist
__honestly_begins() { printf '\033]7717;%s;c;%s\007' "$__honestly_word" "$(HISTTIMEFORMAT= history 1 | base64 -w0)"; }
__honestly_ended() { local code=$?; printf '\033]7717;%s;d;%s\007' "$__honestly_word" "$code"; return "$code"; }
PS0='$(__honestly_begins)'"$PS0"
PROMPT_COMMAND=(__honestly_ended "${PROMPT_COMMAND[@]}")
trap - INT
"""
_HISTORY = re.compile(r"\s*(\d+)[* ]\s?")
_LONGEST_MARK = 1 << 20
_DRAIN_S = 0.3


class Size(NamedTuple):
    """Of a terminal."""

    columns: int
    lines: int


def terminal_size() -> Size:
    """Columns and lines of the person's terminal; 80 by 24 where there is none."""
    try:
        found = os.get_terminal_size(sys.stdin.fileno())
    except (OSError, ValueError):
        return Size(80, 24)
    return Size(found.columns or 80, found.lines or 24)


@dataclass
class _Marks:
    """Takes the shell's marks out of its output."""

    word: str
    _held: bytes = b""
    _pattern: re.Pattern[bytes] = field(init=False)

    def __post_init__(self) -> None:
        self._begin = b"\x1b]7717;" + self.word.encode() + b";"
        self._pattern = re.compile(re.escape(self._begin) + rb"([cd]);([^\x07]*)\x07")

    def parts(self, data: bytes) -> list[tuple[str, bytes]]:
        """Output (`o`) and marks (`c`, `d`), in order; what may be the beginning of a mark waits."""
        data, found, at = self._held + data, [], 0
        for mark in self._pattern.finditer(data):
            found += [("o", data[at : mark.start()]), (mark[1].decode(), mark[2])]
            at = mark.end()
        rest = data[at:]
        begun = rest.rfind(b"\x1b")
        tail = rest[begun:] if begun >= 0 else b""
        waits = tail and (self._begin.startswith(tail) or tail.startswith(self._begin)) and len(tail) < _LONGEST_MARK
        self._held = tail if waits else b""
        return [*found, ("o", rest[:begun] if waits else rest)]


def record_terminal(
    command: Sequence[str], journal: RecordingJournal, after: Callable[[], None], *, folder: Path
) -> tuple[int, bool]:
    """Run a command in a terminal until it ends.

    Args:
        command: empty for a bash that says where each command begins and ends.
        journal: what is kept goes there as it happens.
        after: called when a command of the shell has ended, before the next can begin.
        folder: where to run it.

    Returns:
        The exit status, and whether the person's terminal was gone before the end.
    """
    shell = not command or (len(command) == 1 and os.path.basename(command[0]) == "bash")  # noqa: PTH119
    word = token_hex(12)
    with ExitStack() as stack:
        argv = list(command)
        if shell:
            reading, writing = os.pipe()
            os.write(writing, _BASHRC.replace("@WORD@", word).encode())
            os.close(writing)
            os.set_inheritable(reading, True)
            argv = ["bash", "--rcfile", f"/dev/fd/{reading}", "-i"]
        size = terminal_size()
        pid, master = pty.fork()
        if pid == 0:  # the child: nothing of ours runs in it any more
            try:
                os.chdir(folder)
                os.environ[RECORDING] = "1"
                os.execvp(argv[0], argv)  # noqa: S606
            except OSError as error:
                os.write(2, f"{argv[0]}: {error.strerror}\r\n".encode())
            os._exit(127)
        stack.callback(os.close, master)
        if shell:
            os.close(reading)
        _set_size(master, size)
        run = _Run(pid, master, journal, _Marks(word), after if shell else lambda: None)
        if not shell:
            journal.command(shlex.join(command))
        if sys.stdin.isatty():
            before = termios.tcgetattr(sys.stdin.fileno())
            stack.callback(_restore, before)
            tty.setraw(sys.stdin.fileno())
        code, gone = run.loop(stack)
        if (not shell or run.inside) and not gone:
            journal.ended(code)
        after()
        return code, gone


def _restore(before: list[object]) -> None:
    with suppress(termios.error):
        termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, before)  # type: ignore[arg-type]


def _set_size(descriptor: int, size: Size) -> None:
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", size.lines, size.columns, 0, 0))


@dataclass
class _Run:
    pid: int
    master: int
    journal: RecordingJournal
    marks: _Marks
    after: Callable[[], None]
    inside: bool = False
    """Whether a command of the shell is running."""
    _typed: bytearray = field(default_factory=bytearray)
    _keys: bytes = b""
    _number: str = ""
    _gone: bool = False

    def __post_init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def loop(self, stack: ExitStack) -> tuple[int, bool]:
        """Passes keys and output on until the child has ended or the person's terminal is gone."""
        wake, signals = os.pipe()
        for end in (wake, signals):
            os.set_blocking(end, False)
            stack.callback(os.close, end)
        handled = (signal.SIGWINCH, signal.SIGCHLD, signal.SIGHUP, signal.SIGTERM)
        kept = {number: signal.signal(number, lambda *_: None) for number in handled}
        earlier = signal.set_wakeup_fd(signals, warn_on_full_buffer=False)
        stack.callback(lambda: [signal.signal(number, handler) for number, handler in kept.items()])
        stack.callback(signal.set_wakeup_fd, earlier)
        keyboard, code = sys.stdin.fileno(), None
        reading = [keyboard, self.master, wake]
        while not self._gone:
            waits = [self.master] if self._keys else []
            typed = keyboard in reading
            ready, writable, _ = select.select(reading, waits, [], _DRAIN_S if code is not None or not typed else None)
            if not ready and not writable:
                if code is not None:
                    break  # the child has ended, and nothing more comes
                self._keys = b"\x04"  # a shell that was not listening yet is told again
            if wake in ready:
                self._hear(os.read(wake, 512))
                if code is None:
                    done, status = os.waitpid(self.pid, os.WNOHANG)
                    code = os.waitstatus_to_exitcode(status) if done else None
            if keyboard in ready and not self._take_keys(keyboard):
                reading.remove(keyboard)
            if self.master in writable:
                with suppress(OSError):
                    self._keys = self._keys[os.write(self.master, self._keys[:1024]) :]
            if self.master in ready:
                if not (data := _read_descriptor(self.master)):
                    break
                self._show(data)
        if code is None:
            code = self._end()
        return (code if code >= 0 else 128 - code), self._gone

    def _hear(self, signals: bytes) -> None:
        for number in signals:
            if number == signal.SIGWINCH:
                size = terminal_size()
                _set_size(self.master, size)
                self.journal.resized(*size)
            elif number != signal.SIGCHLD:
                self._gone = True

    def _take_keys(self, keyboard: int) -> bool:
        """Takes what was typed; whether more can come."""
        keys = _read_descriptor(keyboard)
        if keys:
            self._note_unechoed(keys)
        elif sys.stdin.isatty():
            self._gone = True
        self._keys += keys or b"\x04"  # nobody types any more
        return bool(keys)

    def _end(self) -> int:
        """The child's status; where the terminal is gone it is told so."""
        if self._gone:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(self.pid, signal.SIGHUP)
                os.kill(self.pid, signal.SIGCONT)
            for _ in range(20):
                done, status = os.waitpid(self.pid, os.WNOHANG)
                if done:
                    return os.waitstatus_to_exitcode(status)
                select.select([], [], [], 0.05)
            return -signal.SIGHUP
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def _note_unechoed(self, keys: bytes) -> None:
        """Remembers a line that is typed while the terminal takes lines and does not show them."""
        try:
            flags = termios.tcgetattr(self.master)[3]
        except termios.error:
            return
        if flags & termios.ECHO or not flags & termios.ICANON:
            self._typed.clear()
            return
        for key in keys:
            if key in b"\r\n\x03\x04":
                self.journal.redactor.add_secret(self._typed.decode("utf-8", "replace"))
                self._typed.clear()
            elif key in b"\x7f\x08":
                del self._typed[-1:]
            elif key == 0x15:
                self._typed.clear()
            else:
                self._typed.append(key)

    def _show(self, data: bytes) -> None:
        for kind, part in self.marks.parts(data):
            if kind == "o" and part:
                text = self._decoder.decode(part)
                try:
                    _write_all(sys.stdout.fileno(), part)
                except OSError:
                    self._gone = True
                self.journal.output(text)
            elif kind == "c":
                said = base64.b64decode(part).decode("utf-8", "replace").rstrip("\n")
                number = _HISTORY.match(said)
                fresh = number is not None and number[1] != self._number
                self._number = number[1] if number else ""
                self.inside = True
                self.journal.command(said[number.end() :] if fresh and number else "(the shell keeps no history)")
            elif kind == "d" and self.inside:
                self.inside = False
                self.journal.ended(int(part) if part.isdigit() else 1)
                self.after()


def _read_descriptor(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65_536)
    except OSError:
        return b""


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
