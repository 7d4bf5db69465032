"""Stores studies: one file, or a schema in a database.

`create_study` makes one, `open_study` opens it for reading (any number of processes) or writing (one), `add_reviews`
adds what people say while others write; `live_trials` are those that run now, which it does not hold yet. `Store` is
what both give, whatever keeps it.
"""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.store._address import StudyAddress as StudyAddress, is_address as is_address, study_path as study_path
    from honestly.store._care import compact_study as compact_study, study_damages as study_damages
    from honestly.store._copy import Content as Content, content_of as content_of, copy_study as copy_study
    from honestly.store._damage import Damage as Damage
    from honestly.store._files import (
        archive_study as archive_study,
        drop_study as drop_study,
        empty_dropped as empty_dropped,
        list_studies as list_studies,
        rename_study as rename_study,
        replace_study as replace_study,
        restore_study as restore_study,
        undo_move as undo_move,
    )
    from honestly.store._live import (
        AgentPace as AgentPace,
        JournalLine as JournalLine,
        Running as Running,
        RunPace as RunPace,
        live_steps as live_steps,
        live_trials as live_trials,
        process_name as process_name,
        read_paces as read_paces,
        remove_pace as remove_pace,
        remove_stale as remove_stale,
        unfinished_folder as unfinished_folder,
        write_pace as write_pace,
    )
    from honestly.store._open import add_reviews as add_reviews, create_study as create_study, open_study as open_study
    from honestly.store._places import MovedStudy as MovedStudy, StudyFile as StudyFile
    from honestly.store._spool import deliver_waiting as deliver_waiting, open_or_create as open_or_create
    from honestly.store._store import Store as Store
    from honestly.store._types import (
        RULE as RULE,
        Blob as Blob,
        Cell as Cell,
        ClaimResult as ClaimResult,
        Hit as Hit,
        Hits as Hits,
        Item as Item,
        StepPlace as StepPlace,
        Steps as Steps,
        TrajectoryInfo as TrajectoryInfo,
        latest_findings as latest_findings,
    )


__getattr__, __dir__ = lazy_exports(__name__)
