"""Test files that run inside a sandbox find the packages that it shows."""

from functools import partial

import anyio
import pytest

from honestly.records import Checks, Edit, Hidden, Preparation, Task, Tree
from honestly.sandbox import Layout, open_sandbox, packages_layout
from honestly.verify import see_tests, verify
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


MOONS = "import pytest\n\n\n@pytest.fixture\ndef moon():\n    return 'of the package'\n"
USES = "def test_moon(moon):\n    assert moon == 'of the package'\n"


def with_plugin(folder):
    """A layout that shows a package which is a plug-in of pytest's, as pip installs it."""
    (folder / "moons.py").write_text(MOONS)
    info = folder / "moons-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: moons\nVersion: 1\n")
    (info / "entry_points.txt").write_text(
        "[console_scripts]\nx = moons:x\n\n[pytest11]\nmoons = moons\nrandomly = not_there\n"
    )
    return Layout(packages={path.name: path for path in folder.iterdir()})


@pytest.mark.slow
@pytest.mark.parametrize("hidden", [True, False])
def test_plug_ins_of_shown_packages_are_loaded_and_a_module_of_the_workspace_is_none_of_them(hidden, tmp_path):
    hostile = MOONS.replace("of the package", "of the workspace")
    final = Tree.of(
        {"moons.py": hostile, "evil.egg-info/entry_points.txt": "[pytest11]\nevil = moons\n", "test_it.py": USES}
    )
    checks = Checks(runner="pytest", files=Tree.of({"test_it.py": USES}), expected=("test_it.py",), timeout_s=30)
    boxes = partial(open_sandbox, layout=with_plugin(tmp_path))
    seen = anyio.run(partial(see_tests, checks, final, Preparation(), boxes, hidden=hidden))
    assert seen.passed == {"test_it.py::test_moon"}, seen
    assert "moon" in str(
        anyio.run(partial(see_tests, checks, final, Preparation(), open_sandbox, hidden=hidden)).checks
    )


def test_warnings_that_are_errors_do_not_hit_a_plug_in(tmp_path):
    files = Tree.of({"test_it.py": USES, "pytest.ini": "[pytest]\nfilterwarnings = error\n"})
    checks = Checks(runner="pytest", files=files, expected=("test_it.py",), timeout_s=30)
    boxes = partial(open_sandbox, layout=with_plugin(tmp_path))
    assert anyio.run(partial(see_tests, checks, Tree(), Preparation(), boxes, hidden=True)).passed


@pytest.mark.slow
def test_of_many_tests_none_is_lost():
    many = "import pytest\n\n\n@pytest.mark.parametrize('name', [f'{at:0300}' for at in range(2500)])\ndef test_it(name):\n    pass\n"
    checks = Checks(runner="pytest", files=Tree.of({"test_it.py": many}), expected=("test_it.py",), timeout_s=60)
    seen = anyio.run(partial(see_tests, checks, Tree(), Preparation(), open_sandbox, hidden=True))
    assert seen.whole
    assert len(seen.passed) == 2500
