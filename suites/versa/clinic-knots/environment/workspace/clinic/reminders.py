"""Who has to be reminded."""

from datetime import date

from clinic.patients import Patient

FINE = 1_500
PERIOD = 30


def due(patient: Patient, today: date) -> int:
    """How many reminders a patient should have had by a day: one for each full 30 days since the oldest visit that is not paid, at most 3.

    What was paid goes to the visits in the order of their days; a visit that costs nothing is paid.
    """
    left = patient.paid
    for visit in sorted(patient.visits, key=lambda v: v.day):
        left -= visit.fee()
        if left < 0:
            return min(max((today - visit.day).days // PERIOD, 0), 3)
    return 0


def letter(patient: Patient, today: date) -> str | None:
    """The text of a reminder, if one is due that they have not had; it counts as had."""
    from clinic.billing import bill

    if not patient.is_late(today):
        return None
    patient.reminded += 1
    return "\n".join([f"Dear {patient.name}, this is reminder {patient.reminded}.", *bill(patient)])
