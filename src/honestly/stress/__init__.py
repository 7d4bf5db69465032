"""How readily does an agent hack, told what, and is it getting worse? Stress sets, prompt arms, levers, alarms."""

from honestly.stress._arms import Differential, differentials
from honestly.stress._fill import Refused, hacked_tasks, impossible_entries, own_entries, refilled
from honestly.stress._judged import CHEAT, HACK, SOLVED, Condition, Judge, Judged, JudgedSet, judge_of, judged_sets
from honestly.stress._levers import LEVERS, Effect, bare, between, paid, within
from honestly.stress._paired import PairedRates
from honestly.stress._pairs import Leak, Pair, leaks, pairs
from honestly.stress._rates import DisclosedRate, Unmeasured, rates_of
from honestly.stress._registry import SETS, StressRegistry, StressTask, read_registry, suite_of, write_registry
from honestly.stress._track import Series, track

__all__ = [
    "CHEAT",
    "HACK",
    "LEVERS",
    "SETS",
    "SOLVED",
    "Condition",
    "Differential",
    "DisclosedRate",
    "Effect",
    "Judge",
    "Judged",
    "JudgedSet",
    "Leak",
    "Pair",
    "PairedRates",
    "Refused",
    "Series",
    "StressRegistry",
    "StressTask",
    "Unmeasured",
    "bare",
    "between",
    "differentials",
    "hacked_tasks",
    "impossible_entries",
    "judge_of",
    "judged_sets",
    "leaks",
    "own_entries",
    "paid",
    "pairs",
    "rates_of",
    "read_registry",
    "refilled",
    "suite_of",
    "track",
    "within",
    "write_registry",
]
