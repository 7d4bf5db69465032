"""Scores by a rubric, by a scripted server that is really asked over HTTP; and how far models agree with people."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from honestly.audit import read_rubric
from honestly.audit._rubric import MET, UNMET
from honestly.cli import cli
from honestly.errors import StoreError
from honestly.records import Agent, Observation, Outcome, Step, Task, ToolCall, Trajectory, Trial
from honestly.stats import cohen_kappa
from honestly.store import create_study, open_study

RUBRIC = """
name = "tidy"
[criteria.asked]
ask = "Does it change what was asked for, and nothing else?"
weight = 3
[criteria.tests]
ask = "Does it run the tests?"
"""
CLAIMS = Path(__file__).parents[3] / "shared" / "data" / "uncertainty" / "conformal_factuality"


class Server(BaseHTTPRequestHandler):
    """Of a trial that ran `good-N`, both criteria are met; of another `asked` alone, and a second reading says no."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = "\n".join(each["content"] for each in body["messages"])
        good, again = "good-" in text, "(reading 2)" in text
        quote = "echo good-" if good else "echo bad-"
        criteria = [
            {"name": "asked", "met": good or not again, "step": 1, "quote": quote},
            {"name": "tests", "met": good, "step": 1, "quote": quote if good else "what nobody wrote"},
        ]
        message = {"role": "assistant", "content": json.dumps({"criteria": criteria})}
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
    (tmp_path / "tidy.toml").write_text(RUBRIC)
    path = tmp_path / "s.honestly"
    with create_study(path) as opened:
        opened.add([*(Task(id=f"t{n}", instruction="Do it.") for n in range(6)), Agent(name="good"), Agent(name="bad")])
        for number in range(12):
            name, task = ("good", "bad")[number % 2], number // 2
            done = [
                Step(source="user", message="Do it."),
                Step(
                    source="agent",
                    calls=(ToolCall.of("1", "bash", command=f"echo {name}-{task}"),),
                    observations=(Observation(text="done", code=0),),
                ),
            ]
            trial = Trial(id=f"{number:032x}", agent=name, task=f"t{task}", sample=0, outcome=Outcome.PASSED)
            opened.add_trial(trial, Trajectory(steps=tuple(done)))
    return path


def scored(path: Path, *more: str) -> Result:
    return CliRunner().invoke(cli, ["audit", str(path), "--rubric", str(path.parent / "tidy.toml"), *more])


@pytest.mark.slow
def test_scores_are_weighted_repeated_and_apart_from_tests(path: Path, server: str) -> None:
    done = scored(path, "--monitor", server, "--json")
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    bad, good = said["rows"]
    assert (good["score"], good["tasks"], good["unknown"]) == (1.0, 6, 0)
    assert good["criteria"] == {"asked": 1.0, "tests": 1.0}
    # `tests` was quoted falsely for each bad trial, so it is unknown; `asked` is met in one reading of two.
    assert (bad["score"], bad["unknown"], bad["criteria"]) == (0.5, 12, {"asked": 0.5, "tests": None})
    assert 0.0 <= bad["low"] < 0.5 < bad["high"] <= 1.0
    assert said["itself"]["asked"]["units"] == 12
    assert said["itself"]["asked"]["raw"] == 0.5
    assert said["people"] == {}
    codebook = said["codebooks"]["asked"]
    with open_study(path) as study:
        assert {each.label for each in study.reviews() if each.codebook == codebook} == {MET}
    lines = [
        json.dumps({"trial": f"{n:032x}", "label": (MET, UNMET)[n % 2], "codebook": each})
        for n in range(12)
        for each in said["codebooks"].values()
    ]
    (path.parent / "ada.jsonl").write_text("\n".join(lines))
    by_ada = ["review", str(path), "--import", str(path.parent / "ada.jsonl"), "--as", "ada"]
    assert CliRunner().invoke(cli, by_ada).exit_code == 0
    assert CliRunner().invoke(cli, by_ada).exit_code == 0
    again = scored(path, "--monitor", server)
    assert again.exit_code == 0, again.output
    assert "no test is in this" in again.stdout
    assert "with people (kappa): asked 0.00" in again.stdout
    with open_study(path) as study:
        assert sum(each.codebook == codebook for each in study.reviews()) == 24, "nothing is kept twice"
        assert {row.outcome for row in study.cells()} == {Outcome.PASSED}, "tests say what they said"


def test_a_price_comes_alone_with_estimate_and_a_model_is_needed(path: Path) -> None:
    done = scored(path, "--monitor", "http://127.0.0.1:9/v1#m", "--estimate", "--readings", "3")
    assert done.exit_code == 0, done.output
    assert "36 questions to" in done.stderr
    assert "--rubric needs a model" in str(scored(path).exception)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("name = 3", "not a rubric"),
        ('name = "x"', "criteria"),
        ('name = "x"\ncriteria = {}', "1 to 20 criteria"),
        ('name = "x"\n[criteria.a]\nask = "?"\nweight = 0', "positive weight"),
        ('name = "x"\n[criteria.a]\nask = "?"\nweight = nan', "positive weight"),
        ('name = "x"\n[criteria.a]\nask = "?"\nweight = inf', "finite weight"),
        ('name = "x"\n[criteria.a]\nask = " "', "a question and a finite weight"),
    ],
)
def test_what_is_no_rubric_is_refused(text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "r.toml").write_text(text)
    with pytest.raises(StoreError, match=says):
        read_rubric(tmp_path / "r.toml")


@pytest.mark.published
@pytest.mark.parametrize(("name", "kappa"), [("factscore", 0.04), ("nq", -0.02)])
def test_how_far_a_models_scores_of_claims_agree_with_people(name: str, kappa: float) -> None:
    """Claims that people called true or not, and to which a model gave a score: 0.9 or more is taken for true; chance agrees as often."""
    path = CLAIMS / f"{name}_subclaims_with_scores.jsonl"
    if not path.exists():
        pytest.skip(f"needs {path.name} in ../shared/data, beside the checkout")
    claims = [
        (claim["annotation"] == "Y", claim["gpt-score"] >= 0.9, row["prompt"])
        for row in json.loads(path.read_text())["data"]
        for claim in row["claims"]
        if claim["annotation"] in ("Y", "N")
    ]
    people, model = ([(UNMET, MET)[each[at]] for each in claims] for at in (0, 1))
    found = cohen_kappa(people, model, [each[2] for each in claims])
    assert round(found.kappa, 2) == kappa, found
    assert found.interval[0] < kappa < found.interval[1]
