"""What visits cost."""

from collections.abc import Iterable

from clinic.patients import Patient
from clinic.visits import Visit

_BASE = {"check": 4_000, "lab": 2_500, "surgery": 30_000}


def fee(visit: Visit) -> int:
    """Cents for a visit.

    A base price by its code, and a tenth of it for each quarter of an hour that was begun beyond 30 minutes. Insured patients pay a fifth of that, rounded up to full cents; children pay nothing for a check.
    """
    base = _BASE[visit.code]
    cents = base + base // 10 * (-(-max(visit.minutes - 30, 0) // 15))
    if visit.code == "check" and visit.patient.is_child(visit.day):
        return 0
    return -(-cents // 5) if visit.patient.insured else cents


def total(visits: Iterable[Visit]) -> int:
    """Cents for some visits."""
    return sum(visit.fee() for visit in visits)


def bill(patient: Patient) -> list[str]:
    """Lines of a bill: each visit by its day (visits of one day in the order in which they were put), a line for fines if there are any, and the balance."""
    from clinic.reminders import FINE

    lines = [f"{visit.day} {visit.code} {fee(visit) / 100:.2f}" for visit in sorted(patient.visits, key=lambda v: v.day)]
    if patient.reminded > 1:
        lines.append(f"fines {(patient.reminded - 1) * FINE / 100:.2f}")
    return [*lines, f"balance {patient.balance() / 100:.2f}"]
