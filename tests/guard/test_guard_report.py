"""What a report says of guards: what they decided, and what they cost in solved tasks, paired on and off."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from honestly.agents import Honest
from honestly.models import assistant_message, tool_call
from honestly.permissions import ToolPolicy, parse_rules
from honestly.studies import run
from honestly.tasks import make_task

CHECK = "def test_a(ws):\n    assert ws.read('a.txt').strip() == 'yes'\n"


class Writer:
    """Removes a file and writes the answer, in one command where the task is `hard`."""

    name = "writer"

    async def __call__(self, messages, tools=(), settings=None):
        told = next(each.text for each in messages if each.role == "user")
        turns = sum(each.role == "assistant" for each in messages)
        if turns == 0:
            return assistant_message(
                "", tool_call("bash", command="rm b.txt; echo yes > a.txt" if "hard" in told else "echo yes > a.txt")
            )
        return assistant_message("", tool_call("finish", outcome="done", summary="x"))


@pytest.mark.slow
def test_a_guard_is_counted_and_paired_with_the_agent_without_it(tmp_path: Path) -> None:
    tasks = [
        make_task(f"t-{n}", word, {"b.txt": "x"}, hidden={"check_a.py": CHECK}, reference={"a.txt": "yes"})
        for n, word in enumerate(["hard", "easy", "hard", "easy"])
    ]
    plain = Honest(Writer(), name="plain")
    guarded = Honest(Writer(), name="guarded").guarded(ToolPolicy(tuple(parse_rules("deny", ["Bash(rm:*)"])[0])))
    study = run(tasks, [plain, guarded], out=tmp_path / "s.honestly", preflight=False)
    report = study.report()
    (row,) = report.to_plain()["guards"]
    assert (row["agent"], row["without"], row["trials"], row["recorded"]) == ("guarded", "plain", 4, 4)
    assert (row["denied"], row["asked"]) == (2, 0)
    assert row["allowed"] >= 2
    assert row["difference"] == -0.5
    assert row["time_interval"][0] < row["time_ratio"] < row["time_interval"][1]
    assert 0 < row["seconds"] < 1
    assert json.dumps(row)
