"""Visits."""

from datetime import date

from clinic.codes import CODES
from clinic.patients import Patient
from clinic.tariff import price


class Visit:
    """A visit of a patient, which is put among the patient's visits.

    Raises:
        ValueError: the code is none of CODES, or the minutes are not positive.
    """

    def __init__(self, patient: Patient, day: date, code: str, minutes: int = 30) -> None:
        if code not in CODES:
            raise ValueError(f"unknown code: {code!r}")
        if minutes < 1:
            raise ValueError(f"minutes must be positive: {minutes}")
        self.patient = patient
        self.day = day
        self.code = code
        self.minutes = minutes
        patient.visits.append(self)

    def fee(self) -> int:
        """What it costs, in cents."""
        return price(self)
