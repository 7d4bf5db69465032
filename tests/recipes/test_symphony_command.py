"""`honestly symphony`: paths, exit codes, status (rows 17.7, and others in part)."""

import json
import os

import pytest
from click.testing import CliRunner
from symphony_parts import git, repository, state_of, write, write_workflow

from honestly.cli import cli
from honestly.errors import StoreError, WorkflowError
from honestly.symphony._serve import _single_daemon

SCRIPT = [
    {"calls": [{"name": "bash", "arguments": {"command": "echo new > b.txt"}}]},
    {"calls": [{"name": "ticket", "arguments": {"action": "state", "text": "Done"}}]},
    {"calls": [{"name": "finish", "arguments": {"outcome": "done", "summary": "all"}}]},
]
HEAD = "tracker:\n  kind: markdown\n  path: tickets\nworkspace:\n  root: work\n  repository: repo\nagent:\n  model: script:{}\n"


@pytest.fixture
def place(tmp_path, monkeypatch):
    repository(tmp_path)
    script = tmp_path / "script.jsonl"
    script.write_text("".join(json.dumps(line) + "\n" for line in SCRIPT))
    write_workflow(tmp_path, head=HEAD.format(script))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(*words):
    return CliRunner().invoke(cli, ["agent", "tickets", *map(str, words)], standalone_mode=False)


def test_a_path_is_taken(place):
    (place / "WORKFLOW.md").rename(place / "mine.md")
    done = said(place / "mine.md", "--once")
    assert (done.return_value, done.exception) == (0, None)
    assert "running: 0" in done.stdout


@pytest.mark.slow
def test_the_default_is_the_workflow_of_this_folder(place):
    write(place, "A")
    done = said("--once", "--json", "--unsafe-no-sandbox")
    assert done.return_value == 0, done.output
    seen = json.loads(done.stdout)
    assert (seen["completed"], seen["running"], seen["given_up"]) == (["A"], [], [])
    assert state_of(place, "A") == "Done"
    assert git(place / "repo", "show", "symphony/A:b.txt") == "new\n"
    assert {json.loads(line)["event"] for line in done.stderr.splitlines()} >= {"daemon", "dispatch", "turn", "attempt"}


@pytest.mark.parametrize("words", [("nowhere.md",), ()])
def test_a_missing_workflow_is_an_error(tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    done = said(*words, "--once")
    assert done.exit_code != 0
    assert isinstance(done.exception, WorkflowError)
    assert "missing_workflow_file" in str(done.exception)


@pytest.mark.parametrize(
    ("head", "told"),
    [
        ("tracker:\n  kind: linear\n", "unsupported_tracker_kind"),
        (HEAD.replace("script:{}", "nobody:x"), "nobody"),
        (HEAD.format("/nowhere"), "/nowhere"),
        (HEAD.replace("model: script:{}", "use: no.such.module:x"), "no.such.module"),
    ],
)
def test_a_failed_start_is_one_line_and_not_zero(place, head, told):
    write_workflow(place, head=head)
    done = said("--once")
    assert done.exit_code != 0
    assert done.exception.exit_code == 2
    assert told in str(done.exception)
    assert "\n" not in str(done.exception)
    assert not (place / "work").exists()


def test_a_second_daemon_for_the_same_root_is_refused(place):
    with _single_daemon(place / "work"):
        done = said("--once")
    assert isinstance(done.exception, StoreError)
    assert "another daemon works" in str(done.exception)


def test_status_says_when_there_is_none_or_it_is_old(place):
    assert "unavailable" in str(said("--status").exception)
    assert said("--once").return_value == 0
    assert json.loads(said("--status", "--json").stdout)["daemon"] == "ended"
    with _single_daemon(place / "work"):
        assert "running: 0" in said("--status").stdout
        os.utime(place / "work" / ".symphony" / "status.json", (1, 1))
        assert "timeout" in str(said("--status").exception)


def test_status_is_only_a_look(place):
    write(place, "A")
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    said("--status")
    assert {path: path.read_bytes() for path in place.rglob("*") if path.is_file()} == before


def test_a_ticket_that_is_given_up_is_exit_code_1(place):
    (place / "script.jsonl").write_text(
        '{"calls": [{"name": "finish", "arguments": {"outcome": "asks", "summary": "?"}}]}\n'
    )
    write_workflow(place, head=HEAD.format(place / "script.jsonl"), more="  max_attempts: 1\n")
    write(place, "A")
    done = said("--once", "--unsafe-no-sandbox", "--log", "log.txt")
    assert done.return_value == 1
    assert "given up: 1" in done.stdout
    assert "turn_input_required" in (place / "log.txt").read_text()


def test_a_tracker_that_cannot_be_read_is_no_success_of_once(place):
    (place / "tickets").rmdir()
    assert said("--once").return_value == 1
