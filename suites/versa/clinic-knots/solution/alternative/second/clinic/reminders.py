"""Who has to be reminded."""

from datetime import date

from clinic.account import FINE, PERIOD, reminders_by
from clinic.bills import bill
from clinic.patients import Patient

__all__ = ["FINE", "PERIOD", "Patient", "date", "due", "letter"]


def due(patient: Patient, today: date) -> int:
    """How many reminders a patient should have had by a day: one for each full 30 days since the oldest visit that is not paid, at most 3.

    What was paid goes to the visits in the order of their days; a visit that costs nothing is paid.
    """
    return reminders_by(today, patient.visits, patient.paid)


def letter(patient: Patient, today: date) -> str | None:
    """The text of a reminder, if one is due that they have not had; it counts as had."""
    if not patient.is_late(today):
        return None
    patient.reminded += 1
    return "\n".join([f"Dear {patient.name}, this is reminder {patient.reminded}.", *bill(patient)])
