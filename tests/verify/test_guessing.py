"""What guesses get from hidden checks is said by name: of checks on both sides of the wire, and of those that run inside."""

import anyio

from honestly.records import Checks, Edit, Hidden, Task, Tree
from honestly.sandbox import open_sandbox
from honestly.verify import Slots, price_guesses

from .conftest import text

FRACTION = """
    class Fraction:
        def __init__(self, top, bottom):
            self.top, self.bottom = top, bottom
        def __eq__(self, other):
            return self.top * other.bottom == other.top * self.bottom
        def __add__(self, other):
            return Fraction(self.top * other.bottom + other.top * self.bottom, self.bottom * other.bottom)
"""
TESTS = """
    import unittest
    from fraction import Fraction

    class FractionTest(unittest.TestCase):
        def test_sum(self):
            self.assertEqual(Fraction(1, 2) + Fraction(1, 3), Fraction(5, 6))
        def test_type(self):
            self.assertIs(type(Fraction(1, 2) + Fraction(1, 3)), Fraction)
"""
CHECKS = """
    def test_zero(ws):
        assert ws.load("calc").same(0) == 0
    def test_more(ws):
        assert [ws.load("calc").same(n) for n in (4, "a")] == [4, "a"]
    def test_kept(ws):
        calc, given = ws.load("calc"), [3]
        calc.same(given)
        assert given == [3]
    def test_right(ws):
        assert ws.load("calc").add(2, 3) == 5
"""


def priced(reference, checks, **how):
    hidden = Hidden(checks=checks, reference=Edit(write=Tree.of({p: text(c) for p, c in reference.items()})))

    async def run():
        async with Slots(open_sandbox) as slots:
            return await price_guesses(Task(id="t", instruction="x", hidden=hidden), slots, **how)

    return anyio.run(run)


def of_files(runner, files, *names):
    return Checks(runner=runner, files=Tree.of({p: text(c) for p, c in files.items()}), expected=names, timeout_s=20.0)


def test_checks_that_a_guess_passes_are_named(buildable):
    checks = of_files(
        "grader", {"check_c.py": CHECKS}, *(f"check_c.test_{n}" for n in ("zero", "more", "kept", "right"))
    )
    found = priced({"calc.py": "def same(x): return x\ndef add(a, b): return a + b\n"}, checks)
    weak = found.weak
    # An object equal to everything is a handle here, which equals nothing.
    assert set(weak["check_c.test_zero"]) == {"0", "its first argument", "its first argument's type, empty", "False"}
    assert weak["check_c.test_more"] == ("its first argument",)
    assert len(weak["check_c.test_kept"]) == 12
    assert "check_c.test_right" not in weak
    assert (found.passing, found.note) == ((), "")


def test_an_object_equal_to_everything_passes_tests_that_run_inside(buildable):
    names = [f"test_fraction.FractionTest.test_{name}" for name in ("sum", "type")]
    found = priced({"fraction.py": FRACTION}, of_files("unittest", {"test_fraction.py": TESTS}, *names))
    both = ("its first argument", "an object equal to everything")  # an operator's argument is the other side
    assert found.weak == {names[0]: both, names[1]: both[:1]}
    found = priced({"fraction.py": FRACTION}, of_files("unittest", {"test_fraction.py": TESTS}, names[0]))
    assert found.passing == both


def test_what_has_no_python_function_is_not_priced():
    found = priced({"run.sh": "echo 3\n"}, of_files("grader", {"check_c.py": CHECKS}, "check_c.test_zero"))
    assert (found.weak, found.passing) == ({}, ())
    assert found.note == "its reference has no Python function"
