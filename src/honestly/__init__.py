"""How good is your coding agent, honestly?

What a researcher types, gathered from the rooms; each name is loaded when it is first used. A study in five lines:

    suite = honestly.load_suite("embedded")
    plan = honestly.Plan(suite, [honestly.make_agent(spec, suite) for spec in ("honest", "special-case")], samples=5)
    with honestly.create_study("study.honestly") as study:
        anyio.run(honestly.run_plan, plan, study, honestly.LocalExecutor(honestly.open_sandbox))
        print(honestly.leaderboard(study).to_plain())
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import late

if TYPE_CHECKING:
    from honestly.agents import make_agent
    from honestly.formats import read_terminal_bench
    from honestly.report import comparison, html_report, leaderboard, study_scores
    from honestly.runner import LocalExecutor, Plan, run_plan
    from honestly.sandbox import open_sandbox
    from honestly.stats import Policy, Scores, compare, compare_all, score, score_all
    from honestly.store import create_study, open_study
    from honestly.tasks import load_suite
    from honestly.verify import prove, verify

__all__ = [
    "LocalExecutor",
    "Plan",
    "Policy",
    "Scores",
    "compare",
    "compare_all",
    "comparison",
    "create_study",
    "html_report",
    "leaderboard",
    "load_suite",
    "make_agent",
    "open_sandbox",
    "open_study",
    "prove",
    "read_terminal_bench",
    "run_plan",
    "score",
    "score_all",
    "study_scores",
    "verify",
]

_ROOMS = {
    "agents": ("make_agent",),
    "formats": ("read_terminal_bench",),
    "report": ("comparison", "html_report", "leaderboard", "study_scores"),
    "runner": ("LocalExecutor", "Plan", "run_plan"),
    "sandbox": ("open_sandbox",),
    "stats": ("Policy", "Scores", "compare", "compare_all", "score", "score_all"),
    "store": ("create_study", "open_study"),
    "tasks": ("load_suite",),
    "verify": ("prove", "verify"),
}

__getattr__, __dir__ = late(__name__, _ROOMS)
