"""Runs variants of test files inside a sandbox, and tells what the tests were given to compare, not whether it fits.

Orders come on standard input as JSON: a nonce, and for each variant the test's id, its file and that file's source.
Each variant runs in a fork of its own, which has never seen another one; what it saw goes out as one line of JSON. The
code under test shares that fork, and can say what it likes: what it cannot do is say what the reference says about an
input that nobody has seen before.

Equal things are told alike: numbers by value, dictionaries and sets in one order, objects of the work's own classes
only as objects. Not covered: fixtures and plugins of pytest; a test that needs them is told as not started.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
import types

TYPE_CHECKING = False  # importing typing costs every sandbox some milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

LONGEST, MOST, DEEPEST = 300, 60, 40
SIDES = "\x1f"
"""Stands between the two values that an assertion compares."""
_VALUES = frozenset(
    f"assert{word}Equal" for word in ("", "Almost", "Count", "MultiLine", "Sequence", "List", "Tuple", "Set", "Dict")
)
_SIDES = 2


def main() -> None:
    """Takes the orders, and reports on each variant as it ends."""
    orders = json.loads(sys.stdin.buffer.read())
    out, begin = os.dup(1), time.monotonic()
    os.dup2(2, 1)
    sys.path[:0] = [os.getcwd(), os.path.join(os.getcwd(), "src")]
    import importlib.util  # noqa: F401 - before anything of the workspace can stand in for it
    import unittest  # noqa: F401

    for number, order in enumerate(orders["variants"]):
        late = time.monotonic() - begin > orders["total_s"]
        said = None if late else _with_files(order, orders["each_s"])
        line = json.dumps({"nonce": orders["nonce"], "at": number, "late": late, "seen": said})
        os.write(out, line.encode() + b"\n")
    os._exit(0)


def _with_files(order: dict[str, Any], seconds: float) -> list[str] | None:
    """Runs a variant with other texts in some files, which are put back afterwards."""
    before = {}
    try:
        for path, text in order["files"]:
            with open(path, "rb") as file:
                before[path] = file.read()
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write(text)
        return _forked_run(order, seconds)
    except OSError:
        return None  # the work took the file away, or put something else there
    finally:
        for path, data in before.items():
            with open(path, "wb") as file:
                file.write(data)


def _forked_run(order: dict[str, Any], seconds: float) -> list[str] | None:
    """The values that a variant saw, from a process of its own; None where it told nothing in time."""
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:
        os.close(ours)
        os.setpgid(0, 0)
        try:
            report = json.dumps(_compared_texts(order)).encode()
            while report:
                report = report[os.write(theirs, report) :]
        finally:
            os._exit(0)
    os.close(theirs)
    data, end = b"", time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0 and len(data) < 1 << 20:
        if not select.select([ours], [], [], left)[0]:
            break
        part = os.read(ours, 1 << 16)
        if not part:
            break
        data += part
    os.close(ours)
    for kill in (os.killpg, os.kill):  # it may have left its group
        try:
            kill(child, signal.SIGKILL)
        except OSError:
            pass
    os.waitpid(child, 0)
    try:
        said = json.loads(data)
        return [str(word) for word in said][: MOST + 1] if type(said) is list else None
    except ValueError:
        return None


def _compared_texts(order: dict[str, Any]) -> list[str]:
    """Runs one test of one source; gives what it compared, as texts."""
    seen: list[str] = []
    module, _, name = order["test"].partition("::")
    sys.modules.setdefault("pytest", _stand_in(seen))
    package = module.rpartition(".")[0]
    if package:
        __import__(package)
    made = types.ModuleType(module)
    made.__file__, made.__package__ = os.path.abspath(order["path"]), package
    made.__dict__["__seen__"] = lambda *values: _note_comparison(seen, "seen", [value_words(value) for value in values])
    sys.modules[module] = made
    try:
        exec(compile(order["source"], order["path"], "exec"), made.__dict__)
        _run_test(made, name, seen)
    except BaseException as error:  # the work may raise anything at all, SystemExit included
        _note_comparison(seen, "raised", [_builtin_kind(error)])
    return seen


def _run_test(made: types.ModuleType, name: str, seen: list[str]) -> None:
    """Runs a test function, or a test method by the runner's own way."""
    import unittest

    owner, _, method = name.rpartition(".")
    if not owner:
        getattr(made, method)()
        return
    kind = getattr(made, owner)
    if not issubclass(kind, unittest.TestCase):
        getattr(kind(), method)()
        return
    _watch(unittest.TestCase, seen)

    class Result(unittest.TestResult):
        def addError(self, _test: Any, err: Any) -> None:
            _note_comparison(seen, "raised", [_builtin_kind(err[1])])

        def addFailure(self, _test: Any, _err: Any) -> None:
            _note_comparison(seen, "failed", [])

        def addSkip(self, _test: Any, _reason: str) -> None:
            _note_comparison(seen, "skipped", [])

        def addSubTest(self, _test: Any, _subtest: Any, err: Any) -> None:
            if err is not None:
                self.addError(_test, err)

    suite = unittest.TestSuite([kind(method)])
    suite.run(Result())
    _note_comparison(seen, "end", [])


