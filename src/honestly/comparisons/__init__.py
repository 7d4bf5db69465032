"""Comparisons of two agents: do they differ, which tasks flipped, is one worse by too much?.

`comparison`, `diff_report` and `gate_report` answer from one and the same thing, a `Pair`: two agents of one study, or
of two studies put together, counted on the tasks that both have. The first is always `a`, and a difference always `a -
b`.
"""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.comparisons._comparison import (
        comparison as comparison,
        comparison_of_studies as comparison_of_studies,
        learnt_words as learnt_words,
        other_answers as other_answers,
        policy_caution as policy_caution,
    )
    from honestly.comparisons._diff import DiffReport as DiffReport, diff_report as diff_report
    from honestly.comparisons._early import early_warning as early_warning, stopping_state as stopping_state
    from honestly.comparisons._gate import (
        GateReport as GateReport,
        GateRule as GateRule,
        gate_junit as gate_junit,
        gate_markdown as gate_markdown,
        gate_report as gate_report,
    )
    from honestly.comparisons._lead import (
        IF_EXCLUDED as IF_EXCLUDED,
        lead_of as lead_of,
        leading_words as leading_words,
    )
    from honestly.comparisons._matched import matched_budgets as matched_budgets
    from honestly.comparisons._next_change import NextChange as NextChange
    from honestly.comparisons._page import pair_section as pair_section
    from honestly.comparisons._pair import PairReport as PairReport
    from honestly.comparisons._threshold import ThresholdReport as ThresholdReport, threshold_report as threshold_report


__getattr__, __dir__ = lazy_exports(__name__)
