"""The scalars of an event file of TensorBoard: TFRecords that hold messages of Protocol Buffers."""

import struct
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import IO

from honestly.errors import FormatError


def read_events(
    path: Path, opened: IO[bytes], wait: Callable[[], bool]
) -> Iterator[tuple[int, list[tuple[str, float]]]]:
    """The scalars of an event file of TensorBoard: TFRecords of messages of Protocol Buffers.

    A record is its length, a checksum of that, the data and theirs; of these only the first checksum is looked at.
    """
    with opened as file:
        rest = b""
        while True:
            block = file.read(1 << 16)
            if not block and not wait():
                return
            rest += block
            at = 0
            while len(rest) >= at + 12:
                (size,) = struct.unpack_from("<Q", rest, at)
                if not is_record(rest[at : at + 12]):
                    raise FormatError(f"{path} is damaged, or is not an event file; expected a record of TensorBoard")
                if len(rest) < at + 16 + size:
                    break
                yield _event(rest[at + 12 : at + 12 + size])
                at += 16 + size
            rest = rest[at:]


def _event(data: bytes) -> tuple[int, list[tuple[str, float]]]:
    step, pairs = 0, []
    for number, value in _fields(data):
        if number == 2 and isinstance(value, int):
            step = value
        elif number == 5 and isinstance(value, bytes):
            for inner, each in _fields(value):
                if inner == 1 and isinstance(each, bytes):
                    scalar = _scalar(dict(_fields(each)))
                    pairs += [scalar] if scalar else []
    return step, pairs


def _scalar(value: dict[int, int | bytes]) -> tuple[str, float] | None:
    """The tag of a value of a summary and its number: `simple_value`, or a tensor of one float."""
    tag = value.get(1, b"")
    if not isinstance(tag, bytes):
        return None
    simple, tensor = value.get(2), value.get(8)
    if isinstance(simple, bytes) and len(simple) == 4:
        return tag.decode("utf-8", "replace"), float(struct.unpack("<f", simple)[0])
    if isinstance(tensor, bytes):
        inside = dict(_fields(tensor))
        for number, layout in ((5, "<f"), (6, "<d"), (4, "<f")):
            data = inside.get(number)
            if isinstance(data, bytes) and len(data) == struct.calcsize(layout):
                return tag.decode("utf-8", "replace"), float(struct.unpack(layout, data)[0])
    return None


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a message of Protocol Buffers: numbers, and bytes for what is fixed or has a length."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        kind = key & 7
        if kind == 0:
            number, at = _varint(data, at)
            yield key >> 3, number
            continue
        size, at = _varint(data, at) if kind == 2 else ({1: 8, 5: 4}.get(kind, len(data)), at)
        yield key >> 3, data[at : at + size]
        at += size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while at < len(data):
        byte = data[at]
        at += 1
        number |= (byte & 127) << shift
        if byte < 128:
            break
        shift += 7
    return number, at


@lru_cache(1)
def _crc_table() -> tuple[int, ...]:
    table = []
    for number in range(256):
        for _ in range(8):
            number = number >> 1 ^ (0x82F63B78 if number & 1 else 0)
        table.append(number)
    return tuple(table)


def is_record(start: bytes) -> bool:
    """Whether these bytes are the start of a TFRecord: a length, and its masked CRC-32C."""
    if len(start) < 12:
        return False
    table, crc = _crc_table(), 0xFFFFFFFF
    for byte in start[:8]:
        crc = table[(crc ^ byte) & 255] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    (said,) = struct.unpack_from("<I", start, 8)
    return bool(((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF == said)
