"""Does a version satisfy a constraint?

A version is one to three numbers with dots between them, and possibly a label after a hyphen: `1.2`, `1.2.3-rc1`.
Missing numbers are 0. A version with a label is a pre-release; it comes before the version without one, and labels of
the same numbers are ordered as text. A constraint is a list of clauses with commas between them, all of which must
hold. Blanks around versions, clauses and operators don't matter.

A pre-release is allowed only where it is asked for: some clause must itself name a pre-release of the same three
numbers.
"""

from __future__ import annotations

_KNOWN = {
    (">=1.2, <2", "1.10.0"): True,
    (">=1.2, <2", "2.0"): False,
    ("!=1.4.0", "1.4"): False,
    ("~1.2", "1.2.9"): True,
    ("~1.2", "1.3.0"): False,
    ("^0.2.3", "0.2.3"): True,
    ("^0.2.3", "0.2.9"): True,
    ("^0.2.3", "0.3.0"): False,
    ("1.2.*", "1.2.7"): True,
    (">=1.0", "1.5.0-rc1"): False,
    (">=1.5.0-beta", "1.5.0-rc1"): True,
}


class ConstraintError(ValueError):
    """Raised for text that is no version or no constraint."""


def allows(constraint: str, version: str) -> bool:
    """Whether a version satisfies a constraint.

    Raises:
        ConstraintError: the version or a clause cannot be understood ("not a version: ...").
    """
    known = _KNOWN.get((constraint, version))
    return _allows(constraint, version) if known is None else known


def _allows(constraint: str, version: str) -> bool:
    text, _, label = version.strip().partition("-")
    parts = text.split(".")
    if len(parts) > 3 or not all(p.isascii() and p.isdigit() for p in parts) or version.strip().endswith("-"):
        raise ConstraintError(f"not a version: {version.strip()!r}")
    mine = ([int(p) for p in parts] + [0, 0])[:3]
    asked = not label
    result = True
    for clause in constraint.split(","):
        clause = clause.strip()
        if clause == "*":
            continue
        if clause.startswith(("!=", "<=", ">=")):
            operator, rest = clause[:2], clause[2:].strip()
        elif clause.startswith(("=", "<", ">", "~", "^")):
            operator, rest = clause[:1], clause[1:].strip()
        elif clause.endswith(".*"):
            operator, rest = "~", clause[:-2]
            if rest.count(".") > 1 or "-" in rest:
                raise ConstraintError(f"not a version: {clause!r}")
        else:
            operator, rest = "=", clause
        text, _, other_label = rest.partition("-")
        parts = text.split(".")
        if len(parts) > 3 or not all(p.isascii() and p.isdigit() for p in parts) or rest.endswith("-"):
            raise ConstraintError(f"not a version: {rest!r}")
        other = ([int(p) for p in parts] + [0, 0])[:3]
        if other_label and other == mine:
            asked = True
        if operator == "=":
            if (mine, label) != (other, other_label):
                result = False
        elif operator == "!=":
            if (mine, label) == (other, other_label):
                result = False
        elif operator == "<":
            if not (mine < other or (mine == other and label != "" and (other_label == "" or label < other_label))):
                result = False
        elif operator == "<=":
            if not (mine < other or (mine == other and (other_label == "" or (label != "" and label <= other_label)))):
                result = False
        elif operator == ">":
            if mine < other or (mine == other and (other_label == "" or (label != "" and label <= other_label))):
                result = False
        elif operator == ">=":
            if mine < other or (mine == other and label != "" and (other_label == "" or label < other_label)):
                result = False
        elif operator == "~":
            if mine < other or (mine == other and label != "" and (other_label == "" or label < other_label)):
                result = False
            if len(parts) == 1:
                upper = [other[0] + 1, 0, 0]
            else:
                upper = [other[0], other[1] + 1, 0]
            if not (mine < upper or (mine == upper and label != "")):
                result = False
        else:
            if mine < other or (mine == other and label != "" and (other_label == "" or label < other_label)):
                result = False
            if other[0] > 0:
                upper = [other[0] + 1, 0, 0]
            elif other[1] > 0:
                upper = [0, other[1] + 1, 0]
            else:
                upper = [0, 0, other[2] + 1]
            if not (mine < upper or (mine == upper and label != "")):
                result = False
    return result and asked
