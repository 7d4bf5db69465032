"""Replays: the recorded model answers again, everything else happens, and where it diverges is told."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import anyio
import pytest
from hypothesis import given, strategies as st
from msgspec import Raw
from msgspec.structs import replace

from honestly.agents import MODEL_RECORD, Honest, make_agent
from honestly.errors import AgentError, ModelError
from honestly.models import Message, ScriptedModel, Turn, assistant_message, tool_call
from honestly.records import Agent, Observation, Step, Suite, Task, ToolCall, Trajectory, Tree, encode
from honestly.runner import (
    Original,
    Planned,
    Replay,
    TrialResult,
    compare_trajectories,
    read_original,
    replay_trial,
    run_attempt,
)
from honestly.runner._replay import without_noise
from honestly.sandbox import open_sandbox
from honestly.store import create_study

TASK = Task(id="q", instruction="Do it.", workspace=Tree.of({"b.txt": "b\n"}), timeout_s=30.0)
SUITE = Suite(name="s", version="1", tasks=(TASK,))
OPEN = partial(open_sandbox)

PROGRAM = """#!/usr/bin/env python3
import json, os, subprocess, sys, urllib.request
messages = [{"role": "user", "content": sys.argv[1]}]
while True:
    body = {"model": "m", "messages": messages, "tools": [{"type": "function", "function": {"name": "bash"}}]}
    headers = {"content-type": "application/json", "authorization": "Bearer " + os.environ["OPENAI_API_KEY"]}
    request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", json.dumps(body).encode(), headers)
    reply = json.load(urllib.request.urlopen(request))["choices"][0]["message"]
    messages.append(reply)
    if not reply.get("tool_calls"):
        break
    for made in reply["tool_calls"]:
        done = subprocess.run(json.loads(made["function"]["arguments"])["command"], shell=True, capture_output=True)
        messages.append({"role": "tool", "tool_call_id": made["id"], "content": done.stdout.decode()})
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("program") / "agent"
    path.write_text(PROGRAM)
    path.chmod(0o755)
    return path


def bash(command: str) -> Message:
    return assistant_message("", tool_call("bash", command=command))


def end(kind: str) -> Message:
    return (
        assistant_message("Done.")
        if kind == "external"
        else assistant_message("", tool_call("finish", outcome="done", summary="It is done."))
    )


def agent_of(kind: str, program: Path, turns: Sequence[Turn]) -> Honest:
    spec = "honest:temperature=0.5,max-turns=9" if kind == "honest" else f"cli:{program} {{instruction}}"
    return make_agent(spec, SUITE, ScriptedModel(turns, name="http://example.org/v1#tiny", by_turn=True))  # type: ignore[return-value]


def original(done: TrialResult, agent: Agent, task: Task = TASK) -> Original:
    artifacts = {**done.artifacts, "final.json": encode(done.final)}
    return Original(trial=done.trial, agent=agent, task=task, trajectory=done.trajectory, artifacts=artifacts)


def twice(
    kind: str, program: Path, turns: Sequence[Turn], change: Callable[[Original], Original] = lambda o: o
) -> Replay:
    """Runs a trial and plays it again."""

    async def both() -> Replay:
        agent = agent_of(kind, program, turns)
        done = await run_attempt(Planned("t" * 32, TASK, agent, 0), OPEN)
        assert done.trajectory.steps
        return await replay_trial(change(original(done, agent.record)), OPEN)

    return anyio.run(both)


KINDS = pytest.mark.parametrize("kind", ["honest", "external"])


@KINDS
def test_the_same_happens_again(kind: str, program: Path) -> None:
    found = twice(kind, program, [bash("cat b.txt; date; mktemp"), bash("echo x > a.txt; exit 3"), end(kind)])
    assert found.is_same
    assert (found.compared.differences, found.asked, found.files, found.left) == ((), (), (), 0)
    (noise,) = found.compared.noise
    assert noise.what == "observation 1"
    assert noise.expected != noise.came
    assert found.again.final.write.text("a.txt") == "x\n"


