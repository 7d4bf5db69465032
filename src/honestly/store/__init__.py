"""Stores studies: one file, or a schema in a database.

`create_study` makes one, `open_study` opens it for reading (any number of processes) or writing (one), `add_reviews`
adds what people say while others write; `live_trials` are those that run now, which it does not hold yet. `Store` is
what both give, whatever keeps it.

Each name is loaded when it is first used, since no command needs all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.store._address import StudyAddress, is_address, study_path
    from honestly.store._care import compact_study, study_damages
    from honestly.store._copy import Content, content_of, copy_study
    from honestly.store._damage import Damage
    from honestly.store._files import (
        archive_study,
        drop_study,
        empty_dropped,
        list_studies,
        rename_study,
        replace_study,
        restore_study,
        undo_move,
    )
    from honestly.store._live import (
        AgentPace,
        JournalLine,
        Running,
        RunPace,
        live_steps,
        live_trials,
        process_name,
        read_paces,
        remove_pace,
        remove_stale,
        unfinished_folder,
        write_pace,
    )
    from honestly.store._open import add_reviews, create_study, open_study
    from honestly.store._places import MovedStudy, StudyFile
    from honestly.store._spool import deliver_waiting, open_or_create
    from honestly.store._store import Store
    from honestly.store._types import (
        RULE,
        Blob,
        Cell,
        ClaimResult,
        Hit,
        Hits,
        Item,
        StepPlace,
        Steps,
        TrajectoryInfo,
        latest_findings,
    )

__all__ = [
    "RULE",
    "AgentPace",
    "Blob",
    "Cell",
    "ClaimResult",
    "Content",
    "Damage",
    "Hit",
    "Hits",
    "Item",
    "JournalLine",
    "MovedStudy",
    "RunPace",
    "Running",
    "StepPlace",
    "Steps",
    "Store",
    "StudyAddress",
    "StudyFile",
    "TrajectoryInfo",
    "add_reviews",
    "archive_study",
    "compact_study",
    "content_of",
    "copy_study",
    "create_study",
    "deliver_waiting",
    "drop_study",
    "empty_dropped",
    "is_address",
    "latest_findings",
    "list_studies",
    "live_steps",
    "live_trials",
    "open_or_create",
    "open_study",
    "process_name",
    "read_paces",
    "remove_pace",
    "remove_stale",
    "rename_study",
    "replace_study",
    "restore_study",
    "study_damages",
    "study_path",
    "undo_move",
    "unfinished_folder",
    "write_pace",
]

__getattr__, __dir__ = lazy_exports(__name__)
