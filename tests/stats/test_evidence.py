"""The list tests/stats/evidence.md: every public function has its evidence there, and every test it names exists."""

import ast
import inspect
import re
from pathlib import Path

from honestly import stats

HERE = Path(__file__).parent
PAGE = (HERE / "evidence.md").read_text(encoding="utf-8")
ITEMS = [item for part in PAGE.split("\n\n") for item in part.split("\n- ") if "::" in item]


def test_every_public_function_has_its_evidence():
    shown = {name for item in ITEMS for name in re.findall(r"\w+", item.split(": ")[0])}
    functions = {name for name in stats.__all__ if inspect.isfunction(getattr(stats, name))}
    assert sorted(functions - shown) == []


def test_every_test_on_the_page_exists():
    named = {name for item in ITEMS for name in re.findall(r"`(\w+\.py::\w+)`", item)}
    there = {
        f"{path.name}::{node.name}"
        for path in HERE.glob("test_*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
    }
    assert named
    assert sorted(named - there) == []