@KINDS
def test_where_it_diverged_is_told(kind: str, program: Path) -> None:
    lottery = "python3 -c 'import os; print(int.from_bytes(os.urandom(16), \"big\"))' | tee a.txt"
    found = twice(kind, program, [bash("cat b.txt"), bash(lottery), bash("echo after"), end(kind)])
    assert not found.is_same
    (difference,) = found.compared.differences
    assert difference.what == "observation 1"
    assert found.again.trajectory.steps[difference.step].calls[0].argument("command") == lottery
    assert difference.expected != difference.came
    assert found.files == ("a.txt",)
    assert found.asked
    assert found.left == 0  # the answers were given all the same


@KINDS
def test_another_workspace_is_noticed_at_its_first_step(kind: str, program: Path) -> None:
    def other(was: Original) -> Original:
        return dataclasses.replace(was, task=replace(TASK, workspace=Tree.of({"b.txt": "c\n"})))

    found = twice(kind, program, [bash("cat b.txt"), end(kind)], other)
    (difference,) = found.compared.differences
    assert (difference.what, difference.expected[0], difference.came[0]) == ("observation 1", "b", "c")


@pytest.mark.slow
def test_errors_of_the_model_come_again(program: Path) -> None:
    turns: list[Turn] = [bash("cat b.txt"), ModelError("gone", status=400)]
    for kind in ("honest", "external"):
        found = twice(kind, program, turns)
        assert found.is_same
        assert "gone" in found.again.trial.reason


def test_what_has_no_recording_is_refused(program: Path) -> None:
    agent = agent_of("external", program, [])
    done = anyio.run(run_attempt, Planned("t" * 32, TASK, make_agent("nop", SUITE), 0), OPEN)
    with pytest.raises(AgentError, match="no recording of a model"):
        anyio.run(replay_trial, original(done, agent.record), OPEN)


def test_an_agent_that_is_not_what_its_record_says_is_refused(program: Path) -> None:
    done = anyio.run(run_attempt, Planned("t" * 32, TASK, agent_of("external", program, [end("external")]), 0), OPEN)
    assert MODEL_RECORD in done.artifacts
    record = agent_of("external", program, []).record
    odd = replace(record, settings={**record.settings, "told": "x", "max_color": 3})
    with pytest.raises(AgentError, match="held more than its record says"):
        anyio.run(replay_trial, original(done, odd), OPEN)


def test_noise_is_named_and_numbers_count() -> None:
    same = [
        ("Ran 6 tests in 0.007s", "Ran 6 tests in 1.2 seconds"),
        ("at 2026-11-21T16:19:46Z", "at 2027-01-01 00:00:00.123+01:00"),
        ("<x at 0x7f3a>", "<x at 0x1>"),
        ("id msg_073028af-f1f5-5d2c-a498", "id msg_ea0db326-159a-53a0-8c5f"),
        ("/tmp/tmp.aB3 [pid 33]", "/tmp/tmp.xYz [pid 4]"),
        ("Chunk ID: 980251", "Chunk ID: 4af68d"),
    ]
    for one, other in same:
        assert without_noise(one) == without_noise(other)
    for one, other in [("FAILED (failures=3)", "FAILED (failures=2)"), ("12 passed", "11 passed"), ("defaced", "beef")]:
        assert without_noise(one) != without_noise(other)


@given(st.text(alphabet="0123456789abcdef-: .sTZ/tmpx", max_size=300))
def test_noise_is_found_in_any_text(text: str) -> None:
    assert without_noise(text) == without_noise(text)
    assert len(without_noise(text)) <= len(text)


