"""The wire between the grader and the code under test: frames, and values as tagged plain data.

Runs inside sandboxes, so it needs nothing but a little of the standard library and is compiled on the host. A frame is
a 4-byte big-endian length, one byte of kind, and the payload; a descriptor may come with its first byte. A value is
JSON in which every container carries a tag, so that a tuple stays a tuple and only exact types cross: built-in ones, a
few of the standard library, and numpy's arrays (`arrays.py`); anything else crosses as a handle and stays where it is.
Instances of the candidate's own classes are therefore never seen by the grader, whose comparisons they cannot bend.

Not covered: values nested deeper than 200, and frames over 32 MiB; both are refused.
"""

from __future__ import annotations

import _socket
import array
import binascii
import json
import marshal
import os
import struct
import sys
import time

from honestly.verify._guest.arrays import pack_array, unpack_array, unpack_scalar

TYPE_CHECKING = False  # importing typing costs every sandbox some milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    Export: TypeAlias = Callable[[Any], list[Any]]
    Resolve: TypeAlias = Callable[[str, list[Any]], Any]
    Build: TypeAlias = Callable[[list[Any], Resolve | None], Any]
    Files: TypeAlias = list[tuple[str, str, bytes]]

MAX_FRAME = 32 << 20
MAX_DEPTH = 200
_SMALL = 1 << 60
_MOST_ALIKE, _LONGEST_PART = 1000, 1 << 16
_CHUNK = 1 << 16
_ROOM = 512  # bytes for what comes beside the data: some hundred descriptors
_encode = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode

CALL, CALLBACK_RESULT = b"C", b"B"  # from the grader to the candidate
RESULT, CALLBACK = b"R", b"K"  # from the candidate to the grader
START, END, DONE, HOST, FILES = b"S", b"E", b"D", b"H", b"F"  # between the host and either
SERIES = b"T"  # from the host to the grader: the checks that follow, until END, need no host between them


class WireError(Exception):
    """What arrived, or should be sent, does not fit the wire."""


