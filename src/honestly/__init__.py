"""How good is your coding agent, honestly?

What a researcher types, gathered from the rooms; each name is loaded when it is first used. A study in five lines:

    study = honestly.run("embedded", ["honest", "special-case"], samples=5)   # or honestly.open("study.honestly")
    study.report()                                      # a notebook shows it; print() and to_plain() elsewhere
    study.compare("honest", "special-case").sentence
    study.audit().to_frame()                            # polars or pandas, as installed
    study.report().figures["forest"]

`run` takes agents and tasks of your own, too: docs/notebook.md.
"""

import _signal  # type: ignore[import-not-found]  # `signal` would load for 3 ms
import sys

_is_command = sys.argv[0].endswith("/honestly") or sys.orig_argv[1:3] == ["-m", "honestly"]
if _is_command and _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)  # Ctrl-C while the command loads ends it without a traceback
from typing import TYPE_CHECKING  # noqa: E402

from honestly._late import lazy_exports  # noqa: E402

if TYPE_CHECKING:
    from honestly.agents import Hands as Hands, make_agent as make_agent
    from honestly.audit import Case as Case, Detector as Detector, Suspicion as Suspicion
    from honestly.comparisons import comparison as comparison
    from honestly.leaderboards import html_report as html_report, leaderboard as leaderboard
    from honestly.plans import PlanQuestion as PlanQuestion
    from honestly.runner import LocalExecutor as LocalExecutor, Plan as Plan, run_plan as run_plan
    from honestly.sandbox import open_sandbox as open_sandbox
    from honestly.scores import study_scores as study_scores
    from honestly.stats import (
        Policy as Policy,
        Scores as Scores,
        compare as compare,
        compare_all as compare_all,
        score as score,
        score_all as score_all,
    )
    from honestly.store import create_study as create_study, open_study as open_study
    from honestly.studies import (
        RunSettings as RunSettings,
        Study as Study,
        dry_run as dry_run,
        gate as gate,
        open as open,
        plan as plan,
        run as run,
        run_async as run_async,
        verify_samples as verify_samples,
    )
    from honestly.tasks import load_suite as load_suite, make_task as make_task
    from honestly.verify import check_tasks as check_tasks, prove as prove


__getattr__, __dir__ = lazy_exports(__name__)
