"""The shared parts of the two test runners inside a sandbox: taking their orders, telling what came of each test,
locking up.

Orders come on standard input, so that they are in no file and no environment. Reports go out as lines of JSON on what
was standard output; what the tests print goes to standard error. Only the process that was started reports: a fork of
it that escapes from a test would otherwise report the tests that follow a second time.
"""

from __future__ import annotations

import atexit
import json
import marshal
import os
import signal
import sys

from honestly.sandbox._guest.frames import read

TYPE_CHECKING = False  # importing typing costs every sandbox some milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_MOST = (1 << 32) - 1
_FRAMEWORK = ("_pytest", "pluggy", "pytest", "unittest")
_FUNCTION = type(lambda: None)
_PARTS = (_FUNCTION, classmethod, staticmethod, property)
_SPEAKER = [0]
"""The process that reports."""


def begin_report() -> tuple[dict[str, Any], Callable[..., None]]:
    """The orders, and the function that reports: each call is one line of its keyword arguments."""
    request = marshal.loads(read(0, _MOST))
    nonce, out = request.pop("nonce"), os.dup(1)
    speak_here()
    # What tests print goes with their errors, and not between the reports.
    os.dup2(2, 1)
    sys.path += filter(None, os.environ.get("PYTHONPATH", "").split(":"))  # packages that the sandbox shows

    def say(**event: object) -> None:
        if os.getpid() == _SPEAKER[0]:
            event["nonce"] = nonce
            os.write(out, json.dumps(event).encode() + b"\n")

    return request, say


def speak_here() -> None:
    """Makes this process the one that reports."""
    _SPEAKER[:] = [os.getpid()]


def confine_writes(writable: list[str]) -> None:
    """Lets this process, and all that it starts, write below these directories only; nothing where Landlock lacks."""
    from honestly.sandbox._guest._landlock import restrict_writes  # sent along by the host where it is needed

    restrict_writes(tuple(writable))


def end_run(say: Callable[..., None], run: int = 0, replaced: list[str] | None = None) -> None:
    """Says that every test of a run is through, and leaves before anything of the tested code's could add to it."""
    say(end=True, run=run, replaced=replaced or [])
    os._exit(0)


class Framework:
    """The functions of the test framework, as they were before anything of the workspace was imported."""

    def __init__(self, own: list[str]) -> None:
        self._before, self._own = _framework_functions(), {os.path.abspath(path) for path in own}

    def replaced_functions(self) -> list[str]:
        """Those that are others now, or have other code, by name, but for what the task's own files put there."""
        now = _framework_functions()
        found = []
        for name, (part, code) in self._before.items():
            new_part, new_code = now.get(name, (None, None))
            # By identity: what equals may be the tested code's own.
            same = new_part is part and new_code is code
            if not same and getattr(new_code, "co_filename", "") not in self._own:
                found.append(name)
        return found


def _framework_functions() -> dict[str, tuple[object, object]]:
    """The functions, methods and properties of every module of the framework, by name, each with its code."""
    found: dict[str, tuple[object, object]] = {}
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in _FRAMEWORK:
            for key, each in list(vars(module).items()):
                if type(each) is _FUNCTION:
                    found[f"{name}.{key}"] = each, each.__code__
                elif isinstance(each, type) and each.__module__ == name:
                    parts = [(inner, part) for inner, part in vars(each).items() if type(part) in _PARTS]
                    found.update((f"{name}.{key}.{inner}", (part, _code_of_part(part))) for inner, part in parts)
    return found


def _code_of_part(part: object) -> object:
    inner = getattr(part, "fget", None) or getattr(part, "__func__", part)
    return getattr(inner, "__code__", None)


def as_started(main: Callable[[], None]) -> None:
    """Runs a main program, in a process that was forked, to the end that it would have in one that was started."""
    sys.argv = ["-c"]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_IGN)
    frame, depth = sys._getframe().f_back, 0  # noqa: SLF001
    while frame:
        frame, depth = frame.f_back, depth + 1
    sys.setrecursionlimit(sys.getrecursionlimit() + depth)  # what lies below is no business of the tests
    try:
        main()
    except SystemExit as error:
        if error.code is not None and not isinstance(error.code, int):
            print(error.code, file=sys.stderr)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    if "threading" in sys.modules:
        sys.modules["threading"]._shutdown()  # noqa: SLF001
    atexit._run_exitfuncs()  # noqa: SLF001
    sys.stdout.flush()


def failure_words(text: str) -> str:
    """A test's words on its failure, shortened; what is no text in it (lone surrogates), as escapes."""
    return text[:500].encode("utf-8", "backslashreplace").decode()
