"""Defects that are planted in copies of embedded tasks are found by certify, and none of these is called broken."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

BENCH = Path(__file__).parents[2] / "bench" / "certify_planted.py"


@pytest.mark.parametrize("tasks", [("bullet-wrap", "backup-prune")])
def test_planted_defects_are_found(tasks):
    words = [word for task in tasks for word in ("--task", task)]
    done = subprocess.run(
        [sys.executable, BENCH, "embedded", "--half", "all", "--runs", "3", *words], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    rows = re.findall(r"^\| (.+) \| (\d+) \| (\d+) \| (\d+) \|$", done.stdout, re.MULTILINE)
    assert len(rows) >= 13
    assert {name: int(missed) for name, _, _, missed in rows} == {name: 0 for name, *_ in rows}, done.stderr
    assert "called broken: 0 of 2" in done.stdout
