"""Who has to be reminded."""

from datetime import date

from clinic.bills import bill
from clinic.fees import FINE, PERIOD, due
from clinic.patients import Patient

__all__ = ["FINE", "PERIOD", "Patient", "date", "due", "letter"]


def letter(patient: Patient, today: date) -> str | None:
    """The text of a reminder, if one is due that they have not had; it counts as had."""
    if not patient.is_late(today):
        return None
    patient.reminded += 1
    return "\n".join([f"Dear {patient.name}, this is reminder {patient.reminded}.", *bill(patient)])
