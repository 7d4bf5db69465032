"""Problems of arrays, judged in real sandboxes that show numpy: numpy compares, and no array of the solution's own does."""

from functools import partial

import anyio
import numpy as np
import pytest
from problem_files import EVALPLUS, MBPP, jsonl

from honestly.formats import read_problems, read_samples
from honestly.formats._guest.oracle import agrees, floats
from honestly.sandbox import open_sandbox, packages_layout
from honestly.verify import Slots, verify

EVALPLUS_ARRAY = {
    **EVALPLUS,
    "task_id": "HumanEval/902",
    "prompt": 'import numpy as np\n\n\ndef scaled(xs):\n    """The rows of xs, each divided by its sum."""\n',
    "entry_point": "scaled",
    "canonical_solution": "    xs = np.array(xs, float)\n    return xs / xs.sum(axis=1, keepdims=True)\n",
    "base_input": [[[[1, 2], [3, 4]]], [[[5.5]]]],
    "plus_input": [[[[1, 2, 3]]], [[[i + 1, 0.1] for i in range(50)]]],
}
MBPP_ARRAY = {
    **MBPP,
    "task_id": 11,
    "prompt": "Write a function that gives the column sums and the largest entry of a matrix.",
    "code": "def summary(a):\n    return a.sum(axis=0), a.max()\n",
    "test_imports": ["import numpy as np"],
    "test_list": [
        "sums, largest = summary(np.arange(6).reshape(2, 3))",
        "assert (sums == np.array([3, 5, 7])).all() and sums.shape == (3,)",
        "assert largest == 5",
        "np.testing.assert_allclose(summary(np.eye(2) / 3)[0], [1 / 3, 1 / 3])",
        "assert np.array_equal(summary(np.array([['2024-02-29']], 'M8[D]').T.astype(int))[0], [19782])",
    ],
}
LIES = {
    "subclass": "class Lie(np.ndarray):\n{body}\ndef made(shape=(3,)):\n    return np.zeros(shape).view(Lie)\n",
    "object": "class Lie:\n    shape, dtype, ndim, size = (3,), np.dtype(float), 1, 3\n{body}\ndef made(shape=(3,)):\n    return Lie()\n",
    "elements": "class Lie:\n{body}\ndef made(shape=(3,)):\n    a = np.empty(shape, object)\n    a.fill(Lie())\n    return a\n",
    "matrix": "def made(shape=(3,)):\n    return np.matrix([[0.5]])\n",
    "masked": "def made(shape=(3,)):\n    return np.ma.masked_all(shape)\n",
    "empty": "def made(shape=(3,)):\n    return np.array([])\n",
    "nothing": "def made(shape=(3,)):\n    return np.full(shape, np.nan)\n",
    "address": "import types\ndef made(shape=(3,)):\n"
    "    kept = np.zeros(shape)\n    return types.SimpleNamespace(kept=kept, __array_interface__=kept.__array_interface__)\n",
    "answers": "import types\ndef made(shape=(3,)):\n    return types.SimpleNamespace(__array__=lambda *a, **k: np.array([3, 5, 7]))\n",
}
BODY = """
    __eq__ = __le__ = __ge__ = lambda self, other: np.True_
    __ne__ = __lt__ = __gt__ = lambda self, other: np.False_
    __hash__ = lambda self: 0
    __sub__ = __rsub__ = __abs__ = lambda self, *other: 0.0
    __array_priority__ = 1e9
    all = any = __bool__ = lambda self, *a, **k: True
    __len__ = lambda self: 3
    __getitem__ = lambda self, i: self
    def __array_ufunc__(self, *a, **k): return np.True_
    def __array_function__(self, *a, **k): return True
    def __array_wrap__(self, *a, **k): return np.True_
"""


@pytest.fixture
def judge(tmp_path):
    """Verdicts on codes, in sandboxes that show these packages."""

    def run(row, *codes, packages=("numpy",), unsafe=False):
        suite = read_problems(jsonl(tmp_path / "p.jsonl", [row]))
        samples = jsonl(tmp_path / "s.jsonl", [{"task_id": str(row["task_id"]), "solution": code} for code in codes])
        layout = packages_layout(packages)

        async def go():
            async with Slots(partial(open_sandbox, layout=layout, unsafe=unsafe)) as slots:
                return [
                    await verify(sample.task, sample.tree, seed=1, open_box=slots)
                    for sample in read_samples(samples, suite)
                ]

        return anyio.run(go)

    return run


def said(verdict):
    return " | ".join(check.message for check in verdict.hidden.checks)


@pytest.mark.slow
@pytest.mark.parametrize("unsafe", [False, True])
def test_evalplus_compares_arrays(judge, unsafe):
    good = EVALPLUS_ARRAY["prompt"] + EVALPLUS_ARRAY["canonical_solution"]
    same, narrow, transposed, off, plain, broadcast = judge(
        EVALPLUS_ARRAY,
        good,
        good + "\nplain = scaled\ndef scaled(xs):\n    return np.asfortranarray(plain(xs) + 1e-9)\n",
        good + "\nplain = scaled\ndef scaled(xs):\n    return plain(xs).T\n",
        good.replace("keepdims=True)", "keepdims=True) + 1e-3"),
        good + "\nplain = scaled\ndef scaled(xs):\n    return plain(xs).tolist()\n",
        good + "\nplain = scaled\ndef scaled(xs):\n    return plain(xs)[None]\n",
        unsafe=unsafe,
    )
    assert same.honest, said(same)
    assert narrow.honest, said(narrow)
    assert [v.honest for v in (transposed, off, plain, broadcast)] == [False] * 4
    assert "scaled([[1, 2], [3, 4]],) gave array(" in said(off)


