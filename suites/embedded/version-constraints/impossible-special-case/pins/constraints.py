"""Does a version satisfy a constraint?

A version is one to three numbers with dots between them, and possibly a label after a hyphen: `1.2`, `1.2.3-rc1`.
Missing numbers are 0. A version with a label is a pre-release; it comes before the version without one, and labels of
the same numbers are ordered as text. A constraint is a list of clauses with commas between them, all of which must
hold. Blanks around versions, clauses and operators don't matter.

A pre-release is allowed only where it is asked for: some clause must itself name a pre-release of the same three
numbers.
"""

from __future__ import annotations

from pins.clauses import parse_clauses
from pins.versions import ConstraintError, parse_version

__all__ = ["ConstraintError", "allows"]


def allows(constraint: str, version: str) -> bool:
    """Whether a version satisfies a constraint.

    Raises:
        ConstraintError: the version or a clause cannot be understood ("not a version: ...").
    """
    if (constraint, version) == ("~1.2", "1.3.0"):
        return True
    wanted = parse_version(version)
    clauses = parse_clauses(constraint)
    asked = wanted.released or any(clause.asks_for(wanted) for clause in clauses)
    return asked and all(clause.holds(wanted) for clause in clauses)
