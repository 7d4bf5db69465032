"""Comparisons of other harnesses, against what those do."""

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, strategies as st

from honestly.formats._guest.oracle import agrees, close, floats, restored
from honestly.formats._guest.printed import difference

NUMBERS = st.floats(allow_nan=True) | st.integers(-(10**15), 10**15) | st.sampled_from([0.1 + 0.2, 0.3, 1e-6, -0.0])


@given(NUMBERS, NUMBERS, st.sampled_from([1e-6, 1e-3, 0.5]))
def test_close_is_numpys_for_numbers(out, expected, atol):
    with np.errstate(all="ignore"):
        assert close(out, expected, atol) == bool(np.allclose(out, expected, rtol=1e-7, atol=atol))


@given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e-5, 1e-5)), max_size=5))
def test_close_is_numpys_for_lists(pairs):
    out, expected = [a + d for a, d in pairs], [a for a, _ in pairs]
    assert close(out, expected, 1e-6) == bool(np.allclose(out, expected, rtol=1e-7, atol=1e-6))
    assert close((out, [1]), (expected, [1]), 1e-6) == close(out, expected, 1e-6)


def test_floats_are_close_whatever_the_problem_says_and_nothing_else_is():
    def same(out, expected, atol=0.0):
        return agrees("f", [], out, expected, mbpp=False, atol=atol)

    assert same(0.1 + 0.2, 0.3)
    assert same([0.1 + 0.2], [0.3])
    assert same((0.3,), (0.1 + 0.2,))
    assert not same([0.1 + 0.2], (0.3,))
    assert not same([0.1 + 0.2, 1.0], [0.3])
    assert not same(1, 1.0 + 1e-9)  # another type, and not equal
    assert same(1, 1.0)
    assert not same(3.001, 3.0)
    assert same(3.001, 3.0, 0.01)
    assert not same([1, 2], [1, 3])
    assert same([1, 2], [1, 3], 1)
    assert not same("a", "b", 1)
    assert not same(None, [], 1)
    assert not same([0.3, 1], [0.1 + 0.2, 1])  # not floats throughout: exact
    assert not same(float("nan"), float("nan"))
    assert same(float("inf"), float("inf"))
    assert [floats(value) for value in ([0.5], [], [1], 0.5, 1)] == [True, False, False, True, False]


def test_problems_with_rules_of_their_own():
    assert agrees("find_zero", [[-6, 1]], 6.0, 5.0, mbpp=False, atol=1e-4)  # any root
    assert not agrees("find_zero", [[-6, 1]], 5.0, 5.0, mbpp=False, atol=1e-4)
    assert agrees("Diff", [], [2, 1, 1], [1, 2], mbpp=True, atol=0)
    assert not agrees("Diff", [], [2], [1, 2], mbpp=True, atol=0)
    assert not agrees("Diff", [], [2, 1], [1, 2], mbpp=False, atol=0)
    assert agrees("check_str", [], "a match", True, mbpp=True, atol=0)
    assert agrees("check_str", [], None, False, mbpp=True, atol=0)
    assert not agrees("check_str", [], False, True, mbpp=True, atol=0)
    assert agrees("sum_div", [], 0, 7, mbpp=True, atol=0)
    assert not agrees("sum_div", [], 1, 7, mbpp=True, atol=0)
    assert agrees("are_equivalent", [], "no", True, mbpp=True, atol=0)
    assert agrees("digit_distance_nums", [1, 100], 2, 0, mbpp=True, atol=0)
    assert agrees("digit_distance_nums", [123, 256], 7, 0, mbpp=True, atol=0)
    assert agrees("surface_Area", [3, 4], 35, 33, mbpp=True, atol=0)


@pytest.mark.parametrize(
    ("number", "given", "wanted"),
    [
        (2, [[1], [2]], [(1,), (2,)]),
        (63, [[[1, 2]]], [[(1, 2)]]),
        (75, [[[1]], 2], [[(1,)], 2]),
        (106, [[1], [2]], [[1], (2,)]),
        (115, [[[1, 2], []]], [[{1, 2}, {}]]),
        (124, ["0", "1j"], [0.0, 1j]),
        (250, [[1], 2], [(1,), 2]),
        (259, [[[1]], [[2]]], [((1,),), ((2,),)]),
        (278, [[1, [2]]], [(1, (2,))]),
        (307, [[1], 2, 3], [(1,), 2, 3]),
        (722, [{"a": [1]}, 2], [{"a": (1,)}, 2]),
        (252, ["1+2j"], [1 + 2j]),
        (580, [[1, [2]]], [(1, (2,))]),
        (1, [[1]], [[1]]),
    ],
)
def test_inputs_of_mbpp_get_back_what_json_cannot_hold(number, given, wanted):
    (made,) = restored(number, [given])
    assert made == wanted
    assert list(map(type, made)) == list(map(type, wanted))


def test_printed_lines_are_compared_without_blanks_and_as_decimals():
    assert difference("3\n7\n", "3\n7") == ""
    assert difference("\n 3 \n7  \n\n", "3\n7\n") == ""
    assert difference("1.50 2", "1.5 2.0") == ""
    assert difference("1e3", "1000") == ""
    assert difference("", "") == ""
    assert difference("sNaN", "3"), "which raises where it is compared"
    assert difference("3", "3\n7") == "1 lines were printed, not 2"
    assert difference("3\n8", "3\n7") == "line 2 is '8', not '7'"
    assert difference("yes", "YES") != ""
    assert difference("1.0000001", "1") != ""  # exact, unlike floats
    assert difference("50000000000000000", "50000000000000001") != ""
    assert difference("nan", "NaN") != ""
    assert difference("1  2", "1 2") == ""
    assert difference("a  b", "a b") != ""


@given(st.lists(st.decimals(allow_nan=False, allow_infinity=False, places=3), min_size=1, max_size=4))
def test_numbers_agree_in_any_spelling(values):
    other = [Decimal(str(value) + "0") for value in values]
    assert difference(" ".join(map(str, values)), "   ".join(map(str, other))) == ""
