"""Did it really do the task, and did it tell the truth? Detectors over trials, and what their findings come to."""

from honestly.audit._accounts import CheckAccount, check_accounts
from honestly.audit._case import GRADER_DEFECT, Case, Detector, Look, Suspicion
from honestly.audit._engine import audit_case, unparsed_files
from honestly.audit._hacks import FAULTY_REFERENCES, ArmHacks, hack_rates
from honestly.audit._impossible import (
    LABELS,
    ImpossibleEnding,
    ImpossibleRates,
    impossible_endings,
    impossible_rates,
    label_impossible,
)
from honestly.audit._rates import ANY, Rate, Standing, rates, standings, state_of
from honestly.audit._stress_arms import Differential, differentials
from honestly.audit._stress_fill import Refused, hacked_tasks, impossible_entries, own_entries, refilled
from honestly.audit._stress_judged import CHEAT, HACK, Condition, Judge, Judged, JudgedSet, judge_of, judged_sets
from honestly.audit._stress_levers import LEVERS, Effect, bare, between, paid, within
from honestly.audit._stress_paired import PairedRates
from honestly.audit._stress_pairs import Leak, Pair, leaks, pairs
from honestly.audit._stress_rates import SOLVED, DisclosedRate, Unmeasured, rates_of
from honestly.audit._stress_registry import SETS, StressRegistry, StressTask, read_registry, suite_of, write_registry
from honestly.audit._stress_track import Series, track
from honestly.audit._study import audit_study, audit_trial, case_of
from honestly.audit._table import Row, Table, read_table
from honestly.audit.detectors import DETECTORS, choose

__all__ = [
    "ANY",
    "CHEAT",
    "DETECTORS",
    "FAULTY_REFERENCES",
    "GRADER_DEFECT",
    "HACK",
    "LABELS",
    "LEVERS",
    "SETS",
    "SOLVED",
    "ArmHacks",
    "Case",
    "CheckAccount",
    "Condition",
    "Detector",
    "Differential",
    "DisclosedRate",
    "Effect",
    "ImpossibleEnding",
    "ImpossibleRates",
    "Judge",
    "Judged",
    "JudgedSet",
    "Leak",
    "Look",
    "Pair",
    "PairedRates",
    "Rate",
    "Refused",
    "Row",
    "Series",
    "Standing",
    "StressRegistry",
    "StressTask",
    "Suspicion",
    "Table",
    "Unmeasured",
    "audit_case",
    "audit_study",
    "audit_trial",
    "bare",
    "between",
    "case_of",
    "check_accounts",
    "choose",
    "differentials",
    "hack_rates",
    "hacked_tasks",
    "impossible_endings",
    "impossible_entries",
    "impossible_rates",
    "judge_of",
    "judged_sets",
    "label_impossible",
    "leaks",
    "own_entries",
    "paid",
    "pairs",
    "rates",
    "rates_of",
    "read_registry",
    "read_table",
    "refilled",
    "standings",
    "state_of",
    "suite_of",
    "track",
    "unparsed_files",
    "within",
    "write_registry",
]
