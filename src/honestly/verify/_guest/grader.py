"""The near side of the wire: runs the hidden checks, in a sandbox of its own that holds no line of the code under test.

A check is a function `test_*(ws)` of a module `check_*`; `ws` is the workspace as seen over the wire (`asking.py`).
"""

from __future__ import annotations

import sys
import time
from functools import cached_property

from honestly.verify._guest.asking import CandidateDied, CheckTimeout, Remote, RemoteError, Wire
from honestly.verify._guest.pages import Page
from honestly.verify._guest.rewriting import rewritten_module
from honestly.verify._guest.wire import WireError, dumps, loads
from honestly.verify._guest.worktests import COMPILE, RUN

TYPE_CHECKING = False  # importing typing costs every sandbox some milliseconds
if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Iterator
    from typing import Any

__all__ = [
    "CandidateDied",
    "CheckTimeout",
    "Remote",
    "RemoteError",
    "RunResult",
    "WireError",
    "Workspace",
    "pack",
    "raises",
    "run_check",
    "unpack",
]
"""What checks know as the module `grader`."""
_NO_MODULE = "No module named '"


def pack(calls: list[list[Any]]) -> bytes:
    """Lists of arguments, plain data, as `Workspace.each` takes them."""
    return dumps(calls, None)


def unpack(packed: bytes) -> Any:
    """What `pack` was given."""
    return loads(packed, None)


class RunResult:
    """What a command in the workspace did: `code` (None if it was stopped), `stdout`, `stderr`."""

    def __init__(self, code: int | None, stdout: str, stderr: str, timed_out: bool) -> None:  # noqa: FBT001, RUF100
        self.code, self.stdout, self.stderr, self.timed_out = code, stdout, stderr, timed_out

    def __repr__(self) -> str:
        return f"RunResult(code={self.code}, stdout={self.stdout[-300:]!r}, stderr={self.stderr[-300:]!r})"


class Workspace:
    """What a check may do: load modules of the solution, run commands, read and write files in its own fresh copy."""

    def __init__(self, wire: Wire, seed: int) -> None:
        self._wire = wire
        self._seed = seed

    @cached_property
    def rng(self) -> random.Random:
        """Random numbers that the code under test cannot foresee."""
        import random  # here, since a process that has loaded it seeds it anew at each fork

        return random.Random(self._seed)  # noqa: S311, RUF100

    def clock(self) -> float:
        """Seconds that pass for the solution: less those beyond limits that were prolonged on a busy machine."""
        return (time.monotonic() - self._wire.over) / self._wire.patience

    def more_time(self, limit: float, overdue: float) -> float:
        """Seconds by which a limit in the check's own hands is prolonged, which has passed; 0 if its time is up."""
        return self._wire.more(limit, overdue)

    def load(self, module: str) -> Any:
        """A module of the solution, by its dotted name."""
        return self._wire.load(module)

    def each(self, function: Any, packed: bytes, limits: Iterable[float]) -> Iterator[Any]:
        """A function's answers to many calls, one round trip for all: see `Wire.each`, and `pack` for the calls.

        They end with the first that holds a handle; nothing else may be asked before.
        """
        return self._wire.each(function, packed, limits)

    def hold(self, value: Any) -> Any:
        """A plain value that stays on the far side, so that what a call does to it can be seen."""
        return self._wire.ask("hold", value)

    def value(self, handle: Any) -> Any:
        """The plain data behind a handle to a built-in container or an instance of a subclass of one."""
        return handle if self._wire.is_opaque(handle) else self._wire.ask("value", handle)

    def op(self, name: str, *operands: Any) -> Any:
        """What an operator of the solution's classes gives: `ws.op("add", v, w)`; names as in the module `operator`.

        At least one operand must be a handle. The answer is the solution's own word: demand answers that differ
        (less *and* not less), or plain data that it cannot know.
        """
        if not any(isinstance(operand, Remote) for operand in operands):
            raise TypeError("ws.op needs an object of the solution's: compute with plain data yourself")
        return self._wire.ask("operator", name, list(operands))

    def hash(self, handle: Any) -> Any:
        """What the solution says of `hash(handle)`."""
        return self._wire.ask("builtin", "hash", [handle])

    def repr(self, handle: Any) -> Any:
        """What the solution says of `repr(handle)`."""
        return self._wire.ask("builtin", "repr", [handle])

    def limit(self, seconds: float) -> _Limit:
        """Context in which every answer must come within `seconds`."""
        return _Limit(self._wire, seconds)

    def run(
        self, command: list[str], *, stdin: str = "", env: dict[str, str] | None = None, timeout: float = 20
    ) -> RunResult:
        """Runs a command (a list of words) in the workspace, beside the work: what it says is the work's own word."""
        return self._ran("run", list(command), stdin, dict(env or {}), timeout)

    def tool(
        self,
        command: list[str],
        files: dict[str, str | bytes],
        *,
        stdin: str = "",
        env: dict[str, str] | None = None,
        timeout: float = 20,
    ) -> RunResult:
        """Runs a judge's tool (a list of words) on these files, by their paths, in a sandbox made for it.

        Nothing else of the work's is there. For settings among the files, and in `env`, the check answers.
        """
        content = [[path, text.encode() if isinstance(text, str) else text] for path, text in files.items()]
        return self._ran("tool", list(command), content, stdin, dict(env or {}), timeout)

    def tests_pass(self, path: str, modules: dict[str, str], *, timeout: float = 20) -> bool | None:
        """Whether a `unittest` file of the work passes with these modules, from dotted names to sources; None: no end.

        It runs away from the work, by the judge's runner. The modules come without source, each time written another
        way, so that only what they do tells them apart. AssertionError: it cannot be loaded, or holds no tests.
        """
        import json

        nonce = f"{self.rng.getrandbits(128):032x}"
        sources = {name: rewritten_module(text, self.rng) for name, text in modules.items()}
        order = json.dumps({"modules": sources, "path": path, "nonce": nonce, "run": RUN})
        command = ["python3", "-I", "-S", "-B", "-c", COMPILE]
        done = self.tool(command, {path: self.read_bytes(path)}, stdin=order, timeout=timeout)
        if done.timed_out:
            return None
        try:
            said = json.loads(done.stdout)
        except ValueError:
            said = None
        if type(said) is not dict or said.get("nonce") != nonce:
            raise AssertionError(f"{path} did not run to its end: {done!r}")
        assert said["loaded"], f"{path} cannot be loaded: {said['why']}"
        assert said["count"] > 0, f"{path} holds no tests"
        return said["passed"] is True

    def _ran(self, *request: Any) -> RunResult:
        code, stdout, stderr, timed_out = self._wire.ask_host(*request)
        return RunResult(code, stdout.decode("utf-8", "replace"), stderr.decode("utf-8", "replace"), timed_out)

    def read_bytes(self, path: str) -> bytes:
        """Content of a file of the workspace; FileNotFoundError if it does not exist."""
        return bytes(self._wire.ask_host("read", path))

    def read(self, path: str) -> str:
        """Content of a text file of the workspace, in UTF-8; FileNotFoundError if it does not exist."""
        return self.read_bytes(path).decode("utf-8")

    def write(self, path: str, content: str | bytes) -> None:
        """Writes a file of the workspace."""
        self._wire.ask_host("write", path, content.encode() if isinstance(content, str) else content)

    def delete(self, path: str) -> None:
        """Deletes a file of the workspace."""
        self._wire.ask_host("delete", path)

    def files(self) -> list[str]:
        """Paths of all files of the workspace, sorted."""
        return list(self._wire.ask_host("files"))

    def page(self, path: str, *, width: int = 1280, height: int = 720, accept: bool = False) -> Page:
        """A page of the workspace's files, as they are now, in a browser with a fresh profile.

        `accept`: its confirm and prompt dialogs are answered with yes.
        """
        return Page(self._wire, path, width, height, accept)


