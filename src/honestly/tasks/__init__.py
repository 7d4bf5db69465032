"""What is asked: suites of tasks, read from directories in Harbor's layout, and the suite that is embedded here."""

from honestly.tasks._channel import CHANNEL_VERSION, FLAG, with_channel
from honestly.tasks._load import EMBEDDED, load_suite
from honestly.tasks._mutants import Mutant, mutants, sampled
from honestly.tasks._programs import LeftOut, missing_programs, runnable
from honestly.tasks._whole import write_task

__all__ = [
    "CHANNEL_VERSION",
    "EMBEDDED",
    "FLAG",
    "LeftOut",
    "Mutant",
    "load_suite",
    "missing_programs",
    "mutants",
    "runnable",
    "sampled",
    "with_channel",
    "write_task",
]
