"""Plain data out of hostile files, and how large it is."""

from __future__ import annotations

import json

from honestly.errors import FormatError

SIZE = 4_000
"""Elements and characters of one value; what is larger is not followed."""


def size_of(value: object) -> int:
    """Elements and characters, nested ones too; a little over the limit where it is more."""
    waiting, size = [value], 0
    while waiting and size <= SIZE and len(waiting) <= 8 * SIZE:
        each = waiting.pop()
        size += 1
        if isinstance(each, str | bytes):
            size += len(each) // 8
        elif isinstance(each, list | tuple | set | frozenset):
            if len(each) > SIZE:
                return SIZE + 1
            waiting.extend(each)
        elif isinstance(each, dict):
            if len(each) > SIZE:
                return SIZE + 1
            waiting.extend(each)
            waiting.extend(each.values())
        elif isinstance(each, int):
            size += each.bit_length() // 64
    return size + len(waiting)


def loaded_file(data: bytes) -> object:
    """The content of a file of JSON, or of plain data as a pickle; None where it holds neither."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        pass
    # Late: few files are pickles. No unpickler, however restricted: nested tuples as a key can keep one busy for ever.
    from honestly.formats._plain_pickle import read_plain_pickle

    try:
        return read_plain_pickle(data)
    except FormatError:
        return None
