"""ATIF: what we write keeps to the format's rules and comes back exactly; what others write is read, and its losses told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings, strategies as st
from trajectories import FULL, trajectories

from honestly.errors import FormatError
from honestly.formats import Imported, from_atif, importer_of, read_terminal_bench, to_atif
from honestly.records import Agent, Defect, Outcome, Step, Task, ToolCall, Trajectory, Trial, Usage

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
AGENT = Agent(name="a", version="1", model="m")
TRIAL = Trial(id="t" * 32, agent="a", task="q", sample=3, outcome=Outcome.FAILED, usage=Usage(input_tokens=11))

KEYS = {
    "root": "schema_version session_id trajectory_id agent steps notes final_metrics continued_trajectory_ref"
    " subagent_trajectories extra",
    "agent": "name version model_name tool_definitions extra",
    "step": "step_id timestamp source message observation is_copied_context llm_call_count extra",
    "of agents": "model_name reasoning_effort reasoning_content tool_calls metrics",
    "call": "tool_call_id function_name arguments extra",
    "result": "source_call_id content subagent_trajectory_ref extra",
    "metrics": "prompt_tokens completion_tokens cached_tokens cost_usd prompt_token_ids completion_token_ids logprobs"
    " extra",
    "reference": "trajectory_id trajectory_path session_id extra",
    "part": "type text source",
    "totals": "total_prompt_tokens total_completion_tokens total_cached_tokens total_cost_usd total_steps extra",
}


def check_rules(document: dict[str, Any], *, embedded: bool = False) -> None:
    """The rules of ATIF v1.7, written down from its description."""
    check_keys(document, "root")
    assert document["schema_version"] == "ATIF-v1.7"
    check_keys(document["agent"], "agent")
    assert isinstance(document["agent"]["name"], str)
    assert isinstance(document["agent"]["version"], str)
    assert [step["step_id"] for step in document["steps"]] == list(range(1, len(document["steps"]) + 1)) != []
    for step in document["steps"]:
        check_step(step)
    if "final_metrics" in document:
        check_keys(document["final_metrics"], "totals")
    inner = document.get("subagent_trajectories", [])
    names = [helper["trajectory_id"] for helper in inner]
    assert len(set(names)) == len(names)
    assert not (embedded and inner)
    for helper in inner:
        check_rules(helper, embedded=True)


def check_step(step: dict[str, Any]) -> None:
    agent = step["source"] == "agent"
    check_keys(step, "step", *(["of agents"] if agent else []))
    check_content(step["message"])
    assert step.get("llm_call_count", 0) >= 0
    if agent and step.get("llm_call_count") == 0:
        assert not {"metrics", "reasoning_content"} & step.keys()
    check_keys(step.get("metrics", {}), "metrics")
    assert all(isinstance(number, float | int) for number in step.get("metrics", {}).get("logprobs", []))
    for call in step.get("tool_calls", []):
        check_keys(call, "call")
        assert isinstance(call["arguments"], dict)
    own = {None, *(call["tool_call_id"] for call in step.get("tool_calls", []))}
    for result in step.get("observation", {}).get("results", []):
        check_keys(result, "result")
        check_content(result["content"])
        assert result.get("source_call_id") in own
        for reference in result.get("subagent_trajectory_ref", []):
            check_keys(reference, "reference")
            assert "trajectory_id" in reference or "trajectory_path" in reference


def check_content(content: object) -> None:
    assert isinstance(content, str | list)
    for part in content if isinstance(content, list) else []:
        check_keys(part, "part")
        if part["type"] == "text":
            assert isinstance(part["text"], str)
        else:
            assert part["type"] == "image"
            assert part["source"]["media_type"] in {"image/png", "image/jpeg", "image/gif", "image/webp"}
            assert isinstance(part["source"]["path"], str)


def check_keys(value: dict[str, Any], *kinds: str) -> None:
    assert value.keys() <= {key for kind in kinds for key in KEYS[kind].split()}, kinds


@settings(max_examples=60, deadline=None)
@given(trajectories(), st.none() | st.just(TRIAL))
def test_every_trajectory_keeps_to_the_rules_and_comes_back(trajectory: Trajectory, trial: Trial | None) -> None:
    document = to_atif(trajectory, AGENT, trial=trial)
    check_rules(json.loads(document.data))
    again = from_atif(document.data, lambda path: document.images.get(path, b""))
    assert again.trajectory == trajectory
    assert again.agent == AGENT
    assert again.trial == trial
    assert again.lost == ()


def test_arguments_stay_as_they_were_sent() -> None:
    odd = {"path": b'"a\\u0062"', "n": b"1.0", "list": b"[1,\n2]"}
    call = ToolCall(id="1", name="x", arguments={name: msgspec.Raw(text) for name, text in odd.items()})
    step = Step(source="agent", calls=(call,))
    again = from_atif(to_atif(Trajectory(steps=(step,)), AGENT).data)
    assert {name: bytes(raw) for name, raw in again.trajectory.steps[0].calls[0].arguments.items()} == odd


def test_helpers_are_embedded_and_come_back_between_the_other_steps() -> None:
    document = json.loads(to_atif(FULL, AGENT, trial=TRIAL).data)
    assert [helper["trajectory_id"] for helper in document["subagent_trajectories"]] == ["helper"]
    assert len(document["steps"]) == 4
    assert from_atif(json.dumps(document).encode()).trajectory.steps[3].thread == "helper"
    assert document["session_id"] == "abc"
    assert document["final_metrics"] == {"total_prompt_tokens": 11, "total_steps": 5}


def test_no_step_is_made_up() -> None:
    with pytest.raises(FormatError, match="without steps"):
        to_atif(Trajectory(stop="killed"), AGENT)


FOREIGN: dict[str, Any] = {
    "schema_version": "ATIF-v1.8",
    "session_id": "s-1",
    "agent": {"name": "terminus-2", "version": "2.0", "model_name": "m", "extra": {"parser": "xml"}},
    "steps": [
        {"step_id": 1, "source": "user", "message": "Do it.", "timestamp": "2026-01-01T00:00:00Z"},
        {
            "step_id": 2,
            "source": "agent",
            "message": [
                {"type": "image", "source": {"path": "images/1.png", "media_type": "image/png"}},
                {"type": "text", "text": "seen"},
            ],
            "reasoning_effort": 0.5,
            "tool_calls": [{"tool_call_id": "c", "function_name": "bash", "arguments": {"keys": "ls\n"}}],
            "observation": {"results": [{"source_call_id": "c", "content": "x", "extra": {"score": 1}}]},
            "metrics": {"prompt_tokens": 7, "cost_usd": 0.5, "logprobs": [-0.5, -1], "extra": {"ttft": 3}},
        },
    ],
    "final_metrics": {"total_prompt_tokens": 7, "total_steps": 2},
    "subagent_trajectories": [
        {
            "schema_version": "ATIF-v1.8",
            "trajectory_id": "sub",
            "agent": {"name": "helper", "version": "1"},
            "steps": [{"step_id": 1, "source": "agent", "message": "from the helper"}],
        }
    ],
}


def test_others_are_read_and_what_is_lost_is_told() -> None:
    found = from_atif(json.dumps(FOREIGN).encode(), lambda path: path.encode())
    assert found.agent == Agent(name="terminus-2", program="terminus-2", version="2.0", model="m")
    assert (found.trial, found.task) == (None, None)
    assert found.usage == Usage(input_tokens=7)
    user, agent, helper = found.trajectory.steps
    assert (user.message, user.at) == ("Do it.", "2026-01-01T00:00:00Z")
    assert (agent.message, agent.effort, agent.images[0].data) == ("seen", "0.5", b"images/1.png")
    assert agent.calls[0].argument("keys") == "ls\n"
    assert agent.logprobs == (("", -0.5), ("", -1.0))
    assert agent.usage == Usage(input_tokens=7, usd=0.5)
    assert (helper.thread, helper.message) == ("sub", "from the helper")
    assert found.lost == (
        "agent.extra",
        "agent.extra.parser",
        "steps[].message[image, text]",
        "steps[].metrics.extra",
        "steps[].metrics.extra.ttft",
        "steps[].observation.results[].extra",
        "steps[].observation.results[].extra.score",
    )


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"\xff",
        b"{" * 5000,
        b'{"schema_version": "ATIF-v1.7", "agent": {"name": "a", "version": "1"}, "steps": []}',
        b'{"schema_version": "ATIF-v2.0", "agent": {"name": "a", "version": "1"}, "steps": [1]}',
        json.dumps({**FOREIGN, "steps": [{**FOREIGN["steps"][0], "source": "robot"}]}).encode(),
        json.dumps({**FOREIGN, "extra": {"honestly": {"order": [0, 0, 7]}}}).encode(),
        json.dumps({**FOREIGN, "extra": {"honestly": {"trajectory": {"steps": 3}}}}).encode(),
        json.dumps({**FOREIGN, "extra": {"honestly": {"no such field": 1}}}).encode(),
    ],
)
def test_what_is_no_trajectory_is_refused(data: bytes) -> None:
    with pytest.raises(FormatError):
        from_atif(data)


def test_what_is_not_strict_json_is_mended() -> None:
    call = {"tool_call_id": "1", "function_name": "f", "arguments": {"a": "\ud800", "b": "TOO LARGE"}}
    step = {**FOREIGN["steps"][1], "tool_calls": [call], "metrics": {"cost_usd": float("nan")}, "observation": None}
    text = json.dumps({**FOREIGN, "steps": [step | {"step_id": 1}]}).replace('"TOO LARGE"', "1e999")
    (found, _) = from_atif(text.encode()).trajectory.steps
    assert (found.calls[0].argument("a"), found.calls[0].argument("b")) == ("\\ud800", None)
    assert found.usage == Usage()


def test_nesting_that_nobody_wrote_is_refused() -> None:
    text = json.dumps(FOREIGN["subagent_trajectories"][0])
    deep = text.removesuffix("}") + ', "subagent_trajectories": ['
    assert len(from_atif((deep * 100 + text + "]}" * 100).encode()).trajectory.steps) == 101
    with pytest.raises(FormatError):
        from_atif((deep * 20_000 + text + "]}" * 20_000).encode())


@settings(max_examples=120, deadline=None)
@given(st.data())
def test_damaged_files_are_read_or_refused(data: st.DataObject) -> None:
    text = bytearray(json.dumps(FOREIGN).encode() if data.draw(st.booleans()) else to_atif(FULL, AGENT).data)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text) - 1))
        text[at : at + data.draw(st.integers(0, 6))] = data.draw(st.binary(max_size=4) | st.just(b"NaN"))
    try:
        found = from_atif(bytes(text))
    except FormatError:
        return
    assert found.trajectory.steps


def test_a_directory_of_others_is_void_and_every_loss_is_a_defect(tmp_path: Path) -> None:
    place = tmp_path / "fix-git__abcDEF1" / "agent"
    place.mkdir(parents=True)
    (place / "trajectory.json").write_text(json.dumps(FOREIGN))
    (place / "images").mkdir()
    (place / "images" / "1.png").write_bytes(b"PNG")
    (tmp_path / "fix-git__abcDEF1" / "result.json").write_text("{}")
    (tmp_path / "copy.json").write_text(json.dumps({**FOREIGN, "agent": {"name": "terminus-2", "version": "3"}}))
    (tmp_path / "broken.json").write_text('{"schema_version": "ATIF-v1.7"')
    (tmp_path / "link.json").symlink_to(place / "trajectory.json")
    items = list(importer_of("atif")(tmp_path))
    agents = [item for item in items if isinstance(item, Agent)]
    tasks = [item for item in items if isinstance(item, Task)]
    trials = [item for item in items if isinstance(item, Imported)]
    assert [agent.name for agent in agents] == ["terminus-2", "terminus-2 2.0 m"]
    assert [(task.id, task.instruction) for task in tasks] == [("copy", "Do it."), ("fix-git", "Do it.")]
    assert [(item.trial.outcome, item.trial.reason) for item in trials] == [(Outcome.VOID, "not judged")] * 2
    assert trials[1].trajectory is not None
    assert trials[1].trajectory.steps[1].images[0].data == b"PNG"
    assert json.loads(bytes(trials[1].artifacts["trajectory.json"])) == FOREIGN  # type: ignore[arg-type]
    defects = {
        item.kind: item.count for item in items if isinstance(item, Defect) and item.kind != "not kept in records"
    }
    assert defects == {"link or special file": 1, "no verdict": 2, "unknown format": 1, "unreadable file": 1}


def test_images_outside_the_directory_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(b"secret")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "link").symlink_to(tmp_path)
    paths = ["../secret.png", str(tmp_path / "secret.png"), "link/secret.png", "https://example.org/x.png", "a\0b", ""]
    step = {
        "step_id": 1,
        "source": "user",
        "message": [{"type": "image", "source": {"path": path, "media_type": "image/png"}} for path in paths],
    }
    (tmp_path / "in" / "a.json").write_text(json.dumps({**FOREIGN, "steps": [step]}))
    (trial,) = [item for item in importer_of("atif")(tmp_path / "in") if isinstance(item, Imported)]
    assert trial.trajectory is not None
    assert [(image.data, image.path) for image in trial.trajectory.steps[0].images] == [(b"", path) for path in paths]


@pytest.mark.slow
def test_real_trajectories_come_back_exactly() -> None:
    if not (SHARED / "terminal-bench").is_dir():
        pytest.skip("needs the published results in ../shared/data, beside the checkout")
    agents: dict[str, Agent] = {}
    seen = 0
    for item in read_terminal_bench(SHARED / "terminal-bench"):
        if isinstance(item, Agent):
            agents[item.name] = item
        if not isinstance(item, Imported) or item.trajectory is None:
            continue
        agent = agents[item.trial.agent]
        document = to_atif(item.trajectory, agent, trial=item.trial)
        check_rules(json.loads(document.data))
        again = from_atif(document.data)
        assert (again.trajectory, again.trial, again.agent) == (item.trajectory, item.trial, agent)
        seen += 1
    assert seen > 50
