"""Small git repositories, written commit by commit, and a registry that has nothing."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

REAL = Path(__file__).parents[2].parent / "shared" / "data" / "repositories"

SHARES = "def share(total, people):\n    return total // people\n"
MENDED = (
    "def share(total, people):\n    if people < 1:\n        raise ValueError('nobody is there')\n"
    "    return total // people\n"
)
TEST = "from shares import share\n\n\ndef test_equal():\n    assert share(6, 2) == 3\n"
MORE = (
    "import pytest\n" + TEST + "\n\ndef test_nobody():\n    with pytest.raises(ValueError):\n        share(6, 0)\n"
)  # fmt: skip


class History:
    """A repository in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *words: str) -> str:
        """Standard output of a git command in it."""
        who = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
        done = subprocess.run(["git", "-C", str(self.folder), *who, *words], capture_output=True, check=True, text=True)
        return done.stdout.strip()

    def commit(self, message: str, files: Mapping[str, str | None]) -> str:
        """Writes files, of which None removes one, and commits them."""
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if text is None:
                path.unlink()
            else:
                path.write_text(text)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")


def real(name: str) -> Path:
    """A bundle of a real history; the test is skipped where it is not there."""
    path = REAL / f"{name}.bundle"
    if not path.is_file():
        pytest.skip(f"needs repositories/{name}.bundle in ../shared/data, beside the checkout")
    return path


SUMS = '''"""Sums of many kinds."""


def total(values):
    """The sum of values."""
    found = 0
    for value in values:
        found += value
    return found


def mean(values):
    """The mean of values; 0 of none."""
    return total(values) / len(values) if values else 0


def largest(values):
    """The largest value; None of none."""
    best = None
    for value in values:
        if best is None or value > best:
            best = value
    return best


class Running:
    """A sum that goes on."""

    def __init__(self):
        self.seen = []

    def add(self, value):
        """Takes one more value; says the sum."""
        self.seen.append(value)
        return total(self.seen)

    def span(self):
        """From the least to the largest value; 0 of none."""
        return max(self.seen) - min(self.seen) if self.seen else 0
'''
SUMS_TEST = """import sums


def test_total():
    assert sums.total([1, 2, 3]) == 6


def test_total_of_none():
    assert sums.total([]) == 0


def test_mean():
    assert sums.mean([2, 4]) == 3


def test_mean_of_none():
    assert sums.mean([]) == 0


def test_largest():
    assert sums.largest([1, 5, 2]) == 5


def test_largest_of_none():
    assert sums.largest([]) is None


def test_add():
    running = sums.Running()
    assert [running.add(1), running.add(4)] == [1, 5]


def test_span():
    running = sums.Running()
    running.add(3)
    running.add(8)
    assert running.span() == 5


def test_span_of_none():
    assert sums.Running().span() == 0
"""
"""A module with functions to break, and its tests."""
