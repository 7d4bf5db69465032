"""The workflow of docs/gate.md, run: its steps, over a small repository of an agent and tasks, from push to red build."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from honestly.studies import gate
from peers import peer, run_peer

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "gate.md").read_text()
WORKFLOW = re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[1]
OF_THE_MACHINE = {"Install", "Allow sandboxes"}
"""Steps that change the machine: honestly is installed here, and sandboxes are allowed or the test says they are not."""

AGENT = '''"""An agent that writes one function."""

from honestly.agents import Hands, Run
from honestly.sandbox import Sandbox


async def agent(run: Run, box: Sandbox) -> None:
    """Solves the task, but {when}."""
    hands = Hands(run, box)
    good = not ({fails})
    await hands.write("add.py", "def add(a, b):\\n    return a " + ("+" if good else "-") + " b\\n")
    hands.finish("It adds.", claimed=True)
'''
CHECK = '''def test_the_sum(ws):
    """It adds."""
    assert ws.load("add").add({number}, 2) == {number} + 2
'''


VISIBLE = """import unittest

from add import add


class Zero(unittest.TestCase):
    def test_zero(self):
        self.assertEqual(add(0, 0), 0)
"""


def steps():
    """The `run:` of each step by its name, as a shell gets it."""
    found = {}
    for step in re.split(r"\n      - ", WORKFLOW)[1:]:
        name, run = re.search(r"name: (.*)", step), re.search(r"\n? *run: (?:\|\n((?: {10}.*\n?)+)|(.+))", step)
        if run:
            found[name[1]] = re.sub(r"^ {10}", "", run[1], flags=re.MULTILINE) if run[1] else run[2].split(" #")[0]
    return found


@pytest.fixture
def repository(tmp_path):
    for number in (1, 2, 3):
        folder = tmp_path / "tasks" / f"add-{number}"
        (folder / "environment" / "workspace").mkdir(parents=True)
        (folder / "tests").mkdir()
        (folder / "solution" / "reference").mkdir(parents=True)
        (folder / "task.toml").write_text(
            f'[task]\nname = "us/add-{number}"\nversion = "1.0"\n\n[honestly]\nvisible = ["test_add.py"]\n'
        )
        (folder / "instruction.md").write_text(f"Write `add` in add.py; it is tried with {number}.\n")
        (folder / "environment" / "workspace" / "test_add.py").write_text(VISIBLE)
        (folder / "tests" / "check_add.py").write_text(CHECK.format(number=number))
        (folder / "solution" / "reference" / "add.py").write_text("def add(a, b):\n    return a + b\n")
    return tmp_path


def commit(repository, fails="False", when="never fails"):
    (repository / "my_agent.py").write_text(AGENT.format(fails=fails, when=when))
    (repository / "now.honestly").unlink(missing_ok=True)


def step(repository, name):
    """A step of the workflow, as the runner starts it."""
    env = os.environ | {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "GITHUB_STEP_SUMMARY": str(repository / "summary.md"),
        "XDG_CACHE_HOME": str(repository / "cache"),
    }
    return subprocess.run(
        ["bash", "-e", "-c", steps()[name]], cwd=repository, env=env, capture_output=True, text=True, timeout=600
    )


def test_the_workflow_has_the_steps_that_are_run_here():
    assert list(steps()) == ["Install", "Allow sandboxes", "Try the agent", "Gate", "Make it the baseline"]
    assert set(steps()) >= OF_THE_MACHINE
    cached = re.findall(r"path: (.*)", WORKFLOW)
    assert cached == ["baseline.honestly"] * 2  # a cache is found by its path, too


@pytest.mark.slow
def test_the_workflow_is_yaml_that_says_so():
    done = run_peer(
        peer("inspect"),
        "import sys, json, yaml; print(json.dumps(yaml.load(sys.argv[1], yaml.BaseLoader)))",
        WORKFLOW,
    )
    found = json.loads(done)
    listed = found["jobs"]["gate"]["steps"]
    assert {each["name"]: each["run"].strip() for each in listed if "run" in each} == {
        name: text.strip() for name, text in steps().items()
    }
    assert set(found["on"]) == {"push", "pull_request"}


@pytest.mark.slow
def test_a_pull_request_is_green_red_or_undecided(repository):
    commit(repository)
    done = step(repository, "Try the agent")
    assert done.returncode == 0, done.stderr
    assert step(repository, "Make it the baseline").returncode == 0
    kept = shutil.copy(repository / "baseline.honestly", repository / "cached")  # what actions/cache does
    for fails, when, code, verdict in (
        ("False", "is written anew", 0, "not worse"),
        ("'1' in run.task.id", "fails at a task", 1, "worse"),
        ("run.seed % 6 == 0", "fails now and then", 0, "cannot tell"),
    ):
        shutil.copy(kept, repository / "baseline.honestly")
        commit(repository, fails, when)
        done = step(repository, "Try the agent")
        assert done.returncode == 0, done.stderr
        (repository / "summary.md").unlink(missing_ok=True)
        done = step(repository, "Gate")
        assert done.returncode == code, done.stdout + done.stderr
        assert f"honestly gate: {verdict}" in (repository / "summary.md").read_text()
        assert ET.parse(repository / "gate.xml").getroot().get("failures") == str(code)
        found = gate(repository / "now.honestly", repository / "baseline.honestly", min_gap=10, about="these")
        assert found.verdict == verdict
        assert found.exit_code() == {"not worse": 0, "worse": 1, "cannot tell": 4}[verdict]
        example = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)[1]
        test = subprocess.run(
            [sys.executable, "-c", f"{example}\ntest_the_agent_is_not_worse_than_before()"], cwd=repository
        )
        assert (test.returncode != 0) == (verdict == "worse")