def _watch(kind: Any, seen: list[str]) -> None:
    """Has every assertion of unittest's note what it is given, and hold."""

    def noting(name: str, values: bool, original: Callable[..., Any]) -> Callable[..., None]:
        def method(self: Any, *given: Any, **named: Any) -> None:
            if values:
                sides = [value_words(value, loose=name == "assertCountEqual") for value in given[:_SIDES]]
                _note_comparison(seen, name, sides)
                return
            try:
                original(self, *given, **named)
            except self.failureException:
                _note_comparison(seen, name, ["no"])
            else:
                _note_comparison(seen, name, ["yes"])

        return method

    def raises(_self: Any, expected: Any, *given: Any, **named: Any) -> Any:
        function, *rest = given or (None,)
        if function is None:
            return _Raises(expected, seen)
        with _Raises(expected, seen):
            function(*rest, **named)
        return None

    def raises_with(self: Any, expected: Any, _pattern: Any, *given: Any, **named: Any) -> Any:
        return raises(self, expected, *given, **named)

    for name in dir(kind):
        if name.startswith("assert") and "Logs" not in name and "Warns" not in name and "Raises" not in name:
            setattr(kind, name, noting(name, name in _VALUES, getattr(kind, name)))
    kind.assertRaises = raises
    kind.assertRaisesRegex = raises_with


class _Raises:
    """Context that notes whether what it holds raises as a test wants it."""

    def __init__(self, expected: Any, seen: list[str]) -> None:
        self._expected, self._seen = expected, seen
        self.exception: BaseException | None = None

    def __enter__(self) -> _Raises:
        return self

    def __exit__(self, _kind: Any, error: BaseException | None, _trace: Any) -> bool:
        self.exception = self.value = error
        fits = error is not None and isinstance(error, self._expected)
        _note_comparison(self._seen, "raises", ["yes" if fits else "no"])
        return fits


def _stand_in(seen: list[str]) -> types.ModuleType:
    """A stand-in for the parts of pytest that a plain test uses: `raises` and `approx`."""
    made: Any = types.ModuleType("pytest")
    made.raises = lambda expected, *_given, **_named: _Raises(expected, seen)
    made.approx = lambda value, *_given, **_named: value
    return made  # type: ignore[no-any-return]


def _note_comparison(seen: list[str], kind: str, parts: list[str]) -> None:
    if len(seen) <= MOST:
        seen.append(f"{kind} {SIDES.join(parts)}".rstrip(" "))


def _builtin_kind(error: BaseException) -> str:
    """The built-in exception that it is a kind of: what the work calls its own is its own affair."""
    return next(kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins")


def value_words(value: Any, depth: int = 0, *, loose: bool = False) -> str:
    """A value as text, equal for equal values of plain kinds."""
    text = _inner_words(value, depth, loose=loose)
    if depth or len(text) <= LONGEST:
        return text
    import hashlib

    return text[: LONGEST - 40] + "... " + hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:16]


def _inner_words(value: Any, depth: int, *, loose: bool) -> str:
    if depth > DEEPEST:
        return "deep"
    kind = type(value)
    if kind in (bool, int, float):
        return _number_text(value)
    if kind in (str, bytes) or value is None:
        return repr(value)
    if kind in (list, tuple):
        parts = [value_words(item, depth + 1) for item in value]
        if loose:
            return "{" + ", ".join(sorted(parts)) + "}"
        return ("[%s]" if kind is list else "(%s)") % ", ".join(parts)
    if kind in (set, frozenset):
        return "{" + ", ".join(sorted(value_words(item, depth + 1) for item in value)) + "}"
    if kind is dict:
        pairs = sorted(f"{value_words(key, depth + 1)}: {value_words(item, depth + 1)}" for key, item in value.items())
        return "{" + ", ".join(pairs) + "}"
    if loose and hasattr(value, "__iter__"):
        return value_words(list(value)[:1000], depth, loose=loose)
    kinds: tuple[Any, ...] = (str, bytes, int, float, list, tuple, dict, set)
    for base in kinds:
        if isinstance(value, base):
            return _inner_words(base(value), depth + 1, loose=loose)
    if kind.__module__ in ("datetime", "decimal", "fractions", "pathlib", "uuid", "builtins"):
        return str(value)[:LONGEST] if " at 0x" not in str(value) else "object"
    return "object"


def _number_text(value: float) -> str:
    if value != value or value in (float("inf"), float("-inf")):
        return str(value)
    return str(int(value)) if value == int(value) else repr(round(value, 9))


if __name__ == "__main__":
    main()
