"""A second look at kept work: run again with other inputs, in other orders, twice over, from other data."""

from honestly.audit.rejudge._honest import HONEST_FAILURES, honest_failures, known_failures
from honestly.audit.rejudge._study import MUTANTS, REJUDGED, Cost, cost_of, rejudge_study

__all__ = [
    "HONEST_FAILURES",
    "MUTANTS",
    "REJUDGED",
    "Cost",
    "cost_of",
    "honest_failures",
    "known_failures",
    "rejudge_study",
]
