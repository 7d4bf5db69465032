"""Keeping records: one file is a study.

`create_study` makes one, `open_study` opens it for reading (any number of processes) or writing (one). `Store` is the
seam that other stores implement too; consumers ask for the smallest of its parts that they need.

Each name is loaded when it is first used, since no command needs all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import late

if TYPE_CHECKING:
    from honestly.store._files import (
        Moved,
        StudyFile,
        archive_study,
        drop_study,
        empty_dropped,
        list_studies,
        rename_study,
        restore_study,
        undo,
    )
    from honestly.store._lock import WriterLock
    from honestly.store._open import create_study, open_study, verify_study
    from honestly.store._protocol import (
        Blob,
        Cell,
        Hit,
        Hits,
        Item,
        Notes,
        Payloads,
        Place,
        Searchable,
        Setup,
        Steps,
        Store,
        TrajectoryInfo,
        TrialData,
        Trials,
    )
    from honestly.store._sqlite import SqliteStore

__all__ = [
    "Blob",
    "Cell",
    "Hit",
    "Hits",
    "Item",
    "Moved",
    "Notes",
    "Payloads",
    "Place",
    "Searchable",
    "Setup",
    "SqliteStore",
    "Steps",
    "Store",
    "StudyFile",
    "TrajectoryInfo",
    "TrialData",
    "Trials",
    "WriterLock",
    "archive_study",
    "create_study",
    "drop_study",
    "empty_dropped",
    "list_studies",
    "open_study",
    "rename_study",
    "restore_study",
    "undo",
    "verify_study",
]

__getattr__, __dir__ = late(__name__)
