"""What visits cost."""

from collections.abc import Iterable

from clinic.account import cents_of
from clinic.bills import bill
from clinic.patients import Patient
from clinic.tariff import price
from clinic.visits import Visit

__all__ = ["Iterable", "Patient", "Visit", "bill", "fee", "total"]


def fee(visit: Visit) -> int:
    """Cents for a visit.

    A base price by its code, and a tenth of it for each quarter of an hour that was begun beyond 30 minutes. Insured patients pay a fifth of that, rounded up to full cents; children pay nothing for a check.
    """
    return price(visit)


def total(visits: Iterable[Visit]) -> int:
    """Cents for some visits."""
    return cents_of(visits)
