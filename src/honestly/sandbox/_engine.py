"""A sandbox in a container of Docker or Podman, by their command-line clients.

It costs some hundred milliseconds where namespaces cost ten, and brings an image's root file system and, with Docker
Desktop, other operating systems. Files go in and out as bytes of commands and archives (`_tar.py`), which run inside as
the user's: the client's own `cp` works with root's rights on names that the code inside chooses.

What it does less well than namespaces: a deadline kills what carries the command's variable in its environment, which a
process can shed, and what has shed it lives until the container ends; a process that a signal ended cannot be told from
one that ended with 128 and its number; descriptors don't pass through `stdio`; each writable directory has a limit of
its own, and the container's memory is that of processes and files together.
"""

import posixpath
import secrets
import socket
from collections.abc import Mapping, Sequence

import anyio

from honestly.errors import SandboxError, SandboxLimitError, SandboxUnavailableError
from honestly.records import Tree
from honestly.sandbox._api import HERE, NO_ENV, Limits, Process, Result
from honestly.sandbox._client import Client, EndedProgram
from honestly.sandbox._container import READY, TAG, Container, exec_words, kill_command, run_words
from honestly.sandbox._layout import DEFAULT, Layout
from honestly.sandbox._machine import argv_of, base_environment, deadline_s
from honestly.sandbox._packages import layout_variables
from honestly.sandbox._pipes import Piped, PipeEnd, command_streams
from honestly.sandbox._shell import NO_FILE, NOT_THERE, exit_code, last_line, require_file_work
from honestly.sandbox._tar import ArchiveError, pack_tree, unpack_tree

_START_S = 120.0
_GRACE_S = 30.0
_FILES_S = 300.0
_ARCHIVE_SLACK = 64 << 20
_READ = f'[ -e "$1" ] || exit {NOT_THERE}; [ -f "$1" ] || exit {NO_FILE}; exec cat -- "$1"'
_WRITE = (
    f'mkdir -p -- "${{1%/*}}/" && {{ [ ! -e "$1" ] || [ -f "$1" ] || exit {NO_FILE}; }} && cat >"$1" && chmod "$2" "$1"'
)
# Or what a command has made unreadable to its own user would be missing from the tree.
_PACK = "chmod -R u+rwX . 2>/dev/null; exec tar -cf - ."