class Channel:
    """Frames over a connected socket."""

    def __init__(self, fd: int, *, takes_descriptors: bool = False) -> None:
        """Takes over `fd`. Descriptors that come with frames are dropped by the kernel, unless they are wanted."""
        self._socket = _socket.socket(fileno=fd)
        self._room = _ROOM if takes_descriptors else 0
        self._due: float | None = None
        self._limit: float | None = None
        self._buffer = bytearray()
        self._held = b""
        self._descriptors: list[int] = []

    def limit(self, seconds: float) -> None:
        """From now on, sending and receiving raise TimeoutError once so many seconds have passed."""
        self._due = time.monotonic() + seconds
        if self._limit is None or not 0.9 * self._limit <= seconds <= self._limit:  # a little late is near enough
            self._limit = seconds
            pause = struct.pack("ll", int(seconds), int(seconds % 1 * 1e6) or (not int(seconds)))
            self._socket.setsockopt(_socket.SOL_SOCKET, _socket.SO_RCVTIMEO, pause)
            self._socket.setsockopt(_socket.SOL_SOCKET, _socket.SO_SNDTIMEO, pause)

    def left(self) -> float:
        """Seconds until the limit that was set last; 0 if they have passed."""
        return max(0.0, (self._due or 0.0) - time.monotonic())

    def send(self, kind: bytes, payload: bytes, *, held: bool = False) -> None:
        """Sends one frame, after those that were held back; or holds it back, for the next one to take along.

        Raises:
            TimeoutError: the other side did not read it in time.
            OSError: the other side is gone.
        """
        whole = self._held + len(payload).to_bytes(4, "big") + kind + payload
        self._held = whole if held else b""
        data = memoryview(b"" if held else whole)
        while data:
            try:
                data = data[self._socket.send(data, _socket.MSG_NOSIGNAL) :]
            except BlockingIOError:
                raise TimeoutError from None
            if data:
                self._check()

    def receive(self) -> tuple[bytes, bytes]:
        """The next frame: kind and payload.

        Raises:
            WireError: it is too large.
            TimeoutError: it did not come in time.
            EOFError: the other side is gone.
        """
        head = self._exactly(5)
        size = int.from_bytes(head[:4], "big")
        if size > MAX_FRAME:
            raise WireError(f"a frame of {size} bytes is too large for the wire ({MAX_FRAME})")
        return head[4:], self._exactly(size)

    def descriptor(self) -> int:
        """The descriptor that came with the frame that was just received."""
        return self._descriptors.pop(0)

    def turn(self) -> None:
        """Says that the present turn is over, to whoever counts them; or nothing, if nobody does any more."""
        try:
            self._socket.send(b".", _socket.MSG_NOSIGNAL)
        except OSError:
            pass

    def close(self) -> None:
        """Hangs up."""
        self._socket.close()

    def _exactly(self, size: int) -> bytes:
        while len(self._buffer) < size:
            try:
                part, ancillary, _, _ = self._socket.recvmsg(_CHUNK, self._room)
            except BlockingIOError:
                raise TimeoutError from None
            if not part:
                raise EOFError("the other side of the wire is gone")
            for level, kind, data in ancillary:
                if (level, kind) == (_socket.SOL_SOCKET, _socket.SCM_RIGHTS):
                    self._descriptors += array.array("i", data[: len(data) // 4 * 4])
            self._buffer += part
            self._check()
        data = bytes(memoryview(self._buffer)[:size])
        del self._buffer[:size]
        return data

    def _check(self) -> None:
        """The kernel's own time limit is for one call; this one is for all of them together."""
        if self._due is not None and time.monotonic() > self._due:
            raise TimeoutError


def take_stdio() -> Channel:
    """The channel over this process's own standard input and output, which are then replaced by nothing and stderr."""
    channel = Channel(os.dup(0), takes_descriptors=True)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    return channel


def take_files(channel: Channel, part: bytes) -> Files:
    """Receives the rest of a tree of files, of which `part` came: (mode, path, data), links last."""
    parts: list[bytes] = []
    kind = FILES
    while kind == FILES:
        parts.append(part)
        kind, part = channel.receive()
    files: Files = marshal.loads(b"".join(parts))
    return files


def plant(files: Files) -> None:
    """Writes a tree of files into the working directory, which is empty. No file is written through a link."""
    made = {""}
    for mode, path, data in files:
        folder = path.rpartition("/")[0]
        if folder not in made:
            os.makedirs(folder, exist_ok=True)
            made.add(folder)
        if mode == "link":
            os.symlink(data, path)
            continue
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o755 if mode == "exec" else 0o644)
        view = memoryview(data)
        while view:
            view = view[os.write(fd, view) :]
        os.close(fd)


def dumps(value: object, export: Export | None) -> bytes:
    """`value` as the bytes of a payload; `export(object)` gives the tagged form of what is not plain data."""
    try:
        text = _encode(_pack(value, export, 0))
    except RecursionError:
        raise WireError(f"a value is nested deeper than {MAX_DEPTH}") from None
    except OverflowError as error:
        raise WireError(str(error)) from None
    payload = text.encode("utf-8", "surrogatepass")
    if len(payload) > MAX_FRAME:
        raise WireError(f"a value of {len(payload)} bytes is too large for the wire ({MAX_FRAME})")
    return payload


def loads(payload: bytes, resolve: Resolve | None) -> Any:
    """The value of a payload; `resolve(tag, fields)` turns the tags that stand for objects into something local."""
    try:
        return _unpack(json.loads(payload.decode("utf-8", "surrogatepass")), resolve, 0)
    except ImportError as error:
        raise WireError(str(error)) from None
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, ArithmeticError, RecursionError) as error:
        raise WireError(f"not a value: {type(error).__name__}: {str(error)[:200]}") from None


def _pack(value: Any, export: Export | None, depth: int) -> Any:
    kind = type(value)
    if value is None or kind is bool or kind is str:
        return value
    if kind is int:
        return value if -_SMALL < value < _SMALL else ["i", format(value, "x")]
    if kind is float:
        return value if value - value == 0.0 else ["n", repr(value)]
    if depth > MAX_DEPTH:
        raise WireError(f"a value is nested deeper than {MAX_DEPTH}")
    tag = _SEQUENCES.get(kind)
    if tag is not None:
        return [tag, *(_pack(item, export, depth + 1) for item in value)]
    if kind is dict:
        return ["d", *([_pack(k, export, depth + 1), _pack(v, export, depth + 1)] for k, v in value.items())]
    if kind is bytes or kind is bytearray:
        return ["y" if kind is bytes else "Y", binascii.b2a_base64(value, newline=False).decode("ascii")]
    if kind is complex:
        return ["c", repr(value.real), repr(value.imag)]
    if kind is range:
        return ["r", *(_pack(part, export, depth) for part in (value.start, value.stop, value.step))]
    packed = _pack_library(value, kind)
    if packed is not None:
        return packed
    if export is None:
        raise WireError(f"{kind.__name__} is not plain data")
    return export(value)


