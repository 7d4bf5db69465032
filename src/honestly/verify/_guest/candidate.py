"""The far side of the wire: loads the code under test and does what the grader asks, in one fresh process per check.

The files arrive over the wire first. All that is sent back are plain data and numbered handles; whether a reply is true
does not matter here, since a reply *is* the candidate's answer, and the grader judges it.
"""

from __future__ import annotations

import _imp
import _socket
import builtins
import marshal
import operator
import os
import sys
import time
from importlib._bootstrap import ModuleSpec
from importlib._bootstrap_external import SourceFileLoader

from honestly.verify._guest.compiler import compile_each
from honestly.verify._guest.wire import (
    CALL,
    CALLBACK,
    CALLBACK_RESULT,
    DONE,
    FILES,
    HELD_S,
    RESULT,
    START,
    Channel,
    Reader,
    WireError,
    dumps,
    plant_files,
    take_files,
)

TYPE_CHECKING = False  # importing typing costs every sandbox some milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from honestly.verify._guest.wire import Files

MAX_BATCH = 1000
_MODULE, _FUNCTION = type(sys), type(lambda: None)
_MOST_OWN = 16
"""Functions of a module that the grader is told of before it asks."""
_NONE: dict[str, Any] = {}
_HEAD = 16
"""Bytes before the code in a file of cached code."""
_EXAMPLE = "from typing import List\n\n\ndef same(x: List[int]):\n    return x\n"
_VALUES = ([1, 2], "text", 0.5, (True, None), {"a": [1, "b"]})
_REHEARSALS = 3
"""Enough for names and methods to be found; more of them save nothing that can be measured."""


def _type_names(kind: type) -> list[str]:
    """The names of a type that the grader learns: its full name, those of its bases, and whether it is
    an iterator's.
    """
    names = [f"{each.__module__}.{each.__qualname__}" for each in kind.__mro__]
    return [*names, "__next__"] if hasattr(kind, "__next__") else names


class Far:
    """The objects of one check that the grader holds by number."""

    def __init__(self) -> None:
        self._objects: dict[int, Any] = {}
        self._next = 0
        self._read = Reader(self.resolve)

    def begin(self, channel: Channel, ready: Ready) -> None:
        """Begins the check."""
        self._channel, self._ready = channel, ready

    def export(self, value: Any) -> list[Any]:
        """Keeps an object and gives the handle that stands for it."""
        if type(value) is _Held:
            value = value.value
        return ["h", self._keep_value(value), _type_names(type(value))]

    def _keep_value(self, value: Any) -> int:
        self._next += 1
        self._objects[self._next] = value
        return self._next

    def resolve(self, tag: str, rest: list[Any]) -> Any:
        """The object behind a handle, or a function that calls the grader back."""
        if tag == "h":
            return self._objects[rest[0]]
        if tag == "k":
            return self._make_callback(rest[0])
        raise WireError(f"unknown tag {tag!r}")

    def _make_callback(self, number: int) -> Callable[..., Any]:
        def call_back(*args: Any, **kwargs: Any) -> Any:
            self._channel.send(CALLBACK, dumps([number, list(args), kwargs], self.export))
            while True:
                kind, payload = self._channel.receive()
                if kind == CALLBACK_RESULT:
                    failed, value = self._read(payload)
                    if failed:
                        error = getattr(builtins, value[0], None)
                        is_error = isinstance(error, type) and issubclass(error, Exception)
                        raise (error if is_error else RuntimeError)(value[1])  # type: ignore[misc]
                    return value
                self.answer_request(payload)

        return call_back

    def answer_request(self, payload: bytes) -> None:
        """Does one request and sends its result, whatever that is."""
        try:
            request = self._read(payload)
            reply = dumps([True, getattr(self, "do_" + request[0])(*request[1:])], self.export)
        except BaseException as error:  # the candidate may raise anything at all, SystemExit included
            try:
                text = str(error)[:2000]
            except BaseException:  # so may its __str__
                text = "(unprintable)"
            reply = dumps([False, [_type_names(type(error)), text]], self.export)
        self._channel.send(RESULT, reply)

    def do_load(self, name: str) -> Any:
        if self._ready.fits_module(name):
            module = self._ready.load()
        else:
            __import__(name)
            module = sys.modules[name]
        return self.module_numbers(module, name) if type(module) is _MODULE else module

    def module_numbers(self, module: Any, name: str) -> list[Any]:
        """The number of a module, and the names of its own functions, which have the numbers that follow."""
        number = self._keep_value(module)
        names: list[str] = []
        for key, value in vars(module).items():
            if type(value) is _FUNCTION and value.__module__ == name and len(names) < _MOST_OWN:
                self._keep_value(value)
                names.append(key)
        return [number, names]

    @staticmethod
    def do_get(target: Any, name: str) -> Any:
        return getattr(target, name)

    @staticmethod
    def do_set(target: Any, name: str, value: Any) -> None:
        setattr(target, name, value)

    def do_call(self, number: int, args: list[Any], kwargs: Mapping[str, Any] = _NONE) -> Any:
        return self._objects[number](*args, **kwargs)

    def do_each(self, number: int, many: list[list[Any]]) -> Any:
        """Calls a function once for each list of arguments; the last answer is returned, those before it are sent.

        The last is the first that is no plain data, where there is such a one: the grader then asks what it is.
        """
        function, kept, told = self._objects[number], self._next, time.monotonic()
        for args in many[:-1]:
            answer = function(*args)
            reply = dumps([True, answer], self.export)
            if self._next != kept:
                return answer
            now = time.monotonic()
            held = now < told + HELD_S
            self._channel.send(RESULT, reply, held=held)
            told = told if held else now
        return function(*many[-1])

    @staticmethod
    def do_operator(name: str, args: list[Any]) -> Any:
        return getattr(operator, name)(*args)

    @staticmethod
    def do_builtin(name: str, args: list[Any]) -> Any:
        known: dict[str, Callable[..., Any]] = {"len": len, "str": str, "repr": repr, "hash": hash, "iter": _Iterator}
        return known[name](*args)

    @staticmethod
    def do_next(iterator: _Iterator, wanted: int) -> list[Any]:
        return iterator.next_batch(min(wanted, MAX_BATCH))

    @staticmethod
    def do_hold(value: Any) -> _Held:
        return _Held(value)

    @staticmethod
    def do_value(target: Any) -> Any:
        """A subclass of a built-in container or number as the built-in itself."""
        kinds: tuple[Any, ...] = (bool, int, float, str, bytes, list, tuple, dict, set, frozenset)
        for kind in kinds:
            if isinstance(target, kind):
                return kind(target)
        return target


