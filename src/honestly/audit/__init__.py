"""Detectors that read trials: did the agent really do the task, and did it tell the truth?."""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.audit._case import GRADER_DEFECT as GRADER_DEFECT, Case as Case, Detector as Detector, Look as Look
    from honestly.audit._coverage import (
        NOTHING_READ as NOTHING_READ,
        coverage_of as coverage_of,
        coverage_shares as coverage_shares,
        coverage_words as coverage_words,
        trial_coverage as trial_coverage,
    )
    from honestly.audit._impossible import (
        impossible_endings as impossible_endings,
        impossible_rates as impossible_rates,
    )
    from honestly.audit._rates import (
        Standing as Standing,
        cells_by_agent as cells_by_agent,
        detector_rates as detector_rates,
        hack_rates as hack_rates,
        is_unproved as is_unproved,
        marked_standings as marked_standings,
        marked_state as marked_state,
        state_of as state_of,
        trial_marks as trial_marks,
    )
    from honestly.audit._rubric import (
        Criterion as Criterion,
        Rubric as Rubric,
        kappa_text as kappa_text,
        read_rubric as read_rubric,
    )
    from honestly.audit._study import (
        audit_case as audit_case,
        audit_study as audit_study,
        audit_trial as audit_trial,
        case_of as case_of,
    )
    from honestly.audit.detectors import (
        DETECTOR_SEAM as DETECTOR_SEAM,
        DETECTORS as DETECTORS,
        USUAL_DETECTORS as USUAL_DETECTORS,
        choose_detectors as choose_detectors,
    )
    from honestly.audit.reading._events import (
        EVENT_KINDS as EVENT_KINDS,
        TrialEvent as TrialEvent,
        events_of as events_of,
    )
    from honestly.audit.reading._left import Suspicion as Suspicion
    from honestly.audit.reading._table import Table as Table, read_table as read_table


__getattr__, __dir__ = lazy_exports(__name__)
