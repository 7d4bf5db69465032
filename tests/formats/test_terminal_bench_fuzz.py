"""Whatever lies in the directory: a FormatError or defects, never another error, and no trial lost without a count."""

from __future__ import annotations

import copy
import json
import os
import tempfile
from collections import defaultdict
from pathlib import Path

from hypothesis import given, settings, strategies as st
from tb_trees import DATASET, Read, result, run_file, write_json, write_run

from honestly.errors import FormatError
from honestly.records import encode

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.sampled_from([*result("a", "b"), "uuid", "results", "n_resolved", "accuracy"])
NAMES = st.sampled_from([
    "results.json", "x_results.json", "run_metadata.json", "tb.lock", "alpha", "alpha.1-of-1", "alpha.1-of-1.run",
    "alpha.2-of-2", "panes", "sessions", "agent.log", "run", DATASET, "other@1", "terminal-bench-core:0.1.1", "sub",
    "\udcff", "a\nb", " ", "results",
])  # fmt: skip
RESULT = result("alpha", "alpha.1-of-1.run")
CHAIN = (DATASET, "sub", "run", "alpha", "alpha.1-of-1.run")
PATHS = st.tuples(st.integers(0, len(CHAIN)), st.lists(NAMES, min_size=1, max_size=3)).map(
    lambda x: (*CHAIN[: x[0]], *x[1])
)
CONTENTS = st.one_of(
    JSON.map(lambda value: json.dumps(value).encode()),
    st.sampled_from([json.dumps(RESULT).encode(), json.dumps(run_file([RESULT, RESULT])).encode(), b"", b"{", b"\xff"]),
    st.binary(max_size=40),
)


def check(read: Read) -> None:
    """What holds of any import."""
    for item in read.items:
        assert encode(item.trial if hasattr(item, "trial") else item)
    assert len({trial.id for trial in read.trials}) == len(read.trials)
    cells = defaultdict(list)
    for trial in read.trials:
        cells[trial.agent, trial.task].append(trial.sample)
    assert all(samples == list(range(len(samples))) for samples in cells.values())
    assert len({agent.name for agent in read.agents}) == len(read.agents)
    assert len({task.id for task in read.tasks}) == len(read.tasks)
    assert {t.agent for t in read.trials} <= {a.name for a in read.agents}
    assert {t.task for t in read.trials} == {t.id for t in read.tasks}
    assert all(defect.count > 0 for defect in read.defects)


def read_or_refuse(root: Path) -> Read | None:
    try:
        read = Read(root)
    except FormatError:
        return None
    check(read)
    return read


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), FIELDS, JSON), max_size=6), st.lists(JSON, max_size=2))
def test_any_field_of_any_trial_may_be_anything(changes, strangers):
    with tempfile.TemporaryDirectory() as name:
        run = Path(name) / DATASET / "sub" / "run"
        trials = [result(t, f"{t}.{n}-of-3.run") for t in ("alpha", "beta") for n in (1, 2, 3)]
        for trial in trials:
            write_json(run / str(trial["task_id"]) / str(trial["trial_name"]) / "results.json", copy.deepcopy(trial))
        for index, field, value in changes:
            trials[index][field] = value
        entries = [*trials, *strangers]
        write_json(run / "results.json", {**run_file(trials), "results": entries})
        read = read_or_refuse(Path(name))
        if read is not None:
            lost = sum(read.count(kind) for kind in ("duplicate run", "duplicate trial", "trial name repeated"))
            unread = sum(d.count for d in read.defects if d.kind == "unreadable trial" and d.where.endswith(".json"))
            assert len(read.trials) + lost + unread == len(entries)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_any_byte_of_any_file_may_be_wrong(data):
    with tempfile.TemporaryDirectory() as name:
        write_run(Path(name) / DATASET / "sub" / "run")
        path = data.draw(st.sampled_from(sorted(Path(name).rglob("*.json"))))
        content = path.read_bytes()
        for _ in range(data.draw(st.integers(1, 3))):
            at = data.draw(st.integers(0, len(content)))
            content = content[:at] + data.draw(st.binary(max_size=4)) + content[at + data.draw(st.integers(0, 9)) :]
        path.write_bytes(content)
        read_or_refuse(Path(name))


@settings(max_examples=150, deadline=None)
@given(
    st.booleans(),
    st.lists(st.tuples(PATHS, st.sampled_from(["file", "file", "link", "pipe", "folder"]), CONTENTS), max_size=12),
)
def test_any_tree_of_files(sound, entries):
    with tempfile.TemporaryDirectory() as name:
        if sound:
            write_run(Path(name, *CHAIN[:3]))
        for parts, kind, content in entries:
            path = Path(name, *parts)
            if os.path.lexists(path):
                continue  # writing into a pipe would wait for ever
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                if kind == "file":
                    path.write_bytes(content)
                elif kind == "link":
                    path.symlink_to(Path(name))
                elif kind == "pipe":
                    os.mkfifo(path)
                else:
                    path.mkdir()
            except OSError:
                continue  # one of its directories is something else
        read_or_refuse(Path(name))
