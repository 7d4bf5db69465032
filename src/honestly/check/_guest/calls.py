"""Calls functions of the workspace and prints, as JSON, what came of each call.

Orders come as JSON on standard input: `folders` in which modules lie, and `calls`, each a path, a function's name and
its arguments as a literal. A call has two seconds. What is printed meanwhile is part of the result.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
import json
import re
import signal
import sys

_SECONDS = 2
_ADDRESS = re.compile(r"\bat 0x[0-9a-f]+")
_LONGEST = 400


class _LateError(BaseException):
    pass


def _late(_signal: int, _frame: object) -> None:
    raise _LateError


def _loaded_module(path: str, folders: list[str]) -> object:
    for folder in sorted(folders, key=len, reverse=True):
        if folder and path.startswith(folder + "/"):
            path = path[len(folder) + 1 :]
            break
    return importlib.import_module(path.removesuffix(".py").replace("/", ".").removesuffix(".__init__"))


def _result(call: list[str], folders: list[str]) -> str | None:
    path, name, text = call
    said = io.StringIO()
    signal.alarm(_SECONDS)
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
            function = getattr(_loaded_module(path, folders), name)
            arguments = ast.literal_eval(text)
            value = function(*arguments)
            if hasattr(value, "__next__"):
                value = [each for each, _ in zip(value, range(50), strict=False)]
            shown = repr(value)
            shown += "" if repr(arguments) == text else f", and its arguments become {arguments!r}"
    except _LateError:
        return None
    except BaseException as error:  # noqa: BLE001 - it is the result
        shown = (
            f"{type(error).__name__}: {error}"
            if not isinstance(error, KeyboardInterrupt | SystemExit)
            else type(error).__name__
        )
    finally:
        signal.alarm(0)
    shown += f", and prints {said.getvalue()!r}" if said.getvalue() else ""
    return _ADDRESS.sub("at …", shown)[:_LONGEST]


def main() -> None:
    orders = json.load(sys.stdin)
    signal.signal(signal.SIGALRM, _late)
    found = [_result(call, orders["folders"]) for call in orders["calls"]]
    print(json.dumps(found), flush=True)


main()
