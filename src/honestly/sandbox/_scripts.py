"""A sandbox by three means only: run a script to its end, put a file, get a file; what a pod's runtime offers (`Pod`).

`Box` fulfils the `Sandbox` protocol with them. Bytes go through files beside the runtime's own directory and, of
commands, through base64, since a runtime's answers are text. A program that lives on (`start`) reads from a pipe in
the file system, and what it writes is asked for again and again, each time waiting a little inside.

The scripts need `sh`, `tar`, `base64`, `env`, `head`, `mkdir`, `mkfifo`, `mktemp`, `setsid`, `sleep`, `tail`, `timeout`
and `wc` in the image, and /proc. What they answer can be forged by the code inside, about itself alone: an answer that
makes no sense counts as its doing (`SandboxLimitError`), one that does not come at all does not.
"""

import base64
import binascii
import posixpath
import re
import secrets
import shlex
import signal
import socket
from collections.abc import Mapping, Sequence
from typing import Protocol

import anyio

from honestly.errors import SandboxError, SandboxLimitError
from honestly.records import Tree
from honestly.sandbox._api import HERE, NO_ENV, Limits, Process, Result
from honestly.sandbox._layout import Layout
from honestly.sandbox._machine import argv_of, base_environment, deadline_s
from honestly.sandbox._shell import NO_FILE, NOT_THERE, exit_code, last_line, require_file_work
from honestly.sandbox._tar import ArchiveError, pack_tree, unpack_tree

_LONGEST = 100_000  # of a script that goes along as an argument; the kernel takes 131,071 bytes
_ARCHIVE_SLACK = 64 << 20
_FILES_S = 300.0
_POLL_S = 10
_SHOW = """
show() {
  n=$(wc -c <"$1"); echo "$n"
  if [ "$n" -gt KEEP ]; then head -c HALF "$1" | base64; echo ,; tail -c HALF "$1" | base64; else base64 <"$1"; fi
  echo .
}
"""
_EXEC = """
b=$PWD; d=$(mktemp -d) || exit 125
IFS=' .' read -r s c _ </proc/uptime
(cd -- CWD && exec env -i ENV HONESTLY_COMMAND=TAG timeout -s KILL SECONDS GUARD ARGV) <INPUT >"$d/o" 2>"$d/e"
code=$?
IFS=' .' read -r t u _ </proc/uptime
echo "$code" "$(( (t - s) * 100 + 1$u - 1$c ))"
show "$d/o"; show "$d/e"; rm -rf -- "$d" FILE
"""
_START = """
d=/tmp/TAG; mkdir -p "$d" && mkfifo "$d/in" || exit 125
setsid sh -c 'sleep 10000000 >"$0/in" & echo $! >"$0/holder"; cd -- "$1" || exit 126; shift
"$@" <"$0/in" >"$0/o" 2>"$0/e"; code=$?; kill "$(cat "$0/holder")"; echo $code >"$0/code"' \\
  "$d" CWD env -i ENV HONESTLY_COMMAND=TAG GUARD ARGV \\
  >/dev/null 2>&1 </dev/null & echo $! >"$d/pid"
"""
# A command looks, once it can be found by its variable, whether it was killed before it began.
_GUARD = """/bin/sh -c '[ -e "/tmp/killed-$HONESTLY_COMMAND" ] && kill -9 $$; exec "$@"' sh"""
_KILL = """
: >"/tmp/killed-TAG"
for round in 1 2 3 4 5 6 7 8; do
  found=
  for file in /proc/[0-9]*/environ; do
    if grep -q -- "HONESTLY_COMMAND=TAG" "$file" 2>/dev/null; then
      process=${file#/proc/}; kill -9 "${process%/environ}" 2>/dev/null && found=1
    fi
  done
  [ "$found" ] || exit 0
done
"""
_READ = f'[ -e PATH ] || exit {NOT_THERE}; [ -f PATH ] || exit {NO_FILE}; cat -- PATH >"$PWD/FILE"'
_WRITE = (
    f"b=$PWD; mkdir -p -- PARENT && {{ [ ! -e PATH ] || [ -f PATH ] || exit {NO_FILE}; }} "
    '&& cat <"$b/FILE" >PATH && chmod MODE PATH; code=$?; rm -f -- "$b/FILE"; exit $code'
)


