"""Every layout and every defect of Terminal-Bench's results, one by one, on directories made for it."""

from __future__ import annotations

import json
import os
import tracemalloc
from collections import Counter
from pathlib import Path

import pytest
from tb_trees import DATASET, Read, result, run_file, write_json, write_run

from honestly.errors import FormatError
from honestly.formats import read_terminal_bench
from honestly.records import Outcome


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A directory of one dataset with one submission of two runs, without any defect."""
    for run in ("run2", "run10"):
        write_run(tmp_path / DATASET / "20250101_agent_model" / run)
    return tmp_path


def submission(root: Path) -> Path:
    return root / DATASET / "20250101_agent_model"


def test_a_sound_directory_has_no_defect(root):
    read = Read(root)
    assert read.kinds == {}
    assert [(a.name, a.program, a.model) for a in read.agents] == [("20250101_agent_model", "a", "m")]
    assert [(t.id, t.instruction, t.version) for t in read.tasks] == [
        ("alpha", "Do alpha.", DATASET),
        ("beta", "Do beta.", DATASET),
    ]
    assert read.samples("alpha") == [(0, "passed"), (1, "passed")]
    assert read.samples("beta") == [(0, "failed"), (1, "failed")]


def test_samples_follow_the_natural_order_of_runs(root):
    assert [trial.source.split("/")[2] for trial in Read(root).trials] == ["run2", "run2", "run10", "run10"]


def test_agents_and_tasks_come_before_their_trials(root):
    names: set[str] = set()
    for item in read_terminal_bench(root):
        if hasattr(item, "trial"):
            assert {item.trial.agent, item.trial.task} <= names
        names.add(getattr(item, "name", getattr(item, "id", "")))


def test_what_a_trial_holds(root):
    trial = Read(root).trials[1]
    assert (trial.task, trial.outcome, trial.reason) == ("beta", Outcome.FAILED, "")
    assert [(check.id, check.status) for check in trial.verdict.hidden.checks] == [
        ("test_a", "passed"),
        ("test_b", "failed"),
    ]
    assert (trial.usage.input_tokens, trial.usage.output_tokens, trial.usage.usd) == (10, 5, None)
    assert (trial.started_at, trial.seconds, trial.agent_seconds) == ("2025-08-25T16:29:38.500000+00:00", 121.0, 104.0)
    assert trial.source == f"{DATASET}/20250101_agent_model/run2/beta/beta.1-of-1.run2"


@pytest.mark.parametrize("start", ["..", ".", "20250101_agent_model", "repository"])
def test_the_import_may_start_at_any_level(root, start):
    if start == "repository":
        (root / "repo").mkdir()
        (root / DATASET).rename(root / "repo" / "x")
        (root / "repo" / "results").mkdir()
        (root / "repo" / "x").rename(root / "repo" / "results" / DATASET)
        read = Read(root / "repo")
    else:
        read = Read(root / DATASET / start)
    assert [agent.name for agent in read.agents] == ["20250101_agent_model"]
    assert read.agents[0].settings["dataset"] == DATASET
    assert [trial.id for trial in read.trials] == sorted(
        {t.id for t in read.trials}, key=[t.id for t in read.trials].index
    )
    assert len(read.trials) == 4


def test_the_metadata_of_a_run_names_its_agent_in_a_directory_of_runs(tmp_path):
    for name in ("first", "second", "third"):
        write_run(tmp_path / "runs" / name)
    write_json(tmp_path / "runs" / "third" / "run_metadata.json", {"agent_name": "a", "model_name": "other"})
    read = Read(tmp_path / "runs")
    assert [(agent.name, agent.model) for agent in read.agents] == [("a (m)", "m"), ("a (other)", "other")]
    assert Counter(trial.agent for trial in read.trials) == {"a (m)": 4, "a (other)": 2}
    assert not read.kinds
    write_run(tmp_path / "runs" / "more" / "fourth")
    assert Read(tmp_path / "runs").count("several runs") == 1


def test_a_folder_names_the_agent_of_runs_without_metadata(tmp_path):
    for folder in ("x", "y"):
        write_run(tmp_path / "runs" / folder / "first", metadata=False)
        write_run(tmp_path / "runs" / folder / "second", metadata=False)
    assert Counter(trial.agent for trial in Read(tmp_path / "runs").trials) == {"x": 4, "y": 4}
    assert Counter(trial.agent for trial in Read(tmp_path / "runs" / "x").trials) == {"x": 4}
    assert Read(tmp_path / "runs").count("agents named after folders") == 2


def test_a_colon_in_the_dataset_is_the_same_dataset(root):
    write_run(root / "terminal-bench-core:0.1.1" / "20250101_agent_model" / "run3")
    write_run(root / "terminal-bench-core:0.1.1" / "20250102_other_model" / "run1")
    read = Read(root)
    assert read.count("dataset directory with ':'") == 1
    assert [agent.name for agent in read.agents] == ["20250101_agent_model", "20250102_other_model"]
    assert read.samples("alpha") == [(0, "passed"), (1, "passed"), (2, "passed"), (0, "passed")]


def test_several_datasets_are_refused(root):
    write_run(root / "terminal-bench-core@0.2.0" / "20250102_other_model" / "run1")
    with pytest.raises(FormatError, match="2 datasets"):
        read_terminal_bench(root)


@pytest.mark.parametrize("make", [lambda p: None, lambda p: p.touch(), lambda p: p.mkdir()])
def test_no_results_is_an_error(tmp_path, make):
    make(tmp_path / "x")
    with pytest.raises(FormatError):
        list(read_terminal_bench(tmp_path / "x"))


def test_a_run_inside_a_run_that_repeats_another(root):
    write_run(submission(root) / "run10" / "run2", trial_files=False)
    read = Read(root)
    assert read.kinds == {"duplicate run": 2, "run inside a run": 1}
    assert len(read.trials) == 4


def test_a_run_inside_a_run_that_repeats_nothing(root):
    write_run(submission(root) / "run10" / "run11")
    read = Read(root)
    assert read.kinds == {"run inside a run": 1}
    assert read.samples("alpha") == [(0, "passed"), (1, "passed"), (2, "passed")]


def test_a_repeated_trial_with_other_content(root):
    results = json.loads((submission(root) / "run2" / "results.json").read_text())["results"]
    results[0]["is_resolved"] = False
    write_json(submission(root) / "run20" / "results.json", run_file(results))
    read = Read(root)
    assert (read.count("duplicate run"), read.count("duplicate differs")) == (2, 1)
    assert len(read.trials) == 4


def test_trial_files_that_are_missing(root):
    (submission(root) / "run2" / "alpha" / "alpha.1-of-1.run2" / "results.json").unlink()
    read = Read(root)
    assert read.kinds == {"trial file missing": 1}
    assert len(read.trials) == 4


def test_run_file_and_trial_file_disagree(root):
    path = submission(root) / "run2" / "alpha" / "alpha.1-of-1.run2" / "results.json"
    write_json(path, {**json.loads(path.read_text()), "is_resolved": False, "failure_mode": "agent_timeout"})
    read = Read(root)
    (defect,) = read.defects
    assert (defect.kind, defect.count) == ("trial file disagrees", 1)
    assert "outcome, reason" in defect.detail
    assert read.samples("alpha")[0] == (0, "passed")


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"[]", b"{}", b'"x"'])
def test_a_run_file_that_cannot_be_read_leaves_the_trial_files(root, content):
    (submission(root) / "run2" / "results.json").write_bytes(content)
    read = Read(root)
    assert read.kinds == {"run file missing": 2, "unreadable file": 1}
    assert read.samples("alpha") == [(0, "passed"), (1, "passed")]


def test_a_run_without_run_file(root):
    (submission(root) / "run2" / "results.json").unlink()
    read = Read(root)
    assert read.kinds == {"run file missing": 2}
    assert len(read.trials) == 4


def test_a_trial_that_is_in_no_run_file(root):
    name = "gamma.1-of-1.run2"
    write_json(submission(root) / "run2" / "gamma" / name / "results.json", result("gamma", name))
    read = Read(root)
    assert read.kinds == {"trial not in run file": 1}
    assert len(read.trials) == 4


def test_flat_run_files(root):
    folder = root / DATASET / "20250102_flat_model"
    for run in ("a", "b"):
        write_json(folder / f"{run}__results.json", run_file([result("alpha", f"alpha.1-of-1.{run}")]))
    read = Read(root)
    assert read.kinds == {
        "flat run file": 2,
        "model not in run metadata": 1,
        "run metadata missing": 1,
        "task of others without trials": 1,
        "trial file missing": 2,
    }
    assert [trial.sample for trial in read.trials if trial.agent == "20250102_flat_model"] == [0, 1]


def test_a_submission_without_run_directories_in_the_old_format(root):
    folder = root / DATASET / "20250102_old_model"
    results = []
    for n in range(1, 13):
        trial = result("alpha", f"alpha.{n}-of-12", n % 2 == 0)
        trial["uuid"] = trial.pop("id")
        for phase in ("trial", "agent", "test"):
            del trial[f"{phase}_started_at"], trial[f"{phase}_ended_at"]
        results.append(trial)
        write_json(folder / "alpha" / f"alpha.{n}-of-12" / "results.json", trial)
    write_json(folder / "results.json", run_file(reversed(results)))
    write_json(folder / "tb.lock", {"agent": {"name": "lead", "model_name": "m"}, "harness": {"version": "0.2.7"}})
    read = Read(root)
    assert read.kinds == {"no run directory": 1, "old trial format": 12, "task of others without trials": 1}
    own = [trial for trial in read.trials if trial.agent == "20250102_old_model"]
    assert [(t.sample, t.outcome is Outcome.PASSED) for t in own] == [(n, n % 2 == 1) for n in range(12)]
    assert {t.started_at for t in own} == {None}
    assert read.agents[1].settings["harness"] == "0.2.7"


@pytest.mark.parametrize(
    ("changes", "outcome", "kind"),
    [
        ({"is_resolved": True, "failure_mode": "agent_timeout"}, "passed", "resolved after timeout"),
        ({"is_resolved": True, "failure_mode": None}, "passed", None),
        ({"is_resolved": False, "failure_mode": "agent_timeout", "parser_results": {"t": "failed"}}, "limit", None),
        (
            {"is_resolved": False, "failure_mode": "unknown_agent_error", "parser_results": {"t": "failed"}},
            "failed",
            "counted as failed: unknown_agent_error",
        ),
        (
            {"is_resolved": None, "failure_mode": "parse_error", "parser_results": None},
            "void",
            "no verdict: parse_error",
        ),
        (
            {"is_resolved": None, "failure_mode": "test_timeout", "parser_results": None},
            "void",
            "no verdict: test_timeout",
        ),
        ({"is_resolved": None, "failure_mode": "unset", "parser_results": None}, "void", "no verdict: no reason"),
        ({"is_resolved": True, "parser_results": {"t": "failed"}}, "passed", "verdict contradicts tests"),
        ({"is_resolved": False, "parser_results": {"t": "passed"}}, "failed", "verdict contradicts tests"),
        ({"is_resolved": True, "parser_results": {}}, "passed", "verdict contradicts tests"),
        ({"is_resolved": True, "parser_results": {"t": "xpassed"}}, "passed", "unknown test result"),
        ({"is_resolved": True, "parser_results": {"t": ["x"]}}, "passed", "unknown test result"),
        ({"is_resolved": True, "parser_results": [1]}, "passed", "unknown test result"),
        ({"total_input_tokens": 0, "total_output_tokens": None}, "passed", "tokens not reported"),
        ({"total_input_tokens": -3, "total_output_tokens": 1 << 70}, "passed", "tokens not reported"),
        ({"total_input_tokens": True, "total_output_tokens": "5"}, "passed", "tokens not reported"),
        ({"trial_ended_at": "2025-08-25T16:00:00+00:00"}, "passed", "times unreadable"),
        ({"trial_started_at": "yesterday"}, "passed", "times unreadable"),
        ({"trial_started_at": 5}, "passed", "times unreadable"),
        ({"trial_started_at": "2025-08-25T16:29:38"}, "passed", "times unreadable"),
        ({"trial_started_at": "0001-01-01T00:00:00+23:59"}, "passed", "times unreadable"),
        ({"trial_started_at": None, "trial_ended_at": None}, "passed", "times missing"),
        ({"id": None}, "passed", "trial without id"),
        ({"instruction": "half a pair: \ud800"}, "passed", None),
    ],
)
def test_what_a_trial_may_say(tmp_path, changes, outcome, kind):
    write_run(tmp_path / DATASET / "x_y" / "run1", ["alpha"], **changes)
    read = Read(tmp_path)
    (trial,) = read.trials
    assert trial.outcome.value == outcome
    assert kind is None or read.count(kind) >= 1


@pytest.mark.parametrize(
    "changes",
    [
        {"task_id": "../../etc"},
        {"task_id": None},
        {"task_id": "a/b"},
        {"trial_name": ".."},
        {"trial_name": "x\0y"},
        {"trial_name": "x" * 300},
        {"trial_name": "a/b"},
        {"trial_name": "a\nb"},
        {"trial_name": "\ud800"},
        {"is_resolved": "yes"},
        {"is_resolved": 1},
    ],
)
def test_a_trial_that_cannot_be_placed_is_counted(root, changes):
    write_json(
        submission(root) / "run10" / "results.json",
        run_file([result("alpha", "alpha.1-of-1.run10"), {**result("beta", "beta.1-of-1.run10"), **changes}]),
    )
    read = Read(root)
    assert read.count("unreadable trial") == 1
    assert len(read.trials) == 3
    assert read.count("wrong number of samples") == 1


@pytest.mark.parametrize("name", ["a..b", "x y+z:é", "..x", "-", "漢" * 200])
def test_a_trial_may_have_any_name_that_a_directory_can_have(root, name):
    write_json(submission(root) / "run3" / "results.json", run_file([result("alpha", name)]))
    read = Read(root)
    assert read.count("unreadable trial") == 0
    assert len(read.trials) == 5


@pytest.mark.parametrize("entry", [None, 5, "x", [], {}])
def test_an_entry_that_is_no_trial_is_counted(root, entry):
    path = submission(root) / "run2" / "results.json"
    data = json.loads(path.read_text())
    write_json(
        path, run_file(data["results"]) | {"results": [*data["results"], entry], "n_unresolved": 2, "accuracy": 1 / 3}
    )
    read = Read(root)
    assert read.kinds == {"unreadable trial": 1}
    assert len(read.trials) == 4


def test_a_trial_name_twice_in_a_run(root):
    path = submission(root) / "run2" / "results.json"
    trials = json.loads(path.read_text())["results"]
    write_json(path, run_file([*trials, {**trials[0], "id": "another"}]))
    read = Read(root)
    assert read.count("trial name repeated") == 1
    assert len(read.trials) == 4


def test_sums_of_a_run_file_that_are_wrong(root):
    path = submission(root) / "run2" / "results.json"
    write_json(path, {**json.loads(path.read_text()), "accuracy": 0.9, "n_resolved": 2})
    (defect,) = Read(root).defects
    assert (defect.kind, defect.count) == ("figure differs", 2)


def test_tasks_samples_and_tests_that_do_not_match(root):
    write_run(submission(root) / "run3", ["alpha"], parser_results={"test_a": "passed", "test_c": "passed"})
    write_json(
        submission(root) / "run3" / "run_metadata.json",
        {"task_ids": ["beta", "delta"], "agent_name": "a", "model_name": "m"},
    )
    write_run(submission(root) / "run4", ["alpha", "beta", "gamma"], instruction="Changed.")
    read = Read(root)
    assert read.kinds == {
        "instruction varies": 2,
        "task without trials": 1,
        "test list varies": 1,
        "wrong number of samples": 2,
    }


def test_task_not_in_the_dataset(root):
    write_run(submission(root) / "run3")
    for run in ("run2", "run3", "run10"):
        write_json(
            submission(root) / run / "run_metadata.json", {"task_ids": ["alpha"], "agent_name": "a", "model_name": "m"}
        )
    assert Read(root).kinds == {"task not in the dataset": 3}


def test_metadata_that_differs_or_lies(root):
    write_json(
        submission(root) / "run2" / "run_metadata.json",
        {"agent_name": "b", "model_name": "m2", "dataset_name": "x", "dataset_version": "9"},
    )
    write_json(submission(root) / "run2" / "tb.lock", {"harness": {"version": "1"}})
    write_json(
        submission(root) / "run10" / "tb.lock", {"harness": {"version": "2"}, "agent": [], "dataset": {"task_ids": [1]}}
    )
    read = Read(root)
    assert read.kinds == {"dataset contradicts directory": 1, "harness varies": 2, "model varies": 2}
    assert (read.agents[0].program, read.agents[0].model) == ("a, b", "m, m2")
    (submission(root) / "run2" / "tb.lock").write_text("{")
    assert Read(root).count("unreadable file") == 1


@pytest.mark.parametrize(("name", "kind"), [("ob1", "model missing"), ("20250101_a_m", "model not in run metadata")])
def test_no_metadata(tmp_path, name, kind):
    write_run(tmp_path / DATASET / name / "run1", metadata=False)
    read = Read(tmp_path)
    assert read.kinds == {kind: 1, "run metadata missing": 1}
    assert read.agents[0].model == ("" if name == "ob1" else "m")


def test_links_and_special_files_are_not_followed(root, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    write_run(outside / "secret")
    trial = submission(root) / "run2" / "alpha" / "alpha.1-of-1.run2"
    (submission(root) / "run30").symlink_to(outside / "secret")
    (submission(root) / "loop").symlink_to(submission(root))
    (root / DATASET / "linked").symlink_to(outside)
    (trial / "sessions").mkdir()
    (trial / "sessions" / "agent.log").symlink_to("/etc/passwd")
    os.mkfifo(trial / "sessions" / "pipe")
    os.mkfifo(submission(root) / "x_results.json")
    read = Read(root)
    assert read.kinds == {"link or special file": 6}
    assert len(read.trials) == 4
    assert all(not item.artifacts for item in read.imported)


def test_a_task_directory_that_is_a_link_is_not_followed(root, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "alpha"
    task = submission(root) / "run2" / "alpha"
    task.rename(outside)
    (outside / "alpha.1-of-1.run2" / "secret.txt").write_text("x")
    task.symlink_to(outside)
    read = Read(root)
    assert read.kinds == {"link or special file": 1, "trial file missing": 1}
    assert all(not item.artifacts for item in read.imported)


def test_a_trial_file_that_is_a_link_is_not_read(root):
    path = submission(root) / "run2" / "alpha" / "alpha.1-of-1.run2" / "results.json"
    path.rename(root / "elsewhere.json")
    path.symlink_to(root / "elsewhere.json")
    read = Read(root)
    assert read.count("trial file unreadable") == 1
    assert len(read.trials) == 4


def test_weird_names(root):
    weird = os.fsdecode(b"sub\xff\n\x1b[31m")
    write_run(root / DATASET / weird / "run1")
    (root / DATASET / weird / "run1" / "alpha" / "alpha.1-of-1.run1" / os.fsdecode(b"log\xfe.txt")).write_text("x")
    read = Read(root)
    assert [agent.name for agent in read.agents] == ["20250101_agent_model", "sub\\xff\n\x1b[31m"]
    assert len(read.trials) == 6
    assert [list(item.artifacts) for item in read.imported if item.artifacts] == [["log\\xfe.txt"]]


def test_directories_beyond_any_depth(root):
    deep = submission(root)
    for _ in range(40):
        deep /= "d"
    deep.mkdir(parents=True)
    assert Read(root).kinds == {"directory too deep": 1}


def test_artifacts_and_large_files(root):
    trial = submission(root) / "run2" / "alpha" / "alpha.1-of-1.run2"
    (trial / "panes").mkdir()
    (trial / "panes" / "post-test.txt").write_bytes(b"\x1b[0m\xff raw")
    (trial / "commands.txt").write_text("ls")
    with (trial / "huge.log").open("wb") as file:
        file.truncate(40 << 20)
    (item, *_) = Read(root).imported
    assert item.artifacts["panes/post-test.txt"] == b"\x1b[0m\xff raw"
    assert item.artifacts["commands.txt"] == b"ls"
    assert sum(map(len, item.artifacts["huge.log"])) == 40 << 20
    assert not isinstance(item.artifacts["huge.log"], bytes)


def test_more_artifacts_than_anybody_keeps(root):
    trial = submission(root) / "run2" / "alpha" / "alpha.1-of-1.run2"
    deep = submission(root) / "run2" / "beta" / "beta.1-of-1.run2" / "a/b/c/d/e/f"
    deep.mkdir(parents=True)
    (deep / "buried.txt").write_text("x")
    for n in range(120):
        (trial / f"{n}.log").write_text("x")
    read = Read(root)
    assert read.kinds == {"directory too deep": 1, "too many artifacts": 1}
    assert len(read.imported[0].artifacts) == 100


@pytest.mark.slow
def test_only_the_beginning_of_an_endless_artifact(root):
    trial = submission(root) / "run2" / "alpha" / "alpha.1-of-1.run2"
    (trial / "sessions").mkdir()
    with (trial / "sessions" / "agent.log").open("wb") as file:
        file.truncate((1 << 30) + 5)
    read = Read(root)
    assert read.kinds == {"artifact cut off": 1, "trajectory cut off": 1, "log without trajectory": 1}
    assert sum(map(len, read.imported[0].artifacts["sessions/agent.log"])) == 1 << 30


def test_orphans_that_repeat_a_trial(root):
    write_run(submission(root) / "run10" / "run2")
    (submission(root) / "run10" / "run2" / "results.json").unlink()
    read = Read(root)
    assert read.kinds == {"duplicate trial": 2}
    assert len(read.trials) == 4


def test_a_huge_run_file_is_refused(root):
    with (submission(root) / "run2" / "results.json").open("wb") as file:
        file.truncate(70 << 20)
    read = Read(root)
    assert read.kinds == {"run file missing": 2, "unreadable file": 1}
    assert "larger than 64 MiB" in next(d.detail for d in read.defects if d.kind == "unreadable file")


def test_progress_is_told_after_each_run(root):
    seen: list[tuple[str, int]] = []
    list(read_terminal_bench(root, lambda where, trials: seen.append((where, trials))))
    base = f"{DATASET}/20250101_agent_model"
    assert seen == [(f"{base}/run2/results.json", 2), (f"{base}/run10/results.json", 4)]


@pytest.mark.slow
def test_memory_does_not_grow_with_the_input(tmp_path):
    def peak(submissions: int) -> int:
        base = tmp_path / str(submissions) / DATASET
        for n in range(submissions):
            for run in range(3):
                write_run(base / f"sub{n}" / f"run{run}", [f"task-{t}" for t in range(40)], instruction="x" * 5000)
        tracemalloc.start()
        try:
            for _ in read_terminal_bench(base.parent):
                pass
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(1)
    assert peak(6) < 1.3 * peak(2)
