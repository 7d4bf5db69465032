"""The trials of a study: a table, why they failed, and one trial step by step."""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.trials._change import final_change as final_change
    from honestly.trials._diff import (
        between_changes as between_changes,
        diff_lines as diff_lines,
        stat_lines as stat_lines,
    )
    from honestly.trials._find import find_trial as find_trial
    from honestly.trials._grep import Grep as Grep, Match as Match
    from honestly.trials._lines import step_words as step_words
    from honestly.trials._page import TrialPage as TrialPage
    from honestly.trials._reasons import (
        Reasons as Reasons,
        Why as Why,
        failure_reasons as failure_reasons,
        reasons_section as reasons_section,
        trial_reason as trial_reason,
    )
    from honestly.trials._row import TrialRow as TrialRow
    from honestly.trials._steps import StepTable as StepTable
    from honestly.trials._text import (
        MARK as MARK,
        TrialText as TrialText,
        coloured_text as coloured_text,
        terminal_text as terminal_text,
    )
    from honestly.trials._trials import (
        TrialCondition as TrialCondition,
        TrialTable as TrialTable,
        trial_table as trial_table,
    )


__getattr__, __dir__ = lazy_exports(__name__)
