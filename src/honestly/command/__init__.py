"""What commands share: options, arguments that are studies, what they print, and how a run is carried out and shown.

A command is kept with its feature (`_cli.py`); `honestly.cli` finds it by name. Each name here is loaded when it is
first used, so that help loads no more than it needs.
"""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.command._columns import with_columns_asked as with_columns_asked
    from honestly.command._dry_run import show_dry_run as show_dry_run
    from honestly.command._help import (
        HELP_ALL as HELP_ALL,
        SETTINGS_FILE as SETTINGS_FILE,
        Context as Context,
        Name as Name,
        Option as Option,
        TaskName as TaskName,
        Verb as Verb,
        headed_option as headed_option,
        help_all_param as help_all_param,
    )
    from honestly.command._keys import (
        INTERRUPT as INTERRUPT,
        RESIZED as RESIZED,
        Typed as Typed,
        keys_listening as keys_listening,
        quiet_keys as quiet_keys,
    )
    from honestly.command._options import (
        Decorator as Decorator,
        Line as Line,
        details_option as details_option,
        figures_option as figures_option,
        gathered_options as gathered_options,
        jobs_option as jobs_option,
        json_option as json_option,
        line_of as line_of,
        old_folder_argument as old_folder_argument,
        one_line_name as one_line_name,
        place_to_write as place_to_write,
        print_answer as print_answer,
        print_json as print_json,
        progress_bar as progress_bar,
        refuse_idle as refuse_idle,
        say_on_stderr as say_on_stderr,
        settings_options as settings_options,
        show as show,
        stage_bars as stage_bars,
        task_option as task_option,
        tried_options as tried_options,
        unsafe_option as unsafe_option,
        visible_tests_option as visible_tests_option,
        without_controls as without_controls,
    )
    from honestly.command._places import (
        RESULTS_OPTIONS as RESULTS_OPTIONS,
        OpenedStudy as OpenedStudy,
        StudyPath as StudyPath,
        StudyPlace as StudyPlace,
        newest_study as newest_study,
        opened_study_argument as opened_study_argument,
        said_of_results as said_of_results,
        studies_argument as studies_argument,
        study_and_words as study_and_words,
        study_argument as study_argument,
        table_options as table_options,
    )
    from honestly.command._policies import (
        alpha_option as alpha_option,
        declared_options as declared_options,
        level_option as level_option,
        policy_options as policy_options,
    )
    from honestly.command._progress import (
        FOOT as FOOT,
        agents_table as agents_table,
        missing_trials as missing_trials,
        pace_words as pace_words,
    )
    from honestly.command._refusals import same_letters as same_letters
    from honestly.command._signals import INTERRUPTED as INTERRUPTED
    from honestly.command._study import (
        build_suite as build_suite,
        exit_code as exit_code,
        on_this_machine as on_this_machine,
        run_study as run_study,
        say_what_came as say_what_came,
    )


__getattr__, __dir__ = lazy_exports(__name__)