class Answer(Protocol):
    """How a script ended."""

    exit_code: int
    stdout: str
    stderr: str


class Pod(Protocol):
    """The runtime in a pod; each method raises a SandboxError if it does not answer."""

    async def run_script(self, script: str, seconds: float) -> Answer:
        """Run a script of `sh` in the runtime's own directory."""

    async def put(self, name: str, data: bytes) -> None:
        """Write a file there."""

    async def get(self, name: str, most: int) -> bytes:
        """Read a file there; a SandboxLimitError where it is larger than `most` bytes."""

    async def hang_up(self) -> None:
        """Hang up; the claim is deleted by who made it."""


class Box:
    """A sandbox by way of a pod's runtime."""

    name = "kubernetes"

    def __init__(self, pod: Pod, limits: Limits, layout: Layout) -> None:
        self.limits = limits
        self._pod = pod
        self._layout = layout
        self._closed = False

    async def plant_tree(self, tree: Tree) -> None:
        """Make the directories, and write the files of a tree."""
        name, folders = _random_name(), shlex.join((self._layout.workspace, *self._layout.private))
        await self._pod.put(name, pack_tree(tree))
        script = f'b=$PWD; mkdir -p -- {folders} && tar -xpf "$b/{name}" -C {shlex.quote(self._layout.workspace)}'
        answer = await self.ask_script(f'{script}; code=$?; rm -f -- "$b/{name}"; exit $code')
        if answer.exit_code:
            raise SandboxError(f"the files cannot be unpacked in the pod: {last_line(answer.stderr)}")

    async def exec(
        self,
        command: str | Sequence[str],
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - the command's deadline, not the caller's patience
        env: Mapping[str, str] = NO_ENV,
        stdin: bytes = b"",
        cwd: str = HERE,
    ) -> Result:
        """Run a command to its end; see `Sandbox.exec`."""
        seconds = deadline_s(timeout, self.limits)
        tag, name, half = secrets.token_hex(8), _random_name(), self.limits.output_bytes // 2
        if stdin:
            await self.put(name, stdin)
        filled = _filled_script(
            _EXEC,
            TAG=tag,
            SECONDS=f"{max(seconds, 0.001):.3f}",
            INPUT=f'"$b/{name}"' if stdin else "/dev/null",
            FILE=f'"$b/{name}"' if stdin else "",
            **self._script_words(argv_of(command), env, cwd),
        )
        try:
            script = _filled_script(_SHOW, KEEP=str(self.limits.output_bytes), HALF=str(half)) + filled
            asked = anyio.current_time()
            answer = await self.ask_script(script, seconds)
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                await self.kill(tag)
            raise
        return _script_result(answer.stdout, seconds, half, anyio.current_time() - asked)

    async def start(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str] = NO_ENV,
        cwd: str = HERE,
        stdio: socket.socket | None = None,
    ) -> Process:
        """Start a command with pipes; see `Sandbox.start`."""
        if stdio is not None:
            raise SandboxError(f"a sandbox of the kind {self.name!r} takes no socket for a command")
        tag = f"honestly-{secrets.token_hex(8)}"
        answer = await self.ask_script(
            _filled_script(_START, TAG=tag, **self._script_words(argv_of(command), env, cwd))
        )
        if answer.exit_code:
            raise SandboxError(f"cannot start {command[0]!r}: {last_line(answer.stderr)}")
        return Started(self, tag)

    async def read(self, path: str) -> bytes:
        """Return the content of a file; see `Sandbox.read`."""
        name = _random_name()
        answer = await self.ask_script(_filled_script(_READ, PATH=shlex.quote(self._absolute_path(path)), FILE=name))
        require_file_work(answer.exit_code, answer.stderr, path)
        return await self._fetched_file(name, self.limits.disk_mb << 20)

    async def write(self, path: str, data: bytes, *, executable: bool = False) -> None:
        """Create or replace a file; see `Sandbox.write`."""
        name, place = _random_name(), self._absolute_path(path)
        await self.put(name, data)
        words = {"PARENT": shlex.quote(posixpath.dirname(place)), "MODE": "755" if executable else "644"}
        answer = await self.ask_script(_filled_script(_WRITE, PATH=shlex.quote(place), FILE=name, **words))
        require_file_work(answer.exit_code, answer.stderr, path)

    async def snapshot(self) -> Tree:
        """Return the workspace's files; see `Sandbox.snapshot`. What goes wrong inside counts as the code's doing."""
        name, limit = _random_name(), self.limits.disk_mb << 20
        place = shlex.quote(self._layout.workspace)
        answer = await self.ask_script(
            f'chmod -R u+rwX {place} 2>/dev/null; tar -cf "$PWD/{name}" --exclude="./.honestly-*" -C {place} .'
        )
        if answer.exit_code:
            raise SandboxLimitError(f"the workspace could not be packed inside the pod: {last_line(answer.stderr)}")
        try:
            return unpack_tree(await self._fetched_file(name, limit + _ARCHIVE_SLACK), limit)
        except ArchiveError as error:
            raise SandboxLimitError(f"the workspace could not be packed inside the pod: {error}") from error

    async def close(self) -> None:
        """Give the runtime up with everything inside; see `Sandbox.close`."""
        if not self._closed:
            self._closed = True
            with anyio.CancelScope(shield=True):
                await self._pod.hang_up()

    async def kill(self, tag: str) -> None:
        """Kill what carries a tag."""
        await self.ask_script(_KILL.replace("TAG", tag))

    async def ask_script(self, script: str, seconds: float = _FILES_S) -> Answer:
        """Run a script, however long its text is."""
        if self._closed:
            raise SandboxError("the sandbox is closed")
        if len(script.encode("utf-8", "surrogatepass")) > _LONGEST:
            name = _random_name()
            await self.put(name, script.encode("utf-8", "surrogatepass"))
            script = f'. "$PWD/{name}"'
        return await self._pod.run_script(script, seconds)

    async def put(self, name: str, data: bytes) -> None:
        """Write a file beside the runtime."""
        if self._closed:
            raise SandboxError("the sandbox is closed")
        await self._pod.put(name, data)

    async def _fetched_file(self, name: str, most: int) -> bytes:
        try:
            return await self._pod.get(name, most)
        finally:
            with anyio.CancelScope(shield=True):
                await self.ask_script(f'rm -f -- "$PWD/{name}"')

    def _script_words(self, argv: Sequence[str], env: Mapping[str, str], cwd: str) -> dict[str, str]:
        own = base_environment(self._layout.workspace) | dict(env)
        variables = shlex.join(f"{key}={value}" for key, value in own.items())
        return {
            "ENV": variables,
            "ARGV": shlex.join(argv),
            "GUARD": _GUARD,
            "CWD": shlex.quote(self._absolute_path(cwd)),
        }

    def _absolute_path(self, path: str) -> str:
        return posixpath.join(self._layout.workspace, path)


