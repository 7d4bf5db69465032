"""Layouts of tools: files that belong together become one trial, and an absence is never an outcome."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from published import items, of
from test_session_trees import trials, write

from honestly.errors import FormatError
from honestly.formats import Imported
from honestly.records import Defect, Outcome

IDS = [f"org__repo-{number}" for number in range(5)]


def document(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))
    return path


def outcomes(place: Path) -> dict[str, str]:
    return {trial.task: str(trial.outcome) for trial in trials(place)}


def details(place: Path) -> str:
    return "\n".join(f"{each.kind}: {each.detail}" for each in of(Defect, items(place)))


def test_a_summary_in_results_belongs_to_the_predictions_beside_it(tmp_path):
    write(
        tmp_path / "all_preds.jsonl",
        *({"instance_id": each, "model_name_or_path": "m", "model_patch": "d"} for each in IDS),
    )
    for each in IDS:
        (tmp_path / "logs" / each).mkdir(parents=True)
        (tmp_path / "logs" / each / "run_instance.log").write_text(">>>>> Applied Patch:\n")
    assert set(outcomes(tmp_path).values()) == {"void"}, "no report says nothing"
    (tmp_path / "logs" / IDS[0] / "run_instance.log").write_text(">>>>> Patch Apply Failed:\n")
    assert outcomes(tmp_path)[IDS[0]] == "failed"
    summary = {"total_instances": 7, "resolved": IDS[:2], "unresolved_ids": IDS[2:], "incomplete_ids": ["org__repo-9"]}
    document(tmp_path / "results" / "results.json", summary | {"resolved_instances": 2})
    found = outcomes(tmp_path)
    assert [found[each] for each in IDS] == ["passed", "passed", "failed", "failed", "failed"]
    assert "org__repo-9" not in found, "it was never submitted"
    assert "1 of 6 instances were not submitted: a run of a part" in details(tmp_path)
    assert "1 of 7 instances are named nowhere" in details(tmp_path)


def test_instances_that_a_summary_of_the_whole_set_leaves_out_stay_in_the_denominator(tmp_path):
    """Old summaries name what was generated, and newer ones list what was not submitted: a few of all are void."""
    every = [f"org__repo-{number}" for number in range(20)]
    old = {"no_generation": [], "with_logs": every, "applied": every}
    document(tmp_path / "full" / "results" / "results.json", old | {"generated": every, "resolved": every[:2]})
    document(tmp_path / "less" / "results" / "results.json", old | {"generated": every[1:], "resolved": every[1:2]})
    document(tmp_path / "half" / "results" / "results.json", old | {"generated": every[:9], "resolved": every[:1]})
    summary = {"total_instances": 20, "submitted_ids": every[2:], "completed_ids": every[2:], "resolved_ids": every[2:]}
    document(tmp_path / "new" / "new.run.json", summary | {"incomplete_ids": every[:2], "schema_version": 2})
    document(tmp_path / "part" / "part.run.json", summary | {key: every[:1] for key in summary if "ids" in key}
             | {"total_instances": 20, "incomplete_ids": every[1:], "schema_version": 2})  # fmt: skip
    sizes: dict[str, dict[str, int]] = {}
    for trial in trials(tmp_path):
        own = sizes.setdefault(trial.agent.partition(".")[0], {})
        own[trial.outcome.value] = own.get(trial.outcome.value, 0) + 1
    assert sizes == {
        "full": {"passed": 2, "failed": 18},
        "less": {"passed": 1, "failed": 18, "void": 1},
        "half": {"passed": 1, "failed": 8},
        "new": {"passed": 18, "void": 2},
        "part": {"passed": 1},
    }
    assert "1 of 20 instances that other runs name are not in it: void" in details(tmp_path)


def test_a_report_of_an_earlier_patch_does_not_count(tmp_path):
    """The harness asks no report of an instance without a patch; one that lies there is of a run before."""
    report = {"patch_successfully_applied": True, "resolved": True, "tests_status": {}}
    document(tmp_path / "logs" / "run_evaluation" / "r" / "m" / IDS[0] / "report.json", {IDS[0]: report})
    summary = {"total_instances": 1, "submitted_ids": IDS[:1], "completed_ids": [], "empty_patch_ids": IDS[:1]}
    document(tmp_path / "m.r.json", summary | {"resolved_ids": [], "schema_version": 2})
    assert outcomes(tmp_path) == {IDS[0]: "failed"}
    assert "report outdated" in details(tmp_path)


def test_summaries_of_relatives_and_those_that_contradict_themselves(tmp_path):
    smith = {"resolved": 1, "unresolved": 4, "total": 5, "ids_resolved": IDS[:1], "ids_unresolved": IDS[1:]}
    document(tmp_path / "s" / "report.json", smith)
    report = {"patch_successfully_applied": True, "resolved": True, "tests_status": {}}
    document(tmp_path / "s" / IDS[0] / "report.json", report)
    assert list(outcomes(tmp_path / "s").values()).count("passed") == 1
    assert len(outcomes(tmp_path / "s")) == 5
    both = {"submitted_ids": IDS[:3], "resolved_ids": IDS[:2], "unresolved_ids": IDS[1:3], "total_instances": 3}
    document(tmp_path / "b" / "m.json", both)
    assert list(outcomes(tmp_path / "b").values()) == ["passed", "void", "failed"]
    assert IDS[1] in details(tmp_path / "b")
    document(tmp_path / "b" / "counts.json", {"total_instances": 300, "resolved_instances": 50})
    assert "counts alone" in details(tmp_path / "b")


def test_a_trajectory_of_swe_agent_has_the_verdict_beside_it(tmp_path):
    step = {"action": "ls", "observation": "a", "response": "r", "thought": "t"}
    for each in IDS[:2]:
        said = {"trajectory": [step], "history": [], "info": {"exit_status": "submitted"}, "environment": "main"}
        document(tmp_path / each / f"{each}.traj", said)
    document(tmp_path / "preds.json", {each: {"instance_id": each, "model_patch": "d"} for each in IDS[:3]})
    assert outcomes(tmp_path)[IDS[0]] == "void"
    document(tmp_path / "results.json", {"submitted_ids": IDS[:3], "resolved_ids": IDS[:1], "unresolved_ids": IDS[1:3]})
    found = of(Imported, items(tmp_path))
    assert [str(each.trial.outcome) for each in found] == ["passed", "failed", "failed"]
    assert [each.trajectory is not None for each in found] == [True, True, False]
    assert len({each.trial.agent for each in found}) == 1


def test_two_runs_of_a_task_are_two_samples_of_its_questions(tmp_path):
    for day, scores in (("2025-01-01T00-00-00.1", (1.0, 0.0)), ("2025-01-02T00-00-00.1", (1.0, 1.0))):
        row = {"doc": {}, "target": "1", "resps": [["1"]], "filtered_resps": ["1"], "filter": "strict-match"}
        rows = [row | {"doc_id": n, "metrics": ["exact_match"], "exact_match": each} for n, each in enumerate(scores)]
        write(tmp_path / f"samples_gsm8k_{day}.jsonl", *rows)
        results = {"gsm8k": {"alias": "gsm8k", "exact_match,strict-match": sum(scores) / 2}}
        config = {"model": "hf", "model_args": "pretrained=org/m"}
        document(tmp_path / f"results_{day}.json", {"results": results, "versions": {"gsm8k": 3}, "config": config})
    assert [str(trial.outcome) for trial in trials(tmp_path)] == ["passed", "failed", "passed", "passed"]
    assert [trial.sample for trial in trials(tmp_path)] == [0, 0, 1, 1]
    assert "metric differs" not in details(tmp_path)


def test_a_folder_of_events_of_openhands_is_a_session(tmp_path):
    at = {"timestamp": "2025-01-01T00:00:00"}
    events = [
        {"id": 0, "source": "user", "action": "message", "args": {"content": "do"}},
        {"id": 1, "source": "agent", "action": "run", "args": {"command": "ls", "thought": "look"}},
        {"id": 2, "source": "agent", "observation": "run", "content": "a", "cause": 1, "extras": {}},
    ]
    for number in (0, 1, 2, 10):
        event = events[min(number, 2)] | at | {"id": number}
        document(tmp_path / "sessions" / "abc" / "events" / f"{number}.json", event)
    document(tmp_path / "sessions" / "abc" / "metadata.json", {"conversation_id": "abc"})
    (found,) = of(Imported, items(tmp_path))
    assert (found.trial.task, [step.source for step in found.trajectory.steps]) == ("abc", ["user", "agent"])
    assert [each.text for each in found.trajectory.steps[1].observations] == ["a", "a"]
    assert not [each for each in of(Defect, items(tmp_path)) if each.effect == "refused"]


def test_events_of_the_newer_sdk_of_openhands_are_steps(tmp_path):
    at = {"timestamp": "2026-01-01T00:00:00"}
    told = {"role": "user", "content": [{"type": "text", "text": "do"}]}
    call = {"tool_name": "execute_bash", "tool_call_id": "k1"}
    seen = {"kind": "ExecuteBashObservation", "output": "a", "exit_code": 3}
    history = [
        {"id": "u0", **at, "source": "user", "kind": "MessageEvent", "llm_message": told},
        {"id": "u1", **at, "source": "agent", "kind": "ActionEvent", "thought": [{"type": "text", "text": "look"}],
         "action": {"kind": "ExecuteBashAction", "command": "ls"}, **call},
        {"id": "u2", **at, "source": "environment", "kind": "ObservationEvent", **call, "observation": seen},
    ]  # fmt: skip
    tokens = {"prompt_tokens": 100, "completion_tokens": 9, "cache_read_tokens": 50}
    row = {"instance_id": "o__r-1", "instruction": "do", "metadata": {"llm": {"model": "m-1"}}, "history": history}
    write(tmp_path / "output.jsonl", row | {"git_patch": "", "metrics": {"accumulated_token_usage": tokens}})
    (found,) = of(Imported, items(tmp_path))
    user, agent = found.trajectory.steps
    assert (user.message, agent.message, agent.calls[0].name) == ("do", "look", "execute_bash")
    assert (agent.observations[0].text, agent.observations[0].code) == ("a", 3)
    assert (found.trial.usage.input_tokens, found.trial.usage.output_tokens) == (100, 9)


def test_a_reward_beside_an_infrastructure_error_is_void(tmp_path):
    sims = [{"id": "1", "task_id": "7", "trial": 0, "termination_reason": "infrastructure_error", "messages": []}]
    info = {"num_trials": 1, "agent_info": {"llm": "m"}}
    found = {"timestamp": "x", "info": info, "tasks": [], "simulations": [sims[0] | {"reward_info": {"reward": 0.0}}]}
    (trial,) = trials(document(tmp_path / "r.json", found))
    assert (trial.outcome, trial.reason, trial.score) == (Outcome.VOID, "infrastructure error", None)


def attribute(key: str, value: object) -> dict[str, object]:
    return {"key": key, "value": {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}}


def spans(*found: dict[str, object]) -> dict[str, object]:
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(found)}]}]}


def test_a_trace_in_two_files_is_a_trial_and_old_names_are_read(tmp_path):
    for number in (1, 2):
        answer = [{"role": "assistant", "parts": [{"type": "text", "content": f"answer {number}"}]}]
        said = [attribute("gen_ai.operation.name", "chat"), attribute("gen_ai.output.messages", json.dumps(answer))]
        span = {"traceId": "ab" * 16, "startTimeUnixNano": f"170000000{number}000000000", "attributes": said}
        other = {"traceId": f"{number}c" * 16, "startTimeUnixNano": "1700000000000000000", "attributes": said}
        document(tmp_path / f"t{number}.json", spans(span, other))
    steps = {
        each.trial.task: [step.message for step in each.trajectory.steps] for each in of(Imported, items(tmp_path))
    }
    assert steps["ab" * 16] == ["answer 1", "answer 2"]
    assert len(steps) == 3
    old = {"llm.request.type": "chat", "gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": "do",
           "gen_ai.completion.0.content": "done", "gen_ai.usage.prompt_tokens": 11}  # fmt: skip
    span = {"traceId": "cd" * 16, "attributes": [attribute(*pair) for pair in old.items()]}
    (found,) = of(Imported, items(document(tmp_path / "old" / "t.json", spans(span))))
    assert [step.message for step in found.trajectory.steps] == ["do", "done"]
    assert found.trial.usage.input_tokens == 11


def test_several_summaries_in_a_folder_are_runs_of_their_own_and_copies_of_a_patch_are_one(tmp_path):
    def rows(model: str) -> list[dict[str, str]]:
        return [{"instance_id": each, "model_name_or_path": model, "model_patch": "d"} for each in IDS]

    write(tmp_path / "m_preds.jsonl", *rows("m"))
    write(tmp_path / "submission" / "all_preds.jsonl", *rows("m"))
    for name, passed in (("m.full.json", 3), ("x-4.5.first.json", 2), ("swe-bench_verified__test__again.json", 1)):
        ids = {"submitted_ids": IDS, "resolved_ids": IDS[:passed], "unresolved_ids": IDS[passed:]}
        document(tmp_path / name, ids | {"total_instances": 5})
    counted = Counter((trial.agent, str(trial.outcome)) for trial in trials(tmp_path))
    assert counted == {("m", "passed"): 3, ("m", "failed"): 2, ("x-4.5.first", "passed"): 2,
                       ("x-4.5.first", "failed"): 3, ("again", "passed"): 1, ("again", "failed"): 4}  # fmt: skip
    assert "the same patch lies elsewhere, too" in details(tmp_path)


def test_a_program_or_a_page_that_has_the_words_of_a_format_is_no_file_of_it(tmp_path):
    write(tmp_path / "preds.jsonl", {"instance_id": IDS[0], "model_name_or_path": "m", "model_patch": "d"})
    (tmp_path / "run.py").write_text('row = {"instance_id": 1, "model_patch": "d", "gen_ai.x": 2}\n')
    (tmp_path / "guide.md").write_text('Write {"instance_id": "a", "model_patch": "d"}, {"resolvedIds": []}.\n')
    refused = [(each.kind, each.where) for each in of(Defect, items(tmp_path)) if each.effect == "refused"]
    assert refused == [("unknown format", "guide.md"), ("unknown format", "run.py")]


def agents(place: Path) -> dict[str, dict[str, int]]:
    """How often each agent has which outcome."""
    counted: dict[str, Counter[str]] = {}
    for trial in trials(place):
        counted.setdefault(trial.agent, Counter())[str(trial.outcome)] += 1
    return {name: dict(each) for name, each in counted.items()}


def judged(passed: bool) -> dict[str, object]:
    each = {"solution": "", "base_status": "pass" if passed else "fail", "plus_status": "pass" if passed else "fail"}
    return {"eval": {f"HumanEval/{number}": [each | {"task_id": f"HumanEval/{number}"}] for number in range(3)}}


def test_files_of_one_name_are_of_the_agents_that_their_folders_name(tmp_path):
    evalplus, bench = tmp_path / "evalplus", tmp_path / "tau"
    for name, passed in (("m-1", True), ("m-2", False)):
        document(evalplus / "run" / name / "humaneval" / "samples_eval_results.json", judged(passed))
        other = {key.replace("HumanEval", "Mbpp"): said for key, said in judged(passed)["eval"].items()}
        document(evalplus / "run" / name / "mbpp" / "samples_eval_results.json", {"eval": other})
        document(bench / name / "results.json", [{"task_id": 0, "reward": float(passed), "traj": [], "info": {}}])
        document(tmp_path / "pro" / name / "eval_results.json", {"instance_a__b-1": passed})
    assert agents(evalplus) == {"m-1": {"passed": 6}, "m-2": {"failed": 6}}, "what differs, not the benchmark's folder"
    assert "agents named after folders" in details(evalplus)
    assert agents(bench) == agents(tmp_path / "pro") == {"m-1": {"passed": 1}, "m-2": {"failed": 1}}
    document(evalplus / "run" / "m-1" / "humaneval" / "chat_eval_results.json", judged(False))
    assert set(agents(evalplus)) == {"m-1/humaneval/samples", "m-1/humaneval/chat", "m-1/mbpp/samples",
                                     "m-2/humaneval/samples", "m-2/mbpp/samples"}  # fmt: skip


def test_files_of_one_name_with_other_tasks_are_one_agent(tmp_path):
    for folder in ("humaneval", "mbpp"):
        said = {f"{folder}/{key}": each for key, each in judged(True)["eval"].items()}
        document(tmp_path / folder / "m_eval_results.json", {"eval": said})
    assert agents(tmp_path) == {"m": {"passed": 6}}
    assert not details(tmp_path)


def test_a_summary_has_its_whole_name_wherever_it_lies(tmp_path):
    def summary(passed: int) -> dict[str, object]:
        return {"submitted_ids": IDS, "resolved_ids": IDS[:passed], "unresolved_ids": IDS[passed:]}

    for place in (tmp_path / "alone", tmp_path / "two"):
        document(place / "a" / "gpt-4.1.run.json", summary(5))
    document(tmp_path / "two" / "b" / "gpt-4.5.run.json", summary(0))
    assert agents(tmp_path / "alone") == {"gpt-4.1.run": {"passed": 5}}
    assert agents(tmp_path / "two") == {"gpt-4.1.run": {"passed": 5}, "gpt-4.5.run": {"failed": 5}}
    for name, passed in (("m-1", 4), ("m-2", 1)):
        document(tmp_path / "same" / name / "evaluation" / "results.json", summary(passed))
    assert agents(tmp_path / "same") == {"m-1/evaluation": {"passed": 4, "failed": 1},
                                         "m-2/evaluation": {"passed": 1, "failed": 4}}  # fmt: skip


def test_a_summary_is_of_the_predictions_whose_model_its_name_begins_with_and_of_no_longer_model(tmp_path):
    write(
        tmp_path / "preds.jsonl",
        *({"instance_id": each, "model_name_or_path": "gpt-4", "model_patch": "d"} for each in IDS),
    )
    for name, passed in (("gpt-4.1.run.json", 5), ("gpt-4.run.json", 1)):
        document(tmp_path / name, {"resolved_ids": IDS[:passed], "unresolved_ids": IDS[passed:], "submitted_ids": IDS})
    assert agents(tmp_path) == {"gpt-4": {"passed": 1, "failed": 4}, "gpt-4.1.run": {"passed": 5}}


def test_a_patch_that_is_no_text_or_is_not_there_is_no_failure(tmp_path):
    row = {"model_name_or_path": "m", "instance_id": IDS[0]}
    rows = [
        row | {"model_patch": row | {"model_patch": "d"}},
        row | {"model_patch": ["d"]},
        row,
        row | {"model_patch": ""},
    ]
    write(tmp_path / "preds.jsonl", *(each | {"instance_id": IDS[at]} for at, each in enumerate(rows)))
    found = of(Imported, items(tmp_path))
    assert [(str(each.trial.outcome), each.trial.reason) for each in found] == [
        ("void", "not judged"),
        ("void", "model_patch is list, not a text"),
        ("void", "no model_patch in its row"),
        ("failed", "no patch"),
    ]
    assert found[0].artifacts == {"patch.diff": b"d"}


def test_a_verdict_counts_before_a_prediction_of_the_same_agent_elsewhere(tmp_path):
    write(tmp_path / "a" / "p.jsonl", {"instance_id": IDS[0], "model_name_or_path": "m.run", "model_patch": "d"})
    document(tmp_path / "b" / "m.run.json", {"submitted_ids": IDS[:1], "resolved_ids": IDS[:1], "unresolved_ids": []})
    assert agents(tmp_path) == {"m.run": {"passed": 1}}


def test_trajectories_and_rows_have_the_verdict_of_the_summary_beside_them(tmp_path):
    step = {"action": "ls", "observation": "a", "response": "r", "thought": "t"}
    for name, passed in (("gpt", 2), ("claude", 0)):
        for each in IDS[:2]:
            said = {"trajectory": [step], "history": [], "info": {}, "environment": "main"}
            document(tmp_path / "a" / "user" / f"{name}__t-0" / f"{each}.traj", said)
        summary = {"no_generation": [], "generated": IDS[:2], "with_logs": IDS[:2], "resolved": IDS[:passed]}
        document(tmp_path / "a" / "user" / f"{name}__t-0" / "results.json", summary)
    assert agents(tmp_path / "a") == {"gpt__t-0": {"passed": 2}, "claude__t-0": {"failed": 2}}
    rows = [{"instance_id": each, "instruction": "do", "history": [], "git_patch": "d"} for each in IDS]
    for place in (tmp_path / "summary", tmp_path / "evaluated"):
        place.mkdir()
        write(place / "output.jsonl", *rows)
    summary = {"submitted_ids": IDS, "resolved_ids": IDS[:2], "unresolved_ids": IDS[2:]}
    document(tmp_path / "summary" / "report.json", summary)
    judged_rows = [row | {"test_result": {"report": {"resolved": at < 2}}} for at, row in enumerate(rows[:4])]
    write(tmp_path / "evaluated" / "output.swebench_eval.jsonl", *judged_rows)
    assert agents(tmp_path / "summary") == {"openhands": {"passed": 2, "failed": 3}}
    assert agents(tmp_path / "evaluated") == {"openhands": {"passed": 2, "failed": 2, "void": 1}}


def test_what_a_model_thinks_of_its_work_is_no_verdict(tmp_path):
    write(tmp_path / "output.jsonl", {"instance_id": "a", "history": [], "git_patch": "d", "success": True})
    (trial,) = trials(tmp_path)
    assert (trial.outcome, trial.reason) == (Outcome.VOID, "not judged: a model thinks that it succeeded")
    assert "judged by a model" in details(tmp_path)


def test_summaries_of_two_runs_in_files_of_one_name_are_two_runs(tmp_path):
    for name, passed in (("run-a", 3), ("run-b", 1)):
        smith = {"resolved": passed, "total": 3, "ids_resolved": IDS[:passed], "ids_unresolved": IDS[passed:3]}
        document(tmp_path / "smith" / "logs" / name / "report.json", smith)
        summary = {"submitted_ids": IDS[:3], "resolved_ids": IDS[:passed], "unresolved_ids": IDS[passed:3]}
        document(tmp_path / "multi" / name / "final_report.json", summary)
    for place in ("smith", "multi"):
        assert agents(tmp_path / place) == {"run-a": {"passed": 3}, "run-b": {"passed": 1, "failed": 2}}


def test_tasks_of_two_domains_are_two_tasks(tmp_path):
    for domain, reward in (("airline", 1.0), ("retail", 0.0)):
        document(tmp_path / "t" / f"m-{domain}.json", [{"task_id": 0, "reward": reward, "traj": [], "info": {}}])
        info = {"agent_info": {"llm": "m"}, "environment_info": {"domain_name": domain}}
        done = [{"id": "1", "task_id": "0", "trial": 0, "messages": [], "reward_info": {"reward": reward}}]
        document(tmp_path / "t2" / f"{domain}.json", {"info": info, "tasks": [], "simulations": done})
    assert outcomes(tmp_path / "t") == {"tau-bench.airline.0": "passed", "tau-bench.retail.0": "failed"}
    assert outcomes(tmp_path / "t2") == {"airline.0": "passed", "retail.0": "failed"}


def test_a_copied_run_of_tau2_is_one_and_a_submission_names_its_agent(tmp_path):
    info = {"agent_info": {"llm": "m"}, "environment_info": {"domain_name": "mock"}}
    for number, home in enumerate(
        ("runs/a/output", "runs/a/artifacts", "web/s-1/trajectories", "web/s-2/trajectories")
    ):
        done = [
            {"id": f"id-{max(number, 1)}", "task_id": "0", "trial": 0, "messages": [], "reward_info": {"reward": 1.0}}
        ]
        document(tmp_path / home / "results.json", {"info": info, "tasks": [], "simulations": done})
    document(tmp_path / "web" / "s-1" / "submission.json", {"model_name": "Orchestrator", "results": {}})
    (tmp_path / "web" / "s-2" / "submission.json").write_text("{")
    assert agents(tmp_path) == {"m": {"passed": 2}, "Orchestrator": {"passed": 1}}
    assert "duplicate trial: id-1" in details(tmp_path)


def test_a_prediction_that_names_no_model_is_a_copy_of_one_above_it_that_does(tmp_path):
    named = {each: {"instance_id": each, "model_name_or_path": "m", "model_patch": ""} for each in IDS[:2]}
    document(tmp_path / "run" / "preds.json", named)
    for each in IDS[:2]:
        said = {"instance_id": each, "model_patch": "", "seconds": 5}
        document(tmp_path / "run" / each / "result.json", said).write_text(json.dumps(said, indent=2))
    assert agents(tmp_path) == {"m": {"failed": 2}}
    assert "duplicate prediction: org__repo-0: the same patch lies elsewhere, too" in details(tmp_path)


def test_a_list_of_the_failures_of_a_file_of_samples_is_no_agent(tmp_path):
    judged = [{"task_id": f"HumanEval/{at}", "completion": "c", "passed": at < 2} for at in range(4)]
    write(tmp_path / "m.jsonl_results.jsonl", *judged)
    write(tmp_path / "m.jsonl_erroneous.jsonl", *judged[2:])
    assert agents(tmp_path) == {"m": {"passed": 2, "failed": 2}}
    assert "no results: failures alone, as listed in m.jsonl_results.jsonl" in details(tmp_path)
    write(tmp_path / "m.other.jsonl", *(row | {"passed": False} for row in judged))
    write(tmp_path / "m.less.jsonl", *judged[1:])
    assert agents(tmp_path).keys() == {"m", "m.other", "m.less"}, "whoever failed everything is one"


def rates(path: Path, model: str, shots: dict[str, int], more: str = "") -> None:
    for task, number in shots.items():
        found = {"results": {task: {"acc,none": 0.5}}, "versions": {task: 1}, "n-shot": {task: number}}
        config = {"model": "hf", "model_args": f"pretrained={model}{more}"}
        document(path / f"{task}-{number}.json", found | {"config": config})


def test_a_model_is_one_agent_however_many_examples_each_task_has(tmp_path):
    for model in ("m-1", "m-2"):
        rates(tmp_path / model, model, {"arc": 25, "gsm8k": 5})
    assert agents(tmp_path) == {"m-1": {"failed": 2}, "m-2": {"failed": 2}}
    assert "shots vary" not in details(tmp_path)
    rates(tmp_path / "m-2", "m-2", {"gsm8k": 0})
    assert set(agents(tmp_path)) == {"m-1", "m-2 25-shot", "m-2 5-shot", "m-2 0-shot"}
    assert "shots vary: gsm8k with 0, 5 examples" in details(tmp_path)
    rates(tmp_path / "m-3", "m-1", {"arc": 25}, ",dtype=bfloat16")
    assert {"m-1", "m-1 dtype=bfloat16"} < set(agents(tmp_path)), "what tells two runs of a model apart names them"


def test_a_scorer_without_a_metric_is_no_verdict(tmp_path):
    def log(*scores: tuple[str, dict[str, object]]) -> str:
        sample = {
            "id": 1,
            "epoch": 1,
            "input": "i",
            "messages": [],
            "scores": {"diff": {"value": "C"}, "check": {"value": 0}},
        }
        listed = [{"name": name, "scorer": name, "metrics": metrics} for name, metrics in scores]
        said = {"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}, "samples": [sample]}
        (trial,) = trials(document(tmp_path / "log.json", said | {"results": {"scores": listed}}))
        return f"{trial.outcome} {trial.reason}".strip()

    mean: dict[str, object] = {"mean": {"name": "mean", "value": 0.0}}
    assert log(("diff", {}), ("check", mean)) == "failed"
    assert "scorer without a metric: diff: check decides" in details(tmp_path)
    assert log(("diff", {}), ("check", {})) == "void not judged"
    assert log(("other", mean), ("diff", mean)) == "void not judged", "the one that decides did not judge it"
    assert log(("check", mean), ("diff", mean)) == "failed"
    assert log() == "passed", "a log that broke off has no results, so the first of its samples' counts"


def test_of_a_score_of_several_parts_the_one_with_a_metric_decides(tmp_path):
    """SciCode's scorer: a figure over all steps, and one over whole problems."""
    values = [{"Problems": int(at == 0), "Right": 2, "Steps": 3} for at in range(4)]
    samples = [
        {"id": at, "epoch": 1, "input": "i", "messages": [], "scores": {"scicode": {"value": value}}}
        for at, value in enumerate(values)
    ]
    scores = [
        {"name": "scicode", "scorer": "scicode", "metrics": {"of_steps": {"name": "of_steps", "value": 0.66}}},
        {"name": "Problems", "scorer": "scicode", "metrics": {"mean": {"name": "mean", "value": 0.25}}},
    ]
    said = {"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}, "results": {"scores": scores}}
    document(tmp_path / "log.json", said | {"samples": samples})
    assert agents(tmp_path) == {"m": {"passed": 1, "failed": 3}}
    assert "nan" not in details(tmp_path)


def test_a_printed_session_is_known_after_whatever_a_hook_prints(tmp_path):
    each = {"session_id": "s"}
    write(
        tmp_path / "s.jsonl",
        each | {"type": "system", "subtype": "hook_started"},
        each | {"type": "system", "subtype": "hook_response", "output": "x" * 40_000},
        each | {"type": "system", "subtype": "init", "model": "m"},
        each
        | {"type": "assistant", "message": {"id": "a", "model": "m", "content": [{"type": "text", "text": "done"}]}},
        each | {"type": "result", "subtype": "success", "total_cost_usd": 0.5, "result": "done"},
    )
    (found,) = of(Imported, items(tmp_path))
    assert (found.trial.agent, found.trial.usage.usd) == ("claude-code m", 0.5)
    assert "of type system hook_started; of type system hook_response" in details(tmp_path)


def test_a_pointer_says_how_to_get_its_file(tmp_path):
    (tmp_path / "a.eval").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    with pytest.raises(FormatError, match="git lfs pull"):
        items(tmp_path)
