"""Inspect's logs: what was counted in real ones is found, what their metrics drop is said, and hostile ones are refused."""

from __future__ import annotations

import io
import json
import zipfile
from collections import Counter

import pytest
from published import items, of, refusals, trials

from honestly.errors import FormatError
from honestly.formats import Imported
from honestly.records import Defect, Outcome
from zstd_module import zstd

LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
HEADER = {
    "version": 2, "status": "success", "plan": {"steps": [{"solver": "generate"}]},
    "eval": {"created": "2026-01-01", "task": "t", "dataset": {}, "model": "m", "config": {"epochs": 1}},
    "results": {"total_samples": 2, "completed_samples": 2,
                "scores": [{"name": "match", "scorer": "match", "metrics": {"accuracy": {"value": 1.0}}}]},
}  # fmt: skip
SAMPLE = {"id": "a", "epoch": 1, "input": "What?", "target": "x", "scores": {"match": {"value": "C"}},
          "messages": [{"role": "user", "content": "What?"}, {"role": "assistant", "content": "x"}]}  # fmt: skip


def archive(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip of these members."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return data.getvalue()


def log(*samples: dict, header: dict = HEADER) -> bytes:
    """A log of samples."""
    members = {"header.json": json.dumps(header).encode()}
    for sample in samples:
        members[f"samples/{sample['id']}_epoch_{sample['epoch']}.json"] = json.dumps(sample).encode()
    return archive(members)


def share(trial) -> float:
    return 1.0 if trial.outcome is Outcome.PASSED else trial.score or 0.0


def test_an_error_is_void_and_the_log_is_told_that_it_dropped_it(tmp_path):
    failed = {**SAMPLE, "id": "b", "scores": None, "error": {"message": "boom", "traceback": ""}}
    late = {**SAMPLE, "id": "c", "scores": {"match": {"value": "I"}}, "limit": {"type": "time", "limit": 5}}
    nan = {**SAMPLE, "id": "d", "scores": {"match": {"value": float("nan")}}}
    half = {**SAMPLE, "id": "e", "scores": {"match": {"value": "P"}, "other": {"value": {"a": 1}}}}
    (tmp_path / "l.eval").write_bytes(log(SAMPLE, failed, late, nan, half))
    found = items(tmp_path / "l.eval")
    kept = {trial.task: (trial.outcome.value, trial.score, trial.reason) for trial in trials(found)}
    assert kept == {"t.a": ("passed", None, ""), "t.b": ("void", None, "boom"), "t.c": ("limit", None, "time limit"),
                    "t.d": ("void", None, "no share of 1"), "t.e": ("failed", 0.5, "")}  # fmt: skip
    said = {each.kind: each.detail for each in of(Defect, found)}
    assert said["errors in the log"].startswith("1 of 5 samples have an error")
    assert said["figure differs"] == "match/accuracy is 1 in the file, 0.5 over its 3 scored samples"
    assert said["samples missing"] == "5 of 2 samples are in the file"
    (tmp_path / "l.json").write_text(json.dumps({**HEADER, "samples": [SAMPLE, failed, late, nan, half]}))
    again = {
        trial.task: (trial.outcome.value, trial.score, trial.reason) for trial in trials(items(tmp_path / "l.json"))
    }
    assert again == kept


def test_zstd_crashed_runs_and_samples_in_pieces(tmp_path):
    packed = archive(
        {"_journal/start.json": json.dumps(HEADER).encode(), "samples/a_epoch_1.json": b"?" * 400}, zipfile.ZIP_STORED
    )
    content = json.dumps(SAMPLE).encode()
    frame = zstd.compress(content)
    blank = b"?" * 400
    padded = frame + b"\x50\x2a\x4d\x18" + (400 - len(frame) - 8).to_bytes(4, "little") + bytes(400 - len(frame) - 8)
    data = bytearray(packed.replace(blank, padded))
    local, central = data.index(b"samples/a_epoch_1.json") - 30, data.rindex(b"samples/a_epoch_1.json") - 46
    data[local + 8 : local + 10] = data[central + 10 : central + 12] = (93).to_bytes(2, "little")
    data[central + 24 : central + 28] = len(content).to_bytes(4, "little")
    (tmp_path / "z.eval").write_bytes(data)
    found = items(tmp_path / "z.eval")
    assert [trial.outcome for trial in trials(found)] == [Outcome.PASSED]
    assert "crashed run" in {each.kind for each in of(Defect, found)}
    pieces = {
        "header.json": json.dumps(HEADER).encode(),
        "samples/a_epoch_1/sample.json": b"{}",
        "samples/b_epoch_1.json": content,
    }
    (tmp_path / "p.eval").write_bytes(archive(pieces))
    assert list(refusals(items(tmp_path / "p.eval")).values()) == [
        "unknown shape: a sample in pieces; with honestly[inspect] Inspect's own reader is asked"
    ]


def test_a_sample_with_events_alone_has_its_conversation(tmp_path):
    events = [{"event": "model", "input": [], "input_refs": [[0, 1]], "output": {"choices": [{"message": {
        "role": "assistant", "content": "attachment://1", "tool_calls": [{"id": "c", "function": "f", "arguments": {"x": 1}}]}}]}}]  # fmt: skip
    sample = {**SAMPLE, "messages": [], "events": events, "attachments": {"1": "the answer"},
              "events_data": {"messages": [{"role": "user", "content": "What?"}], "calls": []}}  # fmt: skip
    (tmp_path / "e.eval").write_bytes(log(sample))
    (kept,) = of(Imported, items(tmp_path / "e.eval"))
    assert [step.message for step in kept.trajectory.steps] == ["What?", "the answer"]
    assert [call.name for call in kept.trajectory.steps[1].calls] == ["f"]


def test_bombs_and_wrong_sizes_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("honestly.formats._inspect._LARGEST", 1 << 20)
    members = {"header.json": json.dumps(HEADER).encode(), "samples/a_epoch_1.json": b" " * (50 << 20)}
    (tmp_path / "b.eval").write_bytes(archive(members))
    with pytest.raises(FormatError, match="larger than 1 MiB when it is unpacked"):
        items(tmp_path / "b.eval")


def test_two_logs_of_one_agent_are_its_samples(tmp_path):
    for name in ("1.eval", "2.eval"):
        (tmp_path / name).write_bytes(log(SAMPLE))
    found = items(tmp_path)
    assert Counter(trial.sample for trial in trials(found)) == {0: 1, 1: 1}
    assert [each.count for each in of(Defect, found) if each.kind == "several runs"] == [1]


def test_a_shape_that_is_not_known_is_refused_by_name_where_inspect_is_not_installed(tmp_path):
    newer = {**SAMPLE, "id": "b", "messages": [{"role": "user", "content": {"parts": ["What?"]}}]}
    (tmp_path / "l.eval").write_bytes(log(SAMPLE, newer, {**SAMPLE, "id": "c", "scores": {"match": "C"}}))
    found = items(tmp_path / "l.eval")
    assert [trial.task for trial in trials(found)] == ["t.a"]
    assert refusals(found) == {
        "l.eval#samples/b_epoch_1.json": "unknown shape: a message of 'user' with a dict; "
        "with honestly[inspect] Inspect's own reader is asked",
        "l.eval#samples/c_epoch_1.json": "unknown shape: a score that is no object; "
        "with honestly[inspect] Inspect's own reader is asked",
    }
    (tmp_path / "l.eval").write_bytes(log(SAMPLE, header={**HEADER, "version": 9}))
    with pytest.raises(FormatError, match=r"version 9 of a log; 1 to 3 are known; with honestly\[inspect\]"):
        items(tmp_path / "l.eval")


def test_the_one_score_of_old_logs_counts(tmp_path):
    old = {name: value for name, value in SAMPLE.items() if name != "scores"} | {"score": {"value": "C"}}
    (tmp_path / "l.eval").write_bytes(log(old))
    assert [trial.outcome for trial in trials(items(tmp_path / "l.eval"))] == [Outcome.PASSED]


def retried(run: str, created: str, status: str = "success", **more) -> dict:
    """The header of one of the logs of a run."""
    said = {**HEADER["eval"], "task_id": run, "created": created, **more}
    return {**HEADER, "status": status, "eval": said, "results": {}}


def test_logs_of_one_run_are_one_and_the_newest_counts(tmp_path):
    failed = {**SAMPLE, "id": "b", "scores": None, "error": {"message": "boom"}, "uuid": "2"}
    again = {**SAMPLE, "id": "b", "uuid": "3"}
    only = {**SAMPLE, "id": "c", "uuid": "4", "scores": {"match": {"value": "I"}}}
    first = log({**SAMPLE, "uuid": "1"}, failed, only, header=retried("r", "2026-01-01T00:00:00", "error"))
    (tmp_path / "1.eval").write_bytes(first)
    (tmp_path / "2.eval").write_bytes(log({**SAMPLE, "uuid": "1"}, again, header=retried("r", "2026-01-02T00:00:00")))
    found = items(tmp_path)
    kept = {(trial.task, trial.sample): (trial.outcome.value, trial.source[:6]) for trial in trials(found)}
    assert kept == {
        ("t.a", 0): ("passed", "2.eval"),
        ("t.b", 0): ("passed", "2.eval"),
        ("t.c", 0): ("failed", "1.eval"),
    }
    assert Counter(refusals(found).values()) == {"superseded: a newer log of the same run has the sample": 2}


def test_words_parts_and_further_scores_are_read_as_inspect_means_them(tmp_path):
    header = {
        **HEADER,
        "results": {
            "scores": [
                {"name": "b", "scorer": "match", "metrics": {"mode": {"value": 1}}},
                {"name": "other", "metrics": {}},
            ]
        },
    }
    parts = {**SAMPLE, "id": "p", "scores": {"match": {"value": {"a": 0, "b": "yes"}}, "other": {"value": 12.5}}}
    words = [
        {**SAMPLE, "id": word, "scores": {"match": {"value": word}}}
        for word in ("yes", "No", "TRUE", "false", "C", "0.5")
    ]
    gone = {**SAMPLE, "id": "g", "invalidation": {"reason": "wrong file", "author": "me"}, "metadata": {"k": 1}}
    (tmp_path / "l.eval").write_bytes(log(parts, *words, gone, header=header))
    found = items(tmp_path)
    ended = {trial.task: (trial.outcome.value, trial.score, trial.reason) for trial in trials(found)}
    assert ended == {
        "t.p": ("passed", None, ""), "t.yes": ("passed", None, ""), "t.No": ("failed", None, ""),
        "t.TRUE": ("passed", None, ""), "t.false": ("failed", None, ""), "t.C": ("passed", None, ""),
        "t.0.5": ("failed", 0.5, ""), "t.g": ("void", None, "invalidated: wrong file"),
    }  # fmt: skip
    first, *_, last = of(Imported, found)
    assert {check.id: check.status for check in first.trial.verdict.hidden.checks} == {
        "match.a": "failed",
        "b": "passed",
    }
    more = json.loads(last.artifacts["sample.json"])
    assert more["target"] == "x"
    assert more["metadata"] == {"k": 1}
    assert more["invalidation"]["reason"] == "wrong file"


def test_a_mean_over_tasks_that_lost_epochs_is_right(tmp_path):
    samples = [{**SAMPLE, "epoch": 1}, {**SAMPLE, "epoch": 2},
               {**SAMPLE, "id": "b", "epoch": 1, "scores": {"match": {"value": "I"}}},
               {**SAMPLE, "id": "b", "epoch": 2, "scores": None, "error": {"message": "boom"}}]  # fmt: skip
    scores = [{"name": "match", "reducer": "mean", "metrics": {"accuracy": {"value": 0.5}}}]
    (tmp_path / "l.eval").write_bytes(log(*samples, header={**HEADER, "results": {"scores": scores}}))
    assert not [each for each in of(Defect, items(tmp_path)) if each.kind == "metric differs"]


def test_agents_of_one_name_say_in_what_they_differ(tmp_path):
    for limit in (10, 20):
        header = {**HEADER, "eval": {**HEADER["eval"], "config": {"message_limit": limit}}}
        (tmp_path / f"{limit}.eval").write_bytes(log(SAMPLE, header=header))
    names = {trial.agent for trial in trials(items(tmp_path))}
    assert names == {"m [message_limit=10]", "m [message_limit=20]"}


def test_members_that_share_bytes_and_those_that_unpack_to_far_more_are_refused(tmp_path):
    data = bytearray(
        archive({"header.json": json.dumps(HEADER).encode(), "samples/a_epoch_1.json": json.dumps(SAMPLE).encode()})
    )
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        at = opened.start_dir
    entry = bytes(data[at:-22])
    one = entry[entry.rindex(b"PK\x01\x02") :]
    directory = entry + b"".join(one.replace(b"a_epoch_1", b"a_epoch_%d" % n) for n in range(2, 9))
    end = bytearray(data[-22:])
    end[8:12] = (9).to_bytes(2, "little") * 2
    end[12:16] = len(directory).to_bytes(4, "little")
    (tmp_path / "t.eval").write_bytes(bytes(data[:at]) + directory + bytes(end))
    with pytest.raises(FormatError, match="its bytes are another member's, too"):
        items(tmp_path)
    (tmp_path / "t.eval").write_bytes(
        archive({"header.json": json.dumps(HEADER).encode(), "samples/a_epoch_1.json": b" " * (90 << 20)})
    )
    with pytest.raises(FormatError, match="larger than 64 MiB when it is unpacked"):
        items(tmp_path)


def test_ids_with_slashes_are_samples_like_others(tmp_path):
    """`HumanEval/0` is what HumanEval calls its problems, and Inspect names a member after it as it is."""
    wrong = {**SAMPLE, "id": "HumanEval/1", "scores": {"match": {"value": "I"}}}
    (tmp_path / "l.eval").write_bytes(log({**SAMPLE, "id": "HumanEval/0"}, wrong, SAMPLE))
    found = {trial.task: trial.outcome.value for trial in trials(items(tmp_path / "l.eval"))}
    assert found == {"t.HumanEval-0": "passed", "t.HumanEval-1": "failed", "t.a": "passed"}
