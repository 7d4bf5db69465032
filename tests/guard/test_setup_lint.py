"""What is wrong with a project's set-up, as its files say it."""

import json
import os
import subprocess
import sys
from time import process_time

import pytest

from honestly.errors import SettingsError
from honestly.guard import lint_setup

LONG = "Always run the whole list of tests before you say that anything is done, and read what failed, line by line."
FILES = {
    "AGENTS.md": f"Run `tests/run.py` and `src/gone.py`.\n@docs/there.md @docs/gone.md @../out.md\n\n{LONG}\n",
    "docs/there.md": "x",
    "tests/run.py": "",
    "CLAUDE.md": f"{LONG}\n\nKey: ghp_{'a1' * 20}\n",
    ".claude/skills/a/SKILL.md": "---\nname: a\n---\nx",
    ".claude/skills/b/SKILL.md": "---\ndescription: when b\n---\nx",
    ".claude/agents/c.md": "---\nname: c\n---\nx",
    ".claude/rules/d.md": "---\npaths: src/**/*.rb\n---\nx",
    ".claude/rules/e.md": "---\npaths: '**/*.py'\n---\nx",
    ".claude/settings.json": '{"permissions": {"deny": ["Bash(git:*)"], "allow": ["Bash(git push:*)", "Read(x)", 3]}}',
}


def written(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_each_kind_is_found_where_it_is_and_nowhere_else(tmp_path):
    found = lint_setup(written(tmp_path, FILES))
    assert sorted((each.kind, each.file) for each in found.findings) == sorted(
        [
            ("dead path", "AGENTS.md"),
            ("import", "AGENTS.md"),
            ("import", "AGENTS.md"),
            ("secret", "CLAUDE.md"),
            ("repeated", "CLAUDE.md"),
            ("skill", ".claude/skills/a/SKILL.md"),
            ("agent", ".claude/agents/c.md"),
            ("never applies", ".claude/rules/d.md"),
            ("permissions", ".claude/settings.json"),
            ("permissions", ".claude/settings.json"),
        ]
    )
    assert found.to_plain()["total_tokens"] == sum(found.tokens.values())


def test_a_hostile_set_up_is_bounded_and_stays_inside(tmp_path):
    (tmp_path / "secret.md").write_text("ghp_" + "a1" * 20)
    project = written(
        tmp_path / "p",
        {"CLAUDE.md": "x" * 300_000, ".claude/settings.json": "[" * 9000, ".claude/rules/a.md": "---\n" * 50_000},
    )
    (project / "AGENTS.md").symlink_to(tmp_path / "secret.md")
    (project / ".claude" / "loop").symlink_to(project)
    (project / ".claude" / "agents").mkdir()
    (project / ".claude" / "agents" / "b.md").write_bytes(b"\xff\xfe")
    kinds = {(each.kind, each.file) for each in lint_setup(project).findings}
    assert {("too large", "CLAUDE.md"), ("link", "AGENTS.md"), ("unreadable", ".claude/agents/b.md")} <= kinds
    assert ("permissions", ".claude/settings.json") in kinds
    assert not any(kind == "secret" for kind, _ in kinds)


def test_a_project_without_a_set_up_is_an_error(tmp_path):
    with pytest.raises(SettingsError, match="no set-up"):
        lint_setup(tmp_path)


@pytest.mark.slow
def test_the_command_says_it(tmp_path):
    written(tmp_path, FILES)
    done = subprocess.run([sys.executable, "-m", "honestly", "setup", "lint", tmp_path, "--json"], capture_output=True)
    answer = json.loads(done.stdout)
    assert (done.returncode, len(answer["findings"]), answer["tokens"].keys() >= {"AGENTS.md"}) == (1, 10, True)


def test_what_is_no_file_is_a_finding(tmp_path):
    (tmp_path / ".claude" / "rules").mkdir(parents=True)
    (tmp_path / ".claude" / "rules" / "root").symlink_to("/")
    (tmp_path / ".claude" / "loop").symlink_to(".")
    os.mkfifo(tmp_path / "CLAUDE.md")
    for number in range(400):
        (tmp_path / ".claude" / "rules" / f"{number}.md").write_text("---\npaths: " + "**/" * 20 + "*a*b*c\n---\n")
    begun = process_time()
    found = {(each.kind, each.file) for each in lint_setup(tmp_path).findings}
    assert {("link", ".claude/loop"), ("link", ".claude/rules/root"), ("unreadable", "CLAUDE.md")} < found
    assert "too large" in {kind for kind, _ in found}
    assert process_time() - begun < 5
