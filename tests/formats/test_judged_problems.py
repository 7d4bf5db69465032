"""Problems of other benchmarks, judged in real sandboxes: their own references pass, wrong answers and cheats do not."""

import anyio
import pytest
from problem_files import ALL, EVALPLUS, HUMANEVAL, LCB_FUNCTIONAL, LCB_STDIN, MBPP, MBPP_FULL, MBPP_PLUS, jsonl

from honestly.formats import read_problems, read_samples
from honestly.sandbox import open_sandbox
from honestly.verify import Slots, verify

pytestmark = pytest.mark.slow


@pytest.fixture
def judge(tmp_path):
    """Checks of a problem with their statuses and messages, for each of some codes."""

    def run(row, *codes, seconds=None, whole=True):
        suite = read_problems(jsonl(tmp_path / "p.jsonl", [row]), seconds=seconds)
        name = str(row.get("task_id", row.get("question_id")))
        key = "solution" if whole else "completion"
        samples = jsonl(tmp_path / "s.jsonl", [{"task_id": name, key: code} for code in codes])

        async def go():
            async with Slots(open_sandbox) as slots:
                return [
                    await verify(sample.task, sample.tree, seed=1, open_box=slots)
                    for sample in read_samples(samples, suite)
                ]

        return anyio.run(go)

    return run


def statuses(verdict):
    return [check.status for check in verdict.hidden.checks]


def said(verdict):
    return " | ".join(check.message for check in verdict.hidden.checks)


@pytest.mark.parametrize(
    "row", [row for rows in ALL.values() for row in rows if "canonical_solution" in row or "code" in row], ids=str
)
def test_the_reference_of_each_problem_passes(judge, row):
    code = row.get("code") or row["prompt"] + row["canonical_solution"]
    (verdict,) = judge(row, code)
    assert verdict.honest, said(verdict)


def test_humaneval_runs_its_tests_unchanged_and_takes_helpers_from_the_reference(judge):
    wrong, own_helper, empty, unknown = judge(
        HUMANEVAL,
        "    return sum(xs)\n",
        "    return 2 * sum(xs)\n\n\ndef double(n):\n    return -1\n",
        "",
        "    return nothing\n",
        whole=False,
    )
    assert statuses(wrong) == ["failed"]
    assert said(wrong) == "line 7: assert candidate([1, 2]) == double(3)"
    assert own_helper.honest  # the original would believe the solution's own `double`
    assert not empty.honest
    assert "NameError" in said(unknown)


def test_evalplus_bounds_what_all_answers_of_a_check_take_together(judge):
    many = {**EVALPLUS, "base_input": [[n] for n in range(40)], "plus_input": [[1]]}
    right = EVALPLUS["prompt"] + EVALPLUS["canonical_solution"]
    slow = right + f"\n\nimport time\nquick = {EVALPLUS['entry_point']}\n\ndef {EVALPLUS['entry_point']}(*given):\n"
    slow += "    time.sleep(0.15)\n    return quick(*given)\n"
    (verdict,) = judge(many, slow, seconds=0.2)
    assert statuses(verdict) == ["timeout", "passed"]


ANSWERS = [
    ("import collections\ndef f(): return collections.Counter('aab')", True),
    ("import collections\ndef f(): return collections.OrderedDict(a=2, b=1)", True),
    ("import collections\ndef f(): return collections.defaultdict(int, a=2, b=1)", True),
    ("class D(dict): pass\ndef f(): return D(a=2, b=1)", True),
    ("class D(dict):\n    def __eq__(self, other): return True\ndef f(): return D()", False),
    ("class A:\n    def __eq__(self, other): return True\n    __ne__ = lambda s, o: False\ndef f(): return A()", False),
    ("def f(): return {'a': 2, 'b': 1}.items()", False),
]


@pytest.mark.parametrize(("code", "passes"), ANSWERS, ids=range(len(ANSWERS)))
def test_subclasses_of_builtins_count_as_what_they_hold_and_other_objects_as_nothing(judge, code, passes):
    row = {
        **HUMANEVAL,
        "prompt": "def f():\n",
        "entry_point": "f",
        "canonical_solution": "    return {'a': 2, 'b': 1}\n",
    }
    row["test"] = "def check(candidate):\n    assert candidate() == {'a': 2, 'b': 1}\n"
    (verdict,) = judge(row, code + "\n")
    assert verdict.honest is passes, said(verdict)


