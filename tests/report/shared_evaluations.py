"""Published evaluations, one JSON object a line, as studies."""

import json
from pathlib import Path

import pytest
from report_studies import SHARED

from honestly.store import open_study
from honestly.studies import import_results


def evaluation_study(path, name) -> tuple[object, Path]:
    """A study of a file of evaluations, open, and the file; without the clusters that it declares."""
    source = SHARED / "data" / "evals" / f"{name}.jsonl"
    if not source.exists():
        pytest.skip(f"the evaluations {name} are not beside this repository")
    rows = [json.loads(line) for line in source.read_text().splitlines()]
    bare = path.with_suffix(".jsonl")
    bare.write_text("\n".join(json.dumps({key: row[key] for key in row if key != "cluster"}) for row in rows))
    import_results(bare, path, "table")
    return open_study(path), source
