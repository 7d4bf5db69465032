"""The extension of Inspect, in Inspect: its own checks of sandboxes, its evaluations, our numbers; installed as a user would."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from honestly.cli import cli
from honestly.stats import Policy, Scores, pass_all_k, pass_at_k, score
from peers import ROOT, peer

pytestmark = pytest.mark.slow

SELF_CHECK = """
import pytest
from inspect_ai.util._sandbox.self_check import *
from honestly.integrations.inspect_ai import HonestlySandbox

pytestmark = pytest.mark.anyio

@pytest.fixture
def anyio_backend():
    return "asyncio"

@pytest.fixture
async def sandbox_env(request, anyio_backend):
    if request.node.originalname == "test_exec_as_user":
        request.node.add_marker(pytest.mark.xfail(reason="the box has one user", strict=True))
    found = await HonestlySandbox.sample_init("check", None, {})
    yield found["default"]
    await HonestlySandbox.sample_cleanup("check", None, found, False)
"""

EVALUATES = """
import json, sys
from inspect_ai import Epochs, Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, scorer
from inspect_ai.solver import solver
from inspect_ai.util import sandbox
from honestly.integrations.inspect_ai import (
    honest_interval, honest_mean, honest_pass_all, honest_pass_at, honest_stderr, suite)
from honestly.tasks import load_suite

reference = load_suite("embedded", only=["api-move"]).task("api-move").hidden.reference.write

@solver
def reads():
    async def solve(state, generate):
        shown = (await sandbox().exec(["find", "/", "-name", "*hidden*", "-path", "*api-move*"])).stdout
        assert not shown, shown
        return state
    return solve

@solver
def writes(files, exits=""):
    async def solve(state, generate):
        for path, data in files.items():
            await sandbox().write_file(path, data)
        return state
    return solve

right = {path: file.data for path, file in reference.files.items()}
leaves = {"reports/__init__.py": b"import os\\nos._exit(0)\\n", "tests/test_reports.py": b""}
silent = dict(model="mockllm/model", display="none", log_level="error")
found = {}
for name, how in {"right": writes(right), "nothing": reads(), "leaves": writes(leaves)}.items():
    (log,) = eval("honestly/suite", task_args={"only": "api-move"}, solver=how, epochs=2,
                  log_dir=f"{sys.argv[1]}/{name}", **silent)
    assert log.status == "success", log.error
    found[name] = [sample.scores["honest_verdict"].value for sample in log.samples]
    found[name + " sees"] = log.samples[0].scores["honest_verdict"].metadata["visible_passed"]

rows = json.loads(sys.argv[2])

@scorer(metrics=[honest_mean(), honest_stderr(), honest_stderr(cluster="group"), honest_interval(),
                 honest_pass_at(k=2), honest_pass_all(k=2)])
def given():
    async def scored(state, target):
        return Score(value="C" if rows[state.sample_id][state.epoch - 1] else "I")
    return scored

samples = [Sample(input="?", id=name, metadata={"group": name[0]}) for name in rows]
(log,) = eval(Task(dataset=samples, solver=reads(), scorer=given(), sandbox="honestly"), epochs=Epochs(4, []),
              log_dir=f"{sys.argv[1]}/numbers", **silent)
