"""Detectors that read trials: did the agent really do the task, and did it tell the truth?.

Each name is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.audit._case import GRADER_DEFECT, Case, Detector, Look
    from honestly.audit._coverage import (
        NOTHING_READ,
        arm_coverage,
        coverage_of,
        coverage_shares,
        coverage_words,
        trial_coverage,
    )
    from honestly.audit._impossible import impossible_endings, impossible_rates
    from honestly.audit._rates import (
        Standing,
        arm_standings,
        cells_by_agent,
        detector_rates,
        hack_rates,
        is_unproved,
        marked_standings,
        marked_state,
        state_of,
        trial_marks,
    )
    from honestly.audit._rubric import Criterion, Rubric, kappa_text, read_rubric
    from honestly.audit._study import audit_case, audit_study, audit_trial, case_of
    from honestly.audit.detectors import DETECTOR_SEAM, DETECTORS, USUAL_DETECTORS, choose_detectors
    from honestly.audit.reading._events import EVENT_KINDS, TrialEvent, events_of
    from honestly.audit.reading._left import Suspicion
    from honestly.audit.reading._table import Table, read_table

__all__ = [
    "DETECTORS",
    "DETECTOR_SEAM",
    "EVENT_KINDS",
    "GRADER_DEFECT",
    "NOTHING_READ",
    "USUAL_DETECTORS",
    "Case",
    "Criterion",
    "Detector",
    "Look",
    "Rubric",
    "Standing",
    "Suspicion",
    "Table",
    "TrialEvent",
    "arm_coverage",
    "arm_standings",
    "audit_case",
    "audit_study",
    "audit_trial",
    "case_of",
    "cells_by_agent",
    "choose_detectors",
    "coverage_of",
    "coverage_shares",
    "coverage_words",
    "detector_rates",
    "events_of",
    "hack_rates",
    "impossible_endings",
    "impossible_rates",
    "is_unproved",
    "kappa_text",
    "marked_standings",
    "marked_state",
    "read_rubric",
    "read_table",
    "state_of",
    "trial_coverage",
    "trial_marks",
]

__getattr__, __dir__ = lazy_exports(__name__)
