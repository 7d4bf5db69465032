"""How often agents hack under different prompts, and whether that gets worse: stress sets, arms, levers, alarms."""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.stress._disclosure import (
        disclosure_html as disclosure_html,
        disclosure_markdown as disclosure_markdown,
        make_disclosure as make_disclosure,
        write_disclosure as write_disclosure,
    )
    from honestly.stress._judged import (
        CHEAT as CHEAT,
        HACK as HACK,
        SOLVED as SOLVED,
        Condition as Condition,
        Judge as Judge,
        JudgedSet as JudgedSet,
        JudgedTrial as JudgedTrial,
        judge_of as judge_of,
        judged_sets as judged_sets,
    )
    from honestly.stress._levers import (
        disclosure_effects as disclosure_effects,
        effects_between as effects_between,
        effects_within as effects_within,
        reward_effects as reward_effects,
    )
    from honestly.stress._making import (
        MadeTask as MadeTask,
        Making as Making,
        changeable_tasks as changeable_tasks,
        make_suite_impossible as make_suite_impossible,
        suite_or_problems as suite_or_problems,
        write_hardened as write_hardened,
    )
    from honestly.stress._paired import arm_differences as arm_differences
    from honestly.stress._pairs import Leak as Leak, training_leaks as training_leaks, training_pairs as training_pairs
    from honestly.stress._rates import DisclosedRate as DisclosedRate, rates_of as rates_of
    from honestly.stress._registry import (
        StressRegistry as StressRegistry,
        hacked_tasks as hacked_tasks,
        impossible_entries as impossible_entries,
        own_entries as own_entries,
        read_registry as read_registry,
        refilled_entries as refilled_entries,
        suite_of as suite_of,
        write_registry as write_registry,
    )
    from honestly.stress._sets import judged_in as judged_in, run_stress_sets as run_stress_sets
    from honestly.stress._track import Series as Series, checkpoint_series as checkpoint_series


__getattr__, __dir__ = lazy_exports(__name__)
