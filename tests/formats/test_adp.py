"""ADP: what we write keeps to the protocol's rules, turn for turn, and carries the verdict; so do its published samples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from trajectories import FULL, trajectories

from honestly.errors import FormatError
from honestly.formats import to_adp
from honestly.records import Agent, Check, CheckRun, Observation, Outcome, Step, ToolCall, Trajectory, Trial, Verdict

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
AGENT = Agent(name="a", version="1", model="m")
PASSED = CheckRun(checks=(Check(id="c", status="passed"),))
TRIAL = Trial(id="t" * 32, agent="a", task="q", sample=3, outcome=Outcome.PASSED, verdict=Verdict(hidden=PASSED))

WANTED: dict[str, dict[str, object]] = {
    "api_action": {"function": str, "kwargs": dict},
    "code_action": {"language": str, "content": str, "description": str | None},
    "message_action": {"content": str},
    "text_observation": {"content": str, "source": ("user", "agent", "environment")},
    "image_observation": {"content": str, "source": ("user", "agent", "environment")},
    "web_observation": {"html": str | None, "url": str | None, "image_observation": object, "viewport_size": object},
}
FREE = {"description", "name", "annotations", "axtree", "reasoning_content", "reward"}
LINKED = set(WANTED) - {"message_action"}


def check_rules(line: dict[str, Any], *, published: bool = False) -> None:
    """The rules of schema 1.2, written down from its description; the published samples are older, and name no calls."""
    allowed = {"schema_version", "id", "content", "details", "available_custom_tools", "available_code_languages"}
    assert line.keys() <= allowed
    assert published or line["schema_version"] == "1.2.0"
    assert isinstance(line["id"], str)
    assert isinstance(line["details"], dict)
    for item in line["content"]:
        check_item(item)
    used = {item["language"] for item in line["content"] if item["class_"] == "code_action"}
    assert published or set(line.get("available_code_languages", [])) == used
    if not published:
        check_links(line["content"])


def check_item(item: dict[str, Any]) -> None:
    wanted = WANTED[item["class_"]]
    assert item.keys() <= {"class_", *wanted, *FREE, *({"tool_call_id"} if item["class_"] in LINKED else ())}
    for key, kind in wanted.items():
        assert item[key] in kind if isinstance(kind, tuple) else isinstance(item[key], kind)  # type: ignore[arg-type]


def check_links(content: list[dict[str, Any]]) -> None:
    called: list[str] = []
    answered: list[str] = []
    for at, item in enumerate(content):
        name = item.get("tool_call_id")
        is_call = item["class_"] in ("api_action", "code_action")
        if is_call and name is None and at + 1 < len(content):
            assert not content[at + 1]["class_"].endswith("observation")
        if name is not None:
            assert is_call or name in called
            (called if is_call else answered).append(name)
    assert len(set(called)) == len(called)
    assert sorted(called) == sorted(answered)


def test_a_trajectory_item_by_item() -> None:
    written = to_adp(FULL, TRIAL, AGENT)
    line = json.loads(written.data)
    check_rules(line)
    classes = [(item["class_"], item.get("tool_call_id")) for item in line["content"]]
    assert classes == [
        ("text_observation", None),
        ("text_observation", None),
        ("image_observation", None),
        ("code_action", "1"),
        ("api_action", "2"),
        ("api_action", "3"),
        ("text_observation", "1"),
        ("text_observation", "2"),
        ("text_observation", "3"),
        ("image_observation", None),
        ("message_action", None),
        ("message_action", None),
    ]
    first, second, third = line["content"][3:6]
    assert (first["language"], first["content"], first["description"]) == ("bash", "ls -l", "I look.")
    assert first["reasoning_content"] == "Hm."
    assert (second["function"], second["kwargs"], second["description"]) == ("edit", FULL_EDIT, None)
    assert third["kwargs"] == {"code": "print(1)", "timeout": 5}  # more than a program: not a code action
    assert sorted(written.images.values()) == [b"GIF", b"\x89PNG"]
    assert {item["content"] for item in line["content"] if item["class_"] == "image_observation"} == set(written.images)


FULL_EDIT = {"path": "a.py", "old": "1.0", "new": "2"}


@settings(max_examples=60, deadline=None)
@given(trajectories())
def test_every_trajectory_keeps_to_the_rules_or_is_refused(trajectory: Trajectory) -> None:
    try:
        line = json.loads(to_adp(trajectory, TRIAL, AGENT).data)
    except FormatError as error:
        assert "nothing answers the calls" in str(error)  # noqa: PT017
        return
    check_rules(line)
    said = [step.message for step in trajectory.steps if step.message]
    texts = [text for item in line["content"] for text in (item.get("content"), item.get("description"))]
    assert sum(text in said for text in texts if text) >= len(said)
    actions = [item for item in line["content"] if item["class_"] in ("api_action", "code_action")]
    assert len(actions) == sum(len(step.calls) for step in trajectory.steps)
    seen = [item for item in line["content"] if item.get("source") == "environment" and item.get("name") is None]
    assert sum("observation" in item["class_"] for item in seen) >= sum(len(s.observations) for s in trajectory.steps)


def test_the_real_verdict_and_nothing_else() -> None:
    def details(trial: Trial) -> dict[str, Any]:
        found = json.loads(to_adp(FULL, trial, AGENT).data)["details"]
        assert isinstance(found, dict)
        return found

    from msgspec.structs import replace

    passed = details(TRIAL)
    assert (passed["outcome"], passed["resolved"]) == ("passed", True)
    assert (passed["harness"], passed["task"], passed["sample"], passed["agent"]["name"]) == ("honestly", "q", 3, "a")
    tampered = replace(TRIAL, outcome=Outcome.FAILED, verdict=Verdict(hidden=PASSED, tampered=("exit",)))
    assert (details(tampered)["resolved"], details(tampered)["tampered"]) == (False, ["exit"])
    void = details(replace(TRIAL, outcome=Outcome.VOID, verdict=Verdict(), reason="parse_error"))
    assert "resolved" not in void
    assert (void["outcome"], void["reason"]) == ("void", "parse_error")


def _step(*calls: str, answers: tuple[str, ...] = ()) -> Step:
    seen = tuple(Observation(text=f"to {name}", call_id=name) for name in answers)
    return Step(source="agent", calls=tuple(ToolCall.of(name, "x") for name in calls), observations=seen)


def test_calls_that_nothing_answers() -> None:
    user = Step(source="user", message="go on")
    killed = json.loads(to_adp(Trajectory(steps=(user, _step("1", "2", answers=("1",)))), TRIAL, AGENT).data)
    check_rules(killed)
    assert killed["details"]["unanswered_calls"] == ["2"]
    assert [item.get("tool_call_id") for item in killed["content"][1:]] == [None, "1", "1"]
    with pytest.raises(FormatError, match="nothing answers the calls 1"):
        to_adp(Trajectory(steps=(_step("1"), user)), TRIAL, AGENT)


def test_ids_that_come_again_and_answers_that_come_late_or_twice() -> None:
    steps = (_step("1", answers=("1",)), _step("1", "2", answers=("1",)), _step("3", answers=("3", "2", "3")))
    line = json.loads(to_adp(Trajectory(steps=steps), TRIAL, AGENT).data)
    check_rules(line)
    names = [item.get("tool_call_id") for item in line["content"]]
    assert names == ["1", "1", "call_000001", "2", "call_000001", "3", "3", "2", None]
    assert line["details"]["renamed_calls"] == 1
    assert line["details"]["answered_again"] == ["3"]


@pytest.mark.published
def test_published_samples_keep_to_the_same_rules() -> None:
    if not (SHARED / "adp").is_dir():
        pytest.skip("needs the published samples in ../shared/data, beside the checkout")
    lines = [line for path in (SHARED / "adp").glob("*/sample_std.json") for line in json.loads(path.read_text())]
    assert len(lines) == 20
    for line in lines:
        check_rules(line, published=True)
