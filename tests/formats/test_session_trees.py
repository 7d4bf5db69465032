"""Sessions of Claude Code and Codex as trees: pieces, helpers, resumed and forked files, and what a print mode prints."""

from __future__ import annotations

import json
from pathlib import Path

from published import items, of

from honestly.formats import Imported, importers_for
from honestly.records import Defect, Trajectory, Trial, decode, encode


def write(path: Path, *rows: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def trials(place: Path) -> list[Trial]:
    return [each.trial for each in of(Imported, items(place))]


def steps(place: Path, at: int = 0):
    return of(Imported, items(place))[at].trajectory.steps


def claude(uuid, kind, content, message="", output=50, **more):
    said = {"role": kind, "content": content}
    if kind == "assistant":
        said |= {"id": message, "model": "m-1", "usage": {"input_tokens": 100, "output_tokens": output}}
    return {"type": kind, "uuid": uuid, "parentUuid": None, "sessionId": "s1", "message": said} | more


def use(name):
    return [{"type": "tool_use", "id": name, "name": "Bash", "input": {"command": "ls"}}]


def result(name):
    return [{"type": "tool_result", "tool_use_id": name, "content": name}]


OLD = (claude("1", "user", "do"), claude("2", "assistant", [{"type": "text", "text": "a"}], "m1"))


def test_pieces_of_an_answer_that_lie_apart_count_once(tmp_path):
    pieces = claude("2", "assistant", use("t1"), "m1"), claude("4", "assistant", use("t2"), "m1", output=60)
    rows = claude("1", "user", "do"), pieces[0], claude("3", "user", result("t1")), pieces[1]
    path = write(tmp_path / "a.jsonl", *rows, claude("5", "user", result("t2")))
    _, answer = steps(path)
    assert [call.id for call in answer.calls] == ["t1", "t2"]
    assert [each.text for each in answer.observations] == ["t1", "t2"]
    assert trials(path)[0].usage.output_tokens == 60


def test_a_helper_is_a_thread_of_its_session_in_either_layout(tmp_path):
    main = claude("1", "user", "do", timestamp="2026-01-01T00:00:00Z"), claude("2", "assistant", use("t1"), "m1")
    side = {"isSidechain": True, "agentId": "a1"}
    helper = (
        claude("10", "user", "look", timestamp="2026-01-01T00:00:01Z", **side),
        claude("11", "assistant", [{"type": "text", "text": "seen"}], "m9", output=5, **side),
    )
    for layout in ("s1/subagents/agent-a1.jsonl", "agent-a1.jsonl"):
        place = tmp_path / layout.replace("/", "-")
        write(place / "s1.jsonl", *main)
        write(place / layout, *helper)
        (trial,) = trials(place)
        assert trial.usage.output_tokens == 55
        assert {step.thread for step in steps(place)} == {"", "a1"}
    (alone,) = trials(write(tmp_path / "b" / "agent-a1.jsonl", *helper))
    assert alone.usage.output_tokens == 5


def test_a_resumed_session_is_one_and_a_fork_counts_what_is_its_own(tmp_path):
    new = [row | {"sessionId": "s2"} for row in OLD]
    more = claude("4", "assistant", [{"type": "text", "text": "b"}], "m2", output=9, sessionId="s2")
    write(tmp_path / "r" / "s1.jsonl", *OLD)
    write(tmp_path / "r" / "s2.jsonl", *new, claude("3", "user", "more"), more)
    (trial,) = trials(tmp_path / "r")
    assert trial.usage.output_tokens == 59
    assert any("all of s1.jsonl" in each.detail for each in of(Defect, items(tmp_path / "r")))
    other = claude("6", "assistant", [{"type": "text", "text": "c"}], "m3", output=7)
    write(tmp_path / "r" / "s3.jsonl", *OLD, claude("5", "user", "otherwise"), claude("7", "user", "x"), other)
    first, fork = trials(tmp_path / "r")
    assert (first.usage.output_tokens, fork.usage.output_tokens) == (59, 7)
    assert [step.copied for step in steps(tmp_path / "r", 1)] == [True, True, False, False, False]
    (copy,) = trials(write(tmp_path / "c" / "x.jsonl", *OLD).parent)
    write(tmp_path / "c" / "y.jsonl", *OLD)
    assert [each.usage for each in trials(tmp_path / "c")] == [copy.usage]


def test_what_claude_prints_as_json_is_a_session(tmp_path):
    rows = (
        {"type": "system", "subtype": "init", "session_id": "s", "model": "m-1", "uuid": "0"},
        {"type": "assistant", "session_id": "s", "uuid": "1"} | {"message": claude("", "assistant", use("t"), "m1")["message"]},
        {"type": "user", "session_id": "s", "uuid": "2", "message": {"role": "user", "content": result("t")}},
        {"type": "result", "subtype": "success", "session_id": "s", "total_cost_usd": 0.25, "result": "ok", "usage": {}},
    )  # fmt: skip
    path = write(tmp_path / "a.jsonl", *rows)
    assert importers_for(path) == "claude-code"
    (trial,) = trials(path)
    assert (trial.usage.usd, trial.usage.output_tokens) == (0.25, 50)
    alone = write(tmp_path / "b.json", rows[-1] | {"usage": {"input_tokens": 4, "output_tokens": 2}})
    (trial,) = trials(alone)
    assert (trial.usage.usd, trial.usage.output_tokens, steps(alone)[0].message) == (0.25, 2, "ok")


def codex(kind, at=0, **payload):
    return {"timestamp": f"2026-01-01T00:00:{at:02d}Z", "type": kind, "payload": payload}


def said(role, text, at=0):
    return codex("response_item", at, type="message", role=role, content=[{"type": "output_text", "text": text}])


def total(output, at=0):
    counted = {"input_tokens": output * 10, "cached_input_tokens": 0, "output_tokens": output}
    return codex("event_msg", at, type="token_count", info={"total_token_usage": counted})


def test_codex_totals_are_split_among_answers_and_may_start_again(tmp_path):
    rows = codex("session_meta", id="c"), said("user", "do"), said("assistant", "a"), total(10), total(10)
    path = write(tmp_path / "a.jsonl", *rows, said("assistant", "b"), total(30), said("assistant", "c"), total(4))
    assert [step.usage.output_tokens for step in steps(path)] == [None, 10, 20, 4]
    assert trials(path)[0].usage.output_tokens == 34
    assert trials(path)[0].usage.input_tokens == 340


def test_a_codex_fork_counts_what_is_its_own_with_its_parent_or_by_the_clock(tmp_path):
    parent = codex("session_meta", id="p"), said("user", "do"), said("assistant", "a"), total(100)
    own = codex("session_meta", 10, id="f", forked_from_id="p")
    fork = own, *parent, said("user", "other", 11), said("assistant", "b", 12), total(130, 13)
    write(tmp_path / "f.jsonl", *fork)
    (alone,) = trials(tmp_path)
    assert alone.usage.output_tokens == 30
    write(tmp_path / "p.jsonl", *parent)
    assert [each.usage.output_tokens for each in trials(tmp_path)] == [30, 100]
    assert of(Imported, items(tmp_path))[0].trajectory.session == "f"


def test_a_codex_exit_status_is_none_that_the_output_prints(tmp_path):
    def ran(output):
        call = codex("response_item", type="function_call", name="shell", call_id="k", arguments="{}")
        came = codex("response_item", type="function_call_output", call_id="k", output=output)
        path = write(tmp_path / "a.jsonl", codex("session_meta", id="c"), said("user", "do"), call, came)
        (seen,) = steps(path)[-1].observations
        return seen.code

    assert ran(json.dumps({"output": "Exit code: 7\n", "metadata": {"exit_code": 0}})) == 0
    assert ran("Chunk ID: 1\nProcess exited with code 3\nOutput:\nProcess exited with code 9\n") == 3
    assert ran("Chunk ID: 1\nWall time: 1\nOutput:\nExit code: 9\n") is None


def test_an_exit_status_that_is_none_leaves_a_trajectory_that_can_be_read_again(tmp_path):
    for odd in (True, False, 0.5, 1 << 70, "1", None):
        item = {"id": "i", "type": "command_execution", "command": "ls", "aggregated_output": "a", "exit_code": odd}
        lines = ({"type": "thread.started", "thread_id": "x"}, {"type": "item.completed", "item": item})
        (found,) = of(Imported, items(write(tmp_path / "a.jsonl", *lines)))
        assert decode(encode(found.trajectory), Trajectory).steps[0].observations[0].code is None, odd


def test_what_codex_prints_as_json_and_its_older_sessions(tmp_path):
    command = {"id": "i0", "type": "command_execution", "command": "ls", "aggregated_output": "a\n", "exit_code": 0}
    printed = (
        {"type": "thread.started", "thread_id": "x"},
        {"type": "turn.started"},
        {"type": "item.completed", "item": command},
        {"type": "item.completed", "item": {"id": "i1", "type": "agent_message", "text": "4"}},
        {"type": "turn.completed", "usage": {"input_tokens": 29, "cached_input_tokens": 0, "output_tokens": 7}},
    )
    path = write(tmp_path / "a.jsonl", *printed)
    assert importers_for(path) == "codex"
    assert (trials(path)[0].usage.output_tokens, steps(path)[0].observations[0].code) == (7, 0)
    old = (
        {"id": "c0", "timestamp": "2025-05-01T00:00:00Z", "instructions": None},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "do"}]},
        {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "k"},
        {"type": "function_call_output", "call_id": "k", "output": '{"output":"a","metadata":{"exit_code":1}}'},
    )
    long = ({**old[0], "instructions": "Read this first. " * 2000}, *old[1:])
    for name, rows in (("b", old), ("c", long)):
        path = write(tmp_path / f"{name}.jsonl", *rows)
        assert importers_for(path) == "codex", name
        assert [step.source for step in steps(path)] == ["user", "agent"]
    assert steps(path)[1].observations[0].code == 1
