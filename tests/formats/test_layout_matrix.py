"""Layouts by formats: what stands beside a run is another agent's, or the same trial, and never a further one."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from published import items, of
from test_layouts import IDS, agents, details, document, outcomes
from test_session_trees import trials, write

import honestly
from honestly.errors import FormatError
from honestly.formats import Imported
from honestly.records import Defect
from honestly.store import open_study
from honestly.studies import import_all

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


def rows(place: Path, *found: dict[str, object]) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    write(place, *found)


def adp(place: Path, passed: int) -> None:
    said = (
        {"class_": "text_observation", "content": "do", "source": "user"},
        {"class_": "message_action", "content": "d"},
    )
    rows(place / "data.jsonl", *({"id": each, "content": [*said], "details": {"resolved": str(at < passed).lower()}}
                                 for at, each in enumerate(IDS)))  # fmt: skip


def evaluated(place: Path, passed: int) -> None:
    row = {"instruction": "do", "history": [], "git_patch": "d"}
    rows(place / "output.jsonl", *(row | {"instance_id": each, "test_result": {"report": {"resolved": at < passed}}}
                                   for at, each in enumerate(IDS)))  # fmt: skip


def swe_agent_judged(place: Path, passed: int) -> None:
    swe_agent(place)
    document(place / "results.json", summary(passed))


def swe_agent_named(place: Path, passed: int) -> None:
    swe_agent_judged(place, passed)
    for path in place.glob("*/*.traj"):
        config = json.dumps({"agent": {"model": {"name": "gpt"}}})
        document(path, json.loads(path.read_text()) | {"replay_config": config})


def tau_bench(place: Path, passed: int) -> None:
    found = [{"task_id": at, "reward": float(at < passed), "traj": [], "info": {}} for at in range(len(IDS))]
    document(place / "results.json", found)


def tau2(place: Path, passed: int) -> None:
    done = [{"task_id": str(at), "trial": 0, "messages": [], "reward_info": {"reward": float(at < passed)}}
            for at in range(len(IDS))]  # fmt: skip
    info = {"agent_info": {"llm": "gpt", "implementation": place.name}, "environment_info": {"domain_name": "retail"}}
    document(place / "results.json", {"info": info, "tasks": [], "simulations": done})


def tinker(place: Path, passed: int) -> None:
    rows(place / "rollouts.jsonl", *({"rollouts": [{"role": "user", "content": each}], "env_type": "e",
                                      "metrics": {"private_reward": float(at < passed)}}
                                     for at, each in enumerate(IDS)))  # fmt: skip


def evalplus(place: Path, passed: int) -> None:
    said = {each: [{"task_id": each, "solution": "", "base_status": "pass" if at < passed else "fail"}]
            for at, each in enumerate(IDS)}  # fmt: skip
    document(place / "samples_eval_results.json", {"eval": said})


def human_eval(place: Path, passed: int) -> None:
    rows(place / "samples.jsonl_results.jsonl", *({"task_id": each, "completion": "", "passed": at < passed}
                                                  for at, each in enumerate(IDS)))  # fmt: skip


def live_code_bench(place: Path, passed: int) -> None:
    found = [{"question_id": each, "code_list": [""], "graded_list": [at < passed]} for at, each in enumerate(IDS)]
    document(place / "Scenario.codegeneration_1_0.2_eval_all.json", found)


def junit(place: Path, passed: int) -> None:
    cases = [f'<testcase classname="c" name="{each}">{"" if at < passed else "<failure/>"}</testcase>'
             for at, each in enumerate(IDS)]  # fmt: skip
    place.mkdir(parents=True)
    (place / "report.xml").write_text(f'<testsuite name="s">{"".join(cases)}</testsuite>')


def pro(place: Path, passed: int) -> None:
    document(place / "eval_results.json", {f"instance_{each}": at < passed for at, each in enumerate(IDS)})


def smith(place: Path, passed: int) -> None:
    said = {"resolved": passed, "total": 5, "ids_resolved": IDS[:passed], "ids_unresolved": IDS[passed:]}
    document(place / "report.json", said)


def lm_eval(place: Path, passed: int) -> None:
    row = {"doc": {}, "target": "1", "resps": [["1"]], "filtered_resps": ["1"], "metrics": ["acc"]}
    rows(place / "samples_gsm8k_2025-01-01T00-00-00.1.jsonl",
         *(row | {"doc_id": at, "acc": float(at < passed)} for at in range(len(IDS))))  # fmt: skip


FOLDERS = [adp, evaluated, swe_agent_judged, swe_agent_named, tau_bench, tau2, tinker, evalplus, human_eval,
           live_code_bench, junit, pro, smith, lm_eval]  # fmt: skip


@pytest.mark.parametrize("made", FOLDERS)
def test_the_same_files_in_two_folders_are_two_agents(tmp_path, made):
    for name, passed in (("m-1", PASSED), ("m-2", 1)):
        made(tmp_path / name, passed)
    found = agents(tmp_path)
    assert {next(each for each in ("m-1", "m-2") if each in name): said for name, said in found.items()} == {
        "m-1": RIGHT,
        "m-2": WRONG,
    }


def test_attempts_and_evaluations_of_a_run_of_openhands_are_the_run(tmp_path):
    openhands(tmp_path / "run")
    row = {"instruction": "do", "history": [], "git_patch": ""}
    for attempt, ids in ((1, IDS), (2, IDS[:2])):
        name = f"output.critic_attempt_{attempt}.jsonl"
        rows(tmp_path / "run" / name, *(row | {"instance_id": each} for each in ids))
    reports(tmp_path / "run" / "eval_outputs", PASSED)
    assert agents(tmp_path) == {"openhands": RIGHT}
    (tmp_path / "run" / "output.jsonl").unlink()
    assert agents(tmp_path) == {"openhands": RIGHT}
    assert "rows of one run: 2 stand in another file" in details(tmp_path)


def test_predictions_beside_each_trajectory_and_a_report_of_the_service_elsewhere(tmp_path):
    swe_agent(tmp_path / "run")
    for each in IDS:
        said = {"model_name_or_path": "run", "instance_id": each, "model_patch": f"d {each}"}
        document(tmp_path / "run" / each / f"{each}.pred", said)
    predictions(tmp_path / "run" / "all_preds.jsonl", "run")
    document(tmp_path / "sb-cli-reports" / "swe-bench_verified__test__run_1.json", summary(PASSED))
    assert agents(tmp_path) == {"swe-agent": RIGHT}


def test_a_trial_of_harbor_without_a_result_is_void_and_of_the_agent_of_its_job(tmp_path):
    who = {"name": "claude-code", "model_info": {"name": "m", "provider": "p"}}
    steps = [{"step_id": 1, "source": "user", "message": "do"}]
    trajectory = {"schema_version": "ATIF-v1.4", "agent": {"name": "claude-code", "version": "1"}, "steps": steps}
    for at in range(3):
        folder = tmp_path / "job" / f"t{at}__abcdefg"
        said = {"task_name": f"t{at}", "trial_name": folder.name, "agent_info": who}
        if at:
            document(folder / "result.json", said | {"verifier_result": {"rewards": {"reward": 1.0}}})
        document(folder / "config.json", {"agent": {"name": "claude-code"}})
        document(folder / "agent" / "trajectory.json", trajectory)
    assert agents(tmp_path) == {"claude-code p/m": {"passed": 2, "void": 1}}
    assert outcomes(tmp_path)["t0"] == "void"
    alone = tmp_path / "another" / "t3__abcdefg"
    document(alone / "agent" / "trajectory.json", trajectory)
    document(alone / "config.json", {"trial_name": alone.name, "agent": {"name": "claude-code", "model_name": "p/m"}})
    assert agents(tmp_path) == {"claude-code p/m": {"passed": 2, "void": 2}}
    by_class = {"name": None, "import_path": "a.b:C", "model_name": "p/m"}
    document(alone / "config.json", {"trial_name": alone.name, "agent": by_class})
    assert agents(tmp_path) == {"claude-code p/m": {"passed": 2, "void": 2}}


def test_one_id_in_two_benchmarks_is_two_tasks(tmp_path):
    for name, value in (("airline", 1.0), ("retail", 0.0)):
        said = {"agent_name": "a", "benchmark_name": f"taubench_{name}"}
        document(
            tmp_path / "hal" / f"{name}.json",
            {"config": said, "raw_eval_results": {"0": {"reward": value}}, "results": {}},
        )
        sample = {"id": 1, "epoch": 1, "input": f"do {name}", "messages": [], "scores": {"match": {"value": value}}}
        said = {"task": "t", "task_id": name, "model": "m", "task_args": {"domain": name}}
        document(
            tmp_path / "inspect" / f"{name}.json",
            {"version": 2, "status": "success", "eval": said, "samples": [sample]},
        )
    assert outcomes(tmp_path / "hal") == {"taubench_airline.0": "passed", "taubench_retail.0": "failed"}
    assert sorted(outcomes(tmp_path / "inspect").values()) == ["failed", "passed"]
    (tmp_path / "rates").mkdir()
    for name, cases in (("edit", 133), ("refactor", 89)):
        (tmp_path / "rates" / f"{name}.yml").write_text(
            f"- dirname: a\n  test_cases: {cases}\n  model: m\n  pass_rate_1: 50\n"
        )
    assert set(outcomes(tmp_path / "rates")) == {"aider-edit", "aider-refactor"}


def test_predictions_outside_of_a_run_are_no_trials_of_it(tmp_path):
    predictions(tmp_path / "preds.jsonl", "m")
    said = {"total_instances": 2, "submitted_ids": IDS, "completed_ids": IDS[:2], "resolved_ids": IDS[:1]}
    document(tmp_path / "m.run.json", said | {"unresolved_ids": IDS[1:2]})
    assert agents(tmp_path) == {"m": {"passed": 1, "failed": 1}}
    assert "3 predictions are of instances outside the run of 2" in details(tmp_path)


def test_a_matrix_of_correlations_is_no_table_of_results(tmp_path):
    human_eval(tmp_path, PASSED)
    (tmp_path / "correlations.csv").write_text(",speed,style\nspeed,1.0,-0.8\nstyle,-0.8,1.0\n")
    assert agents(tmp_path) == {"samples": RIGHT}


def test_predictions_that_nobody_judged_are_of_agents_named_after_folders(tmp_path):
    for name in ("run-1", "run-2"):
        rows(tmp_path / name / "preds.jsonl", {"instance_id": IDS[0], "model_name_or_path": "m", "model_patch": ""})
    assert agents(tmp_path) == {"run-1/m": {"failed": 1}, "run-2/m": {"failed": 1}}


def test_predictions_and_their_report_given_as_two_sources_are_one_run(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    predictions(tmp_path / "a" / "preds.jsonl", "m")
    document(tmp_path / "b" / "m.run.json", summary(PASSED))
    sources = [tmp_path / "a" / "preds.jsonl", tmp_path / "b"]
    defects = import_all(sources, tmp_path / "one.honestly")
    with open_study(tmp_path / "one.honestly") as study:
        assert Counter(str(cell.outcome) for cell in study.cells()) == RIGHT
    assert {each.kind for each in defects} == {"predictions elsewhere", "summary"}
    with honestly.open(sources).store() as study:
        assert Counter(str(cell.outcome) for cell in study.cells()) == RIGHT
    (tmp_path / "t.csv").write_text("agent,task,outcome\na,t,passed\n")
    import_all([sources[0], tmp_path / "t.csv"], tmp_path / "two.honestly")
    with open_study(tmp_path / "two.honestly") as study:
        assert {agent.name for agent in study.agents()} == {"m", "a"}


@pytest.mark.parametrize("judged", ["summary", "reports", "both"])
def test_predictions_in_another_folder_are_of_the_run_that_was_judged_in_their_models_name(tmp_path, judged):
    predictions(tmp_path / "results" / "predictions" / "preds.jsonl", "org/m")
    if judged != "reports":
        document(tmp_path / "org__m.r.json", summary(PASSED))
    if judged != "summary":
        reports(tmp_path / "logs" / "run_evaluation" / "r" / "org__m", PASSED)
    assert agents(tmp_path) == {"org/m": RIGHT}
    assert all("patch.diff" in each.artifacts for each in of(Imported, items(tmp_path)))


def test_predictions_elsewhere_are_of_no_run_that_leaves_some_of_them_out(tmp_path):
    predictions(tmp_path / "a" / "preds.jsonl", "m")
    said = {"submitted_ids": IDS[:3], "resolved_ids": IDS[:2], "unresolved_ids": IDS[2:3]}
    document(tmp_path / "b" / "m.run.json", said)
    assert agents(tmp_path) == {"m": {"void": 5}, "m.run": {"passed": 2, "failed": 1}}


def test_samples_of_several_files_are_said_to_be_that(tmp_path):
    for name in ("a", "b"):
        said = {"trial_name": f"t__{name * 7}", "task_name": "t", "agent_info": {"name": "m"}, "id": name}
        document(tmp_path / name / f"t__{name * 7}" / "result.json", said)
    assert agents(tmp_path) == {"m": {"void": 2}}
    assert "samples of several files: 1 tasks have samples in several files, such as a/" in details(tmp_path)


def test_two_runs_of_mini_swe_agent_are_two_agents(tmp_path):
    for name in ("a", "b"):
        mini(tmp_path / name)
        for path in (tmp_path / name).glob("*/*.json"):
            said = json.loads(path.read_text())
            said["messages"][1]["content"] = name
            document(path, said)
    assert agents(tmp_path) == {"mini-swe-agent m [a]": {"void": 5}, "mini-swe-agent m [b]": {"void": 5}}


def test_a_rate_of_an_earlier_run_is_no_further_task_of_a_model_whose_samples_are_there(tmp_path):
    config = {"config": {"model": "hf", "model_args": "pretrained=org/m"}, "versions": {"gsm8k": 3}}
    for day in (1, 2):
        found = {"results": {"gsm8k": {"exact_match,strict-match": 0.5}}}
        document(tmp_path / f"results_2025-01-0{day}T00-00-00.1.json", found | config)
    row = {"doc": {}, "target": "1", "resps": [["1"]], "filtered_resps": ["1"], "filter": "strict-match"}
    scored = [row | {"doc_id": at, "metrics": ["exact_match"], "exact_match": float(at < 1)} for at in range(2)]
    rows(tmp_path / "samples_gsm8k_2025-01-02T00-00-00.1.jsonl", *scored)
    assert agents(tmp_path) == {"org/m strict-match": {"passed": 1, "failed": 1}}
    assert "rate of samples: of another run" in details(tmp_path)


def test_results_of_tau2_are_known_however_long_their_conversations_are(tmp_path):
    said = [{"role": "user", "content": "x" * 20_000}]
    done = [{"task_id": "0", "trial": 0, "reward_info": {"reward": 1.0}, "messages": said, "note": "y" * 20_000}]
    info = {"agent_info": {"llm": "m"}, "guidelines": "z" * 20_000}
    document(tmp_path / "r.json", {"timestamp": "t", "info": info, "tasks": [], "simulations": done})
    assert agents(tmp_path) == {"m": {"passed": 1}}


def test_an_exported_session_of_opencode_is_a_session(tmp_path):
    def message(name: str, role: str, text: str) -> dict[str, object]:
        part = {"type": "text", "text": text, "messageID": name, "sessionID": "s"}
        return {"info": {"role": role, "id": name, "sessionID": "s", "modelID": "m"}, "parts": [part]}

    info = {"id": "s", "projectID": "p", "version": "1.17.18"}
    document(tmp_path / "session.json", {"info": info, "messages": [message("a", "user", "do"),
                                                                    message("b", "assistant", "done")]})  # fmt: skip
    (found,) = of(Imported, items(tmp_path))
    assert (found.trial.agent, [step.message for step in found.trajectory.steps]) == ("opencode m", ["do", "done"])


def test_a_trace_without_a_model_or_an_agent_is_no_trial(tmp_path):
    span = {"traceId": "ab" * 16, "attributes": [{"key": "http.method", "value": {"stringValue": "GET"}}]}
    document(tmp_path / "t.json", {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]})
    with pytest.raises(FormatError, match="none of its 1 spans has an attribute"):
        items(tmp_path)


def test_a_copy_that_was_kept_of_a_file_is_no_further_agent_and_a_tools_own_name_is_none(tmp_path):
    evalplus(tmp_path / "model-a", PASSED)
    (tmp_path / "model-a" / "samples_eval_results.json").rename(tmp_path / "model-a" / "eval_results.json")
    (tmp_path / "model-a" / "eval_results.json.bak").write_bytes(
        (tmp_path / "model-a" / "eval_results.json").read_bytes()
    )
    assert agents(tmp_path) == {"model-a": RIGHT}
    assert "it is a copy that was kept of another file" in details(tmp_path)
    junit(tmp_path / "x" / "server" / "target" / "surefire-reports", PASSED)
    assert agents(tmp_path / "x") == {"server": RIGHT}


def test_attempts_at_one_instance_that_ended_alike_are_no_copies(tmp_path):
    for name, passed in (("a", True), ("b", True), ("c", False), ("d", False)):
        said = {"patch_successfully_applied": True, "resolved": passed, "tests_status": {}}
        document(tmp_path / "logs" / "run_evaluation" / name / "m" / IDS[0] / "report.json", {IDS[0]: said})
        ids = {"submitted_ids": IDS[:1], "resolved_ids": IDS[:passed], "unresolved_ids": IDS[passed:1]}
        document(tmp_path / f"m.{name}.json", ids)
    assert agents(tmp_path) == {"a/m": {"passed": 1}, "b/m": {"passed": 1}, "c/m": {"failed": 1}, "d/m": {"failed": 1}}


def test_a_report_is_of_the_predictions_whose_patch_lies_beside_it(tmp_path):
    for run, passed in (("old", 5), ("new", 2)):
        rows = [{"instance_id": each, "model_name_or_path": "m", "model_patch": f"+{run}"} for each in IDS]
        write(tmp_path / run / "preds.jsonl", *rows)
        reports(tmp_path / "logs" / run / "m", passed)
        for each in IDS:
            (tmp_path / "logs" / run / "m" / each / "patch.diff").write_text(f"+{run}\n")
    write(
        tmp_path / "preds.jsonl",
        *({"instance_id": each, "model_patch": "+x", "model_name_or_path": "m"} for each in IDS),
    )
    assert agents(tmp_path) == {"old/m": {"passed": 5}, "new/m": {"passed": 2, "failed": 3}, "m": {"void": 5}}
    shutil.rmtree(tmp_path / "new")
    found = agents(tmp_path)
    assert {"void": 5} in found.values(), "nobody judged +x"
    assert {"passed": 2, "failed": 3} in found.values()
    assert len(found) == 3
    assert "reports of other patches" in details(tmp_path)


def test_a_summary_under_a_plain_name_that_says_all_the_same_is_a_copy(tmp_path):
    every = [f"org__repo-{number}" for number in range(8)]
    ids = {"submitted_ids": every, "resolved_ids": every[:3], "unresolved_ids": every[3:], "total_instances": 8}
    write(
        tmp_path / "preds.jsonl",
        *({"instance_id": each, "model_patch": "d", "model_name_or_path": "m"} for each in every),
    )
    document(tmp_path / "m.run.json", ids)
    document(tmp_path / "final.json", ids)
    assert agents(tmp_path) == {"m": {"passed": 3, "failed": 5}}
    document(tmp_path / "other.json", ids | {"resolved_ids": every[1:4], "unresolved_ids": [every[0], *every[4:]]})
    assert set(agents(tmp_path)) == {"m", "other"}


def test_a_list_of_a_relative_names_instances_too(tmp_path):
    ids = {"submitted_ids": IDS[:2], "resolved_ids": IDS[:1], "unresolved_ids": IDS[1:2], "total_instances": 5}
    more = {"empty_error_patch_ids": IDS[2:3], "infra_failure_ids": IDS[3:4], "incomplete_ids": IDS[4:]}
    document(tmp_path / "m.run.json", ids | more)
    assert agents(tmp_path) == {"m.run": {"passed": 1, "failed": 2, "void": 1}}
    assert "1 of 5 instances were not submitted" in details(tmp_path)


def test_a_table_that_asks_does_not_stop_the_results_beside_it(tmp_path):
    document(tmp_path / "m.run.json", summary(PASSED))
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "scores.csv").write_text("model,task,score\na,t,7\nb,t,0.5\n")
    assert agents(tmp_path) == {"m.run": RIGHT}
    assert "unread table: docs/scores.csv" in details(tmp_path)
    with pytest.raises(FormatError, match="--scale"):
        agents(tmp_path / "docs")


def test_sessions_in_files_of_one_name_are_tasks_named_after_folders(tmp_path):
    for name in ("first", "second"):
        told = {"type": "user", "message": {"role": "user", "content": name}, "uuid": name, "sessionId": name}
        write(tmp_path / name / "transcript.jsonl", told | {"parentUuid": None, "isSidechain": False, "version": "1"})
    assert set(outcomes(tmp_path)) == {"first", "second"}
