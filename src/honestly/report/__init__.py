"""Tables, figures and pages: what a study says, for people and for programs.

`leaderboard` and `comparison` turn a study into plain data; everything else shows it: `LeaderboardView` and `PairView`
in a terminal, `html_report` as one file, `board_figures` as SVG with Vega-Lite beside, `to_plain()` as JSON.

Each name is loaded when it is first used, since no command needs all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import late

if TYPE_CHECKING:
    from honestly.report._board import Leaderboard, Pair, Row
    from honestly.report._bump import policy_ranks
    from honestly.report._checked import Checked
    from honestly.report._comparison import PairReport, comparison
    from honestly.report._corrected import CorrectedRow, CorrectedScore, CorrectedScores, corrected_scores
    from honestly.report._curves import pass_curves
    from honestly.report._disclosure import (
        Disclosure,
        disclosure,
        disclosure_html,
        disclosure_markdown,
        write_disclosure,
    )
    from honestly.report._evaluation import Study, study_scores
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
    from honestly.report._pass_rates import LooksLike, PassRates, pass_rates
    from honestly.report._plan_answer import study_plan
    from honestly.report._plan_basis import PlanBasis, pilot_basis, prior_basis
    from honestly.report._plan_figure import plan_figure
    from honestly.report._rate_figure import rate_figures
    from honestly.report._registration import DEFAULT_GUARDS, Guard, Metric, Registration, Stopping
    from honestly.report._registration_check import check_registration
    from honestly.report._registration_html import registration_section
    from honestly.report._registration_read import parse_registration, read_registration
    from honestly.report._registration_report import RegistrationReport, register, registration_report
    from honestly.report._registration_write import registration_markdown
    from honestly.report._study_plan import Budget, PlanQuestion, StudyPlan
    from honestly.report._terminal import LeaderboardView
    from honestly.report._terminal_corrected import CorrectedView
    from honestly.report._terminal_pair import PairView
    from honestly.report._terminal_plan import PlanView
    from honestly.report._terminal_rates import RatesView
    from honestly.report._terminal_registration import RegistrationView
    from honestly.report._variants import DEFAULT_POLICY

__all__ = [
    "DEFAULT_GUARDS",
    "DEFAULT_POLICY",
    "Budget",
    "Checked",
    "CorrectedRow",
    "CorrectedScore",
    "CorrectedScores",
    "CorrectedView",
    "Disclosure",
    "Figure",
    "Guard",
    "Leaderboard",
    "LeaderboardView",
    "LooksLike",
    "Metric",
    "Pair",
    "PairReport",
    "PairView",
    "PassRates",
    "PlanBasis",
    "PlanQuestion",
    "PlanView",
    "RatesView",
    "Registration",
    "RegistrationReport",
    "RegistrationView",
    "Row",
    "Stopping",
    "Study",
    "StudyPlan",
    "board_figures",
    "check_registration",
    "comparison",
    "corrected_scores",
    "difference_matrix",
    "disclosure",
    "disclosure_html",
    "disclosure_markdown",
    "find_agent",
    "forest",
    "heatmap",
    "html_report",
    "leaderboard",
    "noise_stack",
    "parse_registration",
    "pass_curves",
    "pass_rates",
    "pilot_basis",
    "plan_figure",
    "policy_ranks",
    "prior_basis",
    "rate_figures",
    "read_registration",
    "register",
    "registration_markdown",
    "registration_report",
    "registration_section",
    "render_html",
    "study_plan",
    "study_scores",
    "visible_honest",
    "write_disclosure",
    "write_figures",
]

_HOMES = {
    "_board": ("Leaderboard", "Pair", "Row"),
    "_bump": ("policy_ranks",),
    "_checked": ("Checked",),
    "_comparison": ("PairReport", "comparison"),
    "_corrected": ("CorrectedRow", "CorrectedScore", "CorrectedScores", "corrected_scores"),
    "_curves": ("pass_curves",),
    "_disclosure": ("Disclosure", "disclosure", "disclosure_html", "disclosure_markdown", "write_disclosure"),
    "_evaluation": ("Study", "study_scores"),
    "_fall": ("visible_honest",),
    "_figure": ("Figure", "write_figures"),
    "_figures": ("board_figures",),
    "_forest": ("forest",),
    "_heatmap": ("heatmap",),
    "_html": ("html_report", "render_html"),
    "_leaderboard": ("leaderboard",),
    "_matrix": ("difference_matrix",),
    "_names": ("find_agent",),
    "_noise": ("noise_stack",),
    "_pass_rates": ("LooksLike", "PassRates", "pass_rates"),
    "_plan_answer": ("study_plan",),
    "_plan_basis": ("PlanBasis", "pilot_basis", "prior_basis"),
    "_plan_figure": ("plan_figure",),
    "_rate_figure": ("rate_figures",),
    "_registration": ("DEFAULT_GUARDS", "Guard", "Metric", "Registration", "Stopping"),
    "_registration_check": ("check_registration",),
    "_registration_html": ("registration_section",),
    "_registration_read": ("parse_registration", "read_registration"),
    "_registration_report": ("RegistrationReport", "register", "registration_report"),
    "_registration_write": ("registration_markdown",),
    "_study_plan": ("Budget", "PlanQuestion", "StudyPlan"),
    "_terminal": ("LeaderboardView",),
    "_terminal_corrected": ("CorrectedView",),
    "_terminal_pair": ("PairView",),
    "_terminal_plan": ("PlanView",),
    "_terminal_rates": ("RatesView",),
    "_terminal_registration": ("RegistrationView",),
    "_variants": ("DEFAULT_POLICY",),
}

__getattr__, __dir__ = late(__name__, _HOMES)
