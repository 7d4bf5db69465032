"""Agents that learn from their own trials: workflows and skills.

`recalled_notes` is what stands before an instruction. `by_rules` and `take_workflow` learn from a success,
`checked_skill` is the first gate of a skill. `learning` runs the agents, executes skills, and decides what a success
is.
"""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.memory._answers import Answers as Answers
    from honestly.memory._folder import read_library as read_library, write_library as write_library
    from honestly.memory._learn import (
        by_rules as by_rules,
        checked_skill as checked_skill,
        take_workflow as take_workflow,
    )
    from honestly.memory._library import (
        Event as Event,
        LearntWorkflow as LearntWorkflow,
        MemoryLibrary as MemoryLibrary,
        Skill as Skill,
    )
    from honestly.memory._told import recalled_notes as recalled_notes


__getattr__, __dir__ = lazy_exports(__name__)
