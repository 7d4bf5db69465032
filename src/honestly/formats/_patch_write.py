"""The change of a trial as a patch that git applies: texts as unified differences, anything else as git's literals.

A link is a file whose content is where it leads. Folders are not said, as in git.
"""

import zlib
from base64 import b85encode
from collections.abc import Iterator
from difflib import diff_bytes, unified_diff
from hashlib import sha1
from string import ascii_letters

from honestly.records import Edit, File, Tree

_MODES = {"file": "100644", "exec": "100755", "link": "120000"}
_LETTERS = ascii_letters.swapcase().encode()
_PIECE = len(_LETTERS)
_LARGEST_TEXT = 4 << 20


def write_patch(before: Tree, change: Edit) -> bytes:
    """The patch that `change` makes to the files `before`; empty if it changes nothing.

    Args:
        before: The files that the trial began with.
        change: What it deleted and wrote.
    """
    gone, written = set(change.delete), change.write.files
    parts: list[bytes] = []
    for path in sorted(gone | written.keys()):
        old = before.files.get(path)
        new = written.get(path)
        if old != new:
            parts.extend(_file_patch(path, old, new))
    return b"".join(parts)


def _file_patch(path: str, old: File | None, new: File | None) -> Iterator[bytes]:
    a, b = _quoted_path(f"a/{path}"), _quoted_path(f"b/{path}")
    was, now = old.data if old else b"", new.data if new else b""
    old_mode, new_mode = (_MODES[each.mode] if each else "" for each in (old, new))
    if old_mode and new_mode and "link" in {old.mode if old else "", new.mode if new else ""} and old_mode != new_mode:
        # A link that becomes a file is another file, as in git.
        yield from _file_patch(path, old, None)
        yield from _file_patch(path, None, new)
        return
    yield b"diff --git %s %s\n" % (a, b)
    if old is None:
        yield f"new file mode {new_mode}\n".encode()
    elif new is None:
        yield f"deleted file mode {old_mode}\n".encode()
    elif old_mode != new_mode:
        yield f"old mode {old_mode}\nnew mode {new_mode}\n".encode()
    if was == now:
        return
    ids = (_blob_hash(old), _blob_hash(new))
    same_mode = f" {new_mode}" if old_mode == new_mode else ""
    yield f"index {ids[0]}..{ids[1]}{same_mode}\n".encode()
    if b"\0" in was + now or len(was) + len(now) > _LARGEST_TEXT:
        yield b"GIT binary patch\n" + _binary_literal(now) + _binary_literal(was)
        return
    names = (a if old else b"/dev/null", b if new else b"/dev/null")
    lines = diff_bytes(unified_diff, _git_lines(was), _git_lines(now), *names)
    for line in lines:
        yield line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"


def _git_lines(data: bytes) -> list[bytes]:
    """Lines as git counts them: only a newline ends one."""
    lines = [line + b"\n" for line in data.split(b"\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def _binary_literal(data: bytes) -> bytes:
    packed = zlib.compress(data)
    pieces = [packed[at : at + _PIECE] for at in range(0, len(packed), _PIECE)]
    # Each line begins with the number of its bytes as a letter: A to Z for 1 to 26, a to z for 27 to 52.
    lines = [_LETTERS[len(piece) - 1 : len(piece)] + b85encode(piece, pad=True) + b"\n" for piece in pieces]
    return b"literal %d\n" % len(data) + b"".join(lines) + b"\n"


def _blob_hash(file: File | None) -> str:
    if file is None:
        return "0" * 40
    return sha1(b"blob %d\0" % len(file.data) + file.data, usedforsecurity=False).hexdigest()


def _quoted_path(path: str) -> bytes:
    """A path as git writes it: in quotes where it holds a quote, a backslash, a control character."""
    data = path.encode()
    if all(32 <= byte != 127 and byte not in b'"\\' for byte in data):
        return data
    return (
        b'"'
        + b"".join(bytes([byte]) if 32 <= byte < 127 and byte not in b'"\\' else b"\\%03o" % byte for byte in data)
        + b'"'
    )
