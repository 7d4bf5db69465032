"""Jobs of Harbor that we write: they come back as they were, Harbor's own models read them, its viewer serves them."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from published import items, of, trials
from test_inspect_out import AGENT, RUNS, TASK, _fetched, made, written
from trajectories import trajectories

from honestly.formats import EXPORTERS, Exported, Imported, importers_for
from honestly.leaderboards import study_report
from honestly.records import Agent, Checks, Edit, Hidden, Task, Tree
from honestly.store import open_study
from honestly.studies import import_results
from peers import peer, run_peer


def results(job: Path) -> dict[str, dict]:
    """What stands in the trials' `result.json`, by what became of them."""
    found = [json.loads(path.read_text()) for path in job.glob("*/result.json")]
    return {each["agent_result"]["metadata"]["honestly"]["trial"]["outcome"]: each for each in found}


def test_every_outcome_comes_back_with_agent_task_and_steps(tmp_path):
    job = written(tmp_path, made(), "harbor")
    assert (
        importers_for(job) == importers_for(tmp_path) == "harbor, atif"
    )  # a trial takes the trajectory that lies in it
    found = items(tmp_path)
    assert of(Agent, found) == [AGENT]
    assert sorted(of(Task, found), key=lambda task: task.id) == [TASK, Task(id="u", instruction="")]
    back = {each.trial.id: each for each in of(Imported, found)}
    assert {name: (each.trial, each.trajectory) for name, each in back.items()} == {
        each.trial.id: (each.trial, each.trajectory) for each in made()
    }


@settings(max_examples=30, deadline=None)
@given(trajectory=trajectories())
def test_any_trajectory_comes_back(tmp_path_factory, trajectory):
    found = items(written(tmp_path_factory.mktemp("any"), made(trajectory), "harbor"))
    assert [each.trajectory for each in of(Imported, found) if each.trial.task == "t.1"] == [trajectory] * 4


def test_rewards_exceptions_and_checks_are_harbors(tmp_path):
    job = written(tmp_path, made(), "harbor")
    found = results(job)
    rewards = {name: each["verifier_result"] for name, each in found.items()}
    assert rewards["passed"] == {"rewards": {"reward": 1.0}}
    assert rewards["limit"] == {"rewards": {"reward": 0.0}}
    assert rewards["void"] is None
    kinds = {name: (each["exception_info"] or {}).get("exception_type") for name, each in found.items()}
    assert kinds == {"passed": None, "failed": None, "limit": "AgentTimeoutError", "void": "VoidTrialError"}
    void = job / found["void"]["trial_name"]
    assert not (void / "verifier" / "reward.txt").exists()
    assert (void / "exception.txt").read_text().startswith("VoidTrialError")
    passed = job / found["passed"]["trial_name"]
    assert (passed / "verifier" / "reward.txt").read_text() == "1\n"
    said = json.loads((passed / "verifier" / "ctrf.json").read_text())["results"]
    assert [(test["name"], test["status"]) for test in said["tests"]] == [("test_a", "failed")]
    assert (found["passed"]["started_at"], found["passed"]["finished_at"]) == (
        "2026-01-01T00:00:00Z", "2026-01-01T00:00:02Z")  # fmt: skip


def test_a_reward_that_somebody_changed_counts(tmp_path):
    job = written(tmp_path, made(), "harbor")
    for path in job.glob("*/result.json"):
        said = json.loads(path.read_text())
        if said["agent_result"]["metadata"]["honestly"]["trial"]["outcome"] == "void":
            said["verifier_result"], said["exception_info"] = {"rewards": {"reward": 1.0}}, None
            path.write_text(json.dumps(said))
    assert sorted(trial.outcome.value for trial in trials(items(job))) == [
        "failed", "failed", "limit", "passed", "passed"]  # fmt: skip


def test_files_and_checks_of_a_task_stay_out(tmp_path):
    checks = Checks(runner="pytest", files=Tree.of({"t.py": "SECRET"}), expected=("t.py::test",))
    task = Task(id="t.1", instruction="x", hidden=Hidden(checks=checks, reference=Edit()))
    job = written(tmp_path, (Exported(e.trial, e.agent, task, None) for e in made() if e.trial.task == "t.1"), "harbor")
    everything = b"".join(path.read_bytes() for path in job.rglob("*") if path.is_file())
    assert b"SECRET" not in everything
    (kept,) = of(Task, items(job))
    assert kept == Task(id="t.1", instruction="x")


