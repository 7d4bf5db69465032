"""Other people's code through the real command line: files of one's own, entry points of packages, templates."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from forked import honestly
from honestly.store import open_study
from sampled import sampled

AGENT = """
from honestly.agents import Hands

class Mine:
    def __init__(self, suite, times: int = 1, wish: float | None = None):
        self.times = times

    async def __call__(self, run, box):
        hands = Hands(run, box)
        for _ in range(self.times):
            await hands.bash("ls")
        hands.finish("I only looked.", claimed=False)

class Around:
    def __init__(self, agent: "Actor"):
        self.agent = agent

    async def __call__(self, run, box):
        await self.agent(run, box)
        run.stop = "around"

from honestly.agents import Actor
"""
DETECTOR = """
from honestly.audit import Suspicion

class Looks:
    name, version, category, needs = "looks", "3", "own", ("steps",)

    def __init__(self, word: str = "ls"):
        self.word = word

    def look(self, case):
        for row in case.table.agent:
            for command in row.commands:
                if command.name == self.word:
                    yield Suspicion(command.raw, row.index, note="it looked")
"""
RUN = ("run", "embedded", "--task", "split-bill", "-k", "2", "-j", "2", "--json")


def call(folder: Path, *arguments: object, code: int = 0, path: Path | None = None) -> str:
    """Standard output of the command, or standard error where it is to fail."""
    done = honestly(*arguments, cwd=folder, env={**os.environ, "PYTHONPATH": str(path or "")})
    assert done.returncode == code, done.stderr
    return done.stderr if code else done.stdout


def agents(study: Path) -> dict[str, object]:
    with open_study(study) as opened:
        return {agent.name: agent for agent in opened.agents()}


@pytest.mark.slow
def test_an_agent_of_ones_own_runs_resumes_and_is_known_by_its_source(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(AGENT)
    study = tmp_path / "s.honestly"
    spec = "mine:Mine,times=2"
    assert json.loads(call(tmp_path, *RUN, "-a", spec, "-o", study)) | {"study": ""} == {
        "study": "",
        "done": 2,
        "total": 2,
        "void": 0,
        "missing": 0,
        "elsewhere": 0,
        "redone": 0,
        "stopped": "",
        "decision": None,
        "left_out": {},
        "undecided": {spec: {}},
    }
    record = agents(study)[spec]
    assert (record.program, record.settings) == ("mine:Mine", {"times": "2"})
    assert len(record.version) == 16
    with open_study(study) as opened:
        first = {trial.id: trial.started_at for trial in opened.trials()}
        assert [step.calls[0].name for step in opened.steps(min(first), 0, 2)] == ["bash", "bash"]
    call(tmp_path, *RUN, "-a", spec, "-o", study)
    with open_study(study) as opened:
        assert {trial.id: trial.started_at for trial in opened.trials()} == first
    (tmp_path / "mine.py").write_text(AGENT + "\n# another version\n")
    said = call(tmp_path, *RUN, "-a", spec, "-o", study, code=2)
    assert spec in said
    call(tmp_path, *RUN, "-a", "mine:Mine,times=2,name=new", "-o", study)
    assert agents(study)["new"].version != record.version


@pytest.mark.slow
def test_a_nested_agent_and_what_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(AGENT)
    study = tmp_path / "s.honestly"
    call(tmp_path, *RUN, "-a", "mine:Around,agent='mine:Mine,times=1',name=a", "-o", study)
    with open_study(study) as opened:
        assert {opened.trajectory(name).stop for name in opened.trial_ids()} == {"around"}
    for spec, words in (
        ("mine:Min", "mine has no 'Min' (did you mean 'Mine'?)"),
        ("mine:Mine,time=2", "has no setting 'time' (did you mean 'times'?)"),
        ("mine:Mine,times=x", "setting 'times' of agent 'mine:Mine' is 'x'; expected a whole number"),
        ("mine:Around", "needs the setting 'agent'"),
        ("mine:RUN", "mine has no 'RUN'"),
        ("json:JSONDecoder", "expected an async function of a run and a sandbox"),
        ("nowhere_at_all:Agent", "there is no module 'nowhere_at_all'"),
    ):
        assert words in call(tmp_path, *RUN, "-a", spec, "-o", study, code=2), spec
    (tmp_path / "broken.py").write_text("1 / 0\n")
    assert "ZeroDivisionError" in call(tmp_path, *RUN, "-a", "broken:Agent", "-o", study, code=2)


@pytest.mark.slow
def test_nothing_of_the_current_directory_stands_in_for_a_module(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('loaded')\n")
    (tmp_path / "mine.py").write_text(AGENT)
    call(tmp_path, *RUN, "-a", "mine:Mine", "-o", tmp_path / "s.honestly")


@pytest.mark.slow
def test_a_detector_of_ones_own_is_stored_rated_and_done_again_when_it_changes(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(AGENT)
    (tmp_path / "theirs.py").write_text(DETECTOR)
    study = tmp_path / "s.honestly"
    call(tmp_path, *RUN, "-a", "mine:Mine", "-o", study)
    told = json.loads(call(tmp_path, "audit", study, "-d", "theirs:Looks+early-exit", "--json"))
    rows = {row["detector"]: row for row in told["rates"] if row["detector"] in {"looks", "early-exit"}}
    assert {name: (row["flagged"], row["n"]) for name, row in rows.items()} == {"looks": (2, 2), "early-exit": (0, 2)}
    assert {found["evidence"][0]["quote"] for found in told["flagged"]} == {"ls"}
    assert rows["looks"]["version"].startswith("3+")
    with open_study(study) as opened:
        assert {found.detector for found in opened.findings()} == {"looks", "early-exit"}
    (tmp_path / "theirs.py").write_text(DETECTOR.replace('"ls"', '"rm"'))
    again = json.loads(call(tmp_path, "audit", study, "-d", "theirs:Looks", "--json"))
    assert [row["flagged"] for row in again["rates"] if row["detector"] == "looks"] == [0]
    for_word = json.loads(call(tmp_path, "audit", study, "-d", "theirs:Looks,word=ls", "--json"))
    assert [row["flagged"] for row in for_word["rates"] if row["detector"] == "looks"] == [2]
    assert "did you mean 'early-exit'" in call(tmp_path, "audit", study, "-d", "early-exi", code=2)


@pytest.mark.slow
def test_a_package_adds_a_detector_with_one_file_and_one_line(tmp_path: Path) -> None:
    """As an installed distribution would: a module, and the metadata that names it."""
    site, work = tmp_path / "site", tmp_path / "work"
    info = site / "acme-1.0.dist-info"
    info.mkdir(parents=True)
    work.mkdir()
    (site / "acme_looks.py").write_text(DETECTOR)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[honestly.detectors]\nlooks-around = acme_looks:Looks\n")
    (work / "mine.py").write_text(AGENT)
    study = work / "s.honestly"
    call(work, *RUN, "-a", "mine:Mine", "-o", study)
    told = json.loads(call(work, "audit", study, "-d", "looks-around:word=ls", "--json", path=site))
    assert [(row["flagged"], row["n"]) for row in told["rates"] if row["detector"] == "looks"] == [(2, 2)]
    assert "did you mean 'looks-around'" in call(work, "audit", study, "-d", "looks-aroun", code=2, path=site)
    assert "there is no detector 'looks-around'" in call(work, "audit", study, "-d", "looks-around", code=2)


KINDS = ("agent", "detector", "exporter", "importer", "layout", "loop", "model", "problems", "sandbox", "tool")


@pytest.mark.slow
@pytest.mark.parametrize("kind", sampled(KINDS, 3))
def test_every_template_passes_its_kit(kind: str, tmp_path: Path) -> None:
    call(tmp_path, "new", kind, f"my-{kind}")
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"my_{kind}.py", f"test_my_{kind}.py"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "."], cwd=tmp_path, capture_output=True
    )
    assert done.returncode == 0, done.stdout.decode()
    assert "exists already" in call(tmp_path, "new", kind, f"my-{kind}", code=2)
    assert "exists already" in call(tmp_path, "new", kind, "json", code=2)


@pytest.mark.slow
def test_every_template_works_from_the_command_line(tmp_path: Path) -> None:
    for kind in KINDS:
        call(tmp_path, "new", kind, f"my_{kind}")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("me one passed\nme one failed\nyou one failed\n")
    imported, study = tmp_path / "i.honestly", tmp_path / "s.honestly"
    told = json.loads(call(tmp_path, "import", "in", "--from", "my_importer:importer", "-o", imported, "--json"))
    assert (told["trials"], told["outcomes"]) == (3, {"passed": 1, "failed": 2})
    told = json.loads(call(tmp_path, "export", imported, "out", "--to", "my_exporter:exporter", "--json"))
    assert told["written"] == 3
    assert len((tmp_path / "out" / "outcomes.jsonl").read_text().splitlines()) == 3
    suite = tmp_path / "suite" / "one"
    suite.mkdir(parents=True)
    (suite / "ask.md").write_text("Write answer.py with a function one that returns 1.")
    (suite / "right.py").write_text("def one():\n    return 1\n")
    (suite / "check_it.py").write_text("def test_it(ws):\n    assert ws.load('answer').one() == 1\n")
    layout = f"my_layout:layout,path={suite.parent}"
    asked = ("-a", "my_agent:agent,command=pwd", "-a", "oracle", "-a", "honest:tools=bash+my_tool:count_words")
    call(
        tmp_path,
        "run",
        layout,
        *asked,
        "-m",
        "my_model:Echo",
        "--sandbox",
        "my_sandbox:provider",
        "-o",
        study,
        "--json",
    )
    with open_study(study) as opened:
        named = [(re.sub("-[0-9a-f]{4}:", ":", trial.agent), str(trial.outcome)) for trial in opened.trials()]
        (isolation,) = opened.isolations()
        assert (isolation.provider, isolation.kind) == ("my_sandbox:provider", "namespaces")  # it hands out our own
    real = "honest+tools:tools=bash+my_tool:count_words@echo"
    assert set(named) == {("my_agent:agent,command=pwd", "failed"), ("oracle", "passed"), (real, "failed")}
    (agent,) = (agent for name, agent in agents(study).items() if name.startswith("honest+tools-"))
    assert agent.settings["tools"] == "bash+my_tool:count_words"
    assert len(agent.settings["tool_sources"]) == 16
    told = json.loads(call(tmp_path, "audit", study, "-d", "my_detector:DETECTOR", "--json"))
    assert {row["detector"] for row in told["rates"]} >= {"shutdown"}
    row = {"task_id": "p", "prompt": "Add.", "function": "add", "arguments": [1, 2], "answer": 3}
    (tmp_path / "p.jsonl").write_text(json.dumps(row) + "\n")
    lines = [{"task_id": "p", "solution": f"def add(a, b):\n    return a {sign} b\n"} for sign in "+-"]
    (tmp_path / "samples.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    told = json.loads(call(tmp_path, "verify", "p.jsonl", "samples.jsonl", "--format", "my_problems:FORMAT", "--json"))
    assert [result["passed"] for result in told["results"]["p"]] == [True, False]
