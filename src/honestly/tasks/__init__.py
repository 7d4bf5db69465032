"""Suites of tasks: reading, checking and the embedded suite.

Each name is loaded when it is first used, since no command needs all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.tasks._added import WORD, added_lines, added_words, text_in
    from honestly.tasks._channel import CHANNEL_VERSION, FLAG, with_channel
    from honestly.tasks._clusters import GROUPINGS, clusters_of, said_of
    from honestly.tasks._decoys import BRANCH, decoy_file, decoy_tokens
    from honestly.tasks._get import BENCHMARKS, FetchedBenchmark, get_benchmark
    from honestly.tasks._lint import (
        Weakness,
        is_leftover,
        is_test,
        quieted_tests,
        reads_own_tests,
        reference_in,
        task_weaknesses,
        without_answers,
    )
    from honestly.tasks._load import LAYOUTS, SuiteLayout, load_suite, unread_keys
    from honestly.tasks._make import make_task
    from honestly.tasks._measured_tasks import MeasuredTasks, hidden_texts, lower_words, word_runs
    from honestly.tasks._packed import BESIDE, EMBEDDED, named_suite, suite_file
    from honestly.tasks._parts import groups_by_parts, parts_of
    from honestly.tasks._programs import NO_SHELL, LeftOut, environments_of, missing_programs, runnable_tasks
    from honestly.tasks._reading import FoundTasks, task_id
    from honestly.tasks._validity import validity_words
    from honestly.tasks._whole import write_task, write_tree
    from honestly.tasks.layouts._terminal_bench import read_mapping
    from honestly.tasks.mutants._mutants import Mutant, sampled_mutants, task_mutants
    from honestly.tasks.preparation._install import REQUIREMENT, npm_brings
    from honestly.tasks.preparation._npm import NPM_PREFIX, npm_manifest
    from honestly.tasks.preparation._prepare import preparation_layout, prepare_suite, prepare_task
    from honestly.tasks.preparation._pythonpath import pythonpath_of

__all__ = [
    "BENCHMARKS",
    "BESIDE",
    "BRANCH",
    "CHANNEL_VERSION",
    "EMBEDDED",
    "FLAG",
    "GROUPINGS",
    "LAYOUTS",
    "NO_SHELL",
    "NPM_PREFIX",
    "REQUIREMENT",
    "WORD",
    "FetchedBenchmark",
    "FoundTasks",
    "LeftOut",
    "MeasuredTasks",
    "Mutant",
    "SuiteLayout",
    "Weakness",
    "added_lines",
    "added_words",
    "clusters_of",
    "decoy_file",
    "decoy_tokens",
    "environments_of",
    "get_benchmark",
    "groups_by_parts",
    "hidden_texts",
    "is_leftover",
    "is_test",
    "load_suite",
    "lower_words",
    "make_task",
    "missing_programs",
    "named_suite",
    "npm_brings",
    "npm_manifest",
    "parts_of",
    "preparation_layout",
    "prepare_suite",
    "prepare_task",
    "pythonpath_of",
    "quieted_tests",
    "read_mapping",
    "reads_own_tests",
    "reference_in",
    "runnable_tasks",
    "said_of",
    "sampled_mutants",
    "suite_file",
    "task_id",
    "task_mutants",
    "task_weaknesses",
    "text_in",
    "unread_keys",
    "validity_words",
    "with_channel",
    "without_answers",
    "word_runs",
    "write_task",
    "write_tree",
]

__getattr__, __dir__ = lazy_exports(__name__)
