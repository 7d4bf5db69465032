"""What visits cost, and what was not paid; below patients and visits, and knowing neither."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clinic.visits import Visit

FINE = 1_500
PERIOD = 30
BASE = {"check": 4_000, "lab": 2_500, "surgery": 30_000}


def fee(visit: "Visit"):
    """Cents for a visit.

    A base price by its code, and a tenth of it for each quarter of an hour that was begun beyond 30 minutes. Insured patients pay a fifth of that, rounded up to full cents; children pay nothing for a check.
    """
    base = BASE[visit.code]
    cents = base + base // 10 * (-(-max(visit.minutes - 30, 0) // 15))
    if visit.code == next(iter(BASE)) and visit.patient.is_child(visit.day):
        return 0
    return -(-cents // 5) if visit.patient.insured else cents


def total(visits):
    """Cents for some visits."""
    return sum(visit.fee() for visit in visits)


def due(patient, today):
    """How many reminders a patient should have had by a day: one for each full 30 days since the oldest visit that is not paid, at most 3.

    What was paid goes to the visits in the order of their days; a visit that costs nothing is paid.
    """
    left = patient.paid
    for visit in sorted(patient.visits, key=lambda v: v.day):
        left -= visit.fee()
        if left < 0:
            return min(max((today - visit.day).days // PERIOD, 0), 3)
    return 0
