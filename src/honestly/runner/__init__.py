"""Plan, schedule, resume: what happens when these agents try these tasks, many times.

Each name is loaded when it is first used, since no command needs all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import late

if TYPE_CHECKING:
    from honestly.runner._again import Rejudged, judge_again, rejudged
    from honestly.runner._attempt import ASKED, EGRESS, SITE, Attempted, attempt
    from honestly.runner._collusion import Collusion, collusion
    from honestly.runner._execute import Executor, LocalExecutor
    from honestly.runner._jobs import default_jobs
    from honestly.runner._on import LOST, RayOptions, read_on
    from honestly.runner._patience import ATTEMPTS, BREAKER
    from honestly.runner._plan import Plan, Planned
    from honestly.runner._preflight import preflight
    from honestly.runner._ray import RayExecutor
    from honestly.runner._redo import USUAL_REDO, Breaker, Redo, read_redo, same_reason
    from honestly.runner._replay import (
        Compared,
        Difference,
        Original,
        Replay,
        compare_trajectories,
        read_original,
        replay,
    )
    from honestly.runner._results_file import Judged, ResultsFile
    from honestly.runner._run import Progress, run_plan
    from honestly.runner._samples import (
        JudgedSample,
        SampleProgress,
        Survey,
        found_so_far,
        judge_samples,
        results_in_order,
        survey_samples,
    )
    from honestly.runner._until import Until, Watched, as_declared, is_settled, rule_for, rule_until, watched

__all__ = [
    "ASKED",
    "ATTEMPTS",
    "BREAKER",
    "EGRESS",
    "LOST",
    "SITE",
    "USUAL_REDO",
    "Attempted",
    "Breaker",
    "Collusion",
    "Compared",
    "Difference",
    "Executor",
    "Judged",
    "JudgedSample",
    "LocalExecutor",
    "Original",
    "Plan",
    "Planned",
    "Progress",
    "RayExecutor",
    "RayOptions",
    "Redo",
    "Rejudged",
    "Replay",
    "ResultsFile",
    "SampleProgress",
    "Survey",
    "Until",
    "Watched",
    "as_declared",
    "attempt",
    "collusion",
    "compare_trajectories",
    "default_jobs",
    "found_so_far",
    "is_settled",
    "judge_again",
    "judge_samples",
    "preflight",
    "read_on",
    "read_original",
    "read_redo",
    "rejudged",
    "replay",
    "results_in_order",
    "rule_for",
    "rule_until",
    "run_plan",
    "same_reason",
    "survey_samples",
    "watched",
]

__getattr__, __dir__ = late(__name__)
