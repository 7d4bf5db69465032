"""Function-level problems, written by hand in the formats of the benchmarks, and files of them."""

from __future__ import annotations

import base64
import gzip
import json
import pickle
import zlib

from honestly.errors import FormatError

HUMANEVAL = {
    "task_id": "Small/0",
    "prompt": 'from typing import List\n\n\ndef double(n: int) -> int:\n    return n + n\n\n\ndef total(xs: List[int]) -> int:\n    """Twice the sum."""\n',
    "entry_point": "total",
    "canonical_solution": "    return double(sum(xs))\n",
    "test": "\n\nMETADATA = {}\n\n\ndef check(candidate):\n    assert candidate([1, 2]) == double(3)\n    assert candidate([]) == 0, 'empty'\n    assert candidate([5]) == 10\n",
}
EVALPLUS = {
    "task_id": "HumanEval/901",
    "prompt": 'def half(x):\n    """Half of x."""\n',
    "entry_point": "half",
    "canonical_solution": "    return x / 2\n",
    "test": "def check(candidate):\n    assert candidate(2) == 1\n",
    "contract": "    assert isinstance(x, int)\n",
    "base_input": [[2], [3]],
    "plus_input": [[10], [-7], [0]],
    "atol": 0,
}
MBPP_PLUS = {
    "task_id": "Mbpp/2",
    "prompt": '"""\nWrite a function to find the shared elements from the given two lists.\n"""\n',
    "entry_point": "similar_elements",
    "canonical_solution": "def similar_elements(a, b):\n    assert type(a) is tuple\n    return tuple(set(a) & set(b))\n",
    "base_input": [[[3, 4, 5], [5, 4, 7]]],
    "plus_input": [[[1, 2], [3]], [[], []]],
    "atol": 0,
    "assertion": "assert similar_elements((3, 4, 5), (5, 4, 7)) == (4, 5)",
}
MBPP = {
    "source_file": "hand-written",
    "task_id": 7,
    "prompt": "Write a function to add two numbers.",
    "code": "import math\n\ndef sum(a, b):\n    return a + b\n",
    "test_imports": ["import math"],
    "test_list": ["assert sum(1, 2) == 3", "assert math.isclose(sum(0.1, 0.2), 0.3)", "assert sum(2, 2) == 4"],
}
MBPP_FULL = {
    "task_id": 8,
    "text": "Write a function to find the longest chain of pairs.",
    "code": "class Pair(object):\n    def __init__(self, a, b):\n        self.a, self.b = a, b\n\ndef widest(pairs):\n    return max(p.b - p.a for p in pairs)\n",
    "test_setup_code": "",
    "test_list": ["assert widest([Pair(1, 3), Pair(2, 9)]) == 7"],
    "challenge_test_list": ["assert widest([Pair(0, 0)]) == 0"],
}


def case(given, expected, kind="stdin"):
    return {"input": given, "output": expected, "testtype": kind}


def squeezed(value):
    """base64(zlib(pickle(JSON))), as LiveCodeBench packs its private tests."""
    return base64.b64encode(zlib.compress(pickle.dumps(json.dumps(value)))).decode()


LCB_STDIN = {
    "question_title": "Sum",
    "question_content": "Print the sum of each line.",
    "platform": "atcoder",
    "question_id": "sum_a",
    "contest_id": "x",
    "contest_date": "2024-01-01T00:00:00",
    "starter_code": "",
    "difficulty": "easy",
    "public_test_cases": json.dumps([case("2\n1 2\n3 4\n", "3\n7\n")]),
    "private_test_cases": squeezed([case("1\n0.5 1\n", "1.5"), case("0\n", "")]),
    "metadata": "{}",
}
LCB_FUNCTIONAL = {
    **LCB_STDIN,
    "question_id": "3000",
    "platform": "leetcode",
    "starter_code": "class Solution:\n    def pairs(self, xs: List[int], k: int) -> List[int]:\n        ",
    "public_test_cases": json.dumps([case("[1, 2, 3]\n3", "[1, 2]", "functional")]),
    "private_test_cases": json.dumps([case("[]\n1", "[]", "functional"), case("[4]\n4", "[4]", "functional")]),
    "metadata": json.dumps({"func_name": "pairs"}),
}
ALL = {
    "humaneval": [HUMANEVAL],
    "evalplus": [EVALPLUS, MBPP_PLUS],
    "mbpp": [MBPP, MBPP_FULL],
    "livecodebench": [LCB_STDIN, LCB_FUNCTIONAL],
}


def jsonl(path, rows):
    """The file of these rows, compressed if its name says so."""
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def refusal(read, *arguments):
    """What a reader says against its arguments; None if it reads them."""
    try:
        read(*arguments)
    except FormatError as error:
        return str(error)
    return None
