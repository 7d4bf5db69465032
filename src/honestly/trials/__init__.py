"""The trials of a study: a table, why they failed, and one trial step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.trials._change import final_change
    from honestly.trials._diff import between_changes, diff_lines, stat_lines
    from honestly.trials._find import find_trial
    from honestly.trials._grep import Grep, Match
    from honestly.trials._lines import step_words
    from honestly.trials._page import TrialPage
    from honestly.trials._reasons import Reasons, Why, failure_reasons, reasons_section, trial_reason
    from honestly.trials._row import TrialRow
    from honestly.trials._steps import StepTable
    from honestly.trials._text import MARK, TrialText, coloured_text, terminal_text
    from honestly.trials._trials import TrialCondition, TrialTable, trial_table

__all__ = [
    "MARK",
    "Grep",
    "Match",
    "Reasons",
    "StepTable",
    "TrialCondition",
    "TrialPage",
    "TrialRow",
    "TrialTable",
    "TrialText",
    "Why",
    "between_changes",
    "coloured_text",
    "diff_lines",
    "failure_reasons",
    "final_change",
    "find_trial",
    "reasons_section",
    "stat_lines",
    "step_words",
    "terminal_text",
    "trial_reason",
    "trial_table",
]

__getattr__, __dir__ = lazy_exports(__name__)