class Started:
    """A started command; see `Process`."""

    def __init__(self, box: Box, tag: str) -> None:
        self._box = box
        self._tag = tag
        self._read = 0

    async def send(self, data: bytes) -> None:
        """Write to its standard input; see `Process.send`."""
        name = _random_name()
        await self._box.put(name, data)
        answer = await self._box.ask_script(
            f'[ -e /tmp/{self._tag}/code ] && exit 1; kill -0 "$(cat /tmp/{self._tag}/holder)" || exit 1; '
            f'cat "$PWD/{name}" >/tmp/{self._tag}/in; code=$?; rm -f "$PWD/{name}"; exit $code'
        )
        if answer.exit_code:
            raise SandboxError("the process has closed its standard input, or has ended")

    async def receive(self, max_bytes: int = 65536) -> bytes:
        """Return what it wrote; see `Process.receive`."""
        nothing = f'[ "$(wc -c <"$d/o")" -le {self._read} ] && [ ! -e "$d/code" ]'
        show = f'tail -c +{self._read + 1} "$d/o" | head -c {max_bytes} | base64'
        data = _decoded_base64(await self._said_after(nothing, show))
        self._read += len(data)
        return data

    async def close_stdin(self) -> None:
        """Let it read the end of its standard input; see `Process.close_stdin`."""
        await self._box.ask_script(f'kill "$(cat /tmp/{self._tag}/holder)"')

    async def wait(self) -> Result:
        """Wait for its end; see `Process.wait`."""
        half = self._box.limits.output_bytes // 2
        lives = '[ ! -e "$d/code" ] && kill -0 "$(cat "$d/pid")" 2>/dev/null'
        show = _filled_script(_SHOW, KEEP=str(self._box.limits.output_bytes), HALF=str(half)) + (
            'echo "$(cat "$d/code" 2>/dev/null || echo 137)" 0; echo 0; echo .; show "$d/e"'
        )
        return _script_result(await self._said_after(lives, show), float("inf"), half)

    async def kill(self) -> None:
        """Kill it and what it started; see `Process.kill`."""
        await self._box.kill(self._tag)

    async def _said_after(self, waiting: str, script: str) -> str:
        """The output of a script once a condition holds no more; asked again and again, since a request has to end."""
        whole = (
            f"d=/tmp/{self._tag}; i=0; while {waiting}; do "
            f"[ $i -ge {_POLL_S * 20} ] && exit 75; i=$((i + 1)); sleep 0.05; done\n{script}"
        )
        while (answer := await self._box.ask_script(whole)).exit_code == 75:
            pass
        return answer.stdout


