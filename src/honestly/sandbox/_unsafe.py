"""No isolation at all: commands run as plain subprocesses in a temporary directory, with the caller's own rights.

It exists for machines that cannot build a sandbox, behind an explicit flag that the study records. The temporary
directory stands for `/workspace` in `cwd` and in the paths of files, but commands see its real name. Limits are those
of one process (CPU time, data, file size, descriptors); memory and processes of a whole tree are not limited, and a
process that leaves its group escapes the deadline. Background processes die when the command that started them ends;
what a killed program leaves running, and its directories, the next one removes (`honestly.scratch`).
"""

import os
import signal
import socket
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

import anyio
import anyio.abc

from honestly.errors import SandboxError, SandboxLimitError, SandboxUnavailableError
from honestly.records import Tree
from honestly.sandbox._api import HERE, NO_ENV, WORKSPACE, Limits, Process, Result
from honestly.sandbox._guest._commands import Capture
from honestly.sandbox._guest._files import Files, LimitError
from honestly.sandbox._guest._ids import Identity
from honestly.sandbox._layout import DEFAULT, Layout
from honestly.sandbox._machine import argv_of, base_environment
from honestly.sandbox._packages import layout_variables
from honestly.sandbox._pipes import Piped, command_streams
from honestly.sandbox._places import base_python
from honestly.sandbox._tree import tree_fields, tree_of
from honestly.scratch import OWNER_VARIABLE, delete_scratch_folder, make_scratch_folder, owner_mark

_LIMITED = 'for limit in c=0 t=$1 d=$2 f=$3 n=$4; do ulimit -${limit%=*} ${limit#*=}; done 2>&-; shift 4; exec "$@"'
_WHOLE = 1 << 20
_ROOM = 1 << 20  # bytes without which a disk counts as full


class UnsafeSandbox:
    """A directory with the shape of a sandbox; made by `open_sandbox(..., unsafe=True)`."""

    name = "none"

    def __init__(self, folder: Path, limits: Limits) -> None:
        self._folder = folder
        self._root = folder / "workspace"
        self.limits = limits
        self._running: list[UnsafeProcess] = []
        self._full = False
        self._variables: dict[str, str] = {}
        me = Identity(privileged=False, uid=os.getuid(), gid=os.getgid())
        self._files = Files(me, str(self._root), limits.disk_mb << 20)

    @classmethod
    async def open(cls, tree: Tree, limits: Limits, layout: Layout = DEFAULT) -> "UnsafeSandbox":
        """Make a temporary directory that holds the files of a tree.

        Args:
            tree: The files.
            limits: What one process may use.
            layout: Python packages to offer, and folders of the workspace where Python looks for modules.

        Raises:
            SandboxError: The tree's files get in each other's way.
        """
        try:
            folder = make_scratch_folder("unsafe")
        except OSError as error:
            raise SandboxUnavailableError(
                f"no temporary directory can be made: {error}; set TMPDIR to another"
            ) from error
        try:
            if _is_full(folder):
                raise SandboxUnavailableError(
                    f"the disk of {folder.parent} is full; make room, or set TMPDIR to another"
                )
            with _as_sandbox_errors():
                for name in ("workspace", "bin", "streams"):
                    (folder / name).mkdir()
                for name in ("python", "python3"):
                    (folder / "bin" / name).symlink_to(base_python())
                box = cls(folder, limits)
                if layout.packages:
                    (box._folder / "packages").mkdir()
                for name, path in layout.packages.items():
                    (box._folder / "packages" / name).symlink_to(path.resolve())
                box._variables = layout_variables(layout, str(box._root), str(box._folder / "packages"))
                box._files.plant_files(tree_fields(tree))
        except BaseException:
            delete_scratch_folder(folder)
            raise
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
        argv = argv_of(command)
        with self._stream_file() as out, self._stream_file() as err, self._stream_file(stdin) as fed:
            began = time.monotonic()
            try:
                process = await self._spawn(argv, env, cwd, (fed.fileno(), out.fileno(), err.fileno()))
            except (OSError, ValueError) as error:
                return Result(126, b"", f"{error}\n".encode(), False, 0, 0.0)
            try:
                with anyio.move_on_after(self.limits.wall_s if timeout is None else timeout) as scope:
                    await process.wait()
            finally:
                await _end_group(process)
            seconds = time.monotonic() - began
            self._demand_room()
            (stdout, lost_out), (stderr, lost_err) = (
                _kept_output(stream, self.limits.output_bytes) for stream in (out, err)
            )
        code = None if scope.cancelled_caught else process.returncode
        return Result(code, stdout, stderr, scope.cancelled_caught, lost_out + lost_err, seconds)

    async def start(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str] = NO_ENV,
        cwd: str = HERE,
        stdio: socket.socket | None = None,
    ) -> Process:
        """Start a command with pipes, or on a socket; see `Sandbox.start`."""
        argv = argv_of(command)
        err = self._stream_file()
        try:
            with command_streams(stdio) as (theirs, ours):
                process = await self._spawn(argv, env, cwd, (*theirs, err.fileno()))
        except (OSError, ValueError) as error:
            err.close()
            raise SandboxError(f"cannot start {command[0]!r}: {error}") from error
        started = UnsafeProcess(process, ours, err, self.limits.output_bytes)
        self._running.append(started)
        return started

    async def read(self, path: str) -> bytes:
        """Return the content of a file; see `Sandbox.read`."""
        with _as_sandbox_errors():
            return self._files.read(str(self._place_of(path)))

    async def write(self, path: str, data: bytes, *, executable: bool = False) -> None:
        """Create or replace a file; see `Sandbox.write`."""
        with _as_sandbox_errors():
            self._files.write(str(self._place_of(path)), data, executable=executable)

    async def snapshot(self) -> Tree:
        """Return the workspace's files; see `Sandbox.snapshot`."""
        self._demand_room()
        with _as_sandbox_errors():
            return tree_of(self._files.snapshot())

    async def listen(self, port: int = 0, address: str = "127.0.0.1") -> socket.socket:
        """Return a socket that listens on this machine's loopback; see `DoorSandbox.listen`."""
        if not 0 <= port < 1 << 16:
            raise ValueError(f"the port is {port!r}; expected a number from 0 to 65535")
        try:
            return socket.create_server((address, port))
        except OSError as error:
            raise SandboxError(f"cannot listen on port {port} of this machine: {error.strerror}") from error

    async def close(self) -> None:
        """Kill what still runs, and remove the directory; see `Sandbox.close`."""
        for process in self._running:
            await process.kill()
            process.release()
        self._running.clear()
        delete_scratch_folder(self._folder)

    def _demand_room(self) -> None:
        """Raise an error if the machine's disk has been full: what commands did then says nothing about them."""
        self._full = self._full or _is_full(self._folder)
        if self._full:
            raise SandboxError(f"the disk of {self._folder.parent} became full: No space left on device")

    async def _spawn(
        self, argv: Sequence[str], env: Mapping[str, str], cwd: str, stdio: tuple[int, int, int]
    ) -> anyio.abc.Process:
        limits = self.limits
        # `ulimit` counts data in KiB, and files in blocks of 512 bytes.
        numbers = (limits.cpu_s, limits.data_mb << 10, limits.file_mb << 11, limits.open_files)
        own = base_environment() | self._variables | {OWNER_VARIABLE: owner_mark()}
        own |= {"HOME": str(self._root), "TMPDIR": str(self._folder), "PATH": f"{self._folder}/bin:{own['PATH']}"}
        return await anyio.open_process(
            [
                *("/bin/sh", "-c", _LIMITED, "sh"),
                *map(str, numbers),
                *(text.encode("utf-8", "surrogatepass") for text in argv),
            ],
            stdin=stdio[0],
            stdout=stdio[1],
            stderr=stdio[2],
            cwd=self._place_of(cwd),
            env=own | dict(env),
            start_new_session=True,
        )

    def _place_of(self, path: str) -> Path:
        """Return where a path of the sandbox lies on this machine."""
        place = Path(WORKSPACE, path)
        if not place.is_relative_to(WORKSPACE) or ".." in place.parts:
            raise SandboxError(f"{path} is outside of {WORKSPACE}; without isolation nothing else is reachable by name")
        return self._root / place.relative_to(WORKSPACE)

    def _stream_file(self, data: bytes = b"") -> IO[bytes]:
        """A file without a name that stands for a standard stream."""
        with _as_sandbox_errors():
            stream = tempfile.TemporaryFile(dir=self._folder / "streams")  # noqa: SIM115 - the caller closes it
            stream.write(data)
            stream.seek(0)
        return stream


