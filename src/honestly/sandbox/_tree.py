"""Trees of files as the inside of a sandbox reads and writes them: mode, path, data, one file after the other."""

from typing import Literal

from honestly.errors import SandboxError, TaskError
from honestly.records import File, Tree

_MODES: dict[bytes, Literal["file", "exec", "link"]] = {b"file": "file", b"exec": "exec", b"link": "link"}


def tree_fields(tree: Tree) -> list[bytes]:
    """Flatten a tree."""
    fields: list[bytes] = []
    for path, file in tree.files.items():
        fields += (file.mode.encode(), path.encode("utf-8", "surrogatepass"), file.data)
    return fields


def tree_of(fields: list[bytes]) -> Tree:
    """Rebuild a tree, its paths in order, so that equal workspaces make equal trees.

    Raises:
        SandboxError: The fields are not what a snapshot sends.
    """
    try:
        entries = sorted(zip(fields[1::3], fields[::3], fields[2::3], strict=True))
        return Tree(files={path.decode(): File(data=data, mode=_MODES[mode]) for path, mode, data in entries})
    except (ValueError, KeyError, TaskError) as error:
        raise SandboxError(f"the sandbox sent a malformed snapshot ({error})") from error