def test_an_answer_that_tests_stumble_over_is_a_failure_and_a_broken_problem_an_error(judge):
    row = {**HUMANEVAL, "test": "def check(candidate):\n    assert len(candidate([])) == 0\n"}
    (verdict,) = judge(row, "def total(xs): return None\n")
    assert statuses(verdict) == ["failed"]
    assert said(verdict) == "line 2: assert len(candidate([])) == 0 (TypeError: object of type 'NoneType' has no len())"
    good = HUMANEVAL["prompt"] + HUMANEVAL["canonical_solution"]
    for change, words in (
        ({"test": "def check(candidate:\n"}, "ProblemError: it cannot be compiled"),
        ({"test": "import nothing_like_it\ndef check(candidate): pass\n"}, "No module named 'nothing_like_it'"),
        ({"canonical_solution": "    return 1\n1 / 0\n"}, "ProblemError: its reference does not run"),
    ):
        (verdict,) = judge({**HUMANEVAL, **change}, good)
        assert statuses(verdict) == ["error"]
        assert words in said(verdict)


def test_a_solution_that_takes_too_long_is_stopped_also_in_small_steps(judge):
    prompt = "import time\n\n\ndef total(xs):\n"
    test = "def check(candidate):\n    for _ in range(1000):\n        candidate([])\n"
    row = {**HUMANEVAL, "prompt": prompt, "test": test}
    forever, steps, loading = judge(
        row,
        prompt + "    while True:\n        pass\n",
        prompt + "    time.sleep(0.1)\n",
        "while True:\n    pass\n",
        seconds=0.5,
    )
    assert [statuses(v) for v in (forever, steps, loading)] == [["timeout"]] * 3


def test_evalplus_judges_base_and_plus_by_its_reference(judge):
    right, base_only, close, killed = judge(
        EVALPLUS,
        "def half(x): return x * 0.5\n",
        "def half(x): return {2: 1, 3: 1.5}[x]\n",
        "def half(x): return x / 2 + 1e-9\n",
        "import os\ndef half(x): os._exit(0)\n",
    )
    assert statuses(right) == ["passed", "passed"]
    assert statuses(base_only) == ["passed", "failed"]
    assert close.honest
    assert statuses(killed) == ["failed", "failed"]
    (wrong,) = judge(EVALPLUS, "def half(x): return [x]\n")
    assert said(wrong) == "half(2,) gave [2], not 1.0 | half(10,) gave [10], not 5.0"


def test_evalplus_takes_each_of_many_answers_as_if_it_had_asked_for_it_alone(judge):
    row = {**EVALPLUS, "canonical_solution": "    return {x: 1}\n", "plus_input": []}
    row["base_input"] = [[n] for n in range(450)]
    before = "import collections, itertools, time\n"
    kinds, mutates, raises, late, wrong, lazy = judge(
        row,
        before + "def half(x): return collections.Counter([x]) if x % 150 == 149 else {x: 1}\n",
        before + "seen = {}\ndef half(x):\n    seen.clear()\n    seen[x] = 1\n    return seen\n",
        before + "def half(x): return {x: 1} if x != 300 else 1 / 0\n",
        before + "def half(x):\n    if x == 300: time.sleep(9)\n    return {x: 1}\n",
        before + "def half(x): return {x: 1} if x != 301 else {}\n",
        before + "def half(x): return iter({x: 1})\n",
        seconds=0.5,
    )
    assert kinds.honest, said(kinds)
    assert mutates.honest, said(mutates)
    assert statuses(raises) + statuses(late) + statuses(wrong) + statuses(lazy) == [
        "failed",
        "timeout",
        *["failed"] * 2,
    ]
    assert "ZeroDivisionError" in said(raises)
    assert said(wrong) == "half(301,) gave {}, not {301: 1}"


def test_evalplus_goes_on_with_the_tolerance_of_floats_once_it_has_met_them(judge):
    row = {**EVALPLUS, "prompt": "def half(x):\n", "plus_input": []}
    row["canonical_solution"] = "    return x + 0.2 if x == 0.1 else [0.3, 1]\n"
    other = "def half(x):\n    return 0.3 if x == 0.1 else [0.1 + 0.2, 1]\n"
    (first,) = judge({**row, "base_input": [[0.1], [1]]}, other)
    (last,) = judge({**row, "base_input": [[1], [0.1]]}, other)
    assert first.honest, said(first)
    assert not last.honest


