"""Agents that learn from their own trials: told before each what they learnt, taught after it, and measured in pairs.

`with_memory` makes the agents, `design_of` and `MemoryPlan` say what teaches them in which order, `LearningExecutor`
runs and teaches, `restore_design` continues where a study stands, `memory_gains` says what it was worth. What is kept,
merged and revoked is `honestly.memory`'s.
"""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.memory.learning._agent import (
        RECALLED as RECALLED,
        AgentMemory as AgentMemory,
        Remembering as Remembering,
        with_memory as with_memory,
    )
    from honestly.memory.learning._executor import (
        MEMORY as MEMORY,
        LearningExecutor as LearningExecutor,
        learnt_lessons as learnt_lessons,
        restore_design as restore_design,
    )
    from honestly.memory.learning._gain import MemoryGain as MemoryGain, memory_gains as memory_gains
    from honestly.memory.learning._plan import (
        MemoryDesign as MemoryDesign,
        MemoryPlan as MemoryPlan,
        demand_untaught as demand_untaught,
        design_in as design_in,
        design_of as design_of,
    )
    from honestly.memory.learning._spec import (
        MEMORY_KINDS as MEMORY_KINDS,
        MemorySpec as MemorySpec,
        specs_of as specs_of,
    )


__getattr__, __dir__ = lazy_exports(__name__)
