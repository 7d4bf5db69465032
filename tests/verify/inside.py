"""A task whose hidden checks run inside, as unittest and as pytest files, for solutions that attack them or don't."""

import textwrap
from contextlib import suppress
from functools import cache

import anyio

from honestly.errors import SandboxBusyError
from honestly.records import Checks, Edit, Hidden, Task, Tree
from honestly.sandbox import open_sandbox
from honestly.verify import verify

UNITTEST = """
    import unittest

    from calc import Basket, add, even, spell


    class TestCalc(unittest.TestCase):
        def test_add(self):
            self.assertEqual(add(2, 3), 5)

        def test_table(self):
            for a, b, want in [(1, 1, 2), (20, 22, 42)]:
                with self.subTest(a=a):
                    self.assertEqual(add(a, b), want)

        def test_name(self):
            self.assertEqual(spell(3), "three")

        def test_refuses(self):
            with self.assertRaises(ValueError):
                spell(-1)

        def test_even(self):
            self.assertTrue(even(4))

        def test_basket(self):
            basket = Basket()
            basket.put("pear")
            basket.put("fig")
            self.assertEqual(basket.items(), ["fig", "pear"])
"""
PYTEST = """
    import pytest

    from calc import Basket, add, even, spell


    def test_add():
        assert add(2, 3) == 5


    @pytest.mark.parametrize(("a", "b", "want"), [(1, 1, 2), (20, 22, 42)])
    def test_table(a, b, want):
        assert add(a, b) == want


    def test_name():
        assert spell(3) == "three"


    def test_refuses():
        with pytest.raises(ValueError):
            spell(-1)


    def test_even():
        assert even(4)


    def test_basket():
        basket = Basket()
        basket.put("pear")
        basket.put("fig")
        assert basket.items() == ["fig", "pear"]
"""
GOOD = """
    def add(a, b):
        return a + b


    def spell(n):
        if n < 0:
            raise ValueError("no negative numbers")
        return ["zero", "one", "two", "three"][n]


    def even(n):
        return n % 2 == 0


    class Basket:
        def __init__(self):
            self._items = set()

        def put(self, item):
            self._items.add(item)

        def items(self):
            return sorted(self._items)
"""
EMPTY = """
    def add(a, b): ...
    def spell(n): ...
    def even(n): ...
    class Basket:
        def put(self, item): ...
        def items(self): ...
"""
_NAMES = ("add", "table", "name", "refuses", "even", "basket")


def text(source):
    return textwrap.dedent(source).lstrip()


@cache
def task(runner, *, reference=True):
    """The task; without a reference, nothing about its tests can be proved."""
    if runner == "unittest":
        files = {"tests/__init__.py": "", "tests/test_calc.py": text(UNITTEST)}
        expected = tuple(f"tests.test_calc.TestCalc.test_{name}" for name in _NAMES)
    else:
        files = {"tests/test_calc.py": text(PYTEST)}
        expected = tuple(f"tests/test_calc.py::test_{name}" for name in _NAMES)
    return Task(
        id=f"calc-{runner}",
        instruction="Write calc.",
        workspace=Tree.of({"calc.py": text(EMPTY)}),
        hidden=Hidden(
            checks=Checks(runner=runner, files=Tree.of(files), expected=expected, timeout_s=60.0),
            reference=Edit(write=Tree.of({"calc.py": text(GOOD)})) if reference else Edit(),
        ),
    )


def judged(task, files, *, seed=0, open_box=open_sandbox):
    """The verdict over the task's workspace with some files changed; for Python, dedented.

    What failed on a crowded machine, and did not when it was judged again, is judged anew, as in a run.
    """
    changed = {path: text(data) if isinstance(data, str) else data for path, data in files.items()}
    final = Tree.of(changed).over(task.workspace)
    for _ in range(20):
        with suppress(SandboxBusyError):
            return anyio.run(lambda: verify(task, final, seed=seed, open_box=open_box))
    raise SandboxBusyError("this machine is too crowded for any verdict")
