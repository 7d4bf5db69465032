"""The lines of a bill."""

from clinic.fees import FINE, fee


def bill(patient):
    """Lines of a bill: each visit by its day (visits of one day in the order in which they were put), a line for fines if there are any, and the balance."""
    lines = [f"{visit.day} {visit.code} {fee(visit) / 100:.2f}" for visit in sorted(patient.visits, key=lambda v: v.day)]
    if patient.reminded > 1:
        lines.append(f"fines {(patient.reminded - 1) * FINE / 100:.2f}")
    return [*lines, f"balance {patient.balance() / 100:.2f}"]
