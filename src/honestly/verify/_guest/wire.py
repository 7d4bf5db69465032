"""The wire between the grader and the code under test: frames, and values as tagged plain data.

Runs inside sandboxes, so it needs nothing but a little of the standard library and is compiled on the host. A frame
(`honestly.sandbox._guest.frames`) holds one byte of kind and the payload; a descriptor may come with its first byte. A
value is JSON in which whatever JSON does not know is an object of one field, `{"tag": [parts]}`: a tuple stays a tuple,
and only exact types cross: built-in ones, a few of the standard library, and numpy's arrays (`scalars.py`,
`arrays.py`); anything else crosses as a handle and stays where it is. Instances of the candidate's own classes are
therefore never seen by the grader, whose comparisons they cannot bend.

Not covered: values nested deeper than 200, and frames over 32 MiB; both are refused.
"""

from __future__ import annotations

import _socket
import array
import json
import marshal
import os
import struct

from honestly.sandbox._guest.clock import TICK_S, SteadyClock
from honestly.sandbox._guest.frames import HEAD, frame_length, pack_frame
from honestly.verify._guest.scalars import SCALARS, pack

TYPE_CHECKING = False  # importing typing costs every sandbox some milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    Export: TypeAlias = Callable[[Any], list[Any]]
    Resolve: TypeAlias = Callable[[str, list[Any]], Any]
    Build: TypeAlias = Callable[[list[Any]], Any]
    Files: TypeAlias = list[tuple[str, str, bytes]]

MAX_FRAME = 32 << 20
"""Bytes of a payload; its kind comes on top."""
MAX_DEPTH = 200
HELD_S = 0.02
"""How long one of many answers may be held back, for the next one to take along, seconds."""
_SMALL = 1 << 60
_MOST_ALIKE = 1000
_CHUNK = 1 << 16
_ROOM = 512  # bytes for what comes beside the data: some hundred descriptors
_quoted = json.encoder.encode_basestring

CALL, CALLBACK_RESULT = b"C", b"B"  # from the grader to the candidate
RESULT, CALLBACK = b"R", b"K"  # from the candidate to the grader
START, END, DONE, HOST = b"S", b"E", b"D", b"H"  # between the host and either
FILES, MORE = b"F", b"M"  # from the host to either: files, or the last part of them; a part that others follow
SERIES = b"T"  # from the host to the grader: the checks that follow, until END, need no host between them


class WireError(Exception):
    """The arrived or sent data do not fit the wire."""


