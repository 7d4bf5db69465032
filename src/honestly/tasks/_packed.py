"""Suites by name, and suites in archives.

`embedded` comes with the package, as an archive. Our other suites are no part of it, so that it stays small: a suite
`NAME` lies in `suites/NAME` of a checkout, or as `NAME.zip` in the user's folder of suites (`python suites/pack.py
NAME` writes it). An archive may be anybody's: its size and its names are checked before anything is written.
"""

import os
import re
import stat
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path, PurePosixPath

from honestly.errors import TaskError
from honestly.scratch import scratch_folder
from honestly.work import user_folder

EMBEDDED = "embedded"
"""Name of the suite that comes with the program."""
BESIDE = ("versa",)
"""Names of honestly's other suites."""

_MOST_FILES, _MOST_BYTES, _MOST_DEEP = 50_000, 256 << 20, 30
_NAME = re.compile(r"[A-Za-z0-9._-]+")


def named_suite(name: str) -> Path | None:
    """Where the suite of that name is, a folder or an archive; None where there is none."""
    if not _NAME.fullmatch(name) or name.startswith("."):
        return None
    checkout = Path(__file__).parents[3] / "suites" / name
    places = [checkout, suites_home() / name, suites_home() / f"{name}.zip"]
    return next((each for each in places if (each / "suite.toml").is_file() or _is_archive(each)), None)


def suites_home() -> Path:
    """The user's folder of suites: `$HONESTLY_SUITES`, or `honestly/suites` among the user's data."""
    if given := os.environ.get("HONESTLY_SUITES", ""):
        return Path(given)
    return user_folder("data") / "suites"


def archive_of(source: str | Path, root: Path) -> Path | None:
    """The archive that a suite comes in; None where `root` is no archive."""
    if source == EMBEDDED:
        return Path(str(resources.files(__package__) / "embedded.zip"))
    return root if _is_archive(root) else None


def _is_archive(path: Path) -> bool:
    return path.suffix == ".zip" and path.is_file() and not path.is_symlink()


@contextmanager
def unpacked_suite(path: Path, wanted: Collection[str]) -> Iterator[Path]:
    """An archive's suite in a folder that lasts as long as the block; of tasks not wanted only what names them.

    Raises:
        TaskError: it is damaged, unpacks to too much, or holds a name that leads elsewhere.
    """
    # A thousand small files: in memory at a quarter of the time.
    with scratch_folder("suite", in_memory=True) as folder:
        root = folder / path.stem
        root.mkdir()
        try:
            with zipfile.ZipFile(path) as archive:
                members = [each for each in archive.infolist() if not each.is_dir()]
                _check_bounds(members)
                for info in members:
                    name = info.filename
                    if wanted and name.partition("/")[0] not in wanted and not name.endswith(_HEADS):
                        continue
                    place = root / _inner_path(name)
                    place.parent.mkdir(parents=True, exist_ok=True)
                    place.write_bytes(archive.read(info))  # at most as much as it declares
        except (zipfile.BadZipFile, zlib.error, ValueError, OSError, EOFError, RuntimeError) as error:
            raise TaskError(f"{path} cannot be unpacked: {error}") from error
        yield root


_HEADS = ("task.toml", "suite.toml")


def _check_bounds(members: Collection[zipfile.ZipInfo]) -> None:
    size = sum(info.file_size for info in members)
    if len(members) > _MOST_FILES or size > _MOST_BYTES:
        raise ValueError(
            f"it contains {len(members):,} files of {size:,} bytes; at most {_MOST_FILES:,} of {_MOST_BYTES:,} "
            "are taken"
        )
    names = {info.filename for info in members}
    for info in members:
        if stat.S_ISLNK(info.external_attr >> 16):
            raise ValueError(f"{info.filename[:80]!r} is a link; pack the file itself (`zip -r` without `-y`)")
        if above := [str(each) for each in PurePosixPath(info.filename).parents if str(each) in names]:
            raise ValueError(f"it contains {above[0][:80]!r} as a file and as a folder; expected one of them")
        # Python unpacks the other kinds whole, however little they declare.
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ValueError(f"{info.filename[:80]!r} is neither stored nor deflated; pack it so (`zip -r`)")
        if info.filename.count("/") > _MOST_DEEP:
            raise ValueError(f"{info.filename[:80]!r} is more than {_MOST_DEEP} folders deep")


def _inner_path(name: str) -> PurePosixPath:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or "\0" in name:
        raise ValueError(f"the name {name[:80]!r} leads out of the suite")
    return path


def suite_file(source: str | Path, name: str) -> bytes | None:
    """A file beside the tasks of a suite; None where there is none.

    Args:
        source: the suite's name, folder or archive, as `load_suite` takes it.
        name: of the file.
    """
    root = Path(source)
    if isinstance(source, str) and not root.exists() and (place := named_suite(source)) is not None:
        root = place
    if (archive := archive_of(source, root)) is not None:
        with zipfile.ZipFile(archive) as opened:
            return opened.read(name) if name in opened.namelist() else None
    path = root / name
    return path.read_bytes() if path.is_file() and not path.is_symlink() else None