def there_and_back(source: Path, folder: Path) -> None:
    """Imports what is at `source`, exports it, imports the export, and expects the same trials and the same report."""
    import_results(source, folder / "before.honestly")
    with open_study(folder / "before.honestly") as study:
        agents, tasks = {each.name: each for each in study.agents()}, {each.id: each for each in study.tasks()}
        given = (Exported(t, agents[t.agent], tasks[t.task], study.trajectory(t.id)) for t in study.trials())
        assert set(EXPORTERS.make_object("harbor")(given, folder / "jobs")) == {""}
        import_results(folder / "jobs", folder / "after.honestly")
        with open_study(folder / "after.honestly") as again:
            assert {each.name: each for each in again.agents()} == agents
            assert {each.id: each for each in again.tasks()} == tasks
            assert list(again.trials()) == list(study.trials())
            assert all(again.trajectory(t.id) == study.trajectory(t.id) for t in study.trials())
            assert study_report(again).to_plain()["agents"] == study_report(study).to_plain()["agents"]


def test_the_report_of_a_study_is_the_same_after_it(tmp_path):
    there_and_back(written(tmp_path / "logs", made(), "inspect"), tmp_path)


READS = """
import json, pathlib, sys
from harbor.models.job.config import JobConfig
from harbor.models.job.result import JobResult, JobStats
from harbor.models.trial.result import TrialResult
job = pathlib.Path(sys.argv[1])
said = JobResult.model_validate_json((job / "result.json").read_text())
JobConfig.model_validate_json((job / "config.json").read_text())
trials = [TrialResult.model_validate_json(path.read_text()) for path in sorted(job.glob("*/result.json"))]
counted = JobStats.from_trial_results(trials, n_total_trials=len(trials))

def plain(stats):
    evals = {key: (each.n_trials, each.n_errors, {k: {str(v): sorted(n) for v, n in r.items()} for k, r in each.reward_stats.items()},
        {k: sorted(n) for k, n in each.exception_stats.items()}) for key, each in stats.evals.items()}
    return (stats.n_completed_trials, stats.n_errored_trials, stats.n_pending_trials, stats.n_input_tokens,
        stats.n_output_tokens, stats.n_cache_tokens, round(stats.cost_usd or 0, 6), evals)

print(json.dumps({"same": plain(said.stats) == plain(counted), "said": plain(said.stats), "counted": plain(counted),
    "total": said.n_total_trials, "trials": len(trials), "valid": sum(t.reward_valid for t in trials)}))
"""


@pytest.mark.slow
def test_the_models_of_harbor_read_it_and_count_the_same(tmp_path):
    job = written(tmp_path, made(), "harbor")
    found = json.loads(run_peer(peer("harbor", (3, 12)), READS, job))
    assert found["said"] == found["counted"]
    assert (found["total"], found["trials"], found["same"]) == (5, 5, True)


@pytest.mark.slow
def test_a_real_study_goes_out_as_a_job_and_back(tmp_path):
    if not RUNS.is_dir():
        pytest.skip("needs terminal-bench in ../shared/data, beside the checkout")
    there_and_back(RUNS, tmp_path)
    found = json.loads(run_peer(peer("harbor", (3, 12)), READS, tmp_path / "jobs" / "honestly"))
    assert found["said"] == found["counted"]
    assert found["trials"] == 3600


@pytest.mark.slow
def test_the_viewer_of_harbor_serves_it(tmp_path):
    job = written(tmp_path / "jobs", made(), "harbor")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    home = tmp_path / "home"
    home.mkdir()
    command = [
        peer("harbor", (3, 12)).parent / "harbor",
        "view",
        tmp_path / "jobs",
        "--port",
        str(port),
        "--host",
        "127.0.0.1",
    ]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "HOME": str(home)}
    ) as server:
        try:
            at = f"http://127.0.0.1:{port}/api/jobs"
            assert [each["name"] for each in _fetched(at)["items"]] == ["honestly"]
            assert _fetched(f"{at}/honestly")["n_total_trials"] == 5
            (passed,) = (each for name, each in results(job).items() if name == "passed")
            place = f"{at}/honestly/trials/{passed['trial_name']}"
            assert _fetched(place)["verifier_result"]["rewards"] == {"reward": 1.0}
            (asked,) = (step for step in _fetched(f"{place}/trajectory")["steps"] if step["source"] == "user")
            assert asked["message"][0] == {"type": "text", "text": "Look at this."}
        finally:
            server.terminate()