def test_evalplus_gives_mbpp_its_tuples_and_compares_as_sets(judge):
    (verdict,) = judge(
        MBPP_PLUS, "def similar_elements(a, b):\n    assert type(b) is tuple\n    return [x for x in b if x in a]\n"
    )
    assert verdict.honest, said(verdict)
    (verdict,) = judge(
        MBPP_PLUS, "class A(list):\n    __eq__ = lambda s, o: True\ndef similar_elements(a, b): return A()\n"
    )
    assert statuses(verdict) == ["failed", "passed"]  # the added inputs here share nothing: an empty list is right


def test_evalplus_inputs_that_break_the_reference_are_the_problems_fault(judge):
    row = {**EVALPLUS, "plus_input": [["text"]]}
    (verdict,) = judge(row, "def half(x): return x / 2\n")
    assert statuses(verdict) == ["passed", "error"]
    assert "ProblemError: its reference fails on ['text']: TypeError" in said(verdict)


def test_mbpp_finds_the_functions_that_its_tests_name(judge):
    wrong, missing, classes = (
        *judge(MBPP, "def sum(a, b): return a - b\n"),
        *judge(MBPP, "def add(a, b): return a + b\n"),
        *judge(MBPP_FULL, MBPP_FULL["code"].replace("max", "min")),
    )
    assert said(wrong) == "line 3: assert sum(1, 2) == 3"
    assert "has no attribute 'sum'" in said(missing)
    assert statuses(classes) == ["failed", "passed"]


def test_a_solution_cannot_redefine_what_tests_compare_with(judge):
    row = {
        **MBPP,
        "test_list": ["assert set(f()) == {1, 2}", "assert math.isclose(f()[0], 1)", "assert f() in ([1, 2],)"],
    }
    row["code"] = "def f(): return [1, 2]\n"
    cheat = (
        "import sys\nset = list = sorted = lambda *a: {1, 2}\n"
        "class math:\n    isclose = staticmethod(lambda *a: True)\n"
        "sys.modules['math'] = math\ndef f(): return [9, 9]\n"
    )
    (verdict,) = judge(row, cheat)
    assert statuses(verdict) == ["failed"]


SUM = "n = int(input())\nfor _ in range(n):\n    print(sum(map(float, input().split())))\n"


def test_livecodebench_programs_are_judged_by_what_they_print(judge):
    right, wrong, dies, quits, forever, imports = judge(
        LCB_STDIN,
        SUM,
        SUM.replace("sum(", "max("),
        SUM + "1 / 0\n",
        SUM + "exit()\n",
        "while True: pass\n",
        SUM.replace("sum(map(float, ", "reduce(add, map(Decimal, ").replace(
            "n = ", "from decimal import Decimal\nn = "
        ),
        seconds=1.0,
        whole=False,
    )
    assert right.honest, said(right)
    assert statuses(wrong) == ["failed", "failed"]
    assert "case 0: line 1 is '2.0', not '3'" in said(wrong)
    assert "exit status 1: ZeroDivisionError: division by zero" in said(dies)
    assert quits.honest
    assert statuses(forever) == ["timeout", "timeout"]
    assert imports.honest, said(imports)


def test_livecodebench_outputs_larger_than_a_sandbox_keeps_are_compared(judge):
    long = "\n".join(map(str, range(300_000)))
    row = {**LCB_STDIN, "public_test_cases": [{"input": "300000", "output": long, "testtype": "stdin"}]}
    row["private_test_cases"] = "[]"
    program = "n = int(input())\nprint('\\n'.join(map(str, range(n))))\n"
    right, wrong = judge(row, program, program + "print(5)\n", whole=False)
    assert right.honest, said(right)
    assert said(wrong) == "case 0: 300001 lines were printed, not 300000"


def test_livecodebench_methods_and_functions_are_called(judge):
    method = "class Solution:\n    def pairs(self, xs: List[int], k: int) -> List[int]:\n        return tuple(x for x in xs if {})\n"
    right, wrong, function, liar = judge(
        LCB_FUNCTIONAL,
        method.format("x < k or len(xs) == 1"),
        method.format("x > k"),
        "def pairs(xs, k):\n    return [x for x in xs if x < k or len(xs) == 1]\n",
        "class Yes:\n    __eq__ = lambda s, o: True\nclass Solution:\n    def pairs(self, xs, k): return [Yes()]\n",
        whole=False,
    )
    assert right.honest, said(right)
    assert statuses(wrong) == ["failed", "failed"]
    assert function.honest, said(function)
    assert statuses(liar) == ["failed", "failed"]
