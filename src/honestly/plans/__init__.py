"""How many questions and samples a study needs, and pre-registration.

`study_plan` answers from the variances of a pilot or a guess; a `Registration` is written before the first trial, read
back, and held against the study. `pilot_plan` and `declared_plan` say how many raters a claim about ratings needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.plans._answer import study_plan
    from honestly.plans._basis import PlanBasis, pilot_basis, prior_basis
    from honestly.plans._question import PlanBudget, PlanQuestion
    from honestly.plans._raters import RatersPlan, RatingSpread, declared_plan, declared_spread, pilot_plan, read_rated
    from honestly.plans._study_plan import StudyPlan
    from honestly.plans.registration._check import check_registration
    from honestly.plans.registration._document import parse_registration, read_registration, registration_markdown
    from honestly.plans.registration._promise import registration_of_plan
    from honestly.plans.registration._registration import (
        DEFAULT_GUARDS,
        PROPOSAL,
        Guard,
        Metric,
        Registration,
        Stopping,
    )
    from honestly.plans.registration._report import (
        RegistrationReport,
        registration_report,
        registration_section,
        store_registration,
    )

__all__ = [
    "DEFAULT_GUARDS",
    "PROPOSAL",
    "Guard",
    "Metric",
    "PlanBasis",
    "PlanBudget",
    "PlanQuestion",
    "RatersPlan",
    "RatingSpread",
    "Registration",
    "RegistrationReport",
    "Stopping",
    "StudyPlan",
    "check_registration",
    "declared_plan",
    "declared_spread",
    "parse_registration",
    "pilot_basis",
    "pilot_plan",
    "prior_basis",
    "read_rated",
    "read_registration",
    "registration_markdown",
    "registration_of_plan",
    "registration_report",
    "registration_section",
    "store_registration",
    "study_plan",
]

__getattr__, __dir__ = lazy_exports(__name__)
