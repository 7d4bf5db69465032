"""Version constraints: which versions are allowed, why not, and which is the newest."""

from pins.constraints import ConstraintError, allows
from pins.lock import newest
from pins.report import explain

__all__ = ["ConstraintError", "allows", "explain", "newest"]
