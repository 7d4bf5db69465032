"""Packs suites/embedded, and the puzzles of suites/languages, into archives that the package ships.

The same tree gives the same bytes.

python suites/pack.py            the archives of the package
python suites/pack.py versa      suites/versa.zip, for a release: other suites are no part of the package
python suites/pack.py --workspace TASK...    the workspaces of tasks as environment/workspace.tar.xz, with their .git

A wheel with one archive installs in a tenth of the space and time that a thousand small files take. The archive is
committed, since the build backend runs no steps of ours; a test fails where it is not what this script would write.
"""

import io
import shutil
import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent
TREE = ROOT / "embedded"
ARCHIVE = ROOT.parent / "src" / "honestly" / "tasks" / "embedded.zip"
PUZZLES = ROOT / "languages"
PUZZLES_ARCHIVE = ROOT.parent / "src" / "honestly" / "languages" / "puzzles.zip"
SHIPPED = ("puzzle.md", "cases.json")
"""Of a puzzle; its solutions are for our tests."""


def packed(tree: Path, only: tuple[str, ...] = ()) -> bytes:
    """The archive of a folder: files by name, all or only those of some names, without times, owners or modes."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for path in sorted(tree.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts and (not only or path.name in only):
                # A fixed time: a checkout's files are as old as the checkout.
                entry = zipfile.ZipInfo(path.relative_to(tree).as_posix(), (1980, 1, 1, 0, 0, 0))
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, path.read_bytes(), compresslevel=9)
    return made.getvalue()


def packed_workspace(task: Path) -> None:
    """Puts a workspace's files, sorted, without times and owners, into an archive in its place."""
    place = task / "environment" / "workspace"
    with tarfile.open(place.with_name("workspace.tar.xz"), "w:xz", format=tarfile.PAX_FORMAT, preset=9) as archive:
        for path in sorted(place.rglob("*")):
            entry = tarfile.TarInfo(path.relative_to(place).as_posix())
            if path.is_symlink():
                entry.type, entry.linkname = tarfile.SYMTYPE, str(path.readlink())
                archive.addfile(entry)
            elif path.is_file():
                data = path.read_bytes()
                entry.size, entry.mode = len(data), 0o755 if path.stat().st_mode & 0o100 else 0o644
                archive.addfile(entry, io.BytesIO(data))
    shutil.rmtree(place)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--workspace"]:
        for name in sys.argv[2:]:
            packed_workspace(Path(name))
        sys.exit()
    for name in sys.argv[1:]:
        (ROOT / f"{name}.zip").write_bytes(packed(ROOT / name))
    ARCHIVE.write_bytes(packed(TREE))
    PUZZLES_ARCHIVE.write_bytes(packed(PUZZLES, SHIPPED))
