"""Test files that run inside a sandbox find the packages that it shows."""

from functools import partial

import anyio
import pytest

from honestly.records import Checks, Edit, Hidden, Task, Tree
from honestly.sandbox import open_sandbox, packages_layout
from honestly.verify import verify
from sampled import sampled

UNITTEST = """import unittest

import numpy as np

from sums import total


class TestTotal(unittest.TestCase):
    def test_total(self):
        np.testing.assert_allclose(total(np.ones((2, 3))), 6)
"""
PYTEST = UNITTEST.replace("class TestTotal(unittest.TestCase)", "class TestTotal")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("runner", "source", "name"),
    sampled(
        [
            ("unittest", UNITTEST, "test_sums.TestTotal.test_total"),
            ("pytest", PYTEST, "test_sums.py::TestTotal::test_total"),
        ]
    ),
)
def test_they_do(runner, source, name):
    checks = Checks(runner=runner, files=Tree.of({"test_sums.py": source}), expected=(name,), timeout_s=30)
    solution = Tree.of({"sums.py": "def total(a):\n    return a.sum()\n"})
    task = Task(id="sums", instruction="Sum.", hidden=Hidden(checks=checks, reference=Edit(write=solution)))
    for names in (("numpy",), ()):
        judge = partial(verify, task, solution, seed=1, open_box=partial(open_sandbox, layout=packages_layout(names)))
        (check,) = anyio.run(judge).hidden.checks
        assert (check.status == "passed") == bool(names), check
