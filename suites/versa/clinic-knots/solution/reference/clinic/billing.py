"""What visits cost."""

from collections.abc import Iterable

from clinic.bills import bill
from clinic.fees import fee, total
from clinic.patients import Patient
from clinic.visits import Visit

__all__ = ["Iterable", "Patient", "Visit", "bill", "fee", "total"]
