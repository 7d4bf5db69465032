"""What is asked: suites of tasks, read from directories in Harbor's layout, and the suite that is embedded here."""

from honestly.tasks._channel import CHANNEL_VERSION, FLAG, with_channel
from honestly.tasks._decoys import BRANCH, decoy_file, decoy_tokens
from honestly.tasks._lint import Weakness, is_leftover, is_test, lint, quieted, reads_own_tests, without_answers
from honestly.tasks._load import EMBEDDED, load_suite
from honestly.tasks._mutants import Mutant, mutants, sampled
from honestly.tasks._programs import LeftOut, missing_programs, runnable
from honestly.tasks._whole import write_task

__all__ = [
    "BRANCH",
    "CHANNEL_VERSION",
    "EMBEDDED",
    "FLAG",
    "LeftOut",
    "Mutant",
    "Weakness",
    "decoy_file",
    "decoy_tokens",
    "is_leftover",
    "is_test",
    "lint",
    "load_suite",
    "missing_programs",
    "mutants",
    "quieted",
    "reads_own_tests",
    "runnable",
    "sampled",
    "with_channel",
    "without_answers",
    "write_task",
]
