"""Contradictions of tests: right code fails every one, objects that say yes to everything pass those that they should."""

import ast
import math
import random
import unittest

import pytest
from hypothesis import given, strategies as st

from honestly.records import Checks, Tree
from honestly.verify.inside._literals import Text, altered_literals, is_literal
from honestly.verify.inside._mixture import Canaries
from honestly.verify.inside._siblings import Margin
from honestly.verify.inside._testfile import TestFile
from honestly.verify.inside._ways import contradicted_files, contradiction_ways, helper_ways

from .inside import text

METHODS = """
    self.assertEqual(f(1), 2)
    self.assertEqual([2, "two", None, {"a": (1.5, True)}], g([2, "two", None, {"a": (1.5, True)}]))
    self.assertEqual(g("it's \\"é\\""), "it's \\"é\\"", "why")
    self.assertListEqual(g([]), []); self.assertDictEqual(g({}), {})
    self.assertCountEqual(g([3, 1, 2]), [1, 2, 3])
    self.assertIs(g(True), True)
    self.assertAlmostEqual(g(0.3), 0.1 + 0.2)
    self.assertAlmostEqual(g(-3.25), -3.25, places=1)
    self.assertAlmostEqual(g(3), 4, delta=2)
    self.assertTrue(g(3) == 3 and g("x"))
    self.assertTrue(g(1))
    self.assertFalse(g(0))
    self.assertIn(g(2), [1, 2])
    self.assertIn(g("à"), ("à", "é"))
    self.assertIsNone(g(None))
    self.assertIsInstance(g(2), int)
    self.assertLess(g(2), 3)
    self.assertRegex(g("abc"), "b")
    self.assertNotEqual(g(2), 3)
    self.assertEqual(g(4), want)
    self.assertEqual(g(TABLE), TABLE)
    self.assertEqual(len(g([1])), sum([1]))
    self.assertRaises(ValueError, refuse, 1)
    self.assertRaises(Exception, refuse, 1)
    with self.assertRaises(ValueError) as caught: refuse(1)
    with self.assertRaisesRegex(ValueError, "no"): refuse(1)
    self.helper(2)
    assert g(2) == 2, "why"
    assert g(2) == 2 and g(3) == 3
    assert not g(0)
    assert g("a") in ("a", "b")
    assert abs(g(1.5) - 1.5) < 1e-9
    assert math.isclose(g(2.5), 2.5)
    assert g(5) is not None
    assert g(1) == pytest.approx(1.0)
    assert g(b"ab") == b"ab" and g(1j) == 1j
    assert g(1 << 80) == 1208925819614629174706176
    assert g({1, 2}) == {1, 2} and g(frozenset({1})) == frozenset({1})
    assert g("abc").startswith("ab") and g("abc").endswith("bc")
    assert isinstance(g(2), int)
    assert 1 < g(2) and g(-2.5) >= -3
    assert "abc" in g("xabcx")
    self.assertGreaterEqual(g(2), 2)
    self.assertIn("abc", g(["abc"]))
    self.assertEqual(g([1, 2, 3]), sorted([3, 2, 1]))
    self.assertEqual(g("a-b"), "-".join(["a", "b"]) + "")
    for a, b in [(1, 2), (3, 4)]: self.assertEqual(f(a), b)
    for a, b in PAIRS: self.assertEqual(f(a), b)
    for a, b in {1: 2, 5: 6}.items(): self.assertEqual(f(a), b)
"""
FILE = """
    import math, unittest, pytest
    TABLE = [1, (2, "three")]
    PAIRS = [(1, 2),
             (7, 8)]
    class TestAll(unittest.TestCase):
        def test_it(self):
            want = 4
            LINE
            g(0)  # é
        def helper(self, n):
            self.assertEqual(g(n), n)
"""


def loaded(source):
    def refuse(n):
        raise ValueError("no")

    names = {"f": lambda n: n + 1, "g": lambda value: value, "refuse": refuse, "__name__": "test_x"}
    exec(compile(source, "test_x", "exec"), names)
    return names["TestAll"]("test_it")


def passes(source):
    result = unittest.TestResult()
    loaded(source).run(result)
    assert result.testsRun == 1
    return result.wasSuccessful()


@pytest.mark.parametrize("line", text(METHODS).splitlines())
def test_right_code_fails_every_contradiction(line):
    source = text(FILE.replace("LINE", line))
    assert passes(source)
    files = Tree.of({"test_x.py": source})
    ((place, found),) = contradiction_ways(files).items()
    assert place == ("test_x.py", "TestAll.test_it")
    for way in found:
        changed = contradicted_files(files, {place: way}).text("test_x.py")
        assert changed != source
        assert not passes(changed), changed
    assert [way.kind for way in found] == sorted(way.kind for way in found)
    assert len(found) > 1 or "helper" in line or "Exception" in line


