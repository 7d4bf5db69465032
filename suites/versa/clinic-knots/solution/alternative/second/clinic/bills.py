"""Bills."""

from clinic.account import by_day, fines
from clinic.patients import Patient
from clinic.tariff import price


def _euros(cents: int) -> str:
    return f"{cents / 100:.2f}"


def bill(patient: Patient) -> list[str]:
    """Lines of a bill: each visit by its day (visits of one day in the order in which they were put), a line for fines if there are any, and the balance."""
    lines = [f"{visit.day} {visit.code} {_euros(price(visit))}" for visit in by_day(patient.visits)]
    if patient.reminded > 1:
        lines.append(f"fines {_euros(fines(patient.reminded))}")
    return [*lines, f"balance {_euros(patient.balance())}"]