def test_steps_that_are_missing_and_steps_too_many() -> None:
    call_ = ToolCall.of("1", "bash", command="ls")
    one = Step(source="agent", calls=(call_,), observations=(Observation(text="a", call_id="1", code=0),))
    more = Trajectory(steps=(one, Step(source="agent", message="Done.")))
    less = Trajectory(steps=(one,))
    (gone,) = compare_trajectories(more, less).differences
    assert (gone.step, gone.what, gone.expected, gone.came) == (1, "step", "agent: Done.", "")
    (added,) = compare_trajectories(less, more).differences
    assert (added.expected, added.came) == ("", "agent: Done.")
    other = replace(one, calls=(ToolCall.of("1", "bash", command="rm"),))
    (changed,) = compare_trajectories(less, Trajectory(steps=(other,))).differences
    assert changed.what == "call 1"


def edits(*pairs: tuple[str, object]) -> Message:
    """A call of the editor with its arguments in this order."""
    return assistant_message("", tool_call("edit", **dict(pairs)))


def test_the_order_of_keys_is_no_divergence_of_a_stored_trial(tmp_path: Path, program: Path) -> None:
    turns = [edits(("path", "a.txt"), ("action", "create"), ("text", "x\n")), end("honest")]

    async def through_the_store() -> Replay:
        agent = agent_of("honest", program, turns)
        done = await run_attempt(Planned("t" * 32, TASK, agent, 0), OPEN)
        with create_study(tmp_path / "s.honestly") as study:
            study.add([TASK, agent.record])
            study.add_trial(done.trial, done.trajectory, {**done.artifacts, "final.json": encode(done.final)})
            return await replay_trial(read_original(study, done.trial.id), OPEN)

    found = anyio.run(through_the_store)
    assert found.again.final.write.text("a.txt") == "x\n"
    assert (found.compared.differences, found.compared.noise, found.asked) == ((), (), ())
    assert found.is_same


def test_nested_arguments_are_compared_as_what_they_mean() -> None:
    def told(raw: str) -> Trajectory:
        made = ToolCall(id="1", name="edit", arguments={"a": Raw(raw.encode()), "b": Raw(b"1")})
        return Trajectory(steps=(Step(source="agent", calls=(made,)),))

    def differ(one: str, other: str) -> int:
        return len(compare_trajectories(told(one), told(other)).differences)

    assert differ('{"x":1,"y":[{"p":2,"q":3}]}', '{ "y": [{"q": 3, "p": 2}], "x": 1 }') == 0
    for other in ('{"x":1,"y":[{"p":2,"q":4}]}', '{"x":1}', '{"x":true,"y":[{"p":2,"q":3}]}', '["x",1]', '"x"'):
        assert differ('{"x":1,"y":[{"p":2,"q":3}]}', other) == 1
    assert differ("[1,2]", "[2,1]") == 1, "the order of a list is what it says"


REORDERING = PROGRAM.replace(
    "    messages.append(reply)\n",
    "    import pathlib\n"
    "    back = pathlib.Path('order').exists()\n"
    "    for made in reply.get('tool_calls') or []:\n"
    "        given = json.loads(made['function']['arguments'])\n"
    "        given['command'] += ' ; echo other' if pathlib.Path('other').exists() else ''\n"
    "        pairs = sorted(given.items(), reverse=back)\n"
    "        made['function']['arguments'] = json.dumps(dict(pairs))\n"
    "    messages.append(dict(sorted(reply.items(), reverse=back)))\n",
)


@pytest.mark.parametrize(("there", "asked"), [({}, 0), ({"order": "x"}, 0), ({"other": "x"}, 1)])
def test_a_program_that_sends_its_keys_in_another_order_asks_the_same(
    tmp_path: Path, there: dict[str, str], asked: int
) -> None:
    path = tmp_path / "agent"
    path.write_text(REORDERING)
    path.chmod(0o755)
    turns = [assistant_message("", tool_call("bash", command="cat b.txt", why="to see")), assistant_message("Done.")]

    def other(was: Original) -> Original:
        return dataclasses.replace(was, task=replace(TASK, workspace=Tree.of({"b.txt": "b\n", **there})))

    found = twice("external", path, turns, other)
    assert len(found.asked) == asked
    assert found.left == 0