def test_a_mixture_takes_each_test_whole_and_as_it_is_written():
    source = text(
        """
        import unittest  # first

        @unittest.skipIf(False, "é")
        class TestOne(unittest.TestCase):
            @unittest.skipIf(1 == 2, "never")
            def test_a(self):  # a comment
                self.assertEqual(g(1), 1)
            def test_b(self): self.assertEqual(g("b"), "b")

        def test_c():
            assert g([1,
                      2]) == [1,  # one
                              2]
        def not_a_test(): assert g(1) == 1
        """
    )
    checks = Checks(runner="pytest", files=Tree.of({"t/test_x.py": source, "t/data.txt": "x"}), expected=())
    best = {place: some[0] for place, some in contradiction_ways(checks.files).items()}
    both = Canaries(checks, contradicted_files(checks.files, best))
    assert both.places == {("t/test_x.py", name) for name in ("TestOne.test_a", "TestOne.test_b", "test_c")}
    assert both.mixed_files([]) == checks.files
    every = both.mixed_files(both.places).text("t/test_x.py")
    for place in both.places:
        one = both.mixed_files([place]).text("t/test_x.py")
        assert one != source
        assert len(one.splitlines()) == len(source.splitlines())
        changed = [new for old, new in zip(source.splitlines(), one.splitlines(), strict=True) if old != new]
        assert len(changed) == 1
        assert changed[0] in every.splitlines()
    assert both.place("t/test_x.py::TestOne::test_a[x-1]") == ("t/test_x.py", "TestOne.test_a")
    assert both.place("t/test_x.py::not_a_test") is None


def test_what_helps_tests_is_told_from_what_else_uses_it():
    source = text(
        """
        import unittest
        from solution import g

        def want(n): return n + 7
        def asked(n): return g(n) + 1
        def row(n): return [n, 2]
        ROWS = row(1)

        class TestOne(unittest.TestCase):
            def setUp(self): self.n = 1
            def check(self, n): self.assertEqual(g(n), n)
            def test_a(self): self.check(2)
            def test_b(self):
                self.check(3)
                self.assertEqual(g(8), want(1))
            def test_c(self): self.assertEqual(row(1), asked(2))
        """
    )
    file = TestFile(source.encode())
    assert file.helper_users == {
        "want": {"TestOne.test_b"},
        "asked": {"TestOne.test_c"},
        "TestOne.check": {"TestOne.test_a", "TestOne.test_b"},
    }
    assert [file.is_own(name) for name in ("want", "row", "sorted", "asked", "g")] == [True, True, True, False, False]
    files = Tree.of({"test_x.py": source})
    found = helper_ways(files)
    changed = contradicted_files(files, {("test_x.py", "want"): found["test_x.py", "want"][1][0]})
    checks = Checks(runner="unittest", files=files, expected=())
    canaries = Canaries(checks, changed)
    assert canaries.places == {("test_x.py", "want")}
    assert canaries.place("test_x.TestOne.test_b") == ("test_x.py", "want")
    assert canaries.place("test_x.TestOne.test_a") is None
    assert canaries.mixed_files(canaries.places) == changed


def test_what_helpers_compute_is_altered_only_where_something_shall_equal_it():
    source = """
import unittest
from solution import g
def exact(n): return n + 7
def bound(n): return n + 7
def near(n): return n + 7
class TestOne(unittest.TestCase):
    def test_a(self): self.assertEqual(g(1), exact(1))
    def test_b(self): self.assertLess(g(1), bound(1))
    def test_c(self): self.assertAlmostEqual(g(1), near(1), delta=3)
"""
    found = helper_ways(Tree.of({"test_x.py": source}))
    assert {name: bool(some) for (_, name), (_, some) in found.items()} == {
        "exact": True,
        "bound": False,
        "near": False,
    }


LITERALS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.binary()
    | st.complex_numbers(allow_nan=False, allow_infinity=False).map(lambda number: complex(0, number.imag)),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.integers() | st.text(), inner),
    max_leaves=8,
)


@given(LITERALS, st.integers(), st.floats(0, 1e9), st.floats(0, 2))
def test_an_altered_literal_has_other_values_beyond_its_margin(value, seed, absolute, relative):
    data = repr(value).encode("utf-8", "backslashreplace")
    node = ast.parse(data.decode(), mode="eval").body
    if not is_literal(node):
        return
    found = altered_literals(node, Text(data), random.Random(seed), Margin(absolute, relative), count=4)
    new = [ast.literal_eval(Text(data).with_changes(changes).decode()) for changes in found]
    assert value not in new
    assert len({repr(each) for each in new}) == len(new) <= 4
    for each in new if type(value) in (int, float) and math.isfinite(value) else ():
        assert abs(each - value) >= 2 * max(absolute, relative * abs(value))


@given(st.binary())
def test_files_that_are_no_tests_have_no_canaries(data):
    files = Tree.of({"test_x.py": data})
    assert contradicted_files(files, {place: some[0] for place, some in contradiction_ways(files).items()}) is not None
