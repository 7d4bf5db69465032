"""Published evaluations, one JSON object a line, as studies."""

import json
from pathlib import Path

import pytest
from report_studies import SHARED, study, task, trial

from honestly.records import Outcome


def evaluation_study(path, name) -> tuple[object, Path]:
    """A study of a file of evaluations, open, and the file."""
    source = SHARED / "data" / "evals" / f"{name}.jsonl"
    if not source.exists():
        pytest.skip(f"the evaluations {name} are not beside this repository")
    rows = [json.loads(line) for line in source.read_text().splitlines()]
    agents, tasks, trials = {}, {}, []
    for row in rows:
        agent = "|".join(filter(None, (row["model"], row.get("condition"))))
        agents[agent], tasks[row["example_id"]] = None, task(row["example_id"])
        for k in range(row["count"]):
            won = k < round(row["pass1"] * row["count"])
            trials.append(trial(agent, row["example_id"], k, Outcome.PASSED if won else Outcome.FAILED))
    return study(path, list(agents), list(tasks.values()), trials), source
