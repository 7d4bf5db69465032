"""Comparisons of two agents: do they differ, which tasks flipped, is one worse by too much?.

`comparison`, `diff_report` and `gate_report` answer from one and the same thing, a `Pair`: two agents of one study, or
of two studies put together, counted on the tasks that both have. The first is always `a`, and a difference always `a -
b`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.comparisons._comparison import (
        comparison,
        comparison_of_studies,
        learnt_words,
        other_answers,
        policy_caution,
    )
    from honestly.comparisons._diff import DiffReport, diff_report
    from honestly.comparisons._early import early_warning, stopping_state
    from honestly.comparisons._gate import GateReport, GateRule, gate_junit, gate_markdown, gate_report
    from honestly.comparisons._lead import IF_EXCLUDED, lead_of, leading_words
    from honestly.comparisons._matched import matched_budgets
    from honestly.comparisons._next_change import NextChange
    from honestly.comparisons._page import pair_section
    from honestly.comparisons._pair import PairReport
    from honestly.comparisons._threshold import ThresholdReport, threshold_report

__all__ = [
    "IF_EXCLUDED",
    "DiffReport",
    "GateReport",
    "GateRule",
    "NextChange",
    "PairReport",
    "ThresholdReport",
    "comparison",
    "comparison_of_studies",
    "diff_report",
    "early_warning",
    "gate_junit",
    "gate_markdown",
    "gate_report",
    "lead_of",
    "leading_words",
    "learnt_words",
    "matched_budgets",
    "other_answers",
    "pair_section",
    "policy_caution",
    "stopping_state",
    "threshold_report",
]

__getattr__, __dir__ = lazy_exports(__name__)
