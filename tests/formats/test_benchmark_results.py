"""Results of benchmarks and leaderboards: every figure that was counted in the real files is found by the readers."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from published import expected, items, of, real, refusals, trials

from honestly.errors import FormatError
from honestly.formats import Imported
from honestly.records import Agent, Defect, Outcome, Task


def test_lm_eval_samples_are_trials_and_their_rates_are_not_counted_again(tmp_path):
    row = {"doc_id": 0, "doc": {}, "resps": [], "filtered_resps": [], "filter": "strict", "metrics": ["exact_match"],
           "arguments": {"gen_args_0": {"arg_0": "What?"}}}  # fmt: skip
    lines = [
        row | {"exact_match": 1.0},
        row | {"doc_id": 1, "exact_match": 0.0},
        row | {"doc_id": 2, "exact_match": None},
    ]
    (tmp_path / "samples_gsm8k_2024-05-01T10-00-00.000001.jsonl").write_text(
        "\n".join(map(json.dumps, [*lines, lines[0]]))
    )
    results = {"results": {"gsm8k": {"exact_match,strict": 1 / 3}, "arc": {"acc,none": 0.5, "acc_stderr,none": 0.1}},
               "versions": {"gsm8k": 3}, "n-shot": {"gsm8k": 5}, "config": {"model": "hf", "model_args": "pretrained=a/b"}}  # fmt: skip
    (tmp_path / "results_x.json").write_text(json.dumps(results))
    found = items(tmp_path, "lm-eval")
    assert Counter((trial.task, trial.outcome.value) for trial in trials(found)) == {
        ("gsm8k.0", "passed"): 1, ("gsm8k.1", "failed"): 1, ("gsm8k.2", "void"): 1, ("arc", "failed"): 1}  # fmt: skip
    assert [task.instruction for task in of(Task, found) if task.id == "gsm8k.0"] == ["What?"]
    assert {agent.settings.get("num_fewshot") for agent in of(Agent, found)} == {5, None}
    lost = refusals(found)
    assert sorted(words.partition(":")[0] for words in lost.values()) == ["duplicate trial", "rate of samples"]


@pytest.mark.published
def test_graded_samples_are_those_of_the_files():
    said = {name: each for name, each in expected("humaneval_mbpp_samples").items() if "is_solved" in each}
    assert len(said) == 4
    found = items(real("humaneval_mbpp_samples"), "graded-samples")
    for name, counted in said.items():
        mine = [trial for trial in trials(found) if trial.source.startswith(name)]
        assert len(mine) == counted["lines"]
        assert len({trial.task for trial in mine}) == counted["distinct_tasks"]
        assert sum(trial.outcome is Outcome.PASSED for trial in mine) == counted["is_solved"]
    assert all("solution.py" in each.artifacts for each in of(Imported, found))


def test_evalplus_bigcodebench_and_livecodebench(tmp_path):
    sample = {
        "task_id": "HumanEval/0",
        "solution": "x",
        "base_status": "pass",
        "plus_status": "fail",
        "plus_fail_tests": [1],
    }
    evalplus = {"date": "d", "hash": "h", "eval": {"HumanEval/0": [sample, sample | {"plus_status": "pass"}]}}
    (tmp_path / "m_eval_results.json").write_text(json.dumps(evalplus))
    big = {"date": "d", "eval": {"BigCodeBench/1": [{"status": "timeout", "details": {}, "solution": "y"}]}}
    (tmp_path / "n.json").write_text(json.dumps(big))
    lcb = [{"question_id": "q1", "code_list": ["a", "b"], "graded_list": [True, False], "pass@1": 0.5}]
    (tmp_path / "o_eval_all.json").write_text(json.dumps(lcb))
    found = items(tmp_path, "graded-samples")
    assert Counter((trial.task, trial.outcome.value) for trial in trials(found)) == {
        ("HumanEval-0", "failed"): 1, ("HumanEval-0", "passed"): 1, ("BigCodeBench-1", "failed"): 1, ("q1", "passed"): 1,
        ("q1", "failed"): 1}  # fmt: skip
    assert refusals(found) == {}
    checks = [trial.verdict.hidden.checks for trial in trials(found)]
    assert {check.status for run in checks for check in run} == {"passed", "failed", "timeout"}


@pytest.mark.published
def test_rates_of_leaderboards():
    said = expected("aider")
    found = items(real("aider"), "rates")
    for name, counted in said.items():
        mine = [trial for trial in trials(found) if trial.source.startswith(f"{name}.yml:")]
        assert len(mine) == counted["rows"]
        first = min(mine, key=lambda trial: int(trial.source.rpartition(":")[2]))
        assert first.score == pytest.approx(float(counted["first"]["pass_rate_2"]) / 100)
        assert first.agent.startswith(counted["first"]["model"])
    assert {each.kind for each in of(Defect, found) if each.effect == "noted"} >= {"only a rate"}
    found = items(real("evalplus"))
    perf = [trial for trial in trials(found) if "evalperf" in trial.source]
    for name, counted in expected("evalplus").items():
        assert len({trial.source.rpartition("#")[0] for trial in perf}) == 2
        if name == "results.json":
            names = {trial.agent for trial in trials(found) if trial.source.startswith(name)}
            assert len(names) == counted["n"]


@pytest.mark.published
def test_conversations_with_and_without_rewards():
    assert expected("docent")["n"] == 5
    (docent,) = of(Imported, items(real("docent") / "tb_airline.json"))
    steps = docent.trajectory.steps
    messages = len(steps) + sum(len(step.observations) for step in steps)
    assert (docent.trial.outcome, docent.trial.task, messages) == (Outcome.FAILED, "tau-bench.airline.0", 42)
    hal = trials(items(next(real("hal").glob("*UPLOAD.json"))))
    assert [(trial.task, trial.outcome, trial.usage.usd) for trial in hal] == [
        ("0", Outcome.PASSED, 0.001), ("1", Outcome.FAILED, 0.002)]  # fmt: skip
    assert (hal[0].usage.input_tokens, hal[0].agent_seconds) == (100, 1.5)
    few = of(Imported, items(real("tau_bench_few_shot"), "tau-bench"))
    assert len(few) == expected("tau_bench_few_shot")["lines"]
    assert {each.trial.outcome for each in few} == {Outcome.VOID}
    assert few[0].trajectory.steps[0].message.startswith("Hi, I need to cancel my flights")


@pytest.mark.published
def test_rollouts_are_void_where_their_container_failed():
    said = expected("tinker_rollouts")
    found = of(Imported, items(real("tinker_rollouts"), "tinker"))
    assert len(found) == said["rows"]
    judged = [each.trial for each in found if each.trial.outcome is not Outcome.VOID]
    assert len(found) - len(judged) == said["docker_error"]
    rewards = [1.0 if trial.outcome is Outcome.PASSED else trial.score or 0.0 for trial in judged]
    assert sum(reward > 0 for reward in rewards) == said["private_reward>0"]
    assert all(each.trajectory.steps for each in found)


@pytest.mark.published
@pytest.mark.parametrize("folder", ["rl_rows", "hf_model_index"])
def test_what_looks_like_results_and_is_none_is_refused_with_the_reason(folder):
    with pytest.raises(FormatError, match="no results"):
        items(real(folder))
