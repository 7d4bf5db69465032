"""From verdicts to training: data from studies, and a watch over training runs.

`TrainingLog` reads a training log, `StabilityWatch` says reading by reading what state the run is in, and `watch_log`
puts both together into a `WatchedRun`. `export_training_data` writes the trials of a study as rows for trainers.
`Environment` plays a suite with a policy, paid by hidden tests alone.

Each name is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.train._adapters import (
        SyncEnvironment,
        gymnasium_environment,
        openenv_app,
        skyrl_environment,
        trl_environment,
    )
    from honestly.train._environment import (
        EPISODE_TOOLS,
        Action,
        Environment,
        EnvironmentOptions,
        Episode,
        HackCount,
        StepResult,
        TrainingEnvironment,
    )
    from honestly.train._export import TRAINING_DATA, ExportedRows, TrainingDataOptions, export_training_data
    from honestly.train._rft import rft_config_path, write_rft
    from honestly.train._series import Reading, TrainingLog
    from honestly.train._stability import LOGGED, StabilityWatch, WatchEvent
    from honestly.train._verifier import (
        BestOfK,
        ScoredTry,
        VerifierReport,
        scored_tries,
        trajectory_features,
        verifier_report,
    )
    from honestly.train._verifiers import verifiers_classes, verifiers_environment
    from honestly.train._watched_run import WatchedRun, watch_log

__all__ = [
    "EPISODE_TOOLS",
    "LOGGED",
    "TRAINING_DATA",
    "Action",
    "BestOfK",
    "EnvironmentOptions",
    "Episode",
    "ExportedRows",
    "HackCount",
    "Reading",
    "ScoredTry",
    "StabilityWatch",
    "StepResult",
    "SyncEnvironment",
    "TrainingDataOptions",
    "TrainingEnvironment",
    "TrainingLog",
    "VerifierReport",
    "WatchEvent",
    "WatchedRun",
    "export_training_data",
    "gymnasium_environment",
    "openenv_app",
    "rft_config_path",
    "scored_tries",
    "skyrl_environment",
    "trajectory_features",
    "trl_environment",
    "verifier_report",
    "verifiers_classes",
    "verifiers_environment",
    "watch_log",
    "write_rft",
]

__getattr__, __dir__ = lazy_exports(__name__)