class _Limit:
    def __init__(self, wire: Wire, seconds: float) -> None:
        self._wire, self._seconds = wire, seconds

    def __enter__(self) -> None:
        self._before, self._wire.limit = self._wire.limit, self._seconds

    def __exit__(self, *_: object) -> None:
        self._wire.limit = self._before


class raises:  # noqa: N801  (reads as a statement, as pytest's does)
    """Context that demands an exception: a built-in class or the (qualified) name of one of the solution's."""

    def __init__(self, expected: type[BaseException] | str, match: str | None = None) -> None:
        self._expected, self._match = expected, match
        self.value: Exception | None = None

    def __enter__(self) -> raises:
        return self

    def __exit__(self, _kind: Any, error: BaseException | None, _trace: Any) -> bool:
        if error is None:
            name = getattr(self._expected, "__name__", self._expected)  # a text is the name itself
            raise AssertionError(f"{name} was expected, but nothing was raised")
        if not isinstance(error, Exception) or not self._fits(error):
            return False
        self.value = error
        if self._match is not None:
            import re  # here, since most checks need none

            if not re.search(self._match, str(error)):
                raise AssertionError(f"the message {str(error)!r} does not match {self._match!r}")
        return True

    def _fits(self, error: Exception) -> bool:
        names = getattr(error, "remote_names", ())
        if isinstance(self._expected, str):
            return any(name == self._expected or name.endswith("." + self._expected) for name in names)
        return (
            isinstance(error, self._expected) or f"{self._expected.__module__}.{self._expected.__qualname__}" in names
        )


def run_check(wire: Wire, name: str, seed: int) -> tuple[str, str, str]:
    """Runs one check; returns its status, what there is to say about it, and how the candidate ended it."""
    module, _, function = name.partition(".")
    try:
        getattr(__import__(module), function)(Workspace(wire, seed))
    except AssertionError as error:
        return "failed", str(error) or _where(error), ""
    except CheckTimeout as error:
        return "timeout", str(error), ""
    except CandidateDied as error:
        return "failed", str(error), error.ended
    except Exception as error:
        names = getattr(error, "remote_names", None)
        if names is None:
            return "error", f"{type(error).__name__}: {error} ({_where(error)})", ""
        return "failed", f"the solution raised {names[0]}: {error}", "apart" if _lacks(names, str(error)) else ""
    return "passed", "", ""


def _lacks(names: tuple[str, ...], text: str) -> bool:
    """Whether an exception may come from want of something that a cell lacks; a package is lacking elsewhere, too."""
    if "builtins.ImportError" in names and text.startswith(_NO_MODULE):
        return text[len(_NO_MODULE) :].partition("'")[0].partition(".")[0] in sys.stdlib_module_names
    return "builtins.OSError" in names or "builtins.ImportError" in names


def _where(error: BaseException) -> str:
    trace = error.__traceback__
    if trace is None:
        return "nowhere"
    while trace.tb_next is not None and "check_" in trace.tb_next.tb_frame.f_code.co_filename:
        trace = trace.tb_next
    return f"line {trace.tb_lineno} of {trace.tb_frame.f_code.co_filename.rpartition('/')[2]}"
