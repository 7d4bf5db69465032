"""Studies for notebooks: open or run a study with one call, and ask it questions.

`open` and `run` give a `Study`; its methods are the verbs of the command line, and what they return is what the
commands print.

Each name is loaded when it is first used, since no command needs all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.studies._ask_settings import (
        AuditSettings,
        CompareSettings,
        ReportSettings,
        StrictSettings,
        Tell,
        tell_nobody,
    )
    from honestly.studies._cached import study_of
    from honestly.studies._detectors import detectors_named
    from honestly.studies._exporters import STUDY_EXPORTERS, StudyExporter
    from honestly.studies._follow_up import run_follow_ups
    from honestly.studies._gate import gate
    from honestly.studies._import import count_files, import_results, unread_sentence
    from honestly.studies._merge import import_all, merge_studies
    from honestly.studies._monitor import answers_of, check_prices, prices_of
    from honestly.studies._open import TableStudy, open, table_rules
    from honestly.studies._open_settings import OpenSettings
    from honestly.studies._plan import plan
    from honestly.studies._prepare import (
        Execution,
        PreparedRun,
        actors_of,
        buildable_suite,
        fitting_tasks,
        name_left_out,
        on_this_machine,
        prepare_run,
    )
    from honestly.studies._run import carry_out, dry_run, executor_of, run, run_async
    from honestly.studies._run_config import read_run_config, run_config_text
    from honestly.studies._run_settings import RunSettings
    from honestly.studies._runs import RUNS, new_run_path
    from honestly.studies._status import study_status
    from honestly.studies._study import Study, from_sync
    from honestly.studies._study_settings import GateSettings, PlanSettings
    from honestly.studies._verify import VerifiedSamples, verify_samples
    from honestly.studies._verify_settings import VerifySettings

__all__ = [
    "RUNS",
    "STUDY_EXPORTERS",
    "AuditSettings",
    "CompareSettings",
    "Execution",
    "GateSettings",
    "OpenSettings",
    "PlanSettings",
    "PreparedRun",
    "ReportSettings",
    "RunSettings",
    "StrictSettings",
    "Study",
    "StudyExporter",
    "TableStudy",
    "Tell",
    "VerifiedSamples",
    "VerifySettings",
    "actors_of",
    "answers_of",
    "buildable_suite",
    "carry_out",
    "check_prices",
    "count_files",
    "detectors_named",
    "dry_run",
    "executor_of",
    "fitting_tasks",
    "from_sync",
    "gate",
    "import_all",
    "import_results",
    "merge_studies",
    "name_left_out",
    "new_run_path",
    "on_this_machine",
    "open",
    "plan",
    "prepare_run",
    "prices_of",
    "read_run_config",
    "run",
    "run_async",
    "run_config_text",
    "run_follow_ups",
    "study_of",
    "study_status",
    "table_rules",
    "tell_nobody",
    "unread_sentence",
    "verify_samples",
]

__getattr__, __dir__ = lazy_exports(__name__)
