"""How often agents hack under different prompts, and whether that gets worse: stress sets, arms, levers, alarms.

Each name is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.stress._disclosure import disclosure_html, disclosure_markdown, make_disclosure, write_disclosure
    from honestly.stress._judged import (
        CHEAT,
        HACK,
        SOLVED,
        Condition,
        Judge,
        JudgedSet,
        JudgedTrial,
        judge_of,
        judged_sets,
    )
    from honestly.stress._levers import disclosure_effects, effects_between, effects_within, reward_effects
    from honestly.stress._making import (
        MadeTask,
        Making,
        changeable_tasks,
        make_suite_impossible,
        suite_or_problems,
        write_hardened,
    )
    from honestly.stress._paired import arm_differences
    from honestly.stress._pairs import Leak, training_leaks, training_pairs
    from honestly.stress._rates import DisclosedRate, rates_of
    from honestly.stress._registry import (
        StressRegistry,
        hacked_tasks,
        impossible_entries,
        own_entries,
        read_registry,
        refilled_entries,
        suite_of,
        write_registry,
    )
    from honestly.stress._sets import judged_in, run_stress_sets
    from honestly.stress._track import Series, checkpoint_series

__all__ = [
    "CHEAT",
    "HACK",
    "SOLVED",
    "Condition",
    "DisclosedRate",
    "Judge",
    "JudgedSet",
    "JudgedTrial",
    "Leak",
    "MadeTask",
    "Making",
    "Series",
    "StressRegistry",
    "arm_differences",
    "changeable_tasks",
    "checkpoint_series",
    "disclosure_effects",
    "disclosure_html",
    "disclosure_markdown",
    "effects_between",
    "effects_within",
    "hacked_tasks",
    "impossible_entries",
    "judge_of",
    "judged_in",
    "judged_sets",
    "make_disclosure",
    "make_suite_impossible",
    "own_entries",
    "rates_of",
    "read_registry",
    "refilled_entries",
    "reward_effects",
    "run_stress_sets",
    "suite_of",
    "suite_or_problems",
    "training_leaks",
    "training_pairs",
    "write_disclosure",
    "write_hardened",
    "write_registry",
]

__getattr__, __dir__ = lazy_exports(__name__)
