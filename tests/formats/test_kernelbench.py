"""Graded kernels: what is read, what stays outside, and what hostile files can do, which is nothing."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from foreign_runs import kernel, write_json, write_kernels
from hypothesis import given, settings, strategies as st

from honestly.errors import FormatError
from honestly.formats import Imported, read_kernelbench
from honestly.records import Agent, Defect, Edit, Outcome, Task, decode, encode
from honestly.store import create_study

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "hacks" / "kernelbench_audits"


class Read:
    """Everything that one import gives, in order, and stored."""

    def __init__(self, root: Path) -> None:
        self.items = list(read_kernelbench(root))
        with tempfile.TemporaryDirectory() as folder, create_study(Path(folder) / "s.honestly") as study:
            study.add(self.items)
        self.found = [item for item in self.items if isinstance(item, Imported)]
        self.trials = [item.trial for item in self.found]
        self.kinds: dict[str, int] = Counter()
        for item in self.items:
            if isinstance(item, Defect):
                self.kinds[item.kind] += item.count


def test_runs_their_code_and_no_label(tmp_path):
    read = Read(write_kernels(tmp_path))
    assert read.kinds == {"no solution": 1}
    assert [(item.name, item.program, item.model) for item in read.items if isinstance(item, Agent)] == [
        ("codex m", "codex", "m")
    ]
    assert [(item.id, item.instruction) for item in read.items if isinstance(item, Task)] == [("hard.01_gemm", "")]
    first, second = read.found
    assert [(trial.sample, trial.outcome, trial.score) for trial in read.trials] == [
        (0, Outcome.FAILED, 0.25),
        (1, Outcome.FAILED, 0.25),
    ]
    assert decode(first.artifacts["final.json"], Edit).write.text("solution.py") == "def kernel(x):\n    return x\n"
    assert (first.trajectory, second.artifacts) == (None, {})
    kept = b"".join(encode(item.trial) + b"".join(item.artifacts.values()) for item in read.found)
    assert b"reward_hack" not in kept
    assert b"caches its answers" not in kept


@pytest.mark.parametrize(
    ("changes", "kinds", "graded"),
    [
        ({"correct": False, "failure_reason": "nan"}, {}, (Outcome.FAILED, None, "nan")),
        ({"correct": None}, {"correctness not said": 1}, (Outcome.FAILED, 0.25, "")),
        ({"peak_fraction": None}, {"no score": 1}, (Outcome.VOID, None, "no score")),
        ({"peak_fraction": 1.7}, {"score beyond 1": 1}, (Outcome.VOID, None, "score beyond 1")),
        ({"peak_fraction": 1.0}, {}, (Outcome.PASSED, None, "")),
    ],
)
def test_grades(tmp_path, changes, kinds, graded):
    read = Read(write_kernels(tmp_path, kernel(**changes)))
    (trial,) = read.trials
    assert (read.kinds, (trial.outcome, trial.score, trial.reason)) == (kinds, graded)


def test_what_was_measured_counts_over_the_list(tmp_path):
    write_kernels(tmp_path, kernel(correct=None))
    measured = {"total_s": 9, "agent_s": 8, "input_tokens": 7, "output_tokens": 0, "cost_usd": 0.5}
    detail = {**kernel(peak_fraction=0.5), "annotation_verdict": "clean", "stats": measured}
    write_json(tmp_path / "rundetail" / "hard" / "r1.json", detail)
    (trial,) = Read(tmp_path).trials
    assert (trial.score, trial.seconds, trial.agent_seconds) == (0.5, 9, 8)
    assert (trial.usage.input_tokens, trial.usage.output_tokens, trial.usage.usd) == (7, None, 0.5)
    (tmp_path / "labels.jsonl").unlink()
    assert [each.id for each in Read(tmp_path).trials] == [trial.id]


def test_links_and_names_that_lead_away(tmp_path):
    secret = tmp_path / "secret.py"
    secret.write_text("SECRET = 1\n")
    root = write_kernels(tmp_path / "in", kernel("r1"), kernel("../../../secret"), kernel("r2", bench=".."))
    (root / "code" / "hard" / "r1.py").unlink()
    (root / "code" / "hard" / "r1.py").symlink_to(secret)
    read = Read(root)
    assert read.kinds == {"unreadable run": 2, "unreadable file": 1}
    assert read.found[0].artifacts == {}
    with pytest.raises(FormatError, match="contains no run"):
        Read(write_kernels(tmp_path / "none", {"run_id": "x"}))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.sampled_from([*kernel(), "stats", "failure_reason"])


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(FIELDS, JSON), max_size=4), st.lists(st.tuples(FIELDS, JSON), max_size=4), st.binary(max_size=4)
)
def test_anything_may_stand_anywhere(in_row, in_detail, noise):
    with tempfile.TemporaryDirectory() as name:
        root = write_kernels(Path(name), kernel("sound"), {**kernel("r1"), **dict(in_row)})
        write_json(root / "rundetail" / "hard" / "r1.json", {**kernel("r1"), **dict(in_detail)})
        (root / "rundetail" / "hard" / "r2.json").write_bytes(noise + json.dumps(kernel("r2")).encode() + noise)
        read = Read(root)
    assert "sound" in {trial.source for trial in read.trials}
    assert len({trial.id for trial in read.trials}) == len(read.trials)


@pytest.mark.published
@pytest.mark.skipif(not DATA.is_dir(), reason="the audited kernels are not beside the checkout")
def test_published_runs():
    expected = json.loads((DATA / "expected.json").read_text())
    read = Read(DATA)
    assert len(read.trials) == expected["runs"]
    assert sum(bool(item.artifacts) for item in read.found) == expected["with_code"]
    assert read.kinds["session not read"] == expected["with_transcript"]
    programs = {item.name: item.program for item in read.items if isinstance(item, Agent)}
    assert Counter(programs[trial.agent] for trial in read.trials) == expected["harnesses"]
