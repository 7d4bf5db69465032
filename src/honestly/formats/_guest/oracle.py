"""How EvalPlus compares an answer with the expected one, and how it restores inputs that JSON cannot hold.

Both depend on the problem. Comparisons are exact, except that floats, and lists or tuples of floats, may differ by the
problem's tolerance (1e-6 where it states none), as `numpy.allclose` with a relative tolerance of 1e-7; a few problems
have rules of their own. Everything is written for plain data. Source: evalplus 0.3.1, `evalplus/eval/__init__.py`,
`eval/_special_oracle.py`, `data/mbpp.py`.

Arrays match arrays of the same shape, whatever the width of their numbers: floats within the tolerance, others if they
are equal. EvalPlus itself compares arrays of floats so, and stumbles over all others and over lists of arrays.

Not covered: numpy's broadcasting of shapes that differ; they never match here.
"""

from __future__ import annotations

import math
import sys

TYPE_CHECKING = False  # importing typing costs every sandbox some milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

NOT_NONE = frozenset(["check_str", "text_match_three", "text_starta_endb"])
"""MBPP functions whose answer counts only as None or something."""
AS_SETS = frozenset(
    [
        *("similar_elements", "find_char_long", "common_in_nested_lists", "extract_singly", "larg_nnum"),
        *("intersection_array", "find_dissimilar", "Diff"),
    ]
)
"""MBPP functions whose answers are compared as sets."""
FLOATS = 1e-6
"""Tolerance of floats where the problem states none."""
_RELATIVE = 1e-7


def agrees(entry: str, given: list[Any], out: Any, expected: Any, *, mbpp: bool, atol: float) -> bool:
    """Whether `out` is a right answer of the function `entry` to the arguments `given`."""
    if not mbpp and entry == "find_zero":  # HumanEval/32: any root will do
        return bool(abs(sum(c * math.pow(out, i) for i, c in enumerate(given[0]))) <= atol)
    if "numpy" in sys.modules and _holds_arrays(expected):
        return _built_alike(out, expected, atol)
    exact = _mbpp_exact(entry, given, out, expected, atol) if mbpp else bool(out == expected)
    if atol == 0 and floats(expected):
        atol = FLOATS
    if exact or atol == 0:
        return exact
    return type(out) is type(expected) and close(out, expected, atol)


def _mbpp_exact(entry: str, given: list[Any], out: Any, expected: Any, atol: float) -> bool:
    if entry in AS_SETS:
        return set(out) == set(expected)
    if entry in NOT_NONE:
        return bool(out == expected) if isinstance(out, bool) else expected == (out is not None)
    if out == expected:
        return True
    if entry == "are_equivalent":  # Mbpp/164: its reference is wrong
        return True
    if entry == "sum_div":  # Mbpp/295
        return bool(out == 0)
    if entry == "surface_Area":  # Mbpp/581: two readings of its text
        return bool(abs(out - _surface(*given)) <= atol)
    if entry == "digit_distance_nums":  # Mbpp/558
        return bool(out == _digit_distance(*given))
    return False


def _surface(base: float, height: float) -> int:
    return round(base**2 + 2 * base * math.sqrt((base / 2) ** 2 + height**2))


def _digit_distance(a: int, b: int) -> int:
    width = max(len(str(a)), len(str(b)))
    return sum(abs(int(x) - int(y)) for x, y in zip(str(a).zfill(width), str(b).zfill(width), strict=True))


def floats(value: Any) -> bool:
    """Whether it is a float, or a list, a tuple or an array of nothing else."""
    if _is_array(value):
        return bool(value.dtype.kind == "f")
    if isinstance(value, (list, tuple)) and value:
        return all(isinstance(item, float) for item in value)
    return isinstance(value, float)


def close(out: Any, expected: Any, atol: float) -> bool:
    """Whether numbers, or lists and tuples of them in the same shape, differ by at most the tolerances."""
    if isinstance(expected, (list, tuple)):
        if not isinstance(out, (list, tuple)) or len(out) != len(expected):
            return False
        return all(close(a, b, atol) for a, b in zip(out, expected, strict=True))
    if not isinstance(out, (int, float, complex)) or not isinstance(expected, (int, float, complex)):
        return False
    # Equality first: infinities have no difference. Not a number is close to nothing, as in numpy.
    return bool(out == expected) or abs(out - expected) <= atol + _RELATIVE * abs(expected) < math.inf


