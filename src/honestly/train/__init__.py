"""From verdicts to training: data from studies, and a watch over training runs.

`TrainingLog` reads a training log, `StabilityWatch` says reading by reading what state the run is in, and `watch_log`
puts both together into a `WatchedRun`. `export_training_data` writes the trials of a study as rows for trainers.
`Environment` plays a suite with a policy, paid by hidden tests alone.
"""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.train._adapters import (
        SyncEnvironment as SyncEnvironment,
        gymnasium_environment as gymnasium_environment,
        openenv_app as openenv_app,
        skyrl_environment as skyrl_environment,
        trl_environment as trl_environment,
    )
    from honestly.train._environment import (
        EPISODE_TOOLS as EPISODE_TOOLS,
        Action as Action,
        Environment,
        EnvironmentOptions as EnvironmentOptions,
        Episode as Episode,
        HackCount as HackCount,
        StepResult as StepResult,
        TrainingEnvironment as TrainingEnvironment,
    )
    from honestly.train._export import (
        TRAINING_DATA as TRAINING_DATA,
        ExportedRows as ExportedRows,
        TrainingDataOptions as TrainingDataOptions,
        export_training_data as export_training_data,
    )
    from honestly.train._rft import rft_config_path as rft_config_path, write_rft as write_rft
    from honestly.train._series import Reading as Reading, TrainingLog as TrainingLog
    from honestly.train._stability import LOGGED as LOGGED, StabilityWatch as StabilityWatch, WatchEvent as WatchEvent
    from honestly.train._verifier import (
        BestOfK as BestOfK,
        ScoredTry as ScoredTry,
        VerifierReport as VerifierReport,
        scored_tries as scored_tries,
        trajectory_features as trajectory_features,
        verifier_report as verifier_report,
    )
    from honestly.train._verifiers import (
        verifiers_classes as verifiers_classes,
        verifiers_environment as verifiers_environment,
    )
    from honestly.train._watched_run import WatchedRun as WatchedRun, watch_log as watch_log


__getattr__, __dir__ = lazy_exports(__name__)
