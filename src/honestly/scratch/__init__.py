"""Temporary folders; the next run removes what a killed program left behind.

`scratch_folder` is a temporary folder as long as a block, `make_scratch_folder` one that `delete_scratch_folder` ends.
All of a program's lie in one place, which it holds locked while it lives. `reap_dead_owners` removes the places whose
owners are dead, and kills what carries their mark in its environment (`owner_mark`); `left_behind` looks without
touching. `run_owned` runs a program of this machine that ends with us. `temporary_workshop` is a folder in a cache,
where something is made and then moved to its place; the next removes what is left. docs/faults.md says what is left
after which death, and who clears it away.
"""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.scratch._groups import free_groups as free_groups, remove_groups_of as remove_groups_of
    from honestly.scratch._owned import owned_words as owned_words, run_owned as run_owned
    from honestly.scratch._owner import (
        LeftOver as LeftOver,
        ReapedPlaces as ReapedPlaces,
        is_dead_owner as is_dead_owner,
        left_behind as left_behind,
        owner_mark as owner_mark,
        owner_name as owner_name,
        reap_dead_owners as reap_dead_owners,
    )
    from honestly.scratch._processes import (
        OWNER_VARIABLE as OWNER_VARIABLE,
        boot_id as boot_id,
        start_ticks as start_ticks,
    )
    from honestly.scratch._scratch import (
        delete_scratch_folder as delete_scratch_folder,
        make_scratch_folder as make_scratch_folder,
        scratch_folder as scratch_folder,
        short_scratch_folder as short_scratch_folder,
    )
    from honestly.scratch._workshop import clear_workshops as clear_workshops, temporary_workshop as temporary_workshop

__getattr__, __dir__ = lazy_exports(__name__)
