"""How good is your coding agent, honestly?

What a researcher types, gathered from the rooms; each name is loaded when it is first used. A study in five lines:

    study = honestly.run("embedded", ["honest", "special-case"], samples=5)   # or honestly.open("study.honestly")
    study.report()                                      # a notebook shows it; print() and to_plain() elsewhere
    study.compare("honest", "special-case").sentence
    study.audit().to_frame()                            # polars or pandas, as installed
    study.report().figures["forest"]

`run` takes agents and tasks of your own, too: docs/notebook.md.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` would load for 3 ms
import sys

_is_command = sys.argv[0].endswith("/honestly") or sys.orig_argv[1:3] == ["-m", "honestly"]
if _is_command and _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)  # Ctrl-C while the command loads ends it without a traceback
from typing import TYPE_CHECKING  # noqa: E402

from honestly._late import lazy_exports  # noqa: E402

if TYPE_CHECKING:
    from honestly.agents import Hands, make_agent
    from honestly.audit import Case, Detector, Suspicion
    from honestly.comparisons import comparison
    from honestly.leaderboards import html_report, leaderboard
    from honestly.plans import PlanQuestion
    from honestly.runner import LocalExecutor, Plan, run_plan
    from honestly.sandbox import open_sandbox
    from honestly.scores import study_scores
    from honestly.stats import Policy, Scores, compare, compare_all, score, score_all
    from honestly.store import create_study, open_study
    from honestly.studies import RunSettings, Study, dry_run, gate, open, plan, run, run_async, verify_samples
    from honestly.tasks import load_suite, make_task
    from honestly.verify import check_tasks, prove

__all__ = [
    "Case",
    "Detector",
    "Hands",
    "LocalExecutor",
    "Plan",
    "PlanQuestion",
    "Policy",
    "RunSettings",
    "Scores",
    "Study",
    "Suspicion",
    "check_tasks",
    "compare",
    "compare_all",
    "comparison",
    "create_study",
    "dry_run",
    "gate",
    "html_report",
    "leaderboard",
    "load_suite",
    "make_agent",
    "make_task",
    "open",
    "open_sandbox",
    "open_study",
    "plan",
    "prove",
    "run",
    "run_async",
    "run_plan",
    "score",
    "score_all",
    "study_scores",
    "verify_samples",
]

__getattr__, __dir__ = lazy_exports(__name__)
