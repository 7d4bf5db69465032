"""Recipes put rooms below together into what a person does: `hunt` finds and proves memory errors in C.

Each name is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import late

if TYPE_CHECKING:
    from honestly.recipes._hunt import Hunt, HuntFinding, HuntOrder, HuntState
    from honestly.recipes._sanitizers import HuntedProject

__all__ = ["Hunt", "HuntFinding", "HuntOrder", "HuntState", "HuntedProject"]

__getattr__, __dir__ = late(__name__)
