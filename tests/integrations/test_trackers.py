"""MLflow and W&B, really run: what they hold of a study is what the report says."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from honestly import studies
from honestly.cli import cli
from honestly.records import Agent, Outcome, StudyFacts, Task, Trial
from honestly.store import create_study
from peers import peer, run_peer

EXPORT = """
import sys
from honestly.cli import cli
cli(["export", sys.argv[1], sys.argv[2], "--to", sys.argv[3], "--json"], standalone_mode=False)
"""

MLFLOW = """
import json, os, pathlib, sys
os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"
import mlflow
client = mlflow.MlflowClient(tracking_uri=pathlib.Path(sys.argv[1]).as_uri())
experiment = client.get_experiment_by_name("made-up")
found = {}
for run in client.search_runs([experiment.experiment_id]):
    assert run.info.status == "FINISHED"
    assert [each.path for each in client.list_artifacts(run.info.run_id)] == ["report.html"]
    found.setdefault(run.info.run_name, []).append([run.data.metrics, run.data.params])
print(json.dumps(found))
"""

WANDB = """
import glob, json, os, struct, sys
from wandb.proto import wandb_internal_pb2 as proto

def records(data):
    at, whole = 7, b""  # LevelDB's log: blocks of 32 KiB, a header of 7 bytes before each piece
    while at + 7 <= len(data):
        if 32768 - at % 32768 < 7:
            at += 32768 - at % 32768
            continue
        size, kind = struct.unpack_from("<xxxxHB", data, at)
        whole += data[at + 7 : at + 7 + size]
        at += 7 + size
        if kind in (1, 4):
            record, whole = proto.Record.FromString(whole), b""
            yield record

found = {}
for path in glob.glob(sys.argv[1] + "/wandb/offline-run-*/*.wandb"):
    name, said, config = "", {}, {}
    for record in records(open(path, "rb").read()):
        if record.HasField("run"):
            name = record.run.display_name
            config = {each.key: json.loads(each.value_json) for each in record.run.config.update}
        if record.HasField("summary"):
            said |= {each.key: json.loads(each.value_json) for each in record.summary.update}
    page = os.path.join(os.path.dirname(path), "files", "report.html")
    assert os.path.isfile(page) and not os.path.islink(page)
    found[name] = [said, config]
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("trackers") / "s.honestly"
    outcomes = {"good": "ppppppfv", "weak": "pffpfflf"}
    words = {"p": Outcome.PASSED, "f": Outcome.FAILED, "v": Outcome.VOID, "l": Outcome.LIMIT}
    with create_study(path, StudyFacts(suite="made-up")) as store:
        store.add([Agent(name=name, model="m", settings={"odd key!": 0.5}) for name in outcomes])
        store.add([Task(id=f"t{number}", instruction="") for number in range(8)])
        store.add(
            (Trial(id=f"{name}{at}", agent=name, task=f"t{at}", sample=0, outcome=words[letter]), None, {})
            for name, letters in outcomes.items()
            for at, letter in enumerate(letters)
        )
    return path


def check(row, metrics, params):
    wanted = {
        "honest": row.honest, "honest_low": row.interval[0], "honest_high": row.interval[1], "honest_se": row.se,
        "tasks": row.n, "trials": row.trials, "void": row.void, "void_share": row.void / row.stored,
    }  # fmt: skip
    assert {key: metrics[key] for key in wanted} == pytest.approx(wanted, abs=1e-12)
    assert (params["suite"], params["model"]) == ("made-up", "m")
    assert params["setting.odd key_"] == "0.5"
    assert "void counts as failed" in params["policy"]


@pytest.mark.slow
def test_mlflow_holds_a_run_for_each_agent(path, tmp_path):
    python = peer("tables")
    for _ in range(2):  # a second time adds runs to the same experiment
        run_peer(python, EXPORT, path, tmp_path / "store", "mlflow")
    found = json.loads(run_peer(python, MLFLOW, tmp_path / "store"))
    board = studies.open(path).report().board
    assert {name: len(runs) for name, runs in found.items()} == {row.name: 2 for row in board.agents}
    for row in board.agents:
        for metrics, params in found[row.name]:
            check(row, metrics, params)


@pytest.mark.slow
def test_wandb_holds_a_run_for_each_agent_and_sends_nothing(path, tmp_path):
    python = peer("tables")
    made = json.loads(run_peer(python, EXPORT, path, tmp_path / "runs", "wandb"))["made"]
    found = json.loads(run_peer(python, WANDB, tmp_path / "runs"))
    board = studies.open(path).report().board
    assert len(made) == len(board.agents)
    assert found.keys() == {row.name for row in board.agents}
    for row in board.agents:
        check(row, *found[row.name])


@pytest.mark.parametrize("kind", ["mlflow", "wandb"])
def test_a_tracker_that_is_not_installed_is_named(kind, path, tmp_path):
    done = CliRunner().invoke(cli, ["export", str(path), str(tmp_path / "x"), "--to", kind])
    assert f"pip install 'honestly[{kind}]'" in str(done.exception)
    assert not (tmp_path / "x").exists()
