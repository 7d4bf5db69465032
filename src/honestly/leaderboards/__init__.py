"""The leaderboard of a study, with error bars and everything next to it.

`study_report` is the answer of `honestly report`: the board, its figures, the same by groups of tasks, without what an
audit found, as submissions in their order. `html_report` makes one file of a board.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.leaderboards._board import Leaderboard, Pair
    from honestly.leaderboards._breakdown import score_breakdown
    from honestly.leaderboards._corrected import corrected_scores
    from honestly.leaderboards._ladder import submission_order
    from honestly.leaderboards._leaderboard import leaderboard
    from honestly.leaderboards._page import axes_section, board_section
    from honestly.leaderboards._study_report import (
        StudyReport,
        html_report,
        render_html,
        study_report,
    )
    from honestly.leaderboards._table import BriefLeaderboard, LeaderboardView
    from honestly.leaderboards.figures._all import board_figures
    from honestly.leaderboards.figures._bump import policy_ranks
    from honestly.leaderboards.figures._curves import pass_curves
    from honestly.leaderboards.figures._fall import visible_honest
    from honestly.leaderboards.figures._forest import forest_figure
    from honestly.leaderboards.figures._heatmap import heatmap_figure
    from honestly.leaderboards.figures._matrix import difference_matrix
    from honestly.leaderboards.figures._noise import noise_stack

__all__ = [
    "BriefLeaderboard",
    "Leaderboard",
    "LeaderboardView",
    "Pair",
    "StudyReport",
    "axes_section",
    "board_figures",
    "board_section",
    "corrected_scores",
    "difference_matrix",
    "forest_figure",
    "heatmap_figure",
    "html_report",
    "leaderboard",
    "noise_stack",
    "pass_curves",
    "policy_ranks",
    "render_html",
    "score_breakdown",
    "study_report",
    "submission_order",
    "visible_honest",
]

__getattr__, __dir__ = lazy_exports(__name__)
