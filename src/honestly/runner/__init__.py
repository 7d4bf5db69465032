"""Plans, schedules and resumes trials."""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.runner._again import (
        RejudgedPasses as RejudgedPasses,
        judge_again as judge_again,
        rejudged_verdicts as rejudged_verdicts,
    )
    from honestly.runner._attempt import TURNS as TURNS, TrialResult as TrialResult, run_attempt as run_attempt
    from honestly.runner._choice import drawn_suite as drawn_suite, read_first as read_first, with_tags as with_tags
    from honestly.runner._collusion import Collusion as Collusion, collusion_signs as collusion_signs
    from honestly.runner._dry_run import DryRun as DryRun, dry_run_of as dry_run_of
    from honestly.runner._execute import Executor as Executor, LocalExecutor as LocalExecutor
    from honestly.runner._forecast import Forecast as Forecast, cost_forecast as cost_forecast
    from honestly.runner._jobs import default_jobs as default_jobs, trials_at_once as trials_at_once
    from honestly.runner._log import RunLog as RunLog
    from honestly.runner._on import LOST as LOST, RayOptions as RayOptions, read_on as read_on
    from honestly.runner._oversight import Looker as Looker, Oversight as Oversight
    from honestly.runner._pace import RunCount as RunCount
    from honestly.runner._patience import ATTEMPTS as ATTEMPTS, BREAKER as BREAKER
    from honestly.runner._plan import Plan as Plan, Planned as Planned
    from honestly.runner._preflight import preflight as preflight
    from honestly.runner._progress import Progress as Progress
    from honestly.runner._ray import RayExecutor as RayExecutor
    from honestly.runner._redo import (
        STALE as STALE,
        USUAL_REDO as USUAL_REDO,
        Redo as Redo,
        read_redo as read_redo,
        same_reason as same_reason,
    )
    from honestly.runner._replay import (
        Difference as Difference,
        Original as Original,
        Replay as Replay,
        compare_trajectories as compare_trajectories,
        read_original as read_original,
        replay_trial as replay_trial,
    )
    from honestly.runner._results_file import ResultsFile as ResultsFile
    from honestly.runner._run import run_plan as run_plan
    from honestly.runner._samples import (
        JudgedSample as JudgedSample,
        SampleProgress as SampleProgress,
        Survey as Survey,
        failing_references as failing_references,
        found_so_far as found_so_far,
        judge_samples as judge_samples,
        results_in_order as results_in_order,
        survey_samples as survey_samples,
    )
    from honestly.runner._spending import (
        in_hours as in_hours,
        read_study_budget as read_study_budget,
        spent_on as spent_on,
    )
    from honestly.runner._stale import refuse_stale as refuse_stale, stale_results as stale_results
    from honestly.runner._until import (
        Until as Until,
        as_declared as as_declared,
        is_settled as is_settled,
        rule_for as rule_for,
        rule_until as rule_until,
    )


__getattr__, __dir__ = lazy_exports(__name__)
