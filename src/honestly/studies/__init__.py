"""Studies for notebooks: open or run a study with one call, and ask it questions.

`open` and `run` give a `Study`; its methods are the verbs of the command line, and what they return is what the
commands print.
"""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly._settings import tell_nobody as tell_nobody
    from honestly.studies._ask_settings import (
        AuditSettings as AuditSettings,
        CompareSettings as CompareSettings,
        ReportSettings as ReportSettings,
        StrictSettings as StrictSettings,
        Tell as Tell,
    )
    from honestly.studies._cached import study_of as study_of
    from honestly.studies._detectors import detectors_named as detectors_named
    from honestly.studies._exporters import STUDY_EXPORTERS as STUDY_EXPORTERS, StudyExporter as StudyExporter
    from honestly.studies._follow_up import run_follow_ups as run_follow_ups
    from honestly.studies._gate import gate as gate
    from honestly.studies._import import (
        count_files as count_files,
        import_results as import_results,
        unread_sentence as unread_sentence,
    )
    from honestly.studies._merge import import_all as import_all, merge_studies as merge_studies
    from honestly.studies._monitor import answers_of as answers_of, check_prices as check_prices, prices_of as prices_of
    from honestly.studies._open import TableStudy as TableStudy, open as open, table_rules as table_rules
    from honestly.studies._open_settings import OpenSettings as OpenSettings
    from honestly.studies._plan import plan as plan
    from honestly.studies._prepare import (
        Execution as Execution,
        PreparedRun as PreparedRun,
        actors_of as actors_of,
        buildable_suite as buildable_suite,
        fitting_tasks as fitting_tasks,
        name_left_out as name_left_out,
        on_this_machine as on_this_machine,
        prepare_run as prepare_run,
    )
    from honestly.studies._run import (
        carry_out as carry_out,
        dry_run as dry_run,
        executor_of as executor_of,
        run as run,
        run_async as run_async,
    )
    from honestly.studies._run_config import read_run_config as read_run_config, run_config_text as run_config_text
    from honestly.studies._run_settings import RunSettings as RunSettings
    from honestly.studies._runs import RUNS as RUNS, new_run_path as new_run_path
    from honestly.studies._status import study_status as study_status
    from honestly.studies._study import Study as Study, from_sync as from_sync
    from honestly.studies._study_settings import GateSettings as GateSettings, PlanSettings as PlanSettings
    from honestly.studies._verify import VerifiedSamples as VerifiedSamples, verify_samples as verify_samples
    from honestly.studies._verify_settings import VerifySettings as VerifySettings


__getattr__, __dir__ = lazy_exports(__name__)
