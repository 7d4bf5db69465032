"""Commands that make many tasks, killed in the middle: what was made is found again, and nothing is made twice."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest
from histories import MENDED, MORE, SHARES, SUMS, SUMS_TEST, TEST

from forked import honestly
from honestly.tasks import load_suite

pytestmark = pytest.mark.slow

FOUR = {"from-mutants": ["--count", "4"], "from-tests": ["--count", "4"], "from-repo": []}


def fill(history, kind):
    """Functions with tests; or commits that can become tasks."""
    history.commit("Sums", {"shares.py": None, "test_shares.py": None, "sums.py": SUMS, "test_sums.py": SUMS_TEST})
    if kind == "from-repo":
        for number in range(4):
            names = f"part{number}.py", f"test_part{number}.py"
            texts = [text.replace("shares", f"part{number}") for text in (SHARES, TEST, MENDED, MORE)]
            history.commit(f"Part {number}", dict(zip(names, texts[:2], strict=True)))
            history.commit(f"Nobody gets no share of part {number}", dict(zip(names, texts[2:], strict=True)))


def rows(into):
    found = list(into.glob("*.jsonl"))
    return [json.loads(line) for line in found[0].read_text().splitlines()] if found else []


@pytest.mark.parametrize("kind", FOUR)
def test_a_command_that_was_killed_goes_on_and_makes_nothing_twice(history, tmp_path, kind):
    fill(history, kind)
    into = tmp_path / "made"
    words = ["tasks", kind, str(history.folder), "--runs", "2", "--into", str(into), *FOUR[kind]]
    running = subprocess.Popen([sys.executable, "-m", "honestly", *words], start_new_session=True)
    try:
        end = time.monotonic() + 300
        while sum(bool(row.get("task")) for row in rows(into)) < 2 and time.monotonic() < end:
            assert running.poll() is None
            time.sleep(0.05)
    finally:
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
    first = {
        row["task"]: (into / row["task"] / "made.json").stat().st_mtime_ns for row in rows(into) if row.get("task")
    }
    assert len(first) >= 2
    # What a kill can leave at the worst: a task that is written and not told, half a line, and half a folder.
    (journal,) = into.glob("*.jsonl")
    lines = journal.read_bytes().splitlines(keepends=True)
    last = max(at for at, line in enumerate(lines) if json.loads(line).get("task"))
    untold = json.loads(lines[last])["task"]
    journal.write_bytes(b"".join(lines[:last]) + lines[last][:20])
    shutil.copytree(into / untold, into / f".{untold}.0123abcd")
    assert {task.id for task in load_suite(into).tasks} == set(first)
    done = honestly(*words, "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    told = [row["task"] for row in rows(into) if row.get("task")]
    assert len(told) == len(set(told)) == said["tasks"] >= 4
    assert {task.id for task in load_suite(into).tasks} == set(told) >= set(first)
    assert {name: (into / name / "made.json").stat().st_mtime_ns for name in first} == first
    again = json.loads(honestly(*words, "--json").stdout)
    assert (again["tasks"], [row["task"] for row in rows(into) if row.get("task")]) == (said["tasks"], told)
