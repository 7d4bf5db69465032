"""JSON objects out of somebody's file, one at a time, each with the place that it came from.

A file holds one object per line, or one array of objects; it may be packed with gzip or Zstandard, which is seen from
its first bytes. Nothing of it is trusted: a line, an array and the whole have a largest size, counted after
decompression, so that no file makes us hold more than one line; how deep JSON nests is bounded by the interpreter. A
link is followed where it was the user who named it; a pipe or a device is refused.
"""

import gzip
import os
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from honestly._zstd import zstd
from honestly.errors import FormatError
from honestly.formats._files import BOM, GZIP, ZSTD, open_regular, parse_json

MAX_LINE = 64 << 20
"""Longest line, and longest array, in bytes."""

_MAX_FILE = 8 << 30
BROKEN = (OSError, EOFError, zlib.error, zstd.ZstdError)
"""What reading a packed file raises where it is damaged."""

ProblemRow = dict[str, object]
# Blanks before a colon, which no usual writer of JSON puts there.
_APART = re.compile(rb'"\s+:')


def problem_rows(path: Path, *, links: bool = True) -> Iterator[tuple[str, ProblemRow]]:
    """Yield each object of a file with its place (`problems.jsonl:12`).

    Args:
        path: the file.
        links: whether the file may be a link, which it may where the user named it.

    Raises:
        FormatError: the file cannot be read, is too large, or holds something else; the message begins with the place.
    """
    for where, row in each_row(path, links=links):
        if isinstance(row, FormatError):
            more = "; expected one JSON object per line" if str(row).startswith("not JSON") else ""
            raise FormatError(f"{where}: {row}{more}") from row
        yield where, row


def each_row(path: Path, *, links: bool = True) -> Iterator[tuple[str, ProblemRow | FormatError]]:
    """As `problem_rows`, but a line or an item that is no JSON object is given as a FormatError, and those after it are
    read.

    Raises:
        FormatError: the file cannot be read or is too large.
    """
    with unpacked_file(path, links=links) as file:
        for where, text in _texts(path, file):
            try:
                value = _parsed_rows(text) if isinstance(text, bytes) else text
                if isinstance(value, _NameTwice):
                    raise FormatError(f"it has {ascii(value.name)[:100]} twice; expected each name once")
                if not isinstance(value, dict):
                    raise FormatError(f"expected a JSON object, found {type(value).__name__}")
                yield where, value
            except FormatError as error:
                yield where, error


@contextmanager
def unpacked_file(path: Path, *, links: bool = True) -> Iterator[BinaryIO]:
    """A file to read from, without what gzip or zstd put around it; reading it may raise what is in `BROKEN`.

    Raises:
        FormatError: the file cannot be opened.
    """
    try:
        fd = open_regular(path, links=links)
    except FormatError as error:
        raise FormatError(f"{path} {error}") from error
    with os.fdopen(fd, "rb") as raw:
        start = raw.peek(4)
        file: object = raw
        if start[:2] == GZIP:
            file = gzip.GzipFile(fileobj=raw)
        elif start[:4] == ZSTD:
            file = zstd.ZstdFile(raw)
        yield cast("BinaryIO", file)


def _texts(path: Path, file: BinaryIO) -> Iterator[tuple[str, object]]:
    """The lines that are not blank; or, if the first of them opens an array, its items, and an object that it opens."""
    first = True
    for number, line in _bounded_lines(path, file):
        where = f"{path}:{number}"
        if first and (line.lstrip()[:1] == b"[" or line.strip() == b"{"):
            text = line + _read_bounded(path, file, MAX_LINE + 1 - len(line), line=False)
            if len(text) > MAX_LINE:
                limit = f"what begins there is longer than {MAX_LINE >> 20} MiB"
                raise FormatError(f"{path}: {limit}; write one object per line instead")
            try:
                items = _parsed_rows(text)
            except FormatError as error:
                raise FormatError(f"{where}: {error}") from error
            if not isinstance(items, list):
                yield where, items
                return
            for index, item in enumerate(items):
                yield f"{path}, item {index}", item
            return
        first = False
        yield where, line


def _bounded_lines(path: Path, file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    number = total = 0
    while line := _read_bounded(path, file, MAX_LINE + 1, line=True):
        number += 1
        total += len(line)
        if len(line) > MAX_LINE:
            raise FormatError(
                f"{path}:{number}: the line is longer than {MAX_LINE >> 20} MiB; expected one JSON object per line"
            )
        if total > _MAX_FILE:
            raise FormatError(f"{path}:{number}: the file contains more than {_MAX_FILE >> 30} GiB")
        if number == 1:
            line = line.removeprefix(BOM)
        if line.strip():
            yield number, line


def _read_bounded(path: Path, file: BinaryIO, limit: int, *, line: bool) -> bytes:
    try:
        return file.readline(limit) if line else file.read(limit)
    except EOFError as error:
        raise FormatError(f"{path} cannot be read to its end: its compressed data break off") from error
    except BROKEN as error:
        raise FormatError(f"{path} cannot be read: {error}") from error


class _NameTwice(ProblemRow):
    """An object in which a name stands twice, so that nobody knows which value counts."""

    name: str


def _made_object(pairs: list[tuple[str, object]]) -> ProblemRow:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    twice = _NameTwice(found)
    twice.name = next(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
    return twice


def _parsed_rows(text: bytes) -> object:
    found = parse_json(text)
    rows = found if isinstance(found, list) else [found]
    names = sum(len(row) for row in rows if isinstance(row, dict))
    # More colons than names: they are of objects below, or a name stands there twice.
    if text.count(b":") > names and (text.count(b'":') > names or _APART.search(text)):
        return parse_json(text, _made_object)
    return found