def _random_name() -> str:
    return f".honestly-{secrets.token_hex(8)}"


def _filled_script(script: str, **words: str) -> str:
    """A script with its words put in, none of them looked at again."""
    return re.sub("|".join(sorted(words, key=len, reverse=True)), lambda found: words[found[0]], script)


def _script_result(said: str, seconds: float, half: int, waited: float = 0.0) -> Result:
    """The result of a command by a script: status and hundredths of a second, then both streams."""
    try:
        first, _, rest = said.partition("\n")
        code, hundredths = map(int, first.split())
        (stdout, lost_out), (stderr, lost_err) = (_stream(part, half) for part in rest.split(".\n")[:2])
    except (ValueError, IndexError) as error:
        raise SandboxLimitError(f"the pod's answer to a command makes no sense: {said[:80]!r}") from error
    took = hundredths / 100
    # `timeout -s KILL` ends like any other death by that signal: only the time tells them apart; ours, where the clock
    # of the pod stands still, as in our own sandboxes.
    timed_out = code == 128 + signal.SIGKILL and (took or waited) >= seconds - 0.05
    return Result(None if timed_out else exit_code(code), stdout, stderr, timed_out, lost_out + lost_err, took)


def _stream(part: str, half: int) -> tuple[bytes, int]:
    length, _, text = part.partition("\n")
    head, comma, tail = text.partition(",")
    lost = int(length) - 2 * half if comma else 0
    gap = f"\n[... {lost} bytes dropped ...]\n".encode() if comma else b""
    return _decoded_base64(head) + gap + _decoded_base64(tail), lost


def _decoded_base64(text: str) -> bytes:
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except binascii.Error as error:
        raise SandboxLimitError("the pod sent something other than base64") from error
