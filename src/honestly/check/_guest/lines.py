"""A plug-in of pytest that says which lines of some files each test runs, and what functions are called with.

It shares its process with the code that is tested, which can make it say anything: a line that it names is a hint which
test to run, and no proof of anything. Lines that another process runs are not seen.
"""

from __future__ import annotations

import json
import os
import sys
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, FrameType
    from typing import Any

_ROOT = os.getcwd() + os.sep
_OUT = "/tmp/honestly-lines.json"  # noqa: S108 - in the sandbox
_ORDERS = "honestly_lines.json"
_MOST_CALLS, _LONGEST = 40, 2000

with open(_ORDERS, encoding="utf-8") as _file:
    _orders = json.load(_file)
_WANTED = {_ROOT + path: path for path in _orders["paths"]}
_FUNCTIONS = {(path, line): name for path, line, name in _orders["functions"]}
_seen: dict[str, dict[str, set[int]]] = {}
_calls: dict[str, dict[str, None]] = {}
_now = [""]
_LINES = {path: set(lines) for path, lines in _orders["lines"].items()}
_changed: dict[CodeType, bool] = {}


def _arguments(frame: FrameType) -> str | None:
    """The arguments of a call as plain data; None where they are none, or too long."""
    code = frame.f_code
    if code.co_flags & 0x0C or code.co_kwonlyargcount:
        return None
    import ast

    try:
        values = [frame.f_locals[name] for name in code.co_varnames[: code.co_argcount]]
        text = repr(values)
        return text if len(text) < _LONGEST and repr(ast.literal_eval(text)) == text else None
    except Exception:  # noqa: BLE001 - whatever a repr raises
        return None


def _is_changed(code: CodeType, path: str) -> bool:
    """Whether lines of a function are among those that somebody asks for: to follow all the others takes long."""
    if code not in _changed:
        own = [line for _, _, line in code.co_lines() if line]
        _changed[code] = bool(own) and not _LINES[path].isdisjoint(range(min(own), max(own) + 1))
    return _changed[code]


def _trace(frame: FrameType, event: str, _arg: object) -> Any:
    path = _WANTED.get(frame.f_code.co_filename)
    if path is None or event != "call":
        return None
    lines = _seen.setdefault(_now[0], {}).setdefault(path, set())
    lines.add(frame.f_lineno)
    name = _FUNCTIONS.get((path, frame.f_code.co_firstlineno))
    if (
        name is not None
        and frame.f_code.co_name != "<module>"
        and len(kept := _calls.setdefault(name, {})) < _MOST_CALLS
    ):
        text = _arguments(frame)
        if text is not None:
            kept[text] = None
    if not _is_changed(frame.f_code, path):
        return None

    def local(frame: FrameType, event: str, _arg: object) -> Any:
        if event == "line":
            lines.add(frame.f_lineno)
        return local

    return local


class _Lines:
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        _now[0] = nodeid
        _start()

    def pytest_runtest_logfinish(self) -> None:
        _now[0] = ""

    def pytest_sessionfinish(self) -> None:
        sys.settrace(None)
        threading.settrace(None)
        seen = {test: {path: sorted(lines) for path, lines in each.items()} for test, each in _seen.items()}
        with open(_OUT, "w", encoding="utf-8") as file:
            json.dump({"lines": seen, "calls": {name: list(each) for name, each in _calls.items()}}, file)


def _start() -> None:
    threading.settrace(_trace)
    sys.settrace(_trace)


def pytest_configure(config: Any) -> None:
    config.pluginmanager.register(_Lines(), "honestly-lines-reporter")
    _start()