class Channel:
    """Frames over a connected socket."""

    def __init__(self, fd: int, *, takes_descriptors: bool = False) -> None:
        """Takes over `fd`. Descriptors that come with frames are dropped by the kernel, unless they are wanted."""
        self._fd = fd
        self._socket: _socket.socket | None = None
        self._takes_descriptors = takes_descriptors
        self._clock: SteadyClock | None = None
        self._due: float | None = None
        self._pause = -1.0
        """For how long the kernel lets a call wait, seconds; negative for ever."""
        self._rest = b""
        self._held = b""
        self._descriptors: list[int] = []

    def limit(self, seconds: float) -> None:
        """From now on, sending and receiving raise TimeoutError once so many seconds have passed: below 0, now."""
        self._due = self._now() + seconds
        self._let_wait(max(0.001, min(seconds, TICK_S)))

    def _let_wait(self, seconds: float) -> None:
        """Lets each call of the kernel's wait so long at most."""
        if not 0.98 * self._pause <= seconds <= self._pause:  # a little late is near enough
            self._pause = seconds
            pause = struct.pack("ll", int(seconds), int(seconds % 1 * 1e6) or (not int(seconds)))
            self._whole_socket().setsockopt(_socket.SOL_SOCKET, _socket.SO_RCVTIMEO, pause)
            self._whole_socket().setsockopt(_socket.SOL_SOCKET, _socket.SO_SNDTIMEO, pause)

    def _now(self, waited: float = 0.0) -> float:
        if self._clock is None:
            self._clock = SteadyClock()
        return self._clock.now(waited)

    def left(self) -> float:
        """Seconds until the limit that was set last; 0 if they have passed."""
        return max(0.0, (self._due or 0.0) - self._now())

    def seconds_overdue(self) -> float:
        """Seconds since the limit that was set last has passed; 0 if it has not."""
        return max(0.0, self._now() - self._due) if self._due is not None else 0.0

    def send(self, kind: bytes, payload: bytes, *, held: bool = False) -> None:
        """Sends one frame, after those that were held back; or holds it back, for the next one to take along.

        Raises:
            TimeoutError: the other side did not read it in time.
            OSError: the other side is gone.
        """
        self._held += pack_frame(kind, payload)
        if not held or len(self._held) > _CHUNK:
            self.flush()

    def flush(self) -> None:
        """Sends what was held back; raises what `send` does, after which what is left can be sent by calling again."""
        whole: bytes | memoryview = self._held
        self._held = b""
        while whole:
            try:
                sent = os.write(self._fd, whole)
                if sent == len(whole):
                    return
                whole = memoryview(whole)[sent:]
                self._check()
            except (BlockingIOError, TimeoutError) as error:
                if isinstance(error, BlockingIOError) and self._may_go_on():
                    continue
                self._held = bytes(whole)
                raise TimeoutError from None

    def receive(self) -> tuple[bytes, bytes]:
        """The next frame: kind and payload.

        One that is whole came in time, since nobody waits longer for any part of it.

        Raises:
            FrameError: it is too large.
            TimeoutError: it did not come in time; whoever has more time calls again.
            EOFError: the other side is gone.
        """
        data = self._rest or self._receive_part()
        while len(data) < HEAD:
            data = self._receive_until(data, HEAD)
        end = HEAD + frame_length(data, MAX_FRAME + 1)
        if len(data) < end:
            data = self._receive_until(data, end)
        self._rest = data[end:]
        return data[HEAD : HEAD + 1], data[HEAD + 1 : end]

    def _receive_until(self, data: bytes, size: int) -> bytes:
        """`data`, and what comes until there are `size` bytes."""
        parts = [data]
        size -= len(data)
        try:
            while size > 0:
                self._check()
                parts.append(self._receive_part())
                size -= len(parts[-1])
        except TimeoutError:
            self._rest = b"".join(parts)
            raise
        return b"".join(parts)

    def received_descriptor(self) -> int:
        """The descriptor that came with the frame that was just received."""
        return self._descriptors.pop(0)

    def end_turn(self) -> None:
        """Says that the present turn is over, to whoever counts them; or nothing, if nobody does any more."""
        try:
            os.write(self._fd, b".")
        except OSError:
            pass

    def close(self) -> None:
        """Hangs up, if that has not been done."""
        if self._socket is not None:
            self._socket.close()
        elif self._fd >= 0:
            os.close(self._fd)
        self._fd = -1

    def _whole_socket(self) -> _socket.socket:
        """The socket as an object, which takes time to make, and is needed only for what is more than bytes."""
        if self._socket is None:
            self._socket = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, self._fd)
        return self._socket

    def _receive_part(self) -> bytes:
        """The bytes that have come, at least one."""
        while True:
            try:
                part = self._with_descriptors() if self._takes_descriptors else os.read(self._fd, _CHUNK)
                break
            except BlockingIOError:
                if not self._may_go_on():
                    raise TimeoutError from None
        if not part:
            raise EOFError("the other side of the wire is gone")
        return part

    def _with_descriptors(self) -> bytes:
        part, ancillary, _, _ = self._whole_socket().recvmsg(_CHUNK, _ROOM)
        for level, kind, data in ancillary:
            if (level, kind) == (_socket.SOL_SOCKET, _socket.SCM_RIGHTS):
                self._descriptors += array.array("i", data[: len(data) // 4 * 4])
        return part

    def _may_go_on(self) -> bool:
        """Whether there is time left after a call for which the kernel has waited in vain."""
        left = (self._due or 0.0) - self._now(self._pause)
        if left > 0:
            self._let_wait(min(left, TICK_S))
        return left > 0

    def _check(self) -> None:
        """The kernel's own time limit is for one call; this one is for all of them together."""
        if self._due is not None and self._now() >= self._due:
            raise TimeoutError


def take_stdio() -> Channel:
    """The channel over this process's own standard input and output, which are then replaced by nothing and stderr."""
    channel = Channel(os.dup(0), takes_descriptors=True)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    return channel


def take_files(channel: Channel, kind: bytes, part: bytes) -> Files:
    """Receives the rest of a tree of files, of which a frame came: (mode, path, data), links last."""
    parts = [part]
    while kind == MORE:
        kind, part = channel.receive()
        parts.append(part)
    files: Files = marshal.loads(b"".join(parts))
    return files


def plant_files(files: Files) -> None:
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
        written = os.write(fd, data)
        while written < len(data):
            written += os.write(fd, memoryview(data)[written:])
        os.close(fd)


def dumps(value: object, export: Export | None) -> bytes:
    """`value` as the bytes of a payload; `export(object)` gives tag and parts of what is not plain data."""
    try:
        text = _value_text(value, export, 0)
    except RecursionError:
        raise WireError(f"a value is nested deeper than {MAX_DEPTH}") from None
    except OverflowError as error:
        raise WireError(str(error)) from None
    payload = text.encode("utf-8", "surrogatepass")
    if len(payload) > MAX_FRAME:
        raise WireError(f"a value of {len(payload)} bytes is too large for the wire ({MAX_FRAME})")
    return payload


def loads(payload: bytes, resolve: Resolve | None) -> Any:
    """The value of a payload; see `Reader`."""
    return Reader(resolve)(payload) if resolve else _plain(payload)


def _value_text(value: Any, export: Export | None, depth: int) -> str:
    kind = type(value)
    if kind is str:
        return _quoted(value)
    if kind is int:
        return repr(value) if -_SMALL < value < _SMALL else _tagged_text(["i", format(value, "x")])
    if kind is float:
        return repr(value) if value - value == 0.0 else _tagged_text(["n", repr(value)])
    if value is None or kind is bool:
        return _CONSTANTS[value]
    if depth > MAX_DEPTH:
        raise WireError(f"a value is nested deeper than {MAX_DEPTH}")
    if kind is list:
        return f"[{_items_text(value, export, depth + 1)}]"
    tag = _SEQUENCES.get(kind)
    if tag is not None:
        return f'{{"{tag}":[{_items_text(value, export, depth + 1)}]}}'
    if kind is dict:
        pairs = [f"[{_value_text(k, export, depth + 1)},{_value_text(v, export, depth + 1)}]" for k, v in value.items()]
        return f'{{"d":[{",".join(pairs)}]}}'
    packed = pack(value, kind)
    if packed is not None:
        return _tagged_text(packed)
    if export is None:
        raise WireError(f"{kind.__name__} is not plain data")
    return _tagged_text(export(value))


def _items_text(values: Any, export: Export | None, depth: int) -> str:
    kinds = set(map(type, values))
    if kinds == _INTEGERS and min(values) > -_SMALL and max(values) < _SMALL:
        return ",".join(map(repr, values))
    if kinds == _TEXTS:
        return ",".join(map(_quoted, values))
    return ",".join([_value_text(item, export, depth) for item in values])


def _tagged_text(packed: list[Any]) -> str:
    tag, *parts = packed
    return f'{{"{tag}":{_value_text(parts, None, 0)}}}'


_CONSTANTS: dict[object, str] = {None: "null", True: "true", False: "false"}
_INTEGERS, _TEXTS = {int}, {str}
_SEQUENCES: dict[object, str] = {tuple: "t", set: "s", frozenset: "f"}


class Reader:
    """Turns payloads into values."""

    def __init__(self, resolve: Resolve | None) -> None:
        """`resolve(tag, parts)` turns the tags that stand for objects into something local."""
        self.resolve = resolve
        self._decode = json.JSONDecoder(object_hook=self._resolve_tagged).raw_decode

    def __call__(self, payload: bytes) -> Any:
        """The value of a payload.

        Raises:
            WireError: the bytes are not a value.
        """
        try:
            text = payload.decode("utf-8", "surrogatepass")
            value, end = self._decode(text)
        except ImportError as error:
            raise WireError(str(error)) from None
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, ArithmeticError, RecursionError) as error:
            raise WireError(f"not a value: {type(error).__name__}: {str(error)[:200]}") from None
        if end != len(text):
            raise WireError("more than a value")
        if text.count("[") > MAX_DEPTH and _is_deep(value):
            raise WireError(f"a value is nested deeper than {MAX_DEPTH}")
        return value

    def _resolve_tagged(self, data: dict[str, Any]) -> Any:
        [(tag, parts)] = data.items()
        if type(parts) is not list:
            raise WireError("an untagged object")
        if tag in _CONTAINERS:
            return _CONTAINERS[tag](parts)
        if not _PARTS.issuperset(map(type, parts)):
            raise WireError(f"malformed parts of {tag!r}")
        if tag in SCALARS:
            return SCALARS[tag](parts)
        if self.resolve is None:
            raise WireError(f"unknown tag {tag!r}")
        return self.resolve(tag, parts)


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH + 2):
        nests = [part for part in level if type(part) in _NESTS]
        values = [value for part in nests if type(part) is dict for value in part.values()]
        level = [item for part in nests for item in part] + values
        if not level:
            return False
    return True


def _spread_keys(keys: list[Any]) -> list[Any]:
    """`keys`, unless so many have one hash that a table of them would take hours."""
    if len(keys) > _MOST_ALIKE and len(set(map(hash, keys))) < len(keys) - _MOST_ALIKE:
        raise WireError(f"more than {_MOST_ALIKE} keys that have the hash of another one")
    return keys


def _spread_pairs(pairs: list[list[Any]]) -> list[list[Any]]:
    if not _LISTS.issuperset(map(type, pairs)):
        raise WireError("a malformed pair")
    _spread_keys([key for key, _ in pairs])
    return pairs


_NESTS = frozenset([list, tuple, dict, set, frozenset])
_LISTS, _PARTS = {list}, {str, int, list}
_CONTAINERS: dict[str, Build] = {
    "t": tuple,
    "s": lambda items: set(_spread_keys(items)),
    "f": lambda items: frozenset(_spread_keys(items)),
    "d": lambda pairs: dict(_spread_pairs(pairs)),
}
_plain = Reader(None)
