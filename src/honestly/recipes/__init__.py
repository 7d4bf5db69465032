"""Ways to set agents to work, one file or folder each, over the rooms below; and how their work comes back.

`hunt` finds and proves memory errors in C. `symphony` takes tickets from a tracker. `copy_of` says what of a checkout
an agent gets to see, `write_back` puts what it changed into it.

Each name is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import late

if TYPE_CHECKING:
    from honestly.recipes._checkout import Copy, copy_of, objections, without_clutter, write_back
    from honestly.recipes._hunt import Hunt, HuntFinding, HuntOrder, HuntState
    from honestly.recipes._sanitizers import HuntedProject

__all__ = [
    "Copy",
    "Hunt",
    "HuntFinding",
    "HuntOrder",
    "HuntState",
    "HuntedProject",
    "copy_of",
    "objections",
    "without_clutter",
    "write_back",
]

__getattr__, __dir__ = late(__name__)
