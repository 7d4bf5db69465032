"""What commands share: options, arguments that are studies, what they print, and how a run is carried out and shown.

A command is kept with its feature (`_cli.py`); `honestly.cli` finds it by name. Each name here is loaded when it is
first used, so that help loads no more than it needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.command._columns import with_columns_asked
    from honestly.command._dry_run import show_dry_run
    from honestly.command._help import (
        HELP_ALL,
        SETTINGS_FILE,
        Context,
        Name,
        Option,
        TaskName,
        Verb,
        headed_option,
        help_all_param,
    )
    from honestly.command._keys import INTERRUPT, RESIZED, Typed, keys_listening, quiet_keys
    from honestly.command._options import (
        Decorator,
        Line,
        details_option,
        figures_option,
        gathered_options,
        jobs_option,
        json_option,
        line_of,
        old_folder_argument,
        one_line_name,
        place_to_write,
        print_answer,
        print_json,
        progress_bar,
        refuse_idle,
        say_on_stderr,
        settings_options,
        show,
        stage_bars,
        task_option,
        tried_options,
        unsafe_option,
        visible_tests_option,
        without_controls,
    )
    from honestly.command._places import (
        RESULTS_OPTIONS,
        OpenedStudy,
        StudyPath,
        StudyPlace,
        newest_study,
        opened_study_argument,
        said_of_results,
        studies_argument,
        study_and_words,
        study_argument,
        table_options,
    )
    from honestly.command._policies import alpha_option, declared_options, level_option, policy_options
    from honestly.command._progress import FOOT, agents_table, missing_trials, pace_words
    from honestly.command._refusals import same_letters
    from honestly.command._signals import INTERRUPTED
    from honestly.command._study import (
        build_suite,
        exit_code,
        on_this_machine,
        run_study,
        say_what_came,
    )

__all__ = [
    "FOOT",
    "HELP_ALL",
    "INTERRUPT",
    "INTERRUPTED",
    "RESIZED",
    "RESULTS_OPTIONS",
    "SETTINGS_FILE",
    "Context",
    "Decorator",
    "Line",
    "Name",
    "OpenedStudy",
    "Option",
    "StudyPath",
    "StudyPlace",
    "TaskName",
    "Typed",
    "Verb",
    "agents_table",
    "alpha_option",
    "build_suite",
    "declared_options",
    "details_option",
    "exit_code",
    "figures_option",
    "gathered_options",
    "headed_option",
    "help_all_param",
    "jobs_option",
    "json_option",
    "keys_listening",
    "level_option",
    "line_of",
    "missing_trials",
    "newest_study",
    "old_folder_argument",
    "on_this_machine",
    "one_line_name",
    "opened_study_argument",
    "pace_words",
    "place_to_write",
    "policy_options",
    "print_answer",
    "print_json",
    "progress_bar",
    "quiet_keys",
    "refuse_idle",
    "run_study",
    "said_of_results",
    "same_letters",
    "say_on_stderr",
    "say_what_came",
    "settings_options",
    "show",
    "show_dry_run",
    "stage_bars",
    "studies_argument",
    "study_and_words",
    "study_argument",
    "table_options",
    "task_option",
    "tried_options",
    "unsafe_option",
    "visible_tests_option",
    "with_columns_asked",
    "without_controls",
]

__getattr__, __dir__ = lazy_exports(__name__)
