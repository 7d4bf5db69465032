"""The page of commands is what the tree says, and no page calls a command or an option by an old name."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from honestly.cli._renamed import COMMANDS, OPTIONS

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "docs" / "commands.py"
HISTORY = {"CHANGELOG.md", "commands.md"}
PAGES = [page for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))) if page.name not in HISTORY]
OLD = re.compile(rf"(?<!from )\bhonestly (?:{'|'.join(COMMANDS)})(?![\w-])")


@pytest.mark.slow
def test_the_page_of_commands_is_written_anew():
    code = f"import runpy; print(runpy.run_path({str(SCRIPT)!r})['page'](), end='')"
    now = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert now == SCRIPT.with_suffix(".md").read_text(), "run: python docs/commands.py"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_page_uses_an_old_name(page):
    text = page.read_text()
    assert OLD.findall(text) == []
    for words, renamed in OPTIONS.items():
        for old in renamed if words not in {"stats plan", "run"} else ():
            assert not re.search(rf"honestly {words}\b[^\n`]* {old}\b", text), f"{words} {old}"


def test_no_message_uses_an_old_name():
    found = [f"{path}: --into" for path in (ROOT / "src" / "honestly").rglob("_*.py")
             if path.name != "_renamed.py" and "--into" in path.read_text()]  # fmt: skip
    for path in (ROOT / "src" / "honestly").rglob("*.py"):
        if path.name != "_renamed.py":
            found += [f"{path.name}: {match}" for match in OLD.findall(path.read_text())]
    assert found == []
