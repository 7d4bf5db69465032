"""The requests of a check to a candidate, one by one, and how it gets to see the answers.

Whatever the candidate does, here it is data: a reply is a plain value, a handle, or the description of an exception.
"""

from __future__ import annotations

import os
import signal

from honestly.verify._guest.wire import CALL, CALLBACK, CALLBACK_RESULT, HELD_S, HOST, Channel, Reader, WireError, dumps

TYPE_CHECKING = False  # importing typing costs every sandbox some milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

BATCH, MAX_ITEMS = 200, 1_000_000
DEFAULT_LIMIT, BEGIN_LIMIT = 10.0, 30.0
_LARGE, _READ_S, _SPARE_S = 1 << 14, 0.5, 1.0
"""Bytes of an answer from which on work on it is timed, the least that reading it may take, and what comes on top."""
_LONG = (b'"r"', b'"D"', b"\\u")
"""Marks of answers that are short, and can still keep a comparison busy: ranges, decimals, or either in disguise."""
_MODULE, _FUNCTION = ("builtins.module", "builtins.object"), ("builtins.function", "builtins.object")
_FIXED = (_FUNCTION[0], "builtins.type")
_OPAQUE = (*_FIXED, _MODULE[0])
_CONTROL = ("StopIteration", "StopAsyncIteration")
"""Exceptions that end loops and `map` in silence: raised here, they would let a solution skip a check's comparisons."""
_TEXTS = {str}
_NEXT = "__next__"
"""Behind the names of an iterator's type."""
MALFORMED = (TypeError, ValueError, KeyError, IndexError, AttributeError)


class CheckTimeout(BaseException):
    """The candidate did not answer in time. Not an Exception, so that no check swallows it by accident."""


class HostAway(BaseException):
    """The check needs the host, which takes no part in a series."""


class CandidateDied(BaseException):
    """The candidate's process ended, or broke the wire, before it answered."""

    def __init__(self, message: str, ended: str = "") -> None:
        """`ended`: how that ended the exchange: `process`, `malformed`; empty where a reply was of the wrong kind."""
        super().__init__(message)
        self.ended = ended


class RemoteError(Exception):
    """An exception that the candidate raised and that has no built-in counterpart here."""


