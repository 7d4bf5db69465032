"""Where a trial was lost: found in simulation as often as is stated, and in real sandboxes for a step that is known."""

from __future__ import annotations

import json
import random
import textwrap
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from forked import honestly
from honestly.people import NEVER, FatalSearch, credited_steps, value_interval

RUNS = 200


def searched(
    steps: int, fatal: int, value: Callable[[int], float], seed: int, *, uniform: bool = False
) -> tuple[bool, int]:
    """Whether the fatal step was found, and after how many continuations."""
    rng, search, runs = random.Random(seed), FatalSearch(steps + 1), 0

    def continues(state: int) -> bool:
        return state < fatal and rng.random() < value(state)

    if uniform:
        while search.next_state() is not None:
            search.add(runs % (steps + 1), success=continues(runs % (steps + 1)))
            runs += 1
    else:
        while (state := search.next_state()) is not None and runs < 10_000:
            search.add(state, success=continues(state))
            runs += 1
    truth = fatal if fatal <= steps else NEVER
    return truth in search.fatal.among, runs


def test_one_success_proves_a_state_and_all_before_it() -> None:
    search = FatalSearch(5)
    search.add(3, success=True)
    assert search.probabilities()[:4].tolist() == [0, 0, 0, 0]
    for _ in range(20):
        search.add(4, success=False)
    assert search.next_state() is None
    assert (search.fatal.step, search.fatal.among) == (4, (4,))
    steps = credited_steps(search, [-1, 0, 2, 3, 7], ["a", "b", "c", "d"])
    assert [step.runs for step in steps] == [0, 0, 0, 1, 20]
    assert (steps[4].step, steps[4].value, steps[4].credit, steps[4].words) == (7, 0, -1, "d")
    assert search.fatal.in_steps([-1, 0, 2, 3, 7]) == replace(search.fatal, step=7, among=(7,))
    assert steps[2].value is None
    search.add(4, success=True)
    assert search.fatal.step == NEVER


def test_a_search_finds_starts_that_are_lost_and_trials_that_are_not() -> None:
    assert searched(10, 0, lambda _: 0.5, 1)[0]
    assert searched(10, 11, lambda _: 0.5, 1)[0]


def test_intervals_of_values_hold_whenever_one_looks() -> None:
    rng, missed = random.Random(4), 0
    for _ in range(100):
        won = lost = 0
        out = False
        for _ in range(40):
            won, lost = (won + 1, lost) if rng.random() < 0.3 else (won, lost + 1)
            low, high = value_interval(won, lost)
            out |= not low <= 0.3 <= high
        missed += out
    assert missed <= 11  # 5 are expected at most
    assert value_interval(0, 0) == (0, 1)
    assert value_interval(0, 50)[0] == 0


@pytest.mark.slow
@pytest.mark.parametrize("steps", [8, 20, 40])
@pytest.mark.parametrize("least", [0.25, 0.5, 0.9, -0.25])
def test_the_fatal_step_is_found_as_often_as_stated_at_a_third_of_the_cost(steps: int, least: float) -> None:
    def value(state: int) -> float:
        return least if least > 0 else 0.9 - 0.65 * state / steps

    rng = random.Random(1)
    fatal = [rng.randint(1, steps) for _ in range(RUNS)]
    found = [searched(steps, step, value, seed) for seed, step in enumerate(fatal)]
    uniform = [searched(steps, step, value, seed, uniform=True) for seed, step in enumerate(fatal[:40])]
    assert sum(right for right, _ in found) >= 0.95 * RUNS
    assert sum(runs for _, runs in found) / RUNS <= sum(runs for _, runs in uniform) / 40 / 3


AGENT = """
from honestly.agents import Hands
from honestly.tasks import load_suite

async def loses(run, box):
    hands = Hands(run, box)
    for n in range(7):
        await hands.bash("rm keep.txt" if n == 4 else "ls" if n == 2 else f"echo {n} >> keep.txt" if not n else f"touch step{n}")
    hands.finish("Done.", claimed=True)

async def goes_on(run, box):
    hands = Hands(run, box)
    kept = (await hands.bash("cat keep.txt")).code == 0
    if kept and run.seed % 10 < 7 or (await hands.bash("test -e step1")).code and run.seed % 10 < 7:
        await hands.apply(load_suite("embedded", only=["split-bill"]).tasks[0].hidden.reference)
    hands.finish("Done.", claimed=True)
"""


@pytest.mark.slow
def test_a_known_fatal_step_is_found_in_real_sandboxes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever goes on needs a file that the fourth step removes."""
    (tmp_path / "lossy.py").write_text(textwrap.dedent(AGENT))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    study = tmp_path / "s.honestly"
    honestly("run", "embedded", "--task", "split-bill", "-a", "lossy:loses,name=loses", "-o", study)
    rewards = tmp_path / "rewards.jsonl"
    words = ("--agent", "lossy:goes_on", "--budget", 90, "--rewards", rewards, "--json")
    came = honestly("credit", study, "loses/split-bill/0", *words)
    found = json.loads(came.stdout)
    assert found["fatal"] == 4, came.stderr  # as `show` counts: the third call only looks, and makes no state
    assert found["sure"]
    assert len(found["steps"]) == 7
    assert {"step", "value", "low", "high", "runs"} <= found["steps"][0].keys()
    assert found["steps"][4]["value"] == 0
    assert found["steps"][4]["words"] == "bash rm keep.txt"
    assert found["differs"] == []
    assert len(rewards.read_text().splitlines()) == 6
    short = json.loads(
        honestly("credit", study, "loses/split-bill/0", "--agent", "lossy:goes_on", "--budget", 2, "--json").stdout
    )
    assert short["fatal"] is None
    assert not short["sure"]
    assert "--agent" in honestly("credit", study, "loses/split-bill/0").stderr
