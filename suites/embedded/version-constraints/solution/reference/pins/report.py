"""Says why a version is not allowed."""

from __future__ import annotations

from pins.clauses import parse_clauses
from pins.versions import parse_version


def explain(constraint: str, version: str) -> list[str]:
    """The clauses that a version does not satisfy, as written but without blanks around them, in their order.

    Last comes "pre-release" for a pre-release that no clause asks for. An allowed version gives an empty list.

    Raises:
        ConstraintError: the version or a clause cannot be understood.
    """
    judged = parse_version(version)
    clauses = parse_clauses(constraint)
    broken = [clause.written for clause in clauses if not clause.holds(judged)]
    if judged.released or any(clause.asks_for(judged) for clause in clauses):
        return broken
    return [*broken, "pre-release"]
