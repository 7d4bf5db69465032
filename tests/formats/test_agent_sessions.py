"""Files of agents: what was counted in the real sessions and trajectories is found by the readers."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from published import expected, items, of, real, refusals, trials

from honestly.errors import FormatError
from honestly.formats import Imported, importers_for
from honestly.records import Agent, Defect, Outcome


def calls(found):
    """How often each tool was called."""
    return Counter(call.name for each in of(Imported, found) for step in each.trajectory.steps for call in step.calls)


def observed(found):
    """Observations of all steps, those that answer a call first."""
    seen = [each for item in of(Imported, found) for step in item.trajectory.steps for each in step.observations]
    return sorted(seen, key=lambda each: each.call_id is None)


def path_of(name):
    folder = real("agent_sessions")
    return folder / name if (folder / name).exists() else folder / f"{name}.gz"


@pytest.mark.published
@pytest.mark.parametrize("name", ["claude-code-log__edge_cases.jsonl", "claude-code-log__representative_messages.jsonl",
                                  "claude-code-log__session_b.jsonl", "claude-code-log__todowrite_examples.jsonl",
                                  "claude-opus-4-6.jsonl"])  # fmt: skip
def test_claude_code(name):
    said = expected("agent_sessions")[name]
    assert importers_for(path_of(name)) == "claude-code"
    found = items(path_of(name))
    assert calls(found) == said["tool_calls"]
    (agent,) = of(Agent, found)
    assert agent.model in said["models"]
    steps = of(Imported, found)[0].trajectory.steps
    assert {step.model for step in steps if step.source == "agent"} <= set(said["models"])
    odd = sum(said["types"].get(kind, 0) for kind in ("int", "str", "list"))
    assert len(refusals(found)) == odd
    if "opus" in name:
        answers = [step for step in steps if step.source == "agent"]
        # 230 lines are pieces of fewer answers, whose tokens count once.
        assert len(answers) < 230
        assert all(each.call_id for each in observed(found))
        assert of(Imported, found)[0].trial.usage.output_tokens == sum(step.usage.output_tokens for step in answers)


def test_what_claude_code_repeats_or_leaves_empty_is_told(tmp_path):
    def line(uuid, **message):
        return json.dumps({"type": "user", "uuid": uuid, "sessionId": "s", "message": {"role": "user", **message}})

    lines = [line("a", content="one"), line("a", content="one"), line("a", content=["two"]), line("b", contenst="x")]
    (tmp_path / "s.jsonl").write_text("\n".join(lines))
    found = items(tmp_path / "s.jsonl")
    assert [step.message for step in of(Imported, found)[0].trajectory.steps] == ["one", "two"]
    assert {each.kind: (each.count, each.detail) for each in of(Defect, found)} == {
        "line repeated": (1, "copied from an earlier session; left out"),
        "uuid repeated": (1, "line 3 says something else; kept"),
        "line left out": (1, "of type user, without content"),
    }


@pytest.mark.published
def test_codex():
    said = expected("agent_sessions")["codex-gpt-5-2.jsonl"]
    found = items(path_of("codex-gpt-5-2.jsonl"))
    assert calls(found) == said["tool_calls"]
    (session,) = of(Imported, found)
    assert of(Agent, found)[0].model == "gpt-5.2"
    assert sum(each.call_id is not None for each in observed(found)) == 101
    assert {each.code for each in observed(found)} > {0}
    assert session.trial.usage.input_tokens > session.trial.usage.cached_tokens > 0


@pytest.mark.published
def test_events_that_gemini_prints_are_a_session(tmp_path):
    told = [
        {"type": "init", "session_id": "s", "model": "gemini-x"},
        {"type": "message", "role": "user", "content": "do it"},
        *({"type": "message", "role": "assistant", "content": each, "delta": True} for each in ("I ", "will.")),
        {"type": "tool_use", "tool_name": "shell", "tool_id": "1", "parameters": {"command": "ls"}},
        {"type": "tool_result", "tool_id": "1", "status": "success", "output": "a.py"},
        {"type": "message", "role": "assistant", "content": "Done."},
        {"type": "result", "status": "success", "stats": {"input_tokens": 9, "output_tokens": 2, "cached": 4}},
    ]
    (tmp_path / "run.jsonl").write_text(
        "\n".join(json.dumps({**each, "timestamp": "2026-01-30T06:12:28.926Z"}) for each in told)
    )
    (found,) = of(Imported, items(tmp_path))
    assert (found.trial.agent, str(found.trial.outcome)) == ("gemini-cli gemini-x", "void")
    assert [step.message for step in found.trajectory.steps] == ["do it", "I will.", "", "Done."]
    assert found.trajectory.session == "s"
    assert (found.trial.usage.input_tokens, found.trial.usage.output_tokens, found.trial.usage.cached_tokens) == (
        9,
        2,
        4,
    )


def test_gemini_cursor_and_opencode():
    said = expected("agent_sessions")
    found = items(path_of("gemini-gemini-3-pro-preview.jsonl"))
    (session,) = of(Imported, found)
    assert len(session.trajectory.steps) == said["gemini-gemini-3-pro-preview.jsonl"]["messages"]
    assert len(observed(found)) == sum(calls(found).values()) > 0
    for name in ("cursor-composer-1-5.jsonl", "cursor-gpt-5-2.jsonl"):
        found = items(path_of(name))
        sources = Counter(step.source for step in of(Imported, found)[0].trajectory.steps)
        assert sources == {"agent": said[name]["types"]["assistant"], "user": said[name]["types"]["user"]}
        assert "no tool calls" in {each.kind for each in of(Defect, found)}
    kinds = said["opencode-claude-opus-4-6.jsonl"]["kinds"]
    found = items(path_of("opencode-claude-opus-4-6.jsonl"))
    assert sum(calls(found).values()) == kinds["tool"]
    steps = [step for each in of(Imported, found) for step in each.trajectory.steps]
    assert sum(step.source == "agent" for step in steps) == kinds["assistant"]
    assert sum(bool(step.reasoning) for step in steps) <= kinds["reasoning"]


@pytest.mark.published
def test_openhands():
    for name, steps in (("OpenHands__basic.json", 4), ("OpenHands__basic_interactions.json", 6)):
        found = items(path_of(name))
        (session,) = of(Imported, found)
        messages = len(session.trajectory.steps) + len(observed(found))
        assert messages == steps
    said = expected("openhands")["output.jsonl"]
    found = items(real("openhands") / "output.jsonl")
    kept = of(Imported, found)
    assert len(kept) == said["lines"]
    assert {each.trial.outcome for each in kept} == {Outcome.VOID}
    assert [each.trial.reason.endswith("it succeeded") for each in kept] == said["success"]
    lengths = [sum(1 + len(step.observations) for step in each.trajectory.steps) for each in kept]
    assert lengths == said["history_lengths"]
    assert all("patch.diff" in each.artifacts for each in kept)
    assert kept[0].trial.usage.usd == pytest.approx(0.070713)


def test_harbor_trials_that_broke(tmp_path):
    def write(name, **more):
        (tmp_path / name).mkdir()
        said = {"id": name, "trial_name": name, "task_name": "t", "agent_info": {"name": "a", "version": "1"}, **more}
        (tmp_path / name / "result.json").write_text(json.dumps(said))

    late, broken = ({"exception_type": kind, "exception_message": "m"} for kind in ("AgentTimeoutError", "DockerError"))
    write("x", exception_info=late, verifier_result={"rewards": {"reward": 0.0}})
    write("y", exception_info=late, verifier_result={"rewards": {"reward": 1.0}})
    write("z", exception_info=broken)
    write("u", exception_info=late)
    write("w", exception_info={"exception_type": "AgentSetupTimeoutError", "exception_message": "m"})
    write("v", verifier_result={"rewards": {"reward": 7}})
    found = items(tmp_path)
    assert {trial.source[0]: (trial.outcome.value, trial.reason[:9]) for trial in trials(found)} == {
        "x": ("limit", "AgentTime"), "y": ("passed", "AgentTime"), "z": ("void", "DockerErr"), "u": ("limit", "AgentTime"),
        "v": ("void", "the rewar"), "w": ("void", "AgentSetu")}  # fmt: skip


@pytest.mark.published
def test_swe_bench():
    said = expected("swebench")
    found = items(real("swebench") / "aider_lite")
    outcomes = Counter(trial.outcome.value for trial in trials(found))
    lists = said["aider_lite"]["results"]
    assert outcomes == {"passed": lists["resolved"], "failed": said["aider_lite"]["predictions"] - lists["resolved"]}
    assert sum(trial.reason == "no patch" for trial in trials(found)) == lists["no_generation"]
    found = items(real("swebench") / "vexp")
    vexp = said["vexp"]
    outcomes = Counter(trial.outcome.value for trial in trials(found))
    assert (sum(outcomes.values()), outcomes["passed"]) == (vexp["predictions"], vexp["resolved_in_reports"])
    assert sum(trial.verdict.hidden is not None for trial in trials(found)) == vexp["reports"]
    assert sum(trial.usage.usd is not None for trial in trials(found)) == vexp["results_rows"]
    by_task = {trial.task: trial for trial in trials(found)}
    assert all(by_task[name].outcome is Outcome.FAILED for name in vexp["without_report"])
    lost = refusals(found)
    assert sorted(lost) == ["leaderboard.json", "openhands-resolved.json", "sonar-resolved.json"]
    found = items(real("swebench") / "swebench_pro")
    for name in ("claude-sonnet-4-paper", "gpt-4o-paper", "kimi-k2-instruct-10132025"):
        mine = [trial for trial in trials(found) if trial.agent == name]
        counted = said[f"pro/{name}"]
        assert (len(mine), sum(trial.outcome is Outcome.PASSED for trial in mine)) == (counted["n"], counted["true"])


def test_a_summary_without_a_denominator_is_refused_and_details_of_instances_are_read(tmp_path):
    (tmp_path / "results.json").write_text(json.dumps({"resolved": ["a__b-1"], "no_generation": [], "no_logs": []}))
    with pytest.raises(FormatError, match="the number of instances that were tried is not in the file"):
        items(tmp_path)
    details = {"a__b-1": {"resolved": True}, "a__b-2": {"resolved": False}, "a__b-3": {}}
    (tmp_path / "results.json").write_text(json.dumps({"resolved": 0.5, "per_instance_details": details}))
    kept = {trial.task: trial.outcome.value for trial in trials(items(tmp_path))}
    assert kept == {"a__b-1": "passed", "a__b-2": "failed", "a__b-3": "void"}


def test_two_models_above_one_tree_of_logs_have_each_its_reports(tmp_path):
    for model, resolved in (("org/m1", True), ("m2", False)):
        row = {"instance_id": "a__b-1", "model_name_or_path": model, "model_patch": "diff"}
        (tmp_path / f"{model[-2:]}.jsonl").write_text(json.dumps(row))
        folder = tmp_path / "logs" / "r" / model.replace("/", "__") / "a__b-1"
        folder.mkdir(parents=True)
        report = {"a__b-1": {"patch_successfully_applied": True, "resolved": resolved, "tests_status": {}}}
        (folder / "report.json").write_text(json.dumps(report))
    found = items(tmp_path)
    assert {trial.agent: trial.outcome.value for trial in trials(found)} == {"org/m1": "passed", "m2": "failed"}
    assert refusals(found) == {}


def test_predictions_alone_are_not_judged(tmp_path):
    rows = [{"instance_id": "a__b-1", "model_name_or_path": "m", "model_patch": "diff"},
            {"instance_id": "a__b-2", "model_name_or_path": "m", "model_patch": None}]  # fmt: skip
    for name, text in (
        ("p.jsonl", "\n".join(map(json.dumps, rows))),
        ("p.json", json.dumps(rows)),
        ("d.json", json.dumps({row["instance_id"]: row for row in rows})),
    ):
        (tmp_path / name).write_text(text)
        assert importers_for(tmp_path / name) == "swe-bench"
        kept = {trial.task: (trial.outcome.value, trial.reason) for trial in trials(items(tmp_path / name))}
        assert kept == {"a__b-1": ("void", "not judged"), "a__b-2": ("failed", "no patch")}
