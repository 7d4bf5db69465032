"""Visits to a small clinic, what they cost, and who has to be reminded."""

from clinic.billing import bill, fee, total
from clinic.patients import Patient
from clinic.reminders import FINE, due, letter
from clinic.visits import CODES, Visit

__all__ = ["CODES", "FINE", "Patient", "Visit", "bill", "due", "fee", "letter", "total"]