assert log.status == "success", log.error
found["metrics"] = {name: metric.value for name, metric in log.results.scores[0].metrics.items()}
print("\\n" + json.dumps(found))
"""


def _said(command: list[object], cwd: Path, **more: str) -> str:
    """What a command prints."""
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | more
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, env=environ, cwd=cwd, timeout=600)
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return done.stdout


def test_the_sandbox_passes_the_checks_that_inspect_has_for_providers(tmp_path):
    (tmp_path / "test_provider.py").write_text(SELF_CHECK)
    command = [peer("inspect"), "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_provider.py"]
    told = _said(command, tmp_path, PYTHONPATH=str(ROOT / "src"))
    assert "1 xfailed" in told
    assert "failed" not in told.replace("xfailed", "")


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory):
    """Evaluations with the distribution installed, so that its entry point is found: what came of them, and the logs."""
    if subprocess.run([sys.executable, "-c", "import pip, uv_build"], capture_output=True).returncode:
        pytest.skip("needs pip and uv_build beside the tests' interpreter")
    folder, theirs = tmp_path_factory.mktemp("evaluated"), peer("inspect")
    pip = ["-m", "pip", "--quiet", "--disable-pip-version-check"]
    beside = f"{Path(sys.executable).parent}:{os.environ['PATH']}"  # where uv_build has its program
    build = [sys.executable, *pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, ROOT]
    _said(build, folder, PATH=beside)
    (wheel,) = folder.glob("*.whl")
    # An environment of its own that sees the peer's packages: Inspect names what it finds in site-packages only.
    _said([theirs, "-m", "venv", "--without-pip", folder / "own"], folder)
    (site,) = (folder / "own" / "lib").glob("python3.*/site-packages")
    (packages,) = (theirs.parents[1] / "lib").glob("python3.*/site-packages")
    (site / "peer.pth").write_text(f"{packages}\n")
    _said([theirs, *pip, "install", "--no-deps", "--no-index", "--target", site, wheel], folder)
    own = folder / "own" / "bin" / "python"
    told = _said([own, "-c", EVALUATES, folder / "logs", json.dumps(ROWS)], folder)
    return json.loads(told.splitlines()[-1]), folder / "logs"


ROWS = {f"{'abcdef'[g]}{n}": [(n + k) % 5 > g // 2 for k in range(4)] for g in range(6) for n in range(3)}


def test_only_honest_work_passes_the_scorer(evaluated):
    found, _ = evaluated
    assert found["right"] == ["C", "C"]
    assert found["right sees"] is True
    assert found["nothing"] == found["leaves"] == ["I", "I"]


def test_the_metrics_are_the_numbers_of_our_statistics(evaluated):
    found, _ = evaluated
    rows = [("m", name, k, passed) for name, each in ROWS.items() for k, passed in enumerate(each)]
    plain = Scores.from_rows(rows).resolve(Policy())
    clustered = Scores.from_rows((*row, row[1][0]) for row in rows).resolve(Policy())
    wanted, at, every = score(plain, "m"), pass_at_k(plain, "m", 2), pass_all_k(plain, "m", 2)
    told = found["metrics"]
    assert told["honest_mean"] == pytest.approx(wanted.mean)
    assert told["honest_stderr"] == pytest.approx(wanted.se)
    assert told["honest_stderr2"] == pytest.approx(score(clustered, "m").se)
    assert (told["honest_lower"], told["honest_upper"]) == pytest.approx(wanted.interval)
    assert [told[f"pass_at_2{end}"] for end in ("", "_lower", "_upper")] == pytest.approx([at.value, *at.interval])
    assert [told[f"pass_all_2{end}"] for end in ("", "_lower", "_upper")] == pytest.approx(
        [every.value, *every.interval]
    )


@pytest.mark.parametrize("command", ["audit", "report"])
def test_a_directory_of_logs_is_audited_and_reported_as_it_is(evaluated, command, tmp_path, monkeypatch):
    _, logs = evaluated
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli, [command, str(logs / "right"), "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert "mockllm/model" in done.stdout


def test_the_example_of_the_docs_runs_and_its_logs_are_reported(tmp_path):
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "inspect.md").read_text(), re.DOTALL)
    (tmp_path / "look.py").write_text(code)
    told = _said([peer("inspect"), "look.py"], tmp_path, PYTHONPATH=str(ROOT / "src"), INSPECT_DISPLAY="none")
    assert told.splitlines()[-1] == "0.0"
    done = CliRunner().invoke(cli, ["report", str(tmp_path / "logs"), "--json"], catch_exceptions=False)
    assert [row["trials"] for row in json.loads(done.stdout)["agents"]] == [2]
