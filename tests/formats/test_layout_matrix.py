"""Layouts by formats: what stands beside a run is another agent's, or the same trial, and never a further one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from published import items, of
from test_layouts import IDS, agents, details, document
from test_session_trees import trials, write

from honestly.formats import Imported
from honestly.records import Defect

PASSED = 3
RIGHT = {"passed": PASSED, "failed": len(IDS) - PASSED}
WRONG = {"passed": 1, "failed": len(IDS) - 1}


def predictions(path: Path, model: str, *, patch: str = "d") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write(path, *({"instance_id": each, "model_name_or_path": model, "model_patch": f"{patch} {each}"} for each in IDS))


def summary(passed: int) -> dict[str, object]:
    return {"submitted_ids": IDS, "resolved_ids": IDS[:passed], "unresolved_ids": IDS[passed:], "total_instances": 5}


def reports(folder: Path, passed: int) -> None:
    for at, each in enumerate(IDS):
        said = {"patch_successfully_applied": True, "resolved": at < passed, "tests_status": {}}
        document(folder / each / "report.json", {each: said})


def swe_agent(folder: Path) -> None:
    step = {"action": "ls", "observation": "a", "response": "r", "thought": "t"}
    for each in IDS:
        said = {"trajectory": [step], "history": [], "environment": "main", "info": {"submission": f"d {each}"}}
        document(folder / each / f"{each}.traj", said)


def mini(folder: Path, model: str = "m") -> None:
    for each in IDS:
        info = {"submission": f"d {each}", "exit_status": "Submitted", "config": {"model": {"model_name": model}}}
        said = {"trajectory_format": "mini-swe-agent-1.1", "instance_id": each, "info": info}
        messages = [{"role": "user", "content": f"do {each}"}, {"role": "assistant", "content": "done"}]
        document(folder / each / f"{each}.traj.json", said | {"messages": messages})


def openhands(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    rows = [{"instance_id": each, "instruction": "do", "history": [], "git_patch": f"d {each}"} for each in IDS]
    write(folder / "output.jsonl", *rows)


TRAJECTORIES: dict[str, tuple[Callable[[Path], None], str]] = {
    "mini-swe-agent": (mini, "mini-swe-agent m"),
    "swe-agent": (swe_agent, "swe-agent"),
    "openhands": (openhands, "openhands"),
}


@pytest.mark.parametrize("judged", ["reports", "summary", "summary elsewhere", "nobody"])
@pytest.mark.parametrize("name", TRAJECTORIES)
def test_trajectories_and_their_predictions_are_one_agent_with_the_verdicts_of_the_predictions(tmp_path, name, judged):
    made, agent = TRAJECTORIES[name]
    made(tmp_path / "run")
    predictions(tmp_path / "run" / "all_preds.jsonl", "m")
    if judged == "reports":
        reports(tmp_path / "logs" / "run_evaluation" / "r" / "m", PASSED)
        predictions(tmp_path / "all_preds.jsonl", "m")
    elif judged != "nobody":
        document(tmp_path / ("run" if judged == "summary" else "evaluation") / "m.r.json", summary(PASSED))
    assert agents(tmp_path) == {agent: {"void": 5} if judged == "nobody" else RIGHT}
    assert "one trial each" in details(tmp_path)


def test_predictions_of_others_stay_theirs_beside_trajectories(tmp_path):
    swe_agent(tmp_path / "run")
    predictions(tmp_path / "theirs" / "preds.jsonl", "other", patch="e")
    document(tmp_path / "theirs" / "other.r.json", summary(PASSED))
    assert agents(tmp_path) == {"swe-agent": {"void": 5}, "other": RIGHT}


def both(tmp_path: Path, made: Callable[[Path, str, int], None], names: tuple[str, str] = ("m-1", "m-2")) -> None:
    for name, passed in zip(names, (PASSED, 1), strict=True):
        made(tmp_path, name, passed)


def in_folders(place: Path, name: str, passed: int) -> None:
    predictions(place / name / "preds.jsonl", name)
    document(place / name / "results.json", summary(passed))


def in_folders_by_one_name(place: Path, name: str, passed: int) -> None:
    predictions(place / name / "preds.jsonl", "gpt")
    document(place / name / "gpt.run.json", summary(passed))


def in_one_folder(place: Path, name: str, passed: int) -> None:
    predictions(place / f"{name}.jsonl", name)
    document(place / f"{name}.run.json", summary(passed))


def reports_by_model(place: Path, name: str, passed: int) -> None:
    predictions(place / f"{name}.jsonl", name)
    reports(place / "logs" / "run_evaluation" / "r" / name, passed)


def reports_and_summaries(place: Path, name: str, passed: int) -> None:
    reports(place / "logs" / "run_evaluation" / "r" / name, passed)
    document(place / f"{name}.r.json", summary(passed))


def copied_summaries(place: Path, name: str, passed: int) -> None:
    in_one_folder(place, name, passed)
    document(place / "archive" / f"{name}.run.json", summary(passed))


SWE_BENCH = [in_folders, in_folders_by_one_name, in_one_folder, reports_by_model, reports_and_summaries,
             copied_summaries]  # fmt: skip


@pytest.mark.parametrize("made", SWE_BENCH)
def test_two_models_of_swe_bench_keep_their_own_verdicts(tmp_path, made):
    both(tmp_path, made)
    found = {tuple(sorted(each.items())) for each in agents(tmp_path).values()}
    assert found == {tuple(sorted(each.items())) for each in (RIGHT, WRONG)}
    assert len(agents(tmp_path)) == 2


def test_a_summary_is_of_none_of_several_models_unless_its_name_says_so(tmp_path):
    for model in ("m-1", "m-2"):
        predictions(tmp_path / f"{model}.jsonl", model)
    document(tmp_path / "results.json", summary(PASSED))
    assert agents(tmp_path) == {"m-1": {"void": 5}, "m-2": {"void": 5}, tmp_path.name: RIGHT}
    assert "whose of 2 models it is, its name does not say" in details(tmp_path)
    (tmp_path / "results.json").rename(tmp_path / "m-2.run.json")
    assert agents(tmp_path) == {"m-1": {"void": 5}, "m-2": RIGHT}


def test_two_evaluations_of_one_model_are_two_agents(tmp_path):
    predictions(tmp_path / "preds.jsonl", "m")
    for name, passed in (("r-1", PASSED), ("r-2", 1)):
        reports(tmp_path / "logs" / "run_evaluation" / name / "m", passed)
        document(tmp_path / f"m.{name}.json", summary(passed))
    assert agents(tmp_path) == {"r-1/m": RIGHT, "r-2/m": WRONG}
    assert "judged several times" in details(tmp_path)


def test_reports_that_contradict_each_other_are_no_verdict(tmp_path):
    for name, passed in (("first", True), ("again", False)):
        said = {"patch_successfully_applied": True, "resolved": passed, "tests_status": {}}
        document(tmp_path / f"{name}.report.json", {IDS[0]: said, IDS[1]: said | {"resolved": True}})
    found = {trial.task: (str(trial.outcome), trial.reason) for trial in trials(tmp_path)}
    assert found == {IDS[0]: ("void", "two reports say otherwise"), IDS[1]: ("passed", "")}
    assert "another report says otherwise" in details(tmp_path)


def test_examples_of_a_program_are_no_results_of_it(tmp_path):
    write(tmp_path / "few_shot.jsonl", {"messages_display": "user: hi\nassistant: hello"})
    assert agents(tmp_path) == {"few_shot": {"void": 1}}
    document(tmp_path / "results.json", [{"task_id": 0, "reward": 1.0, "traj": [], "info": {}}])
    assert agents(tmp_path) == {"results": {"passed": 1}}
    refused = [each for each in of(Defect, items(tmp_path)) if each.effect == "refused"]
    assert [(each.kind, each.where) for each in refused] == [("no results", "few_shot.jsonl")]
    assert len(of(Imported, items(tmp_path))) == 1


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("promptfoo.json", json.dumps({"evalId": "e", "results": {}, "config": {}}), "results of promptfoo"),
        (".latest_test_run.json", json.dumps({"testRunData": {"testCases": []}}), "a test run of DeepEval"),
        ("submission.json", json.dumps({"model_name": "m", "submitting_organization": "o", "results": {}}), "rates of"),
        ("x_eval.json", json.dumps([{"pass@1": 0.5, "detail": {}}, [], []]), "_eval_all.json"),
        ("output.jsonl", "", "no trial is in it"),
    ],
)
def test_what_is_known_and_not_read_says_what_it_is(tmp_path, name, text, why):
    document(tmp_path / "r.json", [{"task_id": 0, "reward": 1.0, "traj": [], "info": {}}])
    (tmp_path / name).write_text(text)
    (said,) = [each.detail for each in of(Defect, items(tmp_path)) if each.effect == "refused"]
    assert why in said
