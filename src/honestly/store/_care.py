"""Looking after a study: what in it is damaged, and giving back the room that is no longer needed.

`study_damages` goes on where opening a study would stop: it names every row whose check sum is wrong, what a database
says of pages that it cannot read, and trajectories and artifacts that lack a part.
"""

from collections.abc import Iterator
from contextlib import closing, nullcontext
from pathlib import Path
from typing import NamedTuple

from honestly.errors import StoreError
from honestly.store._address import StudyAddress, study_path
from honestly.store._check import header_version, needs_copy, open_connection, private_copy
from honestly.store._damage import Damage, bad_rows, file_damages, lacking_parts
from honestly.store._files import list_studies
from honestly.store._open import open_study
from honestly.store._schema import COLUMNS


class CompactedStudy(NamedTuple):
    """Bytes that a study took, and takes."""

    before: int
    after: int


def study_damages(place: Path | str) -> Iterator[Damage]:
    """Yields the damaged parts of a study.

    Raises:
        StoreError: there is no study, or it cannot be reached.
        StudyDamagedError: so little of it is left that it cannot be looked into.
    """
    path = study_path(place)
    if isinstance(path, StudyAddress):
        with open_study(path) as study:
            for table in COLUMNS:
                with study.snapshot() as db:
                    yield from bad_rows(db, table)
            with study.snapshot() as db:
                yield from lacking_parts(db)
        return
    path = path.resolve()
    if not path.is_file():
        raise StoreError(f"there is no study {path}; `honestly study list` shows those of a folder")
    with (
        private_copy(path) if needs_copy(path) else nullcontext(path) as file,
        closing(open_connection(file, "mode=ro")) as db,
    ):
        yield from file_damages(db, header_version(db, file, path))


def compact_study(place: Path | str) -> CompactedStudy:
    """Free the unused space of a study; needs exclusive access.

    Raises:
        StoreError: as `open_study`, or the disk has no room for the new file beside the old one.
    """
    path = study_path(place)
    before = _size_on_disk(path)
    with open_study(path, "write") as study:
        study.vacuum()
    return CompactedStudy(before, _size_on_disk(path))


def _size_on_disk(path: Path) -> int:
    if isinstance(path, StudyAddress):
        return sum(each.size for each in list_studies(path) if str(each.path) == str(path))
    files = (path, path.with_name(f"{path.name}-wal"))
    return sum(file.stat().st_size for file in files if file.exists())
