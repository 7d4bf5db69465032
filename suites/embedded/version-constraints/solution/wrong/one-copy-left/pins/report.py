"""Says why a version is not allowed."""

from __future__ import annotations

from pins.constraints import ConstraintError, allows


def explain(constraint: str, version: str) -> list[str]:
    """The clauses that a version does not satisfy, as written but without blanks around them, in their order.

    Last comes "pre-release" for a pre-release that no clause asks for. An allowed version gives an empty list.

    Raises:
        ConstraintError: the version or a clause cannot be understood.
    """
    text, _, label = version.strip().partition("-")
    parts = text.split(".")
    if len(parts) > 3 or not all(p.isascii() and p.isdigit() for p in parts) or version.strip().endswith("-"):
        raise ConstraintError(f"not a version: {version.strip()!r}")
    mine = ([int(p) for p in parts] + [0, 0])[:3]
    asked = not label
    broken = []
    for clause in constraint.split(","):
        clause = clause.strip()
        if clause == "*":
            continue
        if clause.startswith(("!=", "<=", ">=")):
            rest = clause[2:].strip()
        elif clause.startswith(("=", "<", ">", "~", "^")):
            rest = clause[1:].strip()
        elif clause.endswith(".*"):
            rest = clause[:-2]
            if rest.count(".") > 1 or "-" in rest:
                raise ConstraintError(f"not a version: {clause!r}")
        else:
            rest = clause
        text, _, other_label = rest.partition("-")
        parts = text.split(".")
        if len(parts) > 3 or not all(p.isascii() and p.isdigit() for p in parts) or rest.endswith("-"):
            raise ConstraintError(f"not a version: {rest!r}")
        other = ([int(p) for p in parts] + [0, 0])[:3]
        if other_label and other == mine:
            asked = True
        # The second clause asks for exactly this pre-release, so that only the first one decides.
        if not allows(f"{clause},<={version}" if label else clause, version):
            broken.append(clause)
    return broken if asked else [*broken, "pre-release"]
