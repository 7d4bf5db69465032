"""A second look at kept work: run again with other inputs, in other orders, twice over, from other data."""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.audit.rejudge._detectors import REJUDGED as REJUDGED
    from honestly.audit.rejudge._failures import (
        HONEST_FAILURES as HONEST_FAILURES,
        known_failures as known_failures,
    )
    from honestly.audit.rejudge._honest import honest_failures as honest_failures
    from honestly.audit.rejudge._study import (
        MUTANTS as MUTANTS,
        Cost as Cost,
        cost_of as cost_of,
        rejudge_study as rejudge_study,
    )

__getattr__, __dir__ = lazy_exports(__name__)
