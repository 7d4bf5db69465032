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
    from honestly.report._comparison import PairReport, comparison
    from honestly.report._corrected import CorrectedRow, CorrectedScore, CorrectedScores, corrected_scores
    from honestly.report._disclosure import (
        Disclosure,
        disclosure,
        disclosure_html,
        disclosure_markdown,
        write_disclosure,
    )
    from honestly.report._evaluation import Study, study_scores
    from honestly.report._html import html_report, render_html
    from honestly.report._leaderboard import leaderboard
    from honestly.report._names import find_agent
    from honestly.report._pass_rates import LooksLike, PassRates, pass_rates
    from honestly.report._variants import DEFAULT_POLICY
    from honestly.report.figures._all import board_figures
    from honestly.report.figures._bump import policy_ranks
    from honestly.report.figures._curves import pass_curves
    from honestly.report.figures._fall import visible_honest
    from honestly.report.figures._figure import Figure, write_figures
    from honestly.report.figures._forest import forest
    from honestly.report.figures._heatmap import heatmap
    from honestly.report.figures._matrix import difference_matrix
    from honestly.report.figures._noise import noise_stack
    from honestly.report.figures._plan import plan_figure
    from honestly.report.figures._rates import rate_figures
    from honestly.report.plan._answer import study_plan
    from honestly.report.plan._basis import PlanBasis, pilot_basis, prior_basis
    from honestly.report.plan._study_plan import Budget, PlanQuestion, StudyPlan
    from honestly.report.registration._check import check_registration
    from honestly.report.registration._checked import Checked
    from honestly.report.registration._html import registration_section
    from honestly.report.registration._read import parse_registration, read_registration
    from honestly.report.registration._registration import DEFAULT_GUARDS, Guard, Metric, Registration, Stopping
    from honestly.report.registration._report import RegistrationReport, register, registration_report
    from honestly.report.registration._terminal import RegistrationView
    from honestly.report.registration._write import registration_markdown
    from honestly.report.tables._corrected import CorrectedView
    from honestly.report.tables._leaderboard import LeaderboardView
    from honestly.report.tables._pair import PairView
    from honestly.report.tables._plan import PlanView
    from honestly.report.tables._rates import RatesView

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
    "figures._bump": ("policy_ranks",),
    "registration._checked": ("Checked",),
    "_comparison": ("PairReport", "comparison"),
    "_corrected": ("CorrectedRow", "CorrectedScore", "CorrectedScores", "corrected_scores"),
    "figures._curves": ("pass_curves",),
    "_disclosure": ("Disclosure", "disclosure", "disclosure_html", "disclosure_markdown", "write_disclosure"),
    "_evaluation": ("Study", "study_scores"),
    "figures._fall": ("visible_honest",),
    "figures._figure": ("Figure", "write_figures"),
    "figures._all": ("board_figures",),
    "figures._forest": ("forest",),
    "figures._heatmap": ("heatmap",),
    "_html": ("html_report", "render_html"),
    "_leaderboard": ("leaderboard",),
    "figures._matrix": ("difference_matrix",),
    "_names": ("find_agent",),
    "figures._noise": ("noise_stack",),
    "_pass_rates": ("LooksLike", "PassRates", "pass_rates"),
    "plan._answer": ("study_plan",),
    "plan._basis": ("PlanBasis", "pilot_basis", "prior_basis"),
    "figures._plan": ("plan_figure",),
    "figures._rates": ("rate_figures",),
    "registration._registration": ("DEFAULT_GUARDS", "Guard", "Metric", "Registration", "Stopping"),
    "registration._check": ("check_registration",),
    "registration._html": ("registration_section",),
    "registration._read": ("parse_registration", "read_registration"),
    "registration._report": ("RegistrationReport", "register", "registration_report"),
    "registration._write": ("registration_markdown",),
    "plan._study_plan": ("Budget", "PlanQuestion", "StudyPlan"),
    "tables._leaderboard": ("LeaderboardView",),
    "tables._corrected": ("CorrectedView",),
    "tables._pair": ("PairView",),
    "tables._plan": ("PlanView",),
    "tables._rates": ("RatesView",),
    "registration._terminal": ("RegistrationView",),
    "_variants": ("DEFAULT_POLICY",),
}

__getattr__, __dir__ = late(__name__, _HOMES)
