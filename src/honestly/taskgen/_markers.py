"""What requirements say of the machine and the Python that they are for, and whether this one is it."""

import ast
import re
import sys
from collections.abc import Mapping
from typing import Any


def marker_holds(marker: str) -> bool:
    """Whether an environment marker is true here; one that is not understood is."""
    if not marker.strip():
        return True
    known = {
        "python_version": f"{sys.version_info.major}.{sys.version_info.minor}",
        "python_full_version": ".".join(map(str, sys.version_info[:3])),
        "sys_platform": sys.platform,
        "platform_system": "Linux",
        "os_name": "posix",
        "implementation_name": sys.implementation.name,
        "platform_python_implementation": "CPython",
        "extra": "",
    }
    try:
        return bool(_marker_value(ast.parse(marker.strip(), mode="eval").body, known))
    except (SyntaxError, ValueError, KeyError, TypeError, RecursionError):
        return True


def _marker_value(node: ast.expr, known: Mapping[str, str]) -> Any:  # noqa: ANN401 - texts, and truth
    match node:
        case ast.BoolOp(op=op, values=values):
            return (all if isinstance(op, ast.And) else any)(_marker_value(each, known) for each in values)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            one, other = _marker_value(left, known), _marker_value(right, known)
            if isinstance(op, ast.In | ast.NotIn):
                return (one in other) is isinstance(op, ast.In)
            a, b = (_version_parts(one), _version_parts(other)) if other[:1].isdigit() else (one, other)
            found = {ast.Eq: a == b, ast.NotEq: a != b, ast.Lt: a < b, ast.LtE: a <= b, ast.Gt: a > b, ast.GtE: a >= b}
            return found[type(op)]
        case ast.Name(id=name):
            return known[name]
        case ast.Constant(value=value):
            return str(value)
    raise ValueError(ast.dump(node))


def unfit_python(wanted: object) -> str:
    """The Python version that a project asks, if this one does not fulfil it."""
    here = sys.version_info[:3]
    for part in str(wanted).split(","):
        found = re.match(r"\s*(>=|>|<=|<)\s*([\d.]+)", part)
        if found:
            other = _version_parts(found[2])
            mine = here[: len(other)]
            if not {">=": mine >= other, ">": mine > other, "<=": mine <= other, "<": mine < other}[found[1]]:
                return str(wanted)
    return ""


def _version_parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))