def _is_array(value: Any) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray)


def _holds_arrays(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(_holds_arrays, value))
    return any(map(_holds_arrays, value.values())) if isinstance(value, dict) else _is_array(value)


def _built_alike(out: Any, expected: Any, atol: float) -> bool:
    """Whether two values that hold arrays are built alike, and their parts agree."""
    if _is_array(expected):
        return _is_array(out) and out.shape == expected.shape and _arrays_agree(out, expected, atol)
    if isinstance(expected, (list, tuple)):
        return (
            type(out) is type(expected)
            and len(out) == len(expected)
            and all(_built_alike(a, b, atol) for a, b in zip(out, expected, strict=True))
        )
    if isinstance(expected, dict):
        return (
            type(out) is dict
            and out.keys() == expected.keys()
            and all(_built_alike(out[k], expected[k], atol) for k in out)
        )
    if atol == 0 and floats(expected):
        atol = FLOATS
    return bool(out == expected) or (atol != 0 and type(out) is type(expected) and close(out, expected, atol))


def _arrays_agree(out: Any, expected: Any, atol: float) -> bool:
    import numpy

    if atol == 0 and expected.dtype.kind in "fc":
        atol = FLOATS
    if atol != 0 and out.dtype.kind in "biufc" and expected.dtype.kind in "biufc":
        return bool(numpy.allclose(out, expected, rtol=_RELATIVE, atol=atol))
    return bool(numpy.array_equal(out, expected))


def restored(number: int, inputs: list[list[Any]]) -> list[list[Any]]:
    """Inputs of the problem `Mbpp/number` with the tuples, sets and complex numbers that JSON cannot hold."""
    restore = next((how for how, numbers in _RESTORE if number in numbers), None)
    return inputs if restore is None else [restore(given) for given in inputs]


def _tuples(items: Any) -> list[Any]:
    return [tuple(item) for item in items]


def _deep(value: Any) -> Any:
    return tuple(_deep(item) for item in value) if isinstance(value, list) else value


def _set(item: Any) -> Any:
    return set(item) if isinstance(item, list) and item else {}


_RESTORE: tuple[tuple[Callable[[list[Any]], list[Any]], frozenset[int]], ...] = (
    (
        _tuples,
        frozenset(
            [
                *(2, 116, 132, 143, 222, 261, 273, 394, 399, 421, 424),
                *(429, 470, 560, 579, 596, 616, 630, 726, 740, 744, 809),
            ]
        ),
    ),
    (
        lambda given: [_tuples(part) for part in given],
        frozenset([63, 64, 70, 94, 120, 237, 272, 299, 400, 409, 417, 438, 473, 614, 780]),
    ),
    (lambda given: [_tuples(given[0]), given[1]], frozenset([75, 413, 444, 753])),
    (lambda given: [given[0], tuple(given[1])], frozenset([106, 750])),
    (lambda given: [[_set(item) for item in given[0]]], frozenset([115])),
    (lambda given: [float(given[0]), complex(given[1])], frozenset([124])),
    (lambda given: [tuple(given[0]), given[1]], frozenset([250, 405, 446, 617, 720, 763, 808])),
    (lambda given: [tuple(_tuples(part)) for part in given], frozenset([259, 401, 445])),
    (lambda given: [tuple(tuple(x) if isinstance(x, list) else x for x in given[0])], frozenset([278])),
    (lambda given: [tuple(given[0]), given[1], given[2]], frozenset([307])),
    (lambda given: [{key: tuple(value) for key, value in given[0].items()}, *given[1:]], frozenset([722])),
    (lambda given: [complex(given[0])], frozenset([252])),
    (lambda given: [_deep(part) for part in given], frozenset([580, 615, 791])),
)
"""For the numbers of problems, how the arguments of one call are restored."""
