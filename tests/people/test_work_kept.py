"""What became of the lines that sessions wrote, by the history of the repository they worked in."""

import json
import os
import subprocess

import pytest

from honestly.errors import StatisticsError
from honestly.people import work_kept
from honestly.store import open_study
from honestly.studies import import_all


def git(folder, *words, at="2026-03-01T09:00:00Z"):
    env = os.environ | {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
    command = ["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", *words]
    return subprocess.run(command, check=True, capture_output=True, text=True, env=env).stdout


def session(path, name, at, edits):
    """A session of Claude Code in which files are written (path, text) or edited (path, old, new)."""
    rows = [{"type": "user", "uuid": f"{name}-u", "sessionId": name, "timestamp": f"{at}:00Z", "message": {"role": "user", "content": "do it"}}]  # fmt: skip
    for n, edit in enumerate(edits):
        given = {"file_path": edit[0], **({"content": edit[1]} if len(edit) == 2 else {"old_string": edit[1], "new_string": edit[2]})}  # fmt: skip
        call = {"type": "tool_use", "id": f"{name}-t{n}", "name": "Write" if len(edit) == 2 else "Edit", "input": given}
        rows.append({"type": "assistant", "uuid": f"{name}-a{n}", "sessionId": name, "timestamp": f"{at}:3{n}Z",
                     "message": {"id": f"{name}-m{n}", "role": "assistant", "model": "claude-x", "content": [call]}})  # fmt: skip
        result = {"type": "tool_result", "tool_use_id": f"{name}-t{n}", "content": "ok"}
        rows.append({"type": "user", "uuid": f"{name}-r{n}", "sessionId": name, "timestamp": f"{at}:4{n}Z", "message": {"role": "user", "content": [result]}})  # fmt: skip
    (path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def worked(tmp_path):
    """A repository with four commits, and three sessions in it; the study of these."""
    repo, logs = tmp_path / "repo", tmp_path / "logs"
    (repo / "src").mkdir(parents=True)
    logs.mkdir()
    git(repo, "init", "-q")

    def commit(text, subject, at, name="src/a.py"):
        (repo / name).write_text(text)
        git(repo, "add", ".", at=at)
        git(repo, "commit", "-q", "-m", subject, at=at)

    old = "def old_one():\n    return 'old'\n"
    first = old + "def kept_one():\n    return 'kept'\ndef fixed_one():\n    return 'wrong'\n"
    commit(old, "start", "2026-03-01T09:00:00Z")
    session(logs, "one", "2026-03-02T10:00", [(f"{repo}/src/a.py", first)])
    commit(first, "add two functions", "2026-03-02T11:00:00Z")
    commit(first.replace("'wrong'", "'right'"), "mend fixed_one", "2026-03-05T11:00:00Z")
    session(logs, "two", "2026-03-06T10:00", [(f"{repo}/src/a.py", "return 'kept'", "return 'reverted text'")])
    commit(
        first.replace("'wrong'", "'right'").replace("'kept'", "'reverted text'"), "other text", "2026-03-06T11:00:00Z"
    )
    commit(first.replace("'wrong'", "'right'"), 'Revert "other text"', "2026-03-07T11:00:00Z")
    session(
        logs,
        "three",
        "2026-03-08T10:00",
        [
            (f"{repo}/src/a.py", "return 'old'", "return 'never committed'"),
            (f"{repo}/src/thrown_away.py", "def never():\n    pass # at all\n"),
        ],
    )
    session(logs, "four", "2026-03-08T12:00", [("/elsewhere/notes.txt", "a line of text\n")])
    import_all([logs], tmp_path / "s.honestly", "claude-code")
    return tmp_path / "s.honestly", repo


def test_kept_reworked_reverted_and_never_committed_are_told_apart(worked):
    path, repo = worked
    with open_study(path) as store:
        found = work_kept(store, repo)
        by_month = work_kept(store, repo / "src", "month")
    (row,) = found.agents
    assert (row.sessions, found.unread) == (3, 1)
    assert (row.written, row.committed) == (8, 5), (
        "four lines, one, one that was never committed, and a file that never was"
    )
    assert (row.kept, row.reworked, row.reverted) == (3, 1, 1)
    assert [each.agent for each in by_month.agents] == ["2026-03"]


def test_a_repository_whose_settings_are_programs_starts_none(worked, tmp_path):
    """A signed commit and `log.showSignature`, which has git ask the program that the repository names."""
    path, repo = worked
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/went-off\n")
    trap.chmod(0o755)
    body = git(repo, "cat-file", "commit", "HEAD")
    head, _, rest = body.partition("\n\n")
    signed = f"{head}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n{rest}"
    made = subprocess.run(
        ["git", "-C", repo, "hash-object", "-t", "commit", "-w", "--stdin"], input=signed, text=True, check=True, stdout=subprocess.PIPE
    ).stdout.strip()  # fmt: skip
    git(repo, "reset", "-q", "--hard", made)
    for name, value in (
        ("log.showSignature", "true"),
        ("gpg.program", trap),
        ("core.fsmonitor", trap),
        ("diff.external", trap),
    ):
        git(repo, "config", name, str(value))
    with open_study(path) as store:
        assert work_kept(store, repo).agents[0].kept == 3
    assert not (tmp_path / "went-off").exists()
    subprocess.run(["git", "-C", repo, "log"], capture_output=True)
    assert (tmp_path / "went-off").exists(), "or the trap would show nothing"


def test_a_study_of_another_repository_is_refused(worked, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    git(other, "commit", "-q", "--allow-empty", "-m", "x")
    with open_study(worked[0]) as store, pytest.raises(StatisticsError, match="no session of this study shows a line"):
        work_kept(store, other)