class ContainerSandbox:
    """A sandbox in a container; made by `open_sandbox(..., container=...)`."""

    def __init__(self, container: Container, client: Client, name: str, limits: Limits, layout: Layout) -> None:
        self.name: str = container.engine
        self._container = container
        self._client = client
        self._id = name
        self.limits = limits
        self._workspace = layout.workspace
        self._base = base_environment(layout.workspace) | layout_variables(layout, layout.workspace, "")
        self._stdin = PipeEnd(-1)
        self._processes: list[ContainerProcess] = []
        self._closed = False

    @classmethod
    async def open(
        cls, container: Container, tree: Tree, limits: Limits, layout: Layout = DEFAULT
    ) -> "ContainerSandbox":
        """Start a container whose workspace holds the files of a tree.

        Raises:
            ValueError: The layout is not possible in a container.
            SandboxUnavailableError: The engine is not there, or cannot run the image; the message is the engine's.
            SandboxError: The tree's files get in each other's way, or don't fit.
        """
        name = f"honestly-{secrets.token_hex(8)}"
        words = run_words(container, name, limits, layout)
        with command_streams() as (theirs, ours):
            client = await Client.start(words, stdin=theirs[0], stdout=theirs[1])
            box = cls(container, client, name, limits, layout)
        box._stdin, stdout = map(PipeEnd, ours)
        try:
            await box._until_ready(stdout)
            await box._plant_tree(tree)
        except BaseException:
            await box.close()
            raise
        finally:
            stdout.close()
        return box

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
        seconds, keep = deadline_s(timeout, self.limits), self.limits.output_bytes
        ended, timed_out = await self._run_client(argv_of(command), seconds, keep, env=env, stdin=stdin, cwd=cwd)
        return _ended_result(ended, timed_out=timed_out)

    async def start(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str] = NO_ENV,
        cwd: str = HERE,
        stdio: socket.socket | None = None,
    ) -> Process:
        """Start a command with pipes, or on a socket (which carries no descriptors); see `Sandbox.start`."""
        tag = secrets.token_hex(8)
        with command_streams(stdio) as (theirs, ours):
            client = await self._client_of(
                argv_of(command), tag, self.limits.output_bytes, env=env, cwd=cwd, streams=theirs
            )
        process = ContainerProcess(self, client, tag, ours)
        self._processes.append(process)
        return process

    async def read(self, path: str) -> bytes:
        """Return the content of a file; see `Sandbox.read`."""
        limit = self.limits.disk_mb << 20
        ended = await self._run_files(["/bin/sh", "-c", _READ, "sh", self._absolute_path(path)], limit)
        if ended.dropped[0]:
            raise SandboxLimitError(f"{path} is larger than the limit of {limit} bytes")
        require_file_work(ended.code, ended.stderr, path)
        return ended.stdout

    async def write(self, path: str, data: bytes, *, executable: bool = False) -> None:
        """Create or replace a file; see `Sandbox.write`."""
        mode = "755" if executable else "644"
        words = ["/bin/sh", "-c", _WRITE, "sh", self._absolute_path(path), mode]
        ended = await self._run_files(words, self.limits.output_bytes, stdin=data)
        require_file_work(ended.code, ended.stderr, path)

    async def snapshot(self) -> Tree:
        """Return the workspace's files; see `Sandbox.snapshot`. What goes wrong inside counts as the code's doing."""
        limit = self.limits.disk_mb << 20
        try:
            ended = await self._run_files(["/bin/sh", "-c", _PACK], limit + _ARCHIVE_SLACK)
            if ended.dropped[0]:
                raise SandboxLimitError(f"the workspace contains more than {limit} bytes")
            return unpack_tree(ended.stdout, limit)
        except ArchiveError as error:
            reason = last_line(ended.stderr) or str(error)
            raise SandboxLimitError(f"the workspace could not be packed inside the container: {reason}") from error

    async def close(self) -> None:
        """Kill the container, and wait until it is gone; see `Sandbox.close`."""
        if self._closed:
            return
        self._closed = True
        with anyio.CancelScope(shield=True):
            self._stdin.close()
            await self._remove()
            for process in self._processes:
                await process.end_process()

    # how it is done

    async def _run_client(
        self,
        argv: Sequence[str],
        seconds: float,
        keep: int,
        *,
        env: Mapping[str, str] = NO_ENV,
        stdin: bytes = b"",
        cwd: str = HERE,
    ) -> tuple[EndedProgram, bool]:
        """Run a command to its end or its deadline; also says whether it was the deadline."""
        tag = secrets.token_hex(8)
        client = await self._client_of(argv, tag, keep, env=env, cwd=cwd, stdin=stdin)
        try:
            with anyio.move_on_after(seconds) as scope:
                await client.wait()
        except anyio.get_cancelled_exc_class():
            await self.kill(tag, client)
            raise
        if scope.cancelled_caught:
            await self.kill(tag, client)
        return self.without_start_sign(await client.wait(), tag, killed=scope.cancelled_caught), scope.cancelled_caught

    async def _run_files(self, argv: Sequence[str], keep: int, stdin: bytes = b"") -> EndedProgram:
        ended, timed_out = await self._run_client(argv, _FILES_S, keep, stdin=stdin)
        if timed_out:
            raise SandboxLimitError(f"files could not be moved within {_FILES_S:.0f} s")
        return ended

    async def _client_of(
        self,
        argv: Sequence[str],
        tag: str,
        keep: int,
        *,
        env: Mapping[str, str],
        cwd: str,
        stdin: bytes = b"",
        streams: tuple[int, int] | None = None,
    ) -> Client:
        if self._closed:
            raise SandboxError("the sandbox is closed")
        variables = {**self._base, **env, TAG: tag}
        words, own = exec_words(self._container, self._id, argv, variables, self._absolute_path(cwd))
        source, sink = streams or (stdin, -1)
        # The sign of the start comes before what is kept; half of it goes to the beginning of the stream.
        return await Client.start(words, env=own, stdin=source, stdout=sink, keep=keep + 2 * len(tag) + 2)

    def without_start_sign(self, ended: EndedProgram, tag: str, *, killed: bool) -> EndedProgram:
        """The end of a command without the sign of its start.

        Raises:
            SandboxError: It was never started.
        """
        sign, newline, text = ended.stderr.partition(b"\n")
        if sign == tag.encode() and newline:
            return EndedProgram(ended.code, ended.stdout, text, ended.dropped, ended.seconds)
        if killed or self._closed:
            return ended
        raise SandboxError(f"{self.name} could not run the command: {last_line(ended.stderr) or 'it did not say why'}")

    async def kill(self, tag: str, client: Client) -> None:
        """Kill what a command has started, and wait for its end, even if cancelled; if need be, kill the container."""
        with anyio.CancelScope(shield=True):
            words, own = exec_words(self._container, self._id, kill_command(tag), self._base, "/")
            murderer = await Client.start(words, env=own)
            with anyio.move_on_after(_GRACE_S):
                dead = (await murderer.wait()).code == 0
                # Something inside may fork faster than it is found.
                if not dead and not self._closed:
                    await self._remove()
                await client.wait()
            await murderer.kill()
            await client.kill()

    async def _remove(self) -> None:
        """Have the engine kill the container, and wait until it has."""
        with anyio.move_on_after(_GRACE_S):
            remover = await Client.start([self._container.engine, "rm", "--force", self._id])
            await remover.wait()
            await self._client.wait()
        await self._client.kill()

    async def _until_ready(self, stdout: PipeEnd) -> None:
        said = b""
        with anyio.move_on_after(_START_S) as scope:
            while not said.endswith(READY):
                part = await stdout.read(len(READY))
                if not part:
                    break
                said += part
            else:
                return
        reason = f"it took more than {_START_S:.0f} s"
        if not scope.cancelled_caught:
            reason = last_line((await self._client.wait()).stderr) or "it did not say why"
        raise SandboxUnavailableError(
            f"{self.name} cannot start a container of {self._container.image}: {reason}. See that the engine runs and "
            f"that the image is there (`{self.name} pull {self._container.image}`), with `sh`, `tar`, `cat` and `grep`."
        )

    async def _plant_tree(self, tree: Tree) -> None:
        for path in tree.files:
            parts = path.split("/")
            for above in range(1, len(parts)):
                if "/".join(parts[:above]) in tree.files:
                    raise SandboxError(f"{'/'.join(parts[:above])} is a file and a directory of the tree at once")
        if tree.files:
            words = ["tar", "-xpf", "-"]
            ended = await self._run_files(words, self.limits.output_bytes, stdin=pack_tree(tree))
            require_file_work(ended.code, ended.stderr, "the tree")

    def _absolute_path(self, path: str) -> str:
        return posixpath.join(self._workspace, path)


