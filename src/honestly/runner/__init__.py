"""Plans, schedules and resumes trials.

Each name is loaded when it is first used, since no command needs all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.runner._again import RejudgedPasses, judge_again, rejudged_verdicts
    from honestly.runner._attempt import TURNS, TrialResult, run_attempt
    from honestly.runner._choice import drawn_suite, read_first, with_tags
    from honestly.runner._collusion import Collusion, collusion_signs
    from honestly.runner._dry_run import DryRun, dry_run_of
    from honestly.runner._execute import Executor, LocalExecutor
    from honestly.runner._forecast import Forecast, cost_forecast
    from honestly.runner._jobs import default_jobs, trials_at_once
    from honestly.runner._log import RunLog
    from honestly.runner._on import LOST, RayOptions, read_on
    from honestly.runner._oversight import Looker, Oversight
    from honestly.runner._pace import RunCount
    from honestly.runner._patience import ATTEMPTS, BREAKER
    from honestly.runner._plan import Plan, Planned
    from honestly.runner._preflight import preflight
    from honestly.runner._progress import Progress
    from honestly.runner._ray import RayExecutor
    from honestly.runner._redo import STALE, USUAL_REDO, Redo, read_redo, same_reason
    from honestly.runner._replay import Difference, Original, Replay, compare_trajectories, read_original, replay_trial
    from honestly.runner._results_file import ResultsFile
    from honestly.runner._run import run_plan
    from honestly.runner._samples import (
        JudgedSample,
        SampleProgress,
        Survey,
        failing_references,
        found_so_far,
        judge_samples,
        results_in_order,
        survey_samples,
    )
    from honestly.runner._spending import in_hours, read_study_budget, spent_on
    from honestly.runner._stale import refuse_stale, stale_results
    from honestly.runner._until import Until, as_declared, is_settled, rule_for, rule_until

__all__ = [
    "ATTEMPTS",
    "BREAKER",
    "LOST",
    "STALE",
    "TURNS",
    "USUAL_REDO",
    "Collusion",
    "Difference",
    "DryRun",
    "Executor",
    "Forecast",
    "JudgedSample",
    "LocalExecutor",
    "Looker",
    "Original",
    "Oversight",
    "Plan",
    "Planned",
    "Progress",
    "RayExecutor",
    "RayOptions",
    "Redo",
    "RejudgedPasses",
    "Replay",
    "ResultsFile",
    "RunCount",
    "RunLog",
    "SampleProgress",
    "Survey",
    "TrialResult",
    "Until",
    "as_declared",
    "collusion_signs",
    "compare_trajectories",
    "cost_forecast",
    "default_jobs",
    "drawn_suite",
    "dry_run_of",
    "failing_references",
    "found_so_far",
    "in_hours",
    "is_settled",
    "judge_again",
    "judge_samples",
    "preflight",
    "read_first",
    "read_on",
    "read_original",
    "read_redo",
    "read_study_budget",
    "refuse_stale",
    "rejudged_verdicts",
    "replay_trial",
    "results_in_order",
    "rule_for",
    "rule_until",
    "run_attempt",
    "run_plan",
    "same_reason",
    "spent_on",
    "stale_results",
    "survey_samples",
    "trials_at_once",
    "with_tags",
]

__getattr__, __dir__ = lazy_exports(__name__)
