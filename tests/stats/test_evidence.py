"""The page docs/methods/evidence.md: every public function has its evidence there, and every test it names exists."""

import ast
import inspect
import re
from pathlib import Path

from honestly import stats

HERE = Path(__file__).parent
PAGE = (HERE.parents[1] / "docs" / "methods" / "evidence.md").read_text(encoding="utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("| ") and "::" in line]


def test_every_public_function_has_its_evidence():
    shown = {name for row in ROWS for name in re.findall(r"\w+", row.split("|")[1])}
    functions = {name for name in stats.__all__ if inspect.isfunction(getattr(stats, name))}
    assert sorted(functions - shown) == []


def test_every_test_on_the_page_exists():
    named = {name for row in ROWS for name in re.findall(r"`(\w+\.py::\w+)`", row)}
    there = {
        f"{path.name}::{node.name}"
        for path in HERE.glob("test_*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
    }
    assert named
    assert sorted(named - there) == []