class UnsafeProcess(Piped):
    """A started command; see `Process`."""

    def __init__(self, process: anyio.abc.Process, pipes: tuple[int, int], err: IO[bytes], keep: int) -> None:
        super().__init__(*pipes)
        self._process = process
        self._err = err
        self._keep = keep
        self._began = time.monotonic()
        self._result: Result | None = None

    async def wait(self) -> Result:
        """Wait for its end; see `Process.wait`."""
        if self._result is None:
            await self._process.wait()
            await _end_group(self._process)
        if self._result is None:  # no other task was faster
            text, lost = _kept_output(self._err, self._keep)
            seconds = time.monotonic() - self._began
            self._result = Result(self._process.returncode, b"", text, False, lost, seconds)
            self._err.close()
        return self._result

    async def kill(self) -> None:
        """Kill it and its process group; see `Process.kill`."""
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        with anyio.CancelScope(shield=True):
            await self.wait()


async def _end_group(process: anyio.abc.Process) -> None:
    """Kill a process, if it still runs, and what is left of its group."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    with anyio.CancelScope(shield=True):
        await process.aclose()


def _is_full(folder: Path) -> bool:
    found = os.statvfs(folder)
    # Some blocks are root's alone.
    free = found.f_bfree if os.geteuid() == 0 else found.f_bavail
    return free * found.f_frsize < _ROOM or (found.f_files > 0 and found.f_ffree == 0)


def _kept_output(stream: IO[bytes], keep: int) -> tuple[bytes, int]:
    """The output of a command in a file, abridged, and how many bytes were dropped."""
    stream.seek(0)
    capture = Capture(stream.fileno(), keep)
    capture.drain_pipe(_WHOLE)
    return capture.result()


@contextmanager
def _as_sandbox_errors() -> Iterator[None]:
    """Turn the errors of files into those of a sandbox."""
    try:
        yield
    except LimitError as error:
        raise SandboxLimitError(str(error)) from error
    except OSError as error:
        raise SandboxError(f"{error.filename or 'its files'}: {error.strerror}") from error
