"""The same results written otherwise: other orders of keys, long first fields, packed, as an array, with a broken line."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from published import items, of, refusals, trials

from honestly.errors import FormatError
from honestly.formats import Imported, TableRules, importer_of, importers_for
from honestly.records import Defect
from zstd_module import zstd

LONG = "".join(f"line {number} of a text that is no repetition of itself\n" for number in range(4_000))
"""Longer than what is looked at of a file's beginning, packed, too."""


def lines(*rows: object) -> bytes:
    return b"\n".join(json.dumps(row).encode() for row in rows)


CODEX = lines(
    {"payload": {"base_instructions": LONG, "id": "1"}, "type": "session_meta", "timestamp": "2026-01-01T00:00:00Z"},
    {"payload": {"type": "user_message", "message": "do it"}, "type": "event_msg", "timestamp": "2026-01-01T00:00:01Z"},
    {"payload": {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]},
     "type": "response_item", "timestamp": "2026-01-01T00:00:02Z"},
)  # fmt: skip
ONES = {
    "codex": (CODEX, 1),
    "swe-agent": (lines({"trajectory": [{"action": "ls", "observation": LONG, "thought": "look"}],
                         "history": [], "info": {"exit_status": "submitted"}, "environment": "main"}), 1),
    "tau-bench": (json.dumps([{"traj": [{"role": "user", "content": LONG}], "info": {}, "reward": 1.0,
                               "task_id": 3, "trial": 0}]).encode(), 1),
    "graded-samples": (lines({"completion": LONG, "passed": True, "task_id": "HumanEval/0", "result": "passed"},
                             {"completion": LONG, "passed": False, "task_id": "HumanEval/1", "result": "failed"}), 2),
    "lm-eval": (json.dumps({"config": {"x": LONG}, "versions": {"arc": 1}, "results": {"arc": {"acc,none": 0.5}}})
                .encode(), 1),
    "swe-bench": (lines({"model_patch": "diff " + LONG, "model_name_or_path": "m", "instance_id": "a__b-1"}), 1),
    "inspect": (json.dumps({"samples": [{"id": 1, "epoch": 1, "input": LONG, "target": "", "messages": [],
                                         "scores": {"match": {"value": "C"}}}],
                            "results": {"scores": [{"name": "match", "metrics": {}}], "total_samples": 1},
                            "eval": {"task": "t", "model": "m"}, "version": 2, "status": "success"}).encode(), 1),
}  # fmt: skip
"""Files whose telling keys stand behind a long field, and how many trials each holds."""
PACKED: dict[str, Callable[[bytes], bytes]] = {"plain": bytes, "gzip": gzip.compress, "zstd": zstd.compress}


@pytest.mark.parametrize("packed", PACKED)
@pytest.mark.parametrize("name", ONES)
def test_keys_behind_a_long_field_are_seen_and_the_file_may_be_packed(name: str, packed: str, tmp_path: Path) -> None:
    data, count = ONES[name]
    file = tmp_path / "results"
    file.write_bytes(PACKED[packed](data))
    assert importers_for(file) == name
    assert len(trials(items(file))) == count


@pytest.mark.parametrize("name", ["codex", "graded-samples", "swe-bench"])
def test_lines_may_be_an_array(name: str, tmp_path: Path) -> None:
    data, count = ONES[name]
    file, other = tmp_path / "results", tmp_path / "lines"
    file.write_bytes(b"[" + data.replace(b"\n", b",") + b"]")
    other.write_bytes(data)
    (kept, as_lines) = (of(Imported, items(each)) for each in (file, other))
    assert len(kept) == count
    assert [each.trajectory for each in kept] == [each.trajectory for each in as_lines]