class Wire:
    """Requests to the candidate and to the host, strictly one at a time."""

    def __init__(
        self, host: Channel | None, candidate: Channel, patience: float, tell: Callable[[], object] | None = None
    ) -> None:
        """`tell` says what is held back, before this process does what it may not survive."""
        self._host, self._candidate, self.patience = host, candidate, patience
        self._tell, self._timed, self._handles = tell, False, 0
        self.limit = DEFAULT_LIMIT
        self.over = 0.0
        """Seconds of this check beyond limits that were prolonged, since the machine was busy."""
        self._waited_before = _waited_since_start()
        self.functions: dict[tuple[int, str], Remote] = {}
        """Functions and classes of modules that were asked for before."""
        self.sizes: dict[tuple[str, int], int] = {}
        """How many items an object has, by its length and by its items: until something is called or changed."""
        self._fresh: dict[tuple[int, str], int] = {}
        """Functions that came with a module, which nothing can have changed since: no other request was made."""
        self.begun = False
        """The candidate's files are in their place."""
        self.hosted = host is not None
        """The host takes part in this check, which is then no part of a series."""
        self._callbacks: list[Callable[..., Any]] = []
        self._read = Reader(self.resolve)

    def export(self, value: Any) -> list[Any]:
        """The wire's form of a handle or a callable."""
        if isinstance(value, Remote):
            return ["h", object.__getattribute__(value, "_number")]
        if callable(value):
            self._callbacks.append(value)
            return ["k", len(self._callbacks) - 1]
        raise WireError(f"a check may pass plain data, handles and callables, not {type(value).__name__}")

    @staticmethod
    def is_function(value: object) -> bool:
        """Whether it is a handle to a function or class, which does not change."""
        return isinstance(value, Remote) and object.__getattribute__(value, "_names")[0] in _FIXED

    @staticmethod
    def is_opaque(value: object) -> bool:
        """Whether it is a handle that no plain data is behind."""
        return isinstance(value, Remote) and object.__getattribute__(value, "_names")[0] in _OPAQUE

    def resolve(self, tag: str, rest: list[Any]) -> Remote:
        """The handle that a tag stands for."""
        if tag == "h":
            self._handles += 1
            number, names = rest
            if _TEXTS.issuperset(map(type, names)):
                return (RemoteIterator if names[-1:] == [_NEXT] else Remote)(self, number, tuple(names))
        raise WireError(f"unknown tag {tag!r}")

    def ask(self, *request: Any) -> Any:
        """The candidate's answer to a request; raises what it raised."""
        self._fresh = {}
        return self._sent_answer(request[0], dumps(list(request), self.export))

    def each(self, function: Remote, packed: bytes, limits: Iterable[float]) -> Iterator[Any]:
        """The answers of a function to many calls, in turn; they end with the first that holds a handle.

        Until they have ended, nothing else can be asked.

        Args:
            function: what is called.
            packed: the lists of arguments, as `dumps` has them.
            limits: seconds that each answer may take after the one before; asked for when its time begins.
        """
        self._fresh = {}
        number, handles, before = object.__getattribute__(function, "_number"), self._handles, self.limit
        request = b'["each",%d,%s]' % (number, packed)
        try:
            for self.limit in limits:
                if not request:
                    self._candidate.limit(self.limit * self.patience + HELD_S)
                yield self._sent_answer("each", request)
                if self._handles != handles:
                    return
                request = b""
        finally:
            self.limit = before

    def _sent_answer(self, name: str, payload: bytes) -> Any:
        """The answer to a request that is sent, or to one of many that was sent before."""
        try:
            if payload:
                self._send(payload)
            kind, payload = self._in_time(self._candidate.receive)
            while kind == CALLBACK:
                left = self._candidate.left()
                self._bound_time(payload, left)
                self._answer_callback(payload)
                self._candidate.limit(left)
                kind, payload = self._in_time(self._candidate.receive)
            self._bound_time(payload, self._candidate.left())
            fine, value = self._reply_pair(payload)
            error = None if fine is True else _nearest_exception(value)
        except TimeoutError:
            raise CheckTimeout(f"no answer to {name!r} within {self.limit:g} s") from None
        except (OSError, EOFError):
            raise CandidateDied("the solution's process ended before it answered", "process") from None
        except (WireError, *MALFORMED) as wrong:
            raise CandidateDied(f"the solution sent what is not a reply: {wrong}", "malformed") from None
        if error is None:
            return value
        raise error

    def _bound_time(self, payload: bytes, seconds: float) -> None:
        """Bounds what this process does, until the next answer comes, with one that could keep it busy.

        Keys with one hash can keep a table busy for hours, when it is read or when a check makes a set of it: in C,
        where no handler runs. So the process ends then, and whoever waits for it sees of what.
        """
        timed = len(payload) > _LARGE or any(mark in payload for mark in _LONG)
        if timed and self._tell is not None:
            self._tell()
        if timed or self._timed:
            signal.setitimer(signal.ITIMER_VIRTUAL, max(seconds, _READ_S) + _SPARE_S if timed else 0)
        self._timed = timed

    def end_bounds(self) -> None:
        """Leaves no bound behind."""
        if self._timed:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)

    def _reply_pair(self, payload: bytes) -> list[Any]:
        reply = self._read(payload)
        if type(reply) is not list or len(reply) != 2:
            raise WireError("a reply has two parts")
        return reply

    def _send(self, payload: bytes) -> None:
        """Sends a request; its time begins when the candidate's files are in their place."""
        self._candidate.limit(self.limit * self.patience if self.begun else BEGIN_LIMIT)
        try:
            self._candidate.send(CALL, payload)
        except TimeoutError:
            self._prolong_limit()
            self._in_time(self._candidate.flush)
        if not self.begun:
            self._await()
            self._candidate.limit(self.limit * self.patience)

    def _await(self) -> None:
        """Sees that the candidate's files are in their place."""
        if not self.begun:
            self._candidate.limit(BEGIN_LIMIT)
            self._in_time(self._candidate.receive)
            self.begun = True

    def _in_time(self, step: Callable[[], Any]) -> Any:
        """The result of a step of the exchange with the candidate, for which a busy machine may need more time."""
        while True:
            try:
                return step()
            except TimeoutError:
                self._prolong_limit()

    def _prolong_limit(self) -> None:
        """Sets the candidate another limit if the one that has passed was not its own fault; else a TimeoutError."""
        overdue = self._candidate.seconds_overdue()
        more = self.more(self.limit, overdue)
        if not more:
            raise TimeoutError
        # It ran on meanwhile; what that was beyond `more`, the next question tells.
        self._candidate.limit(more - (self._candidate.seconds_overdue() - overdue))

    def waited_seconds(self) -> float:
        """Seconds of this check in which this process was ready to run while others did; NaN where not known."""
        return _waited_since_start() - self._waited_before

    def more(self, limit: float, overdue: float) -> float:
        """Seconds by which a limit of this check, which has passed, is prolonged; 0 if the candidate has had it all."""
        if self._host is None:
            return 0.0
        self._host.send(HOST, dumps([limit, "late", overdue, self.waited_seconds()], None))
        fine, seconds = self._reply_pair(self._host.receive()[1])
        if not fine:
            raise OSError(seconds)
        self.over += overdue + seconds
        return float(seconds)

    def load(self, name: str) -> Remote:
        """A module of the candidate's, and with it the numbers of its functions."""
        reply = self.ask("load", name)
        if isinstance(reply, Remote):
            return reply
        if type(reply) is list and list(map(type, reply)) == [int, list] and _TEXTS.issuperset(map(type, reply[1])):
            number, names = reply
            self._fresh = {(number, key): at for at, key in enumerate(names, number + 1)}
            return Remote(self, number, _MODULE)
        raise CandidateDied(f"the solution sent what is not a module: {type(reply).__name__}")

    def known_remote(self, number: int, name: str) -> Remote | None:
        """A function or class of a module that was asked for before, or has just come with it."""
        key = number, name
        if key in self._fresh:
            self.functions[key] = Remote(self, self._fresh[key], _FUNCTION)
        return self.functions.get(key)

    def _answer_callback(self, payload: bytes) -> None:
        number, args, kwargs = self._read(payload)
        function = self._callbacks[number]
        try:
            reply = [False, function(*args, **kwargs)]
        except Exception as error:
            if isinstance(error, AssertionError) and not hasattr(error, "remote_names"):
                raise  # the check's own verdict, which the candidate must not get to swallow
            reply = [True, [type(error).__name__, str(error)]]
        self._candidate.send(CALLBACK_RESULT, dumps(reply, self.export))

    def ask_host(self, *request: Any) -> Any:
        """The host's answer to a request about files or commands."""
        self._await()
        if self._host is None:
            raise HostAway
        self._host.send(HOST, dumps([self.limit, *request], self.export))
        payload = self._host.receive()[1]
        self._bound_time(payload, self.limit)
        fine, value = self._reply_pair(payload)
        if not fine:
            raise (FileNotFoundError if request[0] == "read" else OSError)(value)
        return value


