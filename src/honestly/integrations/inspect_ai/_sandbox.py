"""Our sandbox as a provider of Inspect: `inspect eval ... --sandbox honestly`.

No container engine and no network; each sample has a box of its own. A sample of our `suite` begins with its task's
workspace, any other with an empty one. Commands run as the box's one user: another user is refused, as Inspect asks.

Not covered: `exec_remote` and the tools that Inspect injects for it, where they need to be root; `connection`.
"""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from functools import cache, partial
from typing import Any, Literal, overload

from inspect_ai.util import (
    ExecResult,
    OutputLimitExceededError,
    SandboxEnvironment,
    SandboxEnvironmentLimits,
    SandboxUnavailableError as NotRunningError,
    SandboxUserUnsupportedError,
    sandboxenv,
)
from pydantic import BaseModel

from honestly.errors import SandboxError, SandboxUnavailableError
from honestly.records import Suite, Task, Tree
from honestly.sandbox import Limits, Sandbox, open_sandbox
from honestly.tasks import load_suite
from honestly.verify import furnished_opener, in_environment

SUITE, TASK = "honestly_suite", "honestly_task"
"""Keys of a sample's metadata: where its task comes from, and which it is."""
_KILLED = 137
_WITHOUT_DEADLINE_S = 86_400.0
_LOOK = (
    '[ -d "$1" ] && exit 3; [ -e "$1" ] || exit 2; [ -"$2" "$1" ] || exit 4; [ "$2" = w ] || exec stat -L -c %s -- "$1"'
)
_FAULTS: dict[int, Callable[[str], OSError]] = {
    2: lambda path: FileNotFoundError(2, "No such file or directory", path),
    3: lambda path: IsADirectoryError(21, "Is a directory", path),
    4: lambda path: PermissionError(13, "Permission denied", path),
}


class HonestlySandboxConfig(BaseModel):
    """The limits of a box, and who opens it."""

    provider: str = ""
    """As for `honestly run --sandbox`: `podman:IMAGE`, or `MODULE:OBJECT`; namespaces where empty."""
    memory_mb: int = 2048
    disk_mb: int = 1024
    processes: int = 256
    cpu_s: int = 3600


@cache
def suite_of(source: str) -> Suite:
    """A suite, read once."""
    return load_suite(source)


@sandboxenv(name="honestly")
class HonestlySandbox(SandboxEnvironment):
    """A box around one sample."""

    def __init__(self, box: Sandbox, opened: AbstractAsyncContextManager[Sandbox], user: str) -> None:
        super().__init__()
        self.box = box
        self._opened, self._user = opened, user

    @classmethod
    async def sample_init(
        cls, task_name: str, config: BaseModel | str | None, metadata: dict[str, Any]
    ) -> dict[str, SandboxEnvironment]:
        """A box for a sample.

        Raises:
            SandboxUnavailableError: This machine does not let us build one (ours, with what to do).
        """
        asked = HonestlySandboxConfig(provider=config) if isinstance(config, str) else config or HonestlySandboxConfig()
        if not isinstance(asked, HonestlySandboxConfig):
            raise TypeError(f"expected a HonestlySandboxConfig or the name of a provider, found {type(asked).__name__}")
        limits = Limits(
            wall_s=_WITHOUT_DEADLINE_S,
            output_bytes=SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE,
            file_mb=asked.disk_mb,
            **asked.model_dump(exclude={"provider"}),
        )
        opener = partial(open_sandbox, provider=asked.provider)
        if TASK in metadata:
            task = suite_of(str(metadata[SUITE])).task(str(metadata[TASK]))
            opened = _opener(task, opener)(task.workspace, limits=limits)
        else:
            opened = opener(Tree(), limits)
        box = await opened.__aenter__()
        user = (await box.exec(["id", "-un"])).stdout.decode().strip()
        return {"default": cls(box, opened, user)}

    @classmethod
    async def sample_cleanup(
        cls,
        task_name: str,
        config: BaseModel | str | None,
        environments: dict[str, SandboxEnvironment],
        interrupted: bool,
    ) -> None:
        """Kills everything inside and forgets all files."""
        for environment in environments.values():
            await environment.as_type(cls).close()

    @classmethod
    def config_deserialize(cls, config: dict[str, Any]) -> BaseModel:
        """The configuration of a log."""
        return HonestlySandboxConfig(**config)

    async def close(self) -> None:
        """Kills everything inside and forgets all files."""
        await self._opened.__aexit__(None, None, None)

    async def exec(
        self,
        cmd: list[str],
        input: str | bytes | None = None,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,  # noqa: ASYNC109 - the command's deadline
        timeout_retry: bool = True,
        concurrency: bool = True,
    ) -> ExecResult[str]:
        """Runs a command; a deadline ends it with all that it started. It is not tried again."""
        if user is not None and user != self._user:
            raise SandboxUserUnsupportedError(f"honestly's sandbox has one user, {self._user}; {user!r} was asked for")
        given = input.encode() if isinstance(input, str) else input or b""
        try:
            ended = await self.box.exec(cmd, timeout=timeout, env=env or {}, stdin=given, cwd=cwd or ".")
        except SandboxUnavailableError as error:
            raise NotRunningError(str(error)) from error
        if ended.timed_out:
            raise TimeoutError(f"the command did not end within {timeout} s")
        stdout, stderr = (stream.decode("utf-8", "replace") for stream in (ended.stdout, ended.stderr))
        if ended.truncated:
            raise OutputLimitExceededError(SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE_STR, stdout)
        # An exit status as a shell gives it.
        if ended.code is None:
            code = _KILLED
        else:
            code = 128 - ended.code if ended.code < 0 else ended.code
        if code == 126 and "ermission denied" in stderr:
            raise PermissionError(13, "Permission denied", cmd[0])
        return ExecResult(success=code == 0, returncode=code, stdout=stdout, stderr=stderr)

    async def write_file(self, file: str, contents: str | bytes) -> None:
        """Creates or replaces a file, and the directories above it."""
        await self._checked_size(file, "w")
        try:
            await self.box.write(file, contents.encode() if isinstance(contents, str) else contents)
        except SandboxError as error:
            raise PermissionError(13, str(error), file) from error

    @overload
    async def read_file(self, file: str, text: Literal[True] = True) -> str: ...

    @overload
    async def read_file(self, file: str, text: Literal[False]) -> bytes: ...

    async def read_file(self, file: str, text: bool = True) -> str | bytes:
        """The content of a file."""
        limit = SandboxEnvironmentLimits.MAX_READ_FILE_SIZE
        size = await self._checked_size(file, "r")
        data = b"" if size > limit else await self.box.read(file)
        if max(size, len(data)) > limit:
            raise OutputLimitExceededError(SandboxEnvironmentLimits.MAX_READ_FILE_SIZE_STR, None)
        return data.decode() if text else data

    async def _checked_size(self, path: str, mode: str) -> int:
        """The size of a file that is to be read; that one may be written or made is all that is asked before that."""
        ended = await self.box.exec(["/bin/sh", "-c", _LOOK, "sh", path, mode])
        if ended.code in _FAULTS and not (mode == "w" and ended.code == 2):
            raise _FAULTS[ended.code](path)
        return int(ended.stdout) if mode == "r" and ended.stdout.strip().isdigit() else 0


def _opener(task: Task, opener: Any) -> Any:  # noqa: ANN401 - an OpenBox
    return furnished_opener(task.preparation, in_environment(task, opener, "agent"))