def _pack_library(value: Any, kind: type) -> list[Any] | None:
    """Tagged form of an exact Decimal, Fraction, date, time, datetime, timedelta or array; None for anything else."""
    name = _LIBRARY.get((kind.__module__, kind.__name__))
    if name is None:
        return pack_array(value, kind) if kind.__module__ == "numpy" else None
    if kind is not getattr(sys.modules.get(kind.__module__), kind.__name__, None):
        return None
    if name == "D":
        return [name, str(value)]
    if name == "F":
        return [name, format(value.numerator, "x"), format(value.denominator, "x")]
    if name == "td":
        return [name, value.days, value.seconds, value.microseconds]
    zone = getattr(value, "tzinfo", None)
    if zone is not None and (type(zone).__module__, type(zone).__name__) != ("datetime", "timezone"):
        return None
    return [name, value.isoformat(), getattr(value, "fold", 0)]


_SEQUENCES: dict[object, str] = {list: "l", tuple: "t", set: "s", frozenset: "f"}
_LIBRARY: dict[tuple[str, str], str] = {
    ("decimal", "Decimal"): "D",
    ("fractions", "Fraction"): "F",
    ("datetime", "timedelta"): "td",
    ("datetime", "datetime"): "dt",
    ("datetime", "date"): "da",
    ("datetime", "time"): "tm",
}
_BUILD: dict[str, Callable[[list[Any]], Any]] = {"l": list, "t": tuple, "s": set, "f": frozenset}


def _unpack(data: Any, resolve: Resolve | None, depth: int) -> Any:
    if not isinstance(data, list):
        if isinstance(data, dict):
            raise WireError("an untagged object")
        return data
    if depth > MAX_DEPTH:
        raise WireError(f"a value is nested deeper than {MAX_DEPTH}")
    tag, rest = data[0], data[1:]
    if tag in _BUILD:
        items = [_unpack(item, resolve, depth + 1) for item in rest]
        return _BUILD[tag](items if tag in "lt" else _spread(items))
    if tag == "d":
        pairs = [(_unpack(k, resolve, depth + 1), _unpack(v, resolve, depth + 1)) for k, v in rest]
        _spread([key for key, _ in pairs])
        return dict(pairs)
    if tag in _SCALARS:
        return _SCALARS[tag](rest, resolve)
    if resolve is None:
        raise WireError(f"unknown tag {tag!r}")
    return resolve(tag, rest)


def _spread(keys: list[Any]) -> list[Any]:
    """`keys`, unless so many have one hash that a table of them would take hours."""
    if len(keys) > _MOST_ALIKE and len(set(map(hash, keys))) < len(keys) - _MOST_ALIKE:
        raise WireError(f"more than {_MOST_ALIKE} keys that have the hash of another one")
    return keys


def _decimal(rest: list[Any], _resolve: Resolve | None) -> Any:
    from decimal import Decimal

    return Decimal(rest[0])


def _fraction(rest: list[Any], _resolve: Resolve | None) -> Any:
    from fractions import Fraction

    if max(map(len, rest)) > _LONGEST_PART:  # reducing it takes the square of its length
        raise WireError(f"a fraction of more than {_LONGEST_PART} hexadecimal digits")
    return Fraction(int(rest[0], 16), int(rest[1], 16))


def _moment(kind: str) -> Build:
    def build(rest: list[Any], _resolve: Resolve | None) -> Any:
        import datetime

        value = getattr(datetime, kind).fromisoformat(rest[0])
        return value.replace(fold=1) if rest[1] == 1 and kind != "date" else value

    return build


def _delta(rest: list[Any], _resolve: Resolve | None) -> Any:
    from datetime import timedelta

    return timedelta(rest[0], rest[1], rest[2])


_SCALARS: dict[str, Build] = {
    "i": lambda rest, _: int(rest[0], 16),
    "n": lambda rest, _: float(rest[0]),
    "y": lambda rest, _: binascii.a2b_base64(rest[0]),
    "Y": lambda rest, _: bytearray(binascii.a2b_base64(rest[0])),
    "c": lambda rest, _: complex(float(rest[0]), float(rest[1])),
    "r": lambda rest, resolve: range(*(_unpack(part, resolve, 0) for part in rest)),
    "D": _decimal,
    "F": _fraction,
    "td": _delta,
    "dt": _moment("datetime"),
    "da": _moment("date"),
    "tm": _moment("time"),
    "a": unpack_array,
    "g": unpack_scalar,
}
