"""Agents that learn from their own trials: told before each what they learnt, taught after it, and measured in pairs.

`with_memory` makes the agents, `design_of` and `MemoryPlan` say what teaches them in which order, `LearningExecutor`
runs and teaches, `restore` goes on where a study stands, `memory_gains` says what it was worth. What is kept, merged
and revoked is `honestly.memory`'s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.memory.learning._agent import RECALLED, AgentMemory, Remembering, with_memory
    from honestly.memory.learning._executor import MEMORY, LearningExecutor, learnt_lessons, restore_design
    from honestly.memory.learning._gain import MemoryGain, memory_gains
    from honestly.memory.learning._plan import MemoryDesign, MemoryPlan, demand_untaught, design_in, design_of
    from honestly.memory.learning._spec import MEMORY_KINDS, MemorySpec, specs_of

__all__ = [
    "MEMORY",
    "MEMORY_KINDS",
    "RECALLED",
    "AgentMemory",
    "LearningExecutor",
    "MemoryDesign",
    "MemoryGain",
    "MemoryPlan",
    "MemorySpec",
    "Remembering",
    "demand_untaught",
    "design_in",
    "design_of",
    "learnt_lessons",
    "memory_gains",
    "restore_design",
    "specs_of",
    "with_memory",
]

__getattr__, __dir__ = lazy_exports(__name__)