class _Held:
    """Marks a plain value that shall cross as a handle."""

    def __init__(self, value: Any) -> None:
        self.value = value


class _Iterator:
    """An iterator that hands out its items in batches."""

    def __init__(self, iterable: Any) -> None:
        self._iterator = iter(iterable)

    def next_batch(self, wanted: int) -> list[Any]:
        items: list[Any] = []
        for item in self._iterator:
            items.append(item)
            if len(items) >= wanted:
                return [items, False]
        return [items, True]


class Ready:
    """A workspace of one Python file: its module is made from the code that came with it, without a search on disk.

    That is what most workspaces are that come from elsewhere, and the search costs as much as the rest of their check.
    """

    def __init__(self, files: Files, folder: str) -> None:
        """Takes the code out of the files, which belong into a folder."""
        self._folder = folder
        self.name = self._cached = ""
        sources = codes = 0
        for _, path, data in files:
            if path.endswith(".py"):
                self.name, self._source = path.removesuffix(".py"), data
                sources += 1
            elif path.endswith(".pyc"):
                self._cached, self._code = path, data
                codes += 1
        if sources == codes == 1 and "/" not in self.name and self._cached.startswith("__pycache__/"):
            files[:] = [file for file in files if file[1] != self._cached]
        else:
            self.name = ""

    def fits_module(self, name: str) -> bool:
        """Whether this is the module, and its file still what the code was made from."""
        if name != self.name or name in sys.modules:
            return False
        try:
            fd = os.open(name + ".py", os.O_RDONLY)
        except OSError:
            return False
        try:
            return os.read(fd, len(self._source) + 1) == self._source
        except OSError:
            return False
        finally:
            os.close(fd)

    def load(self) -> Any:
        """Makes the module, with what an import would give it."""
        path = f"{self._folder}/{self.name}.py"
        spec = ModuleSpec(self.name, SourceFileLoader(self.name, path), origin=path)
        spec.has_location = True
        spec.cached = f"{self._folder}/{self._cached}"
        module = sys.modules[self.name] = type(sys)(self.name)
        module.__dict__.update(
            __spec__=spec, __loader__=spec.loader, __package__="", __file__=path, __cached__=spec.cached
        )
        try:
            code = marshal.loads(self._code[_HEAD:])
            # as an import does, so that code finds its own source
            _imp._fix_co_filename(code, path)  # type: ignore[attr-defined]  # noqa: SLF001
            exec(code, module.__dict__)
        except BaseException:
            sys.modules.pop(self.name, None)
            raise
        return sys.modules[self.name]


_far = Far()


def prepare() -> None:
    """Does what forks do, in the process from which they will be forked, and leaves nothing behind.

    What is done again finds names and methods already looked up, and code made fast. A fork that had to remember all
    that for itself would touch thirty pages more, 6% of all page faults of verifying (`python bench/verify.py PROBLEMS
    --against CHECKOUT`, a checkout without it).
    """
    code = bytes(_HEAD) + marshal.dumps(compile(_EXAMPLE, "", "exec"))
    files = marshal.dumps([("", "example.py", b""), ("", "__pycache__/example.pyc", code)])
    for _ in range(_REHEARSALS):
        near, channel = (Channel(end.detach()) for end in _socket.socketpair())
        near.send(FILES, files)
        ready = Ready(take_files(channel, *channel.receive()), os.getcwd())
        plant_files([])
        far = Far()
        far.begin(channel, ready)
        channel.send(RESULT, dumps([True, far.module_numbers(ready.load(), ready.name)], far.export))
        del sys.modules[ready.name]
        for request in (["load", "builtins"], *(["call", 2, [value]] for value in _VALUES)):
            near.send(CALL, dumps(request, None))
            far.answer_request(channel.receive()[1])
        near.close()
        channel.close()


def add_own_paths(folder: str) -> None:
    """Adds the folders of the workspace that `PYTHONPATH` names to where Python looks, as they lie below `folder`."""
    named = os.environ.get("PYTHONPATH", "")
    home = os.environ.get("HOME", "") + "/"
    own = [path[len(home) :] for path in named.split(":") if path.startswith(home)] if home in named else []
    if own:
        sys.path[1:1] = [f"{folder}/{path}" for path in own]


def forked(descriptor: int) -> None:
    """Takes the files of the workspace into the working directory, then answers until the grader hangs up.

    Or, if the host sends a source first, compiles sources until it hangs up.
    """
    channel = Channel(descriptor)
    kind, payload = channel.receive()
    if kind == START:
        compile_each(channel, payload)
    files = take_files(channel, kind, payload)
    folder = os.getcwd()
    ready = Ready(files, folder)
    plant_files(files)
    channel.send(DONE, b"")
    sys.path.insert(0, folder)
    add_own_paths(folder)
    _far.begin(channel, ready)
    while True:
        _far.answer_request(channel.receive()[1])
