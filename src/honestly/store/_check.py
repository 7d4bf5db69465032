"""Is this file a study, and is it intact? Looking changes nothing, not even a time stamp.

Always checked: the header, the application id, the version, the schema. Files of up to `CHECK_BYTES` are read as a
whole (`_damage.py`). Larger ones are checked row by row as they are read.
"""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from honestly.errors import StoreError, StudyDamagedError, StudyTooNewError
from honestly.scratch import scratch_folder
from honestly.store._damage import file_damages
from honestly.store._schema import APPLICATION_ID, MIGRATIONS, TABLES, migrate_study, schema_of

CHECK_BYTES = 128 << 20
"""Studies up to this size are checked as a whole when they are opened, bytes."""

COPIES = 20
"""So often a study is copied that somebody writes meanwhile."""


def open_connection(path: Path, how: str) -> sqlite3.Connection:
    """Connection in autocommit mode; `how` holds the parameters of SQLite's file URI.

    Raises:
        sqlite3.Error: SQLite refuses.
    """
    uri = f"file:{quote(os.fsencode(path.absolute()))}?{how}"
    return sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, timeout=30.0)


def check_study(path: Path, *, content: bool = True) -> int:
    """Check the file and return its schema version; without `content`, its header and schema alone.

    Raises:
        StoreError: there is no such file, or it is not a study.
        StudyTooNewError: it was written by a newer honestly.
        StudyDamagedError: its content is not intact.
    """
    if path.is_symlink() and not path.exists():
        target = path.readlink()
        where = "itself" if path.parent / target == path else f"{target}, which is not there"
        raise StoreError(f"{path} is a link to {where}; name the study itself")
    if not path.exists():
        raise StoreError(f"there is no study {path}; `honestly run` and `honestly study import` make one")
    if not path.is_file():
        raise StoreError(f"{path} is not a regular file; a study is one file")
    if needs_copy(path):
        with private_copy(path) as copy:
            return check_copy(copy, path)
    if not has_wal(path):
        before = _change_stamp(path)
        try:
            # `immutable` leaves nothing behind, neither log nor shared memory; it takes no lock either.
            return _check_file(path, "mode=ro&immutable=1", path, content)
        except StudyDamagedError:
            if _change_stamp(path) == before:
                raise
            # A writer began while we looked past its locks; look again, now with them.
    return _check_file(path, "mode=ro", path, content)


def check_copy(copy: Path, path: Path) -> int:
    """Checks a private copy of a study, which may be changed; messages name the study at `path`."""
    return _check_file(copy, "mode=rw", path)


def _check_file(file: Path, how: str, path: Path, content: bool = True) -> int:
    try:
        connection = open_connection(file, how)
    except sqlite3.Error as error:
        raise StoreError(f"cannot open {path}: {error}") from error
    try:
        version = header_version(connection, file, path)
        if "immutable" in how:
            # SQLite reads what is missing of the last page as zeros.
            (pages,) = connection.execute("PRAGMA page_count").fetchone()
            (size,) = connection.execute("PRAGMA page_size").fetchone()
            if path.stat().st_size < pages * size:
                raise _damaged_error(path, f"it is cut off after {path.stat().st_size} of {pages * size} bytes")
        if version >= TABLES:
            model = sqlite3.connect(":memory:", isolation_level=None)
            try:
                migrate_study(model)
                if schema_of(connection) != schema_of(model):
                    raise _damaged_error(path, f"its tables are not those of schema version {len(MIGRATIONS)}")
            finally:
                model.close()
        if content and file.stat().st_size <= CHECK_BYTES:
            for damage in file_damages(connection, version):
                raise _damaged_error(path, str(damage))
        return version
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        # SQLite quotes the damaged place in its message, so that even that may not be text.
        raise _damaged_error(path, str(error)) from error
    finally:
        connection.close()


def header_version(connection: sqlite3.Connection, file: Path, path: Path) -> int:
    """The version of a study's tables; errors as those of `check_study`."""
    try:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
    except sqlite3.OperationalError as error:
        raise StoreError(f"cannot read {path}: {error}") from error
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        if _claims_to_be_a_study(file):
            raise _damaged_error(path, str(error)) from error
        raise StoreError(
            f"{path} is not a study of honestly ({error}); name a study, import results first, or give another --out"
        ) from error
    if application != APPLICATION_ID and not file.stat().st_size:
        raise StoreError(f"{path} is not a study but an empty file; expected a study of honestly, or results to import")
    if application != APPLICATION_ID:
        raise StoreError(
            f"{path} is not a study of honestly but another program's database: "
            f"its application id is {application:#x}, expected {APPLICATION_ID:#x}"
        )
    if version > len(MIGRATIONS):
        raise StudyTooNewError(
            f"{path} has schema version {version}, this honestly knows {len(MIGRATIONS)}; install a newer honestly"
        )
    if version < 0:
        raise _damaged_error(path, f"its schema version is {version}")
    return int(version)


def _claims_to_be_a_study(path: Path) -> bool:
    """Whether a file that SQLite cannot read has the header of a study.

    Only for such files: opening a database past SQLite and closing it drops this process's locks on it.
    """
    with path.open("rb") as file:
        header = file.read(100)
    return header.startswith(b"SQLite format 3\0") and header[68:72] == APPLICATION_ID.to_bytes(4, "big")


def _damaged_error(path: Path, what: str) -> StudyDamagedError:
    return StudyDamagedError(f"{path} is a study, but damaged: {what}. Restore it from a copy; nothing was changed")


# A private copy, for when reading a study in place would leave something beside it or is not possible: SQLite reads a
# log only with a file of shared memory beside it, which may be lost with a killed writer, or which the disk may not
# take.


def has_wal(path: Path) -> bool:
    """Whether a write-ahead log with content lies beside the study."""
    try:
        return path.with_name(path.name + "-wal").stat().st_size > 0
    except OSError:
        return False


def needs_copy(path: Path) -> bool:
    """Whether there is a log, but not the file that SQLite would have to make in order to read it."""
    return has_wal(path) and not path.with_name(path.name + "-shm").exists()


def _change_stamp(path: Path) -> list[tuple[int, int]]:
    """Changes with the study: time stamp in ns and size in bytes, of its file and of the log where there is one."""
    found = []
    for suffix in ("", "-wal"):
        with suppress(FileNotFoundError):
            file = path.with_name(path.name + suffix).stat()
            found.append((file.st_mtime_ns, file.st_size))
    return found


@contextmanager
def private_copy(path: Path) -> Iterator[Path]:
    """A copy of study and log in a temporary directory, which is gone afterwards.

    Raises:
        StoreError: there is no room, or the study cannot be read, or somebody writes it all the time.
    """
    with scratch_folder("copy") as folder:
        copy = folder / path.name
        for _ in range(COPIES):
            before = _change_stamp(path)
            Path(f"{copy}-wal").unlink(missing_ok=True)
            try:
                shutil.copyfile(path, copy)
                with suppress(FileNotFoundError):  # the log goes when the last writer does
                    shutil.copyfile(f"{path}-wal", f"{copy}-wal")
            except OSError as error:
                raise StoreError(
                    f"cannot read {path}, not even by way of a copy in {copy.parent.parent}: {error.strerror}"
                ) from error
            if _change_stamp(path) == before:
                break
        else:
            raise StoreError(f"{path} changes faster than it can be copied; try again")
        yield copy
