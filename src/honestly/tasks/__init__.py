"""Suites of tasks: reading, checking and the embedded suite."""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.tasks._added import (
        WORD as WORD,
        added_lines as added_lines,
        added_words as added_words,
        text_in as text_in,
    )
    from honestly.tasks._channel import CHANNEL_VERSION as CHANNEL_VERSION, FLAG as FLAG, with_channel as with_channel
    from honestly.tasks._clusters import GROUPINGS as GROUPINGS, clusters_of as clusters_of, said_of as said_of
    from honestly.tasks._decoys import BRANCH as BRANCH, decoy_file as decoy_file, decoy_tokens as decoy_tokens
    from honestly.tasks._get import (
        BENCHMARKS as BENCHMARKS,
        FetchedBenchmark as FetchedBenchmark,
        get_benchmark as get_benchmark,
    )
    from honestly.tasks._lint import (
        Weakness as Weakness,
        is_leftover as is_leftover,
        is_test as is_test,
        quieted_tests as quieted_tests,
        reads_own_tests as reads_own_tests,
        reference_in as reference_in,
        task_weaknesses as task_weaknesses,
        without_answers as without_answers,
    )
    from honestly.tasks._load import (
        LAYOUTS as LAYOUTS,
        SuiteLayout as SuiteLayout,
        load_suite as load_suite,
        unread_keys as unread_keys,
    )
    from honestly.tasks._make import make_task as make_task
    from honestly.tasks._measured_tasks import (
        MeasuredTasks as MeasuredTasks,
        hidden_texts as hidden_texts,
        lower_words as lower_words,
        word_runs as word_runs,
    )
    from honestly.tasks._packed import (
        BESIDE as BESIDE,
        EMBEDDED as EMBEDDED,
        named_suite as named_suite,
        suite_file as suite_file,
    )
    from honestly.tasks._parts import groups_by_parts as groups_by_parts, parts_of as parts_of
    from honestly.tasks._programs import (
        NO_SHELL as NO_SHELL,
        LeftOut as LeftOut,
        environments_of as environments_of,
        missing_programs as missing_programs,
        runnable_tasks as runnable_tasks,
    )
    from honestly.tasks._reading import FoundTasks as FoundTasks, task_id as task_id
    from honestly.tasks._validity import validity_words as validity_words
    from honestly.tasks._whole import write_task as write_task, write_tree as write_tree
    from honestly.tasks.layouts._terminal_bench import read_mapping as read_mapping
    from honestly.tasks.mutants._mutants import (
        Mutant as Mutant,
        sampled_mutants as sampled_mutants,
        task_mutants as task_mutants,
    )
    from honestly.tasks.preparation._install import REQUIREMENT as REQUIREMENT, npm_brings as npm_brings
    from honestly.tasks.preparation._npm import NPM_PREFIX as NPM_PREFIX, npm_manifest as npm_manifest
    from honestly.tasks.preparation._prepare import (
        preparation_layout as preparation_layout,
        prepare_suite as prepare_suite,
        prepare_task as prepare_task,
    )
    from honestly.tasks.preparation._pythonpath import (
        pytest_settings as pytest_settings,
        pythonpath_of as pythonpath_of,
    )


__getattr__, __dir__ = lazy_exports(__name__)
