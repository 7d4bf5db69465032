"""A change as people read it: a unified diff, with words for what is not text."""

import os
from collections.abc import Iterator
from difflib import unified_diff

from honestly.records import Edit, File, Tree
from honestly.show import printable_text_line

_MOST_LINES = 20_000


def diff_lines(given: Tree, edit: Edit) -> list[str]:
    """The lines of a diff in git's format, without line ends."""
    return [
        line
        for path in _edited_paths(edit)
        for line in _file_diff(path, given.files.get(path), edit.write.files.get(path))
    ]


def between_changes(given: Tree, first: Edit | None, second: Edit | None) -> tuple[Tree, Edit]:
    """The difference between two final changes of one workspace, for `diff_lines` and `stat_lines`; None is no change.

    Returns:
        The files as the first left them, and the edit that makes them what the second left.
    """
    first, second = first or Edit(), second or Edit()
    names = {*_edited_paths(first), *_edited_paths(second)}
    touched = Tree(files={path: file for path, file in given.files.items() if path in names})
    one, other = first.apply(touched), second.apply(touched)
    return one, Edit.between(one, other)


def stat_lines(given: Tree, edit: Edit) -> list[str]:
    """One line per file: what happened to it, with lines added and removed."""
    found = []
    for path in _edited_paths(edit):
        old, new = given.files.get(path), edit.write.files.get(path)
        lines = list(_file_diff(path, old, new))
        plus = sum(line.startswith("+") and not line.startswith("+++ ") for line in lines)
        minus = sum(line.startswith("-") and not line.startswith("--- ") for line in lines)
        word = "new" if old is None else "deleted" if new is None else "changed"
        found.append(f"{word:8} {printable_text_line(path)}  +{plus} -{minus}")
    return found


def _edited_paths(edit: Edit) -> list[str]:
    return sorted({*edit.write.files, *edit.delete})


def _file_diff(path: str, old: File | None, new: File | None) -> Iterator[str]:
    old_name, new_name = _quoted_path(f"a/{path}"), _quoted_path(f"b/{path}")
    yield f"diff --git {old_name} {new_name}"
    if old is None and new is not None:
        yield f"new file mode {_git_mode(new)}"
    elif new is None and old is not None:
        yield f"deleted file mode {_git_mode(old)}"
    elif old is not None and new is not None and old.mode != new.mode:
        yield f"old mode {_git_mode(old)}"
        yield f"new mode {_git_mode(new)}"
    before, after = _text_lines(old), _text_lines(new)
    if before is None or after is None or max(len(before), len(after)) > _MOST_LINES:
        sizes = " -> ".join(f"{len(file.data):,} bytes" if file else "nothing" for file in (old, new))
        yield f"Binary or very large: {sizes}"
        return
    names = ("/dev/null" if old is None else old_name, "/dev/null" if new is None else new_name)
    for line in unified_diff(before, after, *names, n=3):
        yield line.removesuffix("\n")
        if not line.endswith("\n"):
            yield "\\ No newline at end of file"


def _quoted_path(path: str) -> str:
    """A path as git writes it: between quotes, with octal bytes, where it could be taken for more than a path."""
    if printable_text_line(path) == path and not {'"', "\\"} & set(path):
        return path
    octal = (chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:03o}" for byte in os.fsencode(path))
    return f'"{"".join(octal)}"'


def _git_mode(file: File) -> str:
    return {"file": "100644", "exec": "100755", "link": "120000"}[file.mode]


def _text_lines(file: File | None) -> list[str] | None:
    if file is None:
        return []
    if b"\0" in file.data[:8192]:
        return None
    try:
        text = file.data.decode()
    except UnicodeDecodeError:
        return None
    lines = [f"{line}\n" for line in text.split("\n")]
    return [*lines[:-1], *([lines[-1].removesuffix("\n")] if lines[-1] != "\n" else [])]
