"""The hash by which an object of somebody's own is known again: a changed source is another object.

In it are the files of the modules that hold the object and that name it; where such a module is in a package, all
source and text files in its folder and below (`.py`, `.md`, `.txt`, `.toml`, `.yaml`, `.yml`, `.json`, `.j2`): it
may read any of them; and the modules beside these files that they import, and so on. What they import from elsewhere,
such as installed packages, is not in it, nor are data files of other kinds.
"""

import ast
import sys
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

_INSTALLED = {"site-packages", "dist-packages"}
_KINDS = {".py", ".md", ".txt", ".toml", ".yaml", ".yml", ".json", ".j2"}


def own_hash(place: str, found: object) -> str:
    """The hash of the source of the object at `place`; empty if there is none."""
    modules = {place.partition(":")[0], str(getattr(found, "__module__", ""))}
    files: set[Path] = set()
    for name in modules:
        files |= _module_files(name)
    waiting = list(files)
    while waiting:
        new = set(_imported_beside(waiting.pop())) - files
        files |= new
        waiting += new
    state = blake2b(digest_size=8)
    for data in sorted(path.name.encode() + b"\0" + path.read_bytes() for path in files):
        state.update(b"%d " % len(data) + data)
    return state.hexdigest() if files else ""


def _module_files(name: str) -> set[Path]:
    """The file of a module, and the others of its package's folder."""
    module = sys.modules.get(name)
    file = Path(getattr(module, "__file__", None) or "")
    if not file.is_file():
        return set()
    if not getattr(module, "__package__", ""):
        return {file}
    inside = [path for path in file.parent.rglob("*") if path.suffix in _KINDS and path.is_file()]
    return {
        file,
        *(path for path in inside if not any(_is_hidden(part) for part in path.relative_to(file.parent).parts)),
    }


def _is_hidden(part: str) -> bool:
    return part.startswith(".") or part == "__pycache__"


def _imported_beside(file: Path) -> Iterator[Path]:
    """Modules and packages in the folder of a file that it imports by their plain names."""
    if file.suffix != ".py" or file.parent.name in _INSTALLED:
        return
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError):  # a file of the package that nobody could import
        return
    for node in ast.walk(tree):
        names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
        names += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
        for name in names:
            first = file.parent / name.partition(".")[0]
            if first.with_suffix(".py").is_file():
                yield first.with_suffix(".py")
            elif (first / "__init__.py").is_file():
                yield from (path for path in first.rglob("*.py") if not _is_hidden(path.name))
