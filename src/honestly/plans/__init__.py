"""How many questions and samples a study needs, and pre-registration.

`study_plan` answers from the variances of a pilot or a guess; a `Registration` is written before the first trial, read
back, and held against the study. `pilot_plan` and `declared_plan` say how many raters a claim about ratings needs.
"""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.plans._answer import study_plan as study_plan
    from honestly.plans._basis import PlanBasis as PlanBasis, pilot_basis as pilot_basis, prior_basis as prior_basis
    from honestly.plans._question import PlanBudget as PlanBudget, PlanQuestion as PlanQuestion
    from honestly.plans._raters import (
        RatersPlan as RatersPlan,
        RatingSpread as RatingSpread,
        declared_plan as declared_plan,
        declared_spread as declared_spread,
        pilot_plan as pilot_plan,
        read_rated as read_rated,
    )
    from honestly.plans._study_plan import StudyPlan as StudyPlan
    from honestly.plans.registration._check import check_registration as check_registration
    from honestly.plans.registration._document import (
        parse_registration as parse_registration,
        read_registration as read_registration,
        registration_markdown as registration_markdown,
    )
    from honestly.plans.registration._promise import registration_of_plan as registration_of_plan
    from honestly.plans.registration._registration import (
        DEFAULT_GUARDS as DEFAULT_GUARDS,
        PROPOSAL as PROPOSAL,
        Guard as Guard,
        Metric as Metric,
        Registration as Registration,
        Stopping as Stopping,
    )
    from honestly.plans.registration._report import (
        RegistrationReport as RegistrationReport,
        registration_report as registration_report,
        registration_section as registration_section,
        store_registration as store_registration,
    )


__getattr__, __dir__ = lazy_exports(__name__)
