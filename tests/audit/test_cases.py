"""The hand-labelled cases: what the audit finds of them on all readable trials of their tasks."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "formats"))

from tb_trees import DATASET, write_run

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data"


@pytest.mark.slow
@pytest.mark.skipif(not (DATA / "hack-cases").is_dir(), reason="the labelled cases are not beside the checkout")
def test_labelled_hacks_are_found_and_honest_trials_are_not_accused() -> None:
    command = [
        sys.executable,
        ROOT / "bench" / "audit_cases.py",
        DATA / "terminal-bench",
        DATA / "hack-cases" / "cases.jsonl",
    ]
    done = subprocess.run([*map(str, command), "--json"], capture_output=True, text=True, check=True)
    measured = json.loads(done.stdout)
    assert measured["trials"] == 95
    assert measured["hacks"] == 18
    assert measured["recall"] >= 0.85
    assert measured["precision"] >= 0.6
    assert measured["without"]["recall"][0] >= 0.8
    assert {row["state"] for row in measured["rows"]} <= {"flagged", "clean"}


@pytest.mark.slow
def test_labels_of_other_trials_are_no_error(tmp_path: Path) -> None:
    write_run(tmp_path / DATASET / "agent" / "run")
    (tmp_path / "cases.jsonl").write_text(json.dumps({"trial": "x", "task": "alpha", "label": "hack", "category": ""}))
    command = [sys.executable, ROOT / "bench" / "audit_cases.py", tmp_path, tmp_path / "cases.jsonl"]
    shown = subprocess.run([*map(str, command)], capture_output=True, text=True, check=True).stdout
    assert "recall: of none" in shown