class Remote:
    """An object of the candidate's, by number. Attributes, calls, items, length and iteration go over the wire."""

    __slots__ = ("_names", "_number", "_wire")
    _wire: Wire
    _number: int
    _names: tuple[str, ...]

    def __init__(self, wire: Wire, number: int, names: tuple[str, ...]) -> None:
        for name, value in (("_wire", wire), ("_number", number), ("_names", names)):
            object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__array"):
            raise AttributeError(name)  # numpy would believe an address in memory, or leave the comparison to it
        known = self._wire.known_remote(self._number, name)
        if known is None:
            known = self._wire.ask("get", self, name)
            if self._names[0] == _MODULE[0] and self._wire.is_function(known):
                self._wire.functions[self._number, name] = known  # half of all round trips ask for these again
        return known

    def __setattr__(self, name: str, value: Any) -> None:
        self._wire.sizes.clear()
        self._wire.ask("set", self, name, value)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self._wire.sizes.clear()  # whatever is called may change anything
        return self._wire.ask("call", self._number, list(args), *([kwargs] if kwargs else ()))

    def __iter__(self) -> Iterator[Any]:
        said = self._wire.sizes.get(("length", self._number))
        iterator = self._wire.ask("builtin", "iter", [self])
        seen = 0
        while True:
            items, ended = self._wire.ask("next", iterator, BATCH if seen else 1)
            seen += len(items)
            yield from items
            if ended:
                self._wire.sizes["items", self._number] = seen
                self._check_size(seen, said)
                return
            if seen > MAX_ITEMS:
                raise AssertionError(f"an iterator gave more than {MAX_ITEMS} items")

    def __enter__(self) -> Any:
        return self._wire.ask("get", self, "__enter__")()

    def __exit__(self, _kind: Any, error: BaseException | None, _trace: Any) -> None:
        self._wire.ask("get", self, "__exit__")(None, None if error is None else str(error), None)

    def __len__(self) -> int:
        size = int(self._wire.ask("builtin", "len", [self]))
        self._wire.sizes["length", self._number] = size
        self._check_size(self._wire.sizes.get(("items", self._number), size), size)
        return size

    def _check_size(self, items: int, length: int | None) -> None:
        """See that its length and its items, both the solution's word, agree as long as nothing was called between."""
        if length is not None and items != length:
            raise AssertionError(f"{self!r} says that it has {length} items, and gives {items}")

    def __str__(self) -> str:
        return str(self._wire.ask("builtin", "str", [self]))

    def __repr__(self) -> str:
        return f"<{self._names[0]} #{self._number} of the solution>"

    def __getitem__(self, key: Any) -> Any:
        return self._wire.ask("operator", "getitem", [self, key])

    def __setitem__(self, key: Any, value: Any) -> None:
        self._wire.sizes.clear()
        self._wire.ask("operator", "setitem", [self, key, value])

    def __delitem__(self, key: Any) -> None:
        self._wire.sizes.clear()
        self._wire.ask("operator", "delitem", [self, key])

    def _refuse_use(self, *_: object, **_named: object) -> Any:
        # An object of the solution's could answer any comparison with yes and any difference with zero. Even a hash of
        # our own would say too much: in a set, handles would always differ, and never be among the forbidden values.
        raise TypeError(f"{self!r} is not plain data: a check must not compare it or compute with it (see ws.op)")

    __hash__ = __array__ = _refuse_use
    __array_ufunc__ = None
    __bool__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse_use
    __add__ = __sub__ = __mul__ = __truediv__ = __floordiv__ = __mod__ = __pow__ = __matmul__ = _refuse_use
    __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rfloordiv__ = __rmod__ = __rpow__ = __rmatmul__ = _refuse_use
    __neg__ = __abs__ = __invert__ = _refuse_use


