"""Tables, figures and pages: what a study says, for people and for programs.

`leaderboard` and `comparison` turn a study into plain data; everything else shows it: `LeaderboardView` and `PairView`
in a terminal, `html_report` as one file, `board_figures` as SVG with Vega-Lite beside, `to_plain()` as JSON.
"""

from honestly.report._board import Leaderboard, Pair, Row
from honestly.report._bump import policy_ranks
from honestly.report._comparison import PairReport, comparison
from honestly.report._curves import pass_curves
from honestly.report._evaluation import Study
from honestly.report._fall import visible_honest
from honestly.report._figure import Figure, write_figures
from honestly.report._figures import board_figures
from honestly.report._forest import forest
from honestly.report._heatmap import heatmap
from honestly.report._html import html_report, render_html
from honestly.report._leaderboard import leaderboard
from honestly.report._matrix import difference_matrix
from honestly.report._names import find_agent
from honestly.report._noise import noise_stack
from honestly.report._terminal import LeaderboardView
from honestly.report._terminal_pair import PairView
from honestly.report._variants import DEFAULT_POLICY

__all__ = [
    "DEFAULT_POLICY",
    "Figure",
    "Leaderboard",
    "LeaderboardView",
    "Pair",
    "PairReport",
    "PairView",
    "Row",
    "Study",
    "board_figures",
    "comparison",
    "difference_matrix",
    "find_agent",
    "forest",
    "heatmap",
    "html_report",
    "leaderboard",
    "noise_stack",
    "pass_curves",
    "policy_ranks",
    "render_html",
    "visible_honest",
    "write_figures",
]
