"""How far apart two numbers may be for a comparison that is no exact one, read off its call.

Where a tolerance is not written down as a number, a quarter of the value is taken for it: no test means so little.
"""

import ast
from collections.abc import Mapping

from honestly.verify.inside._siblings import Margin

UNKNOWN = Margin(0.0, 0.25)
_PLACES: Mapping[str, tuple[str, int, float]] = {
    "assertAlmostEqual": ("places", 7, 0.5),
    "assert_almost_equal": ("decimal", 7, 1.5),
    "assert_array_almost_equal": ("decimal", 6, 1.5),
}
"""Comparisons to a number of decimal places: the argument, its default, and the tolerance in units of the last one."""
_TOLERANCES: Mapping[str, tuple[str, float, str, float]] = {
    "approx": ("abs", 1e-12, "rel", 1e-6),
    "isclose": ("abs_tol", 0.0, "rel_tol", 1e-9),
    "assert_allclose": ("atol", 0.0, "rtol", 1e-7),
}
"""Comparisons within tolerances: the argument for the absolute one, its default, and the same for the relative one."""
_NUMPY = {"atol": 1e-8, "rtol": 1e-5}


def called_name(node: ast.AST) -> str:
    """Name of the function that a call calls, without what it belongs to; empty for what is no such call."""
    func = node.func if isinstance(node, ast.Call) else None
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""


def margin_of(call: ast.Call) -> Margin:
    """The margin of a comparison; exact where the call is no approximate one."""
    name = called_name(call)
    given = {keyword.arg or "": number_bound(keyword.value) for keyword in call.keywords}
    if name in _PLACES:
        argument, default, unit = _PLACES[name]
        if "delta" in given:
            return Margin(given["delta"]) if given["delta"] is not None else UNKNOWN
        places = given.get(argument, number_bound(call.args[2]) if len(call.args) > 2 else default)
        return Margin(unit * 10.0**-places) if places is not None and abs(places) < 300 else UNKNOWN
    if name not in _TOLERANCES:
        return Margin()
    absolute, low, relative, high = _TOLERANCES[name]
    numpys = given.keys() & _NUMPY.keys() or ast.unparse(call.func) in ("np.isclose", "numpy.isclose")
    if name == "isclose" and numpys:
        (absolute, low), (relative, high) = _NUMPY.items()
    if name == "approx" and absolute in given and relative not in given:
        high = 0.0
    found = given.get(absolute, low), given.get(relative, high)
    if None in found or len(call.args) > (1 if name == "approx" else 2):
        return UNKNOWN
    return Margin(found[0] or 0.0, found[1] or 0.0)


def number_bound(node: ast.expr) -> float | None:
    """A number that is written down; None if it is none."""
    try:
        value = ast.literal_eval(node)
        return abs(float(value)) if isinstance(value, int | float) else None
    except (ValueError, TypeError, SyntaxError, OverflowError, MemoryError, RecursionError):
        pass
    match node:
        case ast.BinOp(left=left, op=ast.Pow(), right=right) if (
            (low := number_bound(left)) and (high := number_bound(right)) is not None and high < 300
        ):
            return float(low**-high if isinstance(right, ast.UnaryOp) else low**high)
    return None
