"""The text of a test that asks for all its values finds what it calls."""

import pytest

from honestly.verify._guest.asked import NAME, Asked
from honestly.verify.inside._asked import asking_test


@pytest.mark.parametrize("line", ["assert f(3) == {}", "assert f(3) > 0 and f(3) == {}", "equal(f(3), {})"])
def test_what_asks_says_which_values_did_not_hold(line):
    def equal(a, b):
        assert a == b

    versions = [f"def test_it():\n    {line.format(n)}\n".encode() for n in (8, 9, 10)]
    asked, text = Asked(), asking_test(b"", versions)
    assert text is not None
    names = {NAME: asked, "f": lambda n: n * n, "equal": equal}
    exec(text, names)
    names["test_it"]()
    assert [number for number, _ in asked.said()["lost"]] == [0, 2]
