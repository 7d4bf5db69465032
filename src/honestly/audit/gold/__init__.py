"""How much of the reference solution stands word for word in what agents wrote, beside what others wrote."""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.audit.gold._study import (
        GoldRow as GoldRow,
        Hunk as Hunk,
        gold_table as gold_table,
        hunk_place as hunk_place,
        reference_hunks as reference_hunks,
    )


__getattr__, __dir__ = lazy_exports(__name__)
