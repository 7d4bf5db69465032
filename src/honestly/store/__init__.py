"""Keeping records: one file is a study.

`create_study` makes one, `open_study` opens it for reading (any number of processes) or writing (one), `add_reviews`
adds what people say while others write; `live_trials` are those that run now, which it does not hold yet. `Store` is
the seam that other stores implement too; consumers ask for the smallest of its parts that they need.

Each name is loaded when it is first used, since no command needs all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import late

if TYPE_CHECKING:
    from honestly.store._address import StudyAddress, is_address, study_path
    from honestly.store._care import Compacted, Damage, compact, damages
    from honestly.store._copy import Content, content_of, copy_study
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
        JournalLine,
        LiveSteps,
        Running,
        live_steps,
        live_trials,
        process_lives,
        process_name,
        read_journal,
        remove_stale,
        unfinished_folder,
    )
    from honestly.store._lock import WriterLock, writer_of
    from honestly.store._open import add_reviews, create_study, open_study, verify_study
    from honestly.store._pace import AgentPace, RunPace, read_paces, remove_pace, write_pace
    from honestly.store._places import Moved, StudyFile
    from honestly.store._protocol import (
        RULE,
        Blob,
        Cell,
        Claimed,
        Ended,
        Hit,
        Hits,
        Item,
        Notes,
        OutcomeCount,
        Payloads,
        Searchable,
        Setup,
        StepPlace,
        Steps,
        Store,
        TrajectoryInfo,
        TrialData,
        Trials,
    )
    from honestly.store._spool import deliver_waiting, open_or_create
    from honestly.store._sql import SqlStore

__all__ = [
    "RULE",
    "AgentPace",
    "Blob",
    "Cell",
    "Claimed",
    "Compacted",
    "Content",
    "Damage",
    "Ended",
    "Hit",
    "Hits",
    "Item",
    "JournalLine",
    "LiveSteps",
    "Moved",
    "Notes",
    "OutcomeCount",
    "Payloads",
    "RunPace",
    "Running",
    "Searchable",
    "Setup",
    "SqlStore",
    "StepPlace",
    "Steps",
    "Store",
    "StudyAddress",
    "StudyFile",
    "TrajectoryInfo",
    "TrialData",
    "Trials",
    "WriterLock",
    "add_reviews",
    "archive_study",
    "compact",
    "content_of",
    "copy_study",
    "create_study",
    "damages",
    "deliver_waiting",
    "drop_study",
    "empty_dropped",
    "is_address",
    "list_studies",
    "live_steps",
    "live_trials",
    "open_or_create",
    "open_study",
    "process_lives",
    "process_name",
    "read_journal",
    "read_paces",
    "remove_pace",
    "remove_stale",
    "rename_study",
    "replace_study",
    "restore_study",
    "study_path",
    "undo_move",
    "unfinished_folder",
    "verify_study",
    "write_pace",
    "writer_of",
]

__getattr__, __dir__ = late(__name__)
