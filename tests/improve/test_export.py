"""A run as a git repository: each attempt a commit, its journal a note, and nothing of the user's settings runs."""

import os
import subprocess

from click.testing import CliRunner

from honestly.cli import cli
from honestly.records import Tree
from improve.loop_parts import begun, memory_box, project, scored, worked


async def measure(target, edit, seed):
    return scored(float(target.workspace(edit).text("knobs.py").split()[2]) ** 2 + seed % 3 / 100)


def git(folder, *words):
    env = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    done = subprocess.run(["git", "-C", folder, *words], check=True, capture_output=True, text=True, env=env)
    return done.stdout.strip()


def export(folder, out):
    return CliRunner().invoke(cli, ["improve", str(folder), "export", str(out)])


def test_a_run_is_exported_as_commits_with_its_journal_as_notes(tmp_path, monkeypatch):
    home = tmp_path / "home"
    hooks = home / "hooks"
    hooks.mkdir(parents=True)
    (hooks / "post-checkout").write_text(f"#!/bin/sh\ntouch {home}/ran\n")
    (hooks / "post-checkout").chmod(0o755)
    (home / ".gitconfig").write_text(f"[core]\n hooksPath = {hooks}\n autocrlf = true\n fsmonitor = touch {home}/ran\n")
    monkeypatch.setenv("HOME", str(home))
    folder = project(
        tmp_path / "p", **{"lines.txt": "a\r\nb\n", ".gitattributes": "* text eol=crlf\n", ".gitignore": "*.txt\n"}
    )
    state = worked(begun(folder, budget="6 attempts"), memory_box, measure)
    out = tmp_path / "git"
    found = export(folder, out)
    assert found.exit_code == 0, found.output
    assert not (home / "ran").exists()
    assert (out / "lines.txt").read_bytes() == b"a\r\nb\n"
    best = state.edits[state.best].apply(Tree.read(folder, skip=(".improve",)))
    assert Tree.read(out, skip=(".git",)) == best
    made = {each.n for each in state.attempts()}
    assert {f"attempt-{n}" for n in made} | {"best"} == set(git(out, "branch", "--format=%(refname:short)").split())
    kept = [each for each in state.attempts() if state.decided["loop", each.n].kept]
    said = git(out, "log", "--format=%s", "best").splitlines()
    assert [line.split(":")[0] for line in said] == [
        *(f"Attempt {each.n}" for each in reversed(kept)),
        "The unchanged project",
    ]
    note = git(out, "notes", "show", "best")
    assert '"type":"decided"' in note
    assert "secret" not in note
    assert git(out, "fsck", "--strict") == ""
    assert "exists" in str(export(folder, out).exception)
