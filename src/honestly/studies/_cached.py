"""Somebody else's results, opened as if they were a study: imported once into the user's cache, again when they change.

A place in the cache is known by where the results lie, what is there (names, sizes and times of change of all files)
and which program read it; so what has not changed is not read again. Of several who ask at once one imports. When
results have changed, what was made of them before goes away, unless somebody has reviewed trials in it.
"""

import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path

from honestly._version import program_version
from honestly.errors import FormatError, HonestlyError, StoreError, StudyBusyError, StudyDamagedError, StudyTooNewError
from honestly.formats import AS_IT_STANDS, Importer, TableRules, columns_file, importers_for
from honestly.records import digest
from honestly.store import is_address, open_study, study_path
from honestly.studies._import import import_results
from honestly.studies._merge import merge_studies
from honestly.work import WriterLock, user_folder

_WAIT_S = 0.2
_LONGEST_NAME = 40


def study_of(
    path: Path,
    tell: Callable[[str], object] = lambda _: None,
    progress: Callable[[str, int], None] | None = None,
    rules: TableRules = AS_IT_STANDS,
    kind: str = "",
) -> Path:
    """The study at `path`, or the one that results at `path` make.

    Args:
        path: a study, or results in a format that `honestly study import` recognises by its content.
        tell: gets a line where something is imported, or another process does it.
        progress: told where it reads, and how many trials it has read.
        rules: what the user says of tables.
        kind: what `import --from` takes; empty for what its content says.

    Raises:
        StoreError: it is a study that cannot be read; or the cache cannot be written.
        FormatError: it is neither, or nothing there can be read.
    """
    if is_address(path):
        return study_path(path)
    if path.is_file() and _is_study(path):
        return path
    try:
        kind = kind or importers_for(path)
    except FormatError as error:
        raise type(error)(f"{path} is neither a study nor results to import: {error}") from error
    place = _cache_home() / digest("source", os.fsencode(path.resolve()).hex())[:16]
    study = (
        place
        / _signature(path, kind + "!" * rules.differences + _table_rules(kind, rules))
        / f"{_results_name(path)}.honestly"
    )
    waited = False
    while not study.exists():
        try:
            study.parent.mkdir(parents=True, exist_ok=True)
            lock = WriterLock(study)
        except StudyBusyError:
            if not waited:
                tell(f"another process imports {path}; waiting for it")
            waited = True
            time.sleep(_WAIT_S)
            continue
        except OSError as error:
            raise StoreError(
                f"cannot keep what is imported in {_cache_home()}: {error.strerror}; set XDG_CACHE_HOME"
            ) from error
        with lock:
            if not study.exists():
                import_results(path, study, kind, progress, rules)
                tell(f"{path} is not a study; imported as {kind} into {study}")
        for other in place.iterdir():
            if other != study.parent:
                _drop(other, study.name, tell)
    return study


def merged_study_of(
    paths: Sequence[Path],
    tell: Callable[[str], object],
    importer: tuple[Path, Importer] | None = None,
    rules: TableRules = AS_IT_STANDS,
) -> Path:
    """The study that several studies make together, which is made again when one of them has changed; or several
    results, with what reads them as one and the folder above them.

    Raises:
        StoreError: they cannot be merged, or the cache cannot be written.
    """
    name = digest("merged", *(os.fsencode(path.resolve()).hex() for path in paths))[:16]
    seen = [(str(path), *_signature(path, "study" + "!" * rules.differences)) for path in paths]
    place = _cache_home() / name
    study = place / digest("content", repr(seen))[:24] / "merged.honestly"
    try:
        study.parent.mkdir(parents=True, exist_ok=True)
        with WriterLock(study):
            if not study.exists():
                if importer is None:
                    tell(f"{len(paths)} studies are merged into {study}")
                    merge_studies(paths, study)
                else:
                    import_results(importer[0], study, importer[1], rules=rules)
                    tell(f"{', '.join(map(str, paths))} are imported as one into {study}")
        for other in place.iterdir():
            if other != study.parent:
                _drop(other, study.name, tell)
    except OSError as error:
        raise StoreError(
            f"cannot keep what is merged in {_cache_home()}: {error.strerror}; set XDG_CACHE_HOME"
        ) from error
    return study


def _is_study(path: Path) -> bool:
    try:
        open_study(path).close()
    except (StudyDamagedError, StudyTooNewError):
        raise
    except StoreError:
        return False
    return True


def _cache_home() -> Path:
    return user_folder("cache") / "imported"


def _table_rules(kind: str, rules: TableRules) -> str:
    """The user's words, now or remembered, on tables, which could be read otherwise since."""
    if "table" not in kind.split(", "):
        return ""
    try:
        return repr(rules) + columns_file().read_text("utf-8", "replace")
    except OSError:
        return repr(rules)


def _results_name(path: Path) -> str:
    """The name of the results, as far as a file's name can have it: pages call the study so."""
    name = path.resolve().name
    return (
        "".join(char if char.isalnum() or char in "-_. " else "-" for char in name).strip(". ")[:_LONGEST_NAME] or "x"
    )


def _signature(path: Path, kind: str) -> str:
    """The signature of a content, without reading it."""
    seen = blake2b(repr((program_version(), kind)).encode(), digest_size=12)
    for name, size, changed in _file_states(path):
        seen.update(b"%d %d %d " % (len(name), size, changed) + name)
    return seen.hexdigest()


def _file_states(path: Path) -> Iterator[tuple[bytes, int, int]]:
    """Names, sizes and times of change of all files; links are not followed, as importers do not follow them."""
    if path.is_file():
        status = path.stat()
        yield b"", status.st_size, status.st_mtime_ns
    folders = [os.fsencode(path)] if path.is_dir() else []
    while folders:
        try:
            with os.scandir(folders.pop()) as found:
                entries = [(entry, entry.stat(follow_symlinks=False)) for entry in sorted(found, key=os.fspath)]
        except OSError:
            continue  # the importer says what cannot be read
        for entry, status in entries:
            yield entry.path, status.st_size, status.st_mtime_ns
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)


def _drop(other: Path, name: str, tell: Callable[[str], object]) -> None:
    """Removes what was made of earlier content, unless it is worth keeping or somebody is at work on it."""
    study = other / name
    try:
        lock = WriterLock(study)
    except StoreError:
        return
    with lock:
        if study.exists() and _reviewed(study):
            tell(f"the results have changed; the reviews of the earlier ones are in {study}")
        else:
            shutil.rmtree(other, ignore_errors=True)


def _reviewed(study: Path) -> bool:
    try:
        with open_study(study) as opened:
            return next(opened.reviews(), None) is not None
    except HonestlyError:
        return True  # who knows what it holds