BROKEN = {
    "table": [{"agent": "a", "task": "t1", "passed": True}, {"agent": "a", "task": "t2", "passed": False}],
    "graded-samples": [{"task_id": "1", "passed": True, "completion": ""}, {"task_id": "2", "passed": True, "completion": ""}],
    "lm-eval": [{"doc_id": number, "resps": [], "acc": 1.0} for number in range(2)],
    "swe-bench": [{"instance_id": f"a__b-{number}", "model_patch": "x", "model_name_or_path": "m"} for number in range(2)],
    "tinker": [{"rollouts": [], "env_type": "e", "metrics": {"reward": 1.0}} for _ in range(2)],
    "tau-bench": [{"task_id": number, "reward": 1.0, "traj": []} for number in range(2)],
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_line_is_refused_and_those_after_it_are_kept(name: str, tmp_path: Path) -> None:
    first, last = BROKEN[name]
    file = tmp_path / "results.jsonl"
    file.write_bytes(lines(first) + b'\n{"cut": tr\n[1]\n' + lines(last) + b"\n")
    rules = TableRules(go_on=True)  # half of a table's rows would stop it
    found = list(importer_of(name, rules)(file)) if name == "table" else items(file)
    assert importers_for(file) == name
    assert len(trials(found)) == 2
    refused = refusals(found)
    assert set(refused) == {"results.jsonl:2", "results.jsonl:3"}
    assert "not JSON" in refused["results.jsonl:2"]


def test_text_in_utf_16_is_named(tmp_path: Path) -> None:
    file = tmp_path / "results.csv"
    file.write_bytes("agent,task,passed\na,t,1\n".encode("utf-16"))
    with pytest.raises(FormatError, match="UTF-16"):
        importers_for(file)


def test_every_file_that_is_refused_is_counted_in_the_message(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"card-{number}.md").write_text("---\nlicense: mit\n---\n# A model\n")
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(FormatError, match=r"card-0.md, card-1.md and 3 more: no results.*notes.txt: unknown format"):
        items(tmp_path)


STEP = {"step_id": 1, "source": "user", "message": "x"}
ATIF = {"schema_version": "ATIF-v1.5", "session_id": "1", "agent": {"name": "a", "version": "1"}, "steps": [STEP]}
SAID = [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}]
COUSINS = {
    "harbor without reward": (
        {"s/t1/reward.json": {"correct": False, "error": "boom"}, "s/t1/trajectory.json": ATIF},
        {"t1": ("failed", None)},
    ),
    "tau2-bench": (
        {"r.json": {"info": {"agent_info": {"llm": "m"}}, "simulations": [
            {"task_id": "3", "trial": 0, "reward_info": {"reward": 0.5}, "messages": SAID}]}},
        {"3": ("failed", 0.5)},
    ),
    "docent": (
        {"r.json": [{"id": "u", "transcripts": [{"messages": SAID}], "metadata": {"task_id": "k", "scores": {"reward": True}}}]},
        {"k": ("passed", None)},
    ),
    "hal by lists": (
        {"x_UPLOAD.json": {"config": {"agent_name": "A"}, "raw_eval_results": {"log": 1},
                           "results": {"successful_tasks": ["a"], "failed_tasks": ["b"]}}},
        {"a": ("passed", None), "b": ("failed", None)},
    ),
    "hal by instance": (
        {"x_UPLOAD.json": {"config": {}, "results": {}, "raw_eval_results": {"a": {"resolved": True}, "b": {"score": 0.25}}}},
        {"a": ("passed", None), "b": ("failed", 0.25)},
    ),
    "swe-bench leaderboards": (
        {"leaderboards.json": {"leaderboards": [{"name": "Verified", "results": [
            {"name": "agent", "resolved": 50.0,
             "per_instance_details": {"a__b-1": {"resolved": True, "cost": 0.5}, "a__b-2": {"resolved": False}}},
            {"name": "other", "resolved": 10.0}]}]}},
        {"a__b-1": ("passed", None), "a__b-2": ("failed", None)},
    ),
    "mbpp": ({"r.jsonl": {"task_id": 601, "passed": True, "code": "x"}}, {"601": ("passed", None)}),
}  # fmt: skip


@pytest.mark.parametrize("name", COUSINS)
def test_cousins_of_the_formats_are_read(name: str, tmp_path: Path) -> None:
    files, wanted = COUSINS[name]
    for file, content in files.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(json.dumps(content))
    found = items(tmp_path)
    assert {trial.task: (str(trial.outcome), trial.score) for trial in trials(found)} == wanted
    if name == "swe-bench leaderboards":
        assert {trial.usage.usd for trial in trials(found)} == {0.5, None}
        assert refusals(found) == {"leaderboards.json#Verified/other": "only a rate: it has no per_instance_details"}


def test_a_session_of_claude_code_may_begin_with_a_snapshot_of_files(tmp_path: Path) -> None:
    said = {"parentUuid": None, "sessionId": "s", "uuid": "u", "version": "2.0.0", "cwd": "/"}
    rows = (
        {"type": "file-history-snapshot", "messageId": "m", "snapshot": {"trackedFileBackups": {}}},
        {"type": "permission-mode", "permissionMode": "default", "sessionId": "s"},
        {**said, "type": "user", "message": {"role": "user", "content": "do it"}},
        {**said, "uuid": "v", "type": "assistant", "message": {"id": "1", "model": "m", "content": [{"type": "text", "text": "done"}]}},
    )  # fmt: skip
    (tmp_path / "s.jsonl").write_bytes(lines(*rows))
    assert importers_for(tmp_path / "s.jsonl") == "claude-code"
    (kept,) = of(Imported, items(tmp_path / "s.jsonl"))
    assert [step.message for step in kept.trajectory.steps] == ["do it", "done"]


def test_gemini_cli_writes_lines_that_add_change_and_take_back(tmp_path: Path) -> None:
    rows = (
        {"sessionId": "s", "projectHash": "h", "startTime": "2026-01-01T00:00:00Z", "kind": "main"},
        {"id": "1", "type": "user", "content": [{"text": "do it"}], "timestamp": "2026-01-01T00:00:01Z"},
        {"id": "2", "type": "gemini", "content": "", "model": "gemini-x", "toolCalls": [{"id": "c", "name": "ls", "args": {}}]},
        {"id": "2", "type": "gemini", "content": "looked", "model": "gemini-x", "tokens": {"input": 5, "output": 2},
         "toolCalls": [{"id": "c", "name": "ls", "args": {}, "resultDisplay": "a.py"}]},
        {"$set": {"lastUpdated": "2026-01-01T00:00:02Z"}},
        {"id": "3", "type": "user", "content": "no, not so"},
        {"id": "4", "type": "gemini", "content": "sorry"},
        {"$rewindTo": "3"},
        {"$set": {"messages": [{"id": "1", "type": "user", "content": "do it"}]}},
        {"id": "5", "type": "gemini", "content": "done", "model": "gemini-x"},
    )  # fmt: skip
    (tmp_path / "session.json").write_bytes(lines(*rows) + b"\nnot json\n")
    assert importers_for(tmp_path / "session.json") == "other-sessions"
    found = items(tmp_path / "session.json")
    (kept,) = of(Imported, found)
    assert [(step.source, step.message) for step in kept.trajectory.steps] == [
        ("user", "do it"),
        ("agent", "looked"),
        ("agent", "done"),
    ]
    assert kept.trajectory.steps[1].observations[0].text == "a.py"
    assert kept.trial.usage.input_tokens == 5
    assert set(refusals(found)) == {"session.json:11"}
    assert [each.count for each in of(Defect, found) if each.kind == "taken back"] == [2]