class ContainerProcess(Piped):
    """A started command; see `Process`."""

    def __init__(self, box: ContainerSandbox, client: Client, tag: str, pipes: tuple[int, int]) -> None:
        super().__init__(*pipes)
        self._box = box
        self._client = client
        self._tag = tag

    async def send(self, data: bytes) -> None:
        """Write to its standard input; see `Process.send`."""
        await self._client.run_beside(lambda: super(ContainerProcess, self).send(data))

    async def receive(self, max_bytes: int = 65536) -> bytes:
        """Read from its standard output; see `Process.receive`."""
        return await self._client.run_beside(lambda: super(ContainerProcess, self).receive(max_bytes))

    async def wait(self) -> Result:
        """Wait for its end; see `Process.wait`."""
        return _ended_result(
            self._box.without_start_sign(await self._client.wait(), self._tag, killed=False), timed_out=False
        )

    async def kill(self) -> None:
        """Kill it and what it has started; see `Process.kill`."""
        await self._box.kill(self._tag, self._client)

    async def end_process(self) -> None:
        """Let go of it, now that the container is gone."""
        self.release()
        await self._client.kill()


def _ended_result(ended: EndedProgram, *, timed_out: bool) -> Result:
    code = None if timed_out else exit_code(ended.code)
    return Result(code, ended.stdout, ended.stderr, timed_out, sum(ended.dropped), ended.seconds)
