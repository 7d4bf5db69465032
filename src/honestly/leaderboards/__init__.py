"""The leaderboard of a study, with error bars and everything next to it.

`study_report` is the answer of `honestly report`: the board, its figures, the same by groups of tasks, without what an
audit found, as submissions in their order. `html_report` makes one file of a board.
"""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.leaderboards._board import Leaderboard as Leaderboard, Pair as Pair
    from honestly.leaderboards._breakdown import score_breakdown as score_breakdown
    from honestly.leaderboards._corrected import corrected_scores as corrected_scores
    from honestly.leaderboards._ladder import submission_order as submission_order
    from honestly.leaderboards._leaderboard import leaderboard as leaderboard
    from honestly.leaderboards._page import axes_section as axes_section, board_section as board_section
    from honestly.leaderboards._study_report import (
        StudyReport as StudyReport,
        html_report as html_report,
        render_html as render_html,
        study_report as study_report,
    )
    from honestly.leaderboards._table import BriefLeaderboard as BriefLeaderboard, LeaderboardView as LeaderboardView
    from honestly.leaderboards.figures._all import board_figures as board_figures
    from honestly.leaderboards.figures._bump import policy_ranks as policy_ranks
    from honestly.leaderboards.figures._curves import pass_curves as pass_curves
    from honestly.leaderboards.figures._fall import visible_honest as visible_honest
    from honestly.leaderboards.figures._forest import forest_figure as forest_figure
    from honestly.leaderboards.figures._heatmap import heatmap_figure as heatmap_figure
    from honestly.leaderboards.figures._matrix import difference_matrix as difference_matrix
    from honestly.leaderboards.figures._noise import noise_stack as noise_stack


__getattr__, __dir__ = lazy_exports(__name__)
