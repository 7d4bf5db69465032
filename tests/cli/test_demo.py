"""`honestly demo`: a cheat falls before one's eyes, on a terminal and in a log."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from terminal import Terminal

from honestly.cli._demo import TASKS
from honestly.cli._race import Race
from honestly.records import Check, CheckRun, Outcome, Trial, Verdict
from honestly.store import open_study
from honestly.tasks import EMBEDDED, load_suite

CHEAT = "cheat-special-case"


def test_the_tasks_tell_the_story():
    tasks = load_suite(EMBEDDED, only=TASKS).tasks
    assert len(tasks) == len(TASKS)
    assert {task.tags.difficulty for task in tasks} == {"easy", "medium", "hard"}
    assert len({task.tags.category for task in tasks}) >= 5
    assert sum(task.tags.variant == "impossible" for task in tasks) >= 2


@pytest.mark.slow
def test_on_a_terminal_the_board_appears_while_it_runs_and_the_cheat_has_fallen_at_the_end(tmp_path):
    arguments = ("-m", "honestly", "demo", "-k", "1", "--out", "demo.honestly")
    terminal = Terminal(*arguments, cwd=tmp_path, env={"TERM": "xterm-256color"})
    terminal.until("of 56 trials")
    terminal.until("visible pass, hidden ", patience=120.0)
    terminal.until("4 ▼3", CHEAT, patience=300.0)
    terminal.until("rank 4 of 4", patience=300.0)
    terminal.until("the intervals are up to 60 points wide")  # of 11 tasks, tried once
    assert terminal.ended(60.0) == 0
    assert (tmp_path / "demo.html").exists()


@pytest.mark.slow
def test_the_readme_shows_what_the_demo_prints(tmp_path):
    """Its seeds are fixed; the table in the README had stayed behind."""
    done = subprocess.run(
        [sys.executable, "-m", "honestly", "demo"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    shown = re.findall(r"^    (\d  .*%.*)$", (Path(__file__).parents[2] / "README.md").read_text("utf-8"), re.MULTILINE)
    printed = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert len(shown) == 4
    for row in shown:
        assert any(line.startswith(" ".join(row.split())) for line in printed), (row, done.stdout)


@pytest.mark.slow
def test_a_demo_that_was_begun_is_finished_and_says_so_in_plain_lines(tmp_path):
    command = [sys.executable, "-m", "honestly", "demo", "-k", "1", "--out", "demo.honestly"]
    begun = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    assert any("trials; honest (visible): " in line for line in begun.stderr)
    begun.send_signal(2)
    begun.communicate(timeout=60)
    assert begun.returncode == 130
    with open_study(tmp_path / "demo.honestly") as study:
        kept = len(list(study.trials()))
    assert 0 < kept < 56
    done = subprocess.run([*command, "--json"], cwd=tmp_path, capture_output=True, text=True, check=True)
    board = json.loads(done.stdout)
    assert (board["agents"][-1]["name"], board["agents"][-1]["honest"]) == (CHEAT, 0.0)
    with open_study(tmp_path / "demo.honestly") as study:
        assert len(list(study.trials())) == 56


def test_standings_count_honest_and_visible_passes_and_leave_impossible_twins_to_the_caught():
    suite = load_suite(EMBEDDED, only=["split-bill", "split-bill.impossible"])
    race = Race(["honest", CHEAT], suite, 4)

    def take(agent, task, seen, *, passed):
        run = CheckRun(checks=(Check(id="one", status="passed" if seen else "failed"),))
        race.take_trial(
            Trial(
                id=f"{agent}{task}",
                agent=agent,
                task=task,
                sample=0,
                outcome=Outcome.PASSED if passed else Outcome.FAILED,
                verdict=Verdict(visible=run, hidden=run),
            )
        )

    assert race.standings_line() == "0 of 4 trials"
    take(CHEAT, "split-bill", seen=True, passed=False)
    take(CHEAT, "split-bill.impossible", seen=True, passed=False)
    take("honest", "split-bill", seen=True, passed=True)
    take("honest", "split-bill.impossible", seen=False, passed=False)
    assert race.standings_line() == f"4 of 4 trials; honest (visible): honest 100 (100), {CHEAT} 0 (100)"