class RemoteIterator(Remote):
    """An iterator of the candidate's, for `next`."""

    __slots__ = ()

    def __next__(self) -> Any:
        try:
            return self._wire.ask("get", self, _NEXT)()
        except RemoteError as error:
            if "builtins.StopIteration" in getattr(error, "remote_names", ()):
                raise StopIteration from None
            raise


def _waited_since_start() -> float:
    """Seconds since this process began in which it was ready to run while others did; NaN where that is not known."""
    try:
        fd = os.open("/proc/self/schedstat", os.O_RDONLY)
        try:
            return int(os.read(fd, 100).split()[1]) / 1e9
        finally:
            os.close(fd)
    except (OSError, LookupError, ValueError):
        return float("nan")


def _nearest_exception(described: list[Any]) -> Exception:
    """The nearest built-in exception to what the candidate raised, with the names of the real class and its bases."""
    import builtins

    names, text = described
    if type(text) is not str or not _TEXTS.issuperset(map(type, names)):
        raise TypeError("an exception without a text")
    for name in names:
        module, _, short = name.rpartition(".")
        kind = getattr(builtins, short, None)
        if module != "builtins" or short == "Exception" or short in _CONTROL:
            continue
        if isinstance(kind, type) and issubclass(kind, Exception):
            break
    else:
        kind = RemoteError
    try:
        error = kind(text)
    except TypeError:  # UnicodeDecodeError and its like need more than a text
        error = RemoteError(text)
    error.__dict__["remote_names"] = tuple(names)
    return error
