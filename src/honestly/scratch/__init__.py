"""Temporary folders; the next run removes what a killed program left behind.

`scratch_folder` is a temporary folder as long as a block, `make_scratch_folder` one that `delete_scratch_folder` ends.
All of a program's lie in one place, which it holds locked while it lives. `reap_dead_owners` removes the places whose
owners are dead, and kills what carries their mark in its environment (`owner_mark`); `left_behind` looks without
touching. `run_owned` runs a program of this machine that ends with us. `temporary_workshop` is a folder in a cache,
where something is made and then moved to its place; the next removes what is left. docs/faults.md says what is left
after which death, and who clears it away.
"""

from honestly._fields import document_fields
from honestly.scratch._groups import free_groups, remove_groups_of
from honestly.scratch._owned import owned_words, run_owned
from honestly.scratch._owner import (
    LeftOver,
    ReapedPlaces,
    is_dead_owner,
    left_behind,
    owner_mark,
    owner_name,
    reap_dead_owners,
)
from honestly.scratch._processes import OWNER_VARIABLE, boot_id, start_ticks
from honestly.scratch._scratch import delete_scratch_folder, make_scratch_folder, scratch_folder, short_scratch_folder
from honestly.scratch._workshop import clear_workshops, temporary_workshop

__all__ = [
    "OWNER_VARIABLE",
    "LeftOver",
    "ReapedPlaces",
    "boot_id",
    "clear_workshops",
    "delete_scratch_folder",
    "free_groups",
    "is_dead_owner",
    "left_behind",
    "make_scratch_folder",
    "owned_words",
    "owner_mark",
    "owner_name",
    "reap_dead_owners",
    "remove_groups_of",
    "run_owned",
    "scratch_folder",
    "short_scratch_folder",
    "start_ticks",
    "temporary_workshop",
]

document_fields(list(globals().values()), __name__)