@pytest.mark.slow
def test_tests_of_arrays_run_as_numpy_runs_them(judge):
    good, lists, wrong, short = judge(
        MBPP_ARRAY,
        "def summary(a):\n    return a.sum(axis=0), a.max()\n",
        "def summary(a):\n    return a.sum(axis=0).tolist(), a.max()\n",
        "import numpy as np\ndef summary(a):\n    return a.sum(axis=0) + 1, a.max()\n",
        "import numpy as np\ndef summary(a):\n    return np.array([]), a.max()\n",
    )
    assert good.honest, said(good)
    assert "AttributeError" in said(lists)
    assert said(wrong) == "line 4: assert (sums == np.array([3, 5, 7])).all() and sums.shape == (3,)"
    assert not short.honest


@pytest.mark.slow
@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_an_array_of_the_solutions_own_passes_nothing(judge, lie):
    lie = "import numpy as np\n" + lie.replace("{body}", BODY)
    (evalplus,) = judge(EVALPLUS_ARRAY, lie + "\ndef scaled(xs):\n    return made(np.shape(xs))\n")
    (mbpp,) = judge(MBPP_ARRAY, lie + "\ndef summary(a):\n    return made(a.shape[1:]), 5\n")
    for verdict in (evalplus, mbpp):
        assert verdict.hidden.n_passed == 0, said(verdict)
        assert "NameError" not in said(verdict)


ASKS = [
    *("np.asarray(made())", "np.array(made(), float)", "np.stack([made()])", "np.isin(1, made())"),
    *("np.allclose(made(), 1)", "np.isclose(1, made())", "np.equal(made(), made())", "np.add(made(), 1)"),
    *("np.ones(3) == made()", "made() == np.ones(3)", "np.float64(1) == made()", "made() == np.float64(1)"),
    *("np.ones(3) - made()", "np.max(np.abs(made() - np.ones(3)))", "np.ones(3) @ made()"),
    *("np.testing.assert_array_equal(made(), 1)", "np.testing.assert_allclose(1, made())"),
]


@pytest.mark.parametrize("lie", ["subclass", "object", "elements", "address", "answers"])
def test_numpy_takes_no_handle_for_an_array(judge, lie):
    """Whatever it says of itself: it might name an address in the grader's own memory."""
    tests = [
        "def refused(ask):",
        "    try:",
        "        ask()",
        "    except TypeError as error:",
        "        words = str(error)",
    ]
    tests += ["        return 'plain data' in words or 'not support ufuncs' in words or 'unsupported operand' in words"]
    tests += ["assert not np.array_equal(made(), made())"]  # it takes an error for a no
    tests += [f"assert refused(lambda: {ask})" for ask in ASKS]
    row = {**MBPP_ARRAY, "code": "def made(): ...\n", "test_list": tests}
    (verdict,) = judge(row, "import numpy as np\n" + LIES[lie].replace("{body}", BODY))
    assert verdict.honest, said(verdict)


def test_where_packages_are_not_offered_it_is_said(judge):
    (verdict,) = judge(MBPP_ARRAY, "def summary(a):\n    return a.sum(axis=0), a.max()\n", packages=())
    assert [check.status for check in verdict.hidden.checks] == ["error"]
    assert "--with numpy" in said(verdict)
    (verdict,) = judge(EVALPLUS_ARRAY, "def scaled(xs):\n    return xs\n", packages=())
    assert "--with numpy" in said(verdict)


def same(out, expected, atol=0.0):
    return agrees("f", [], out, expected, mbpp=False, atol=atol)


def test_arrays_agree_in_shape_and_values_and_not_in_type_of_number():
    a = np.array([1.0, 2.0])
    assert same(a + 1e-9, a)
    assert same(a.astype(np.float32), a)
    assert same(np.array([1, 2]), a)
    assert same(a, np.array([1, 2]))
    assert not same(np.array([1.0 + 1e-9, 2]), np.array([1, 2]))
    assert same(np.array([1.0 + 1e-9, 2]), np.array([1, 2]), 1e-6)
    assert not same(a + 1e-3, a)
    assert not same(a[None], a)
    assert not same(np.array([]), a[:1])
    assert not same([1.0, 2.0], a)
    assert not same(np.array([np.nan, 2.0]), np.array([np.nan, 2.0]))  # as in numpy, and in EvalPlus
    assert same(np.array(["a", "b"]), np.array(["a", "b"], "U5"))
    assert not same(np.array(["1.0", "2.0"]), a)
    assert same((a, [a]), (a, [a + 1e-9]))
    assert not same((a, [a]), [a, [a]])
    assert not same((a,), (a, a))
    assert same({"x": a, "y": 0.3}, {"x": a, "y": 0.1 + 0.2})
    assert not same({"x": a}, {"y": a})
    assert [floats(value) for value in (a, np.array([1]), np.array(1.5))] == [True, False, True]
