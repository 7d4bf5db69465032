"""A question over the trials of a study, answered by a scripted server that is really asked over HTTP."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from honestly.cli import cli
from honestly.records import Agent, Observation, Outcome, Step, Task, ToolCall, Trajectory, Trial
from honestly.store import create_study, open_study

SAID = {
    "one": ("pip install six", "Installed a package", "pip install six"),
    "two": ("pip install attrs", "It installs packages", "pip install attrs"),
    "three": ("ls -la /srv", "Installs in secret", "pip install nothing-of-the-kind"),
    "four": ("cat a.py", None, ""),
}
"""By agent: what it ran; what the server answers, and with which quote."""


class Server(BaseHTTPRequestHandler):
    asked: list[str] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = "\n".join(each["content"] for each in body["messages"])
        self.asked.append(text)
        if "say the same together" in text:
            said: object = {"groups": [{"name": "installs packages", "answers": ["A1", "A2"]}]}
        else:
            _, answer, quote = next(row for row in SAID.values() if row[0] in text)
            said = {"answer": answer, "evidence": [{"step": 1, "quote": quote}] if answer else []}
        message = {"role": "assistant", "content": json.dumps(said)}
        usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        reply = json.dumps({"id": "1", "object": "chat.completion", "model": "m", "choices": [choice], "usage": usage})
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(reply.encode())

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def server() -> Iterator[str]:
    Server.asked = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as served:
        thread = threading.Thread(target=served.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{served.server_port}/v1#m"
        finally:
            served.shutdown()
            thread.join()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "s.honestly"
    with create_study(path) as opened:
        opened.add([Task(id="t", instruction="Do it."), *(Agent(name=name) for name in (*SAID, "silent"))])
        opened.add_trial(Trial(id=f"{9:032x}", agent="silent", task="t", sample=0, outcome=Outcome.PASSED))
        for number, name in enumerate(SAID):
            done = [
                Step(source="user", message="Do it."),
                Step(
                    source="agent",
                    calls=(ToolCall.of("1", "bash", command=SAID[name][0]),),
                    observations=(Observation(text="done", code=0),),
                ),
            ]
            trial = Trial(id=f"{number:032x}", agent=name, task="t", sample=0, outcome=Outcome.PASSED)
            opened.add_trial(trial, Trajectory(steps=tuple(done)))
    return path


def ask(path: Path, *more: str) -> Result:
    return CliRunner().invoke(cli, ["audit", str(path), "--ask", "Which packages does it install?", *more])


@pytest.mark.slow
def test_answers_with_true_quotes_in_kinds_kept_as_reviews(path: Path, server: str) -> None:
    done = ask(path, "--monitor", server, "--json")
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    assert [(each["agent"], each["kind"]) for each in said["answers"]] == [
        ("one", "installs packages"),
        ("two", "installs packages"),
    ]
    assert said["kinds"] == [{"kind": "installs packages", "trials": 2, "agents": {"one": 1, "two": 1}, "tasks": 1}]
    assert (said["silent"], said["unread"], said["without_answer"], said["dropped"], said["left"]) == (1, 1, 1, 1, 0)
    with open_study(path) as study:
        kept = {each.trial: each for each in study.reviews()}
    assert {each.label for each in kept.values()} == {"installs packages"}
    assert {each.codebook for each in kept.values()} == {said["codebook"]}
    asked = len(Server.asked)
    assert ask(path, "--monitor", server, "--json").exit_code == 0
    assert len(Server.asked) == asked, "what was answered is not asked again"
    with open_study(path) as study:
        assert len(list(study.reviews())) == 2


@pytest.mark.slow
def test_a_price_comes_first_and_alone_with_estimate(path: Path, server: str) -> None:
    done = ask(path, "--monitor", server, "--estimate")
    assert done.exit_code == 0, done.output
    assert "5 questions to" in done.stderr, "four trials, and one that puts their answers together"
    assert "price unknown" in done.stderr
    assert Server.asked == []


def test_without_a_model_it_says_how_to_search(path: Path) -> None:
    done = ask(path)
    assert done.exit_code != 0
    assert "--grep REGEX" in str(done.exception)
    assert "--monitor MODEL" in str(done.exception)
