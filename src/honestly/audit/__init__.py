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
from honestly.audit._study import audit_study, audit_trial, case_of
from honestly.audit.detectors import DETECTOR_SEAM, DETECTORS, choose
from honestly.audit.reading._parts import Row
from honestly.audit.reading._table import Table, read_table

__all__ = [
    "ANY",
    "DETECTORS",
    "DETECTOR_SEAM",
    "FAULTY_REFERENCES",
    "GRADER_DEFECT",
    "LABELS",
    "ArmHacks",
    "Case",
    "CheckAccount",
    "Detector",
    "ImpossibleEnding",
    "ImpossibleRates",
    "Look",
    "Rate",
    "Row",
    "Standing",
    "Suspicion",
    "Table",
    "audit_case",
    "audit_study",
    "audit_trial",
    "case_of",
    "check_accounts",
    "choose",
    "hack_rates",
    "impossible_endings",
    "impossible_rates",
    "label_impossible",
    "rates",
    "read_table",
    "standings",
    "state_of",
    "unparsed_files",
]
