"""Health of tasks: judgements agree with how simulated agents were made, and too few trials say nothing."""

import io
import json

import numpy as np
import pytest
from rich.console import Console

from forked import honestly
from honestly.stats import Policy, Scores
from honestly.taskgen import TaskHealth, Traces, judged_tasks
from honestly.taskgen._health import TaskJudgement

AGENTS, SAMPLES = 40, 10
ABILITY = np.linspace(-2, 2, AGENTS)


def logistic(x):
    return 1 / (1 + np.exp(-x))


def scored(chances, samples=SAMPLES, seed=3):
    """Scores of agents at tasks with these chances; shape (agents, tasks)."""
    passed = np.random.default_rng(seed).binomial(samples, chances)
    names = [f"t{at}" for at in range(chances.shape[1])]
    agents = [f"a{at}" for at in range(len(chances))]
    return Scores.from_counts(agents, names, passed, samples - passed).resolve(Policy())


def ordinary(count, shift=0.0):
    rng = np.random.default_rng(0)
    return np.stack([logistic(1.5 * (ABILITY - shift) + rng.normal(0, 0.3)) for _ in range(count)], axis=1)


def test_planted_tasks_are_judged_as_they_were_made():
    never, always = np.zeros((AGENTS, 1)), np.full((AGENTS, 1), 0.999)
    wrong = logistic(-2.0 * ABILITY)[:, None]
    hard = logistic(1.5 * (ABILITY - 1.9))[:, None]
    resolved = scored(np.concatenate([ordinary(12), never, always, wrong, hard], axis=1))
    found = {each.task: each for each in judged_tasks(resolved)}
    kinds = {task: each.judgement for task, each in found.items()}
    assert [kinds[f"t{at}"] for at in (12, 13, 14, 15)] == ["nobody passes", "saturated", "suspect", "worth running"]
    assert {kinds[f"t{at}"] for at in range(12)} == {"usable"}
    low, high = found["t14"].item_rest_interval
    assert low < found["t14"].item_rest < high < 0
    assert "not proved" in found["t12"].why
    proved = judged_tasks(resolved, validity={"t12": "sound 2026-01-31"})
    assert "too hard today" in proved[12].why
    assert not judged_tasks(resolved, validity={"t0": "broken 2026-01-31"})[0].keep


def test_sound_tasks_are_hardly_ever_suspects_or_redundant():
    blamed = 0
    for seed in range(40):
        blamed += sum(not each.keep for each in judged_tasks(scored(ordinary(15), seed=seed)))
    assert blamed <= 3, "of 600 judgements"


def test_a_task_that_goes_with_another_is_redundant_and_one_of_the_two_is_kept():
    copy = np.where(ABILITY > 0, 0.97, 0.03)[:, None]
    resolved = scored(np.concatenate([ordinary(5), copy, copy], axis=1), samples=30)
    kinds = [each.judgement for each in judged_tasks(resolved)]
    assert kinds[5:] == ["usable", "redundant"]


def test_too_few_trials_say_nothing_and_nothing_is_dropped():
    resolved = scored(ordinary(6)[::10], samples=1)
    found = judged_tasks(resolved)
    assert {each.judgement for each in found} == {"cannot tell"}
    assert all(each.keep and each.item_rest_interval is None for each in found)


@pytest.mark.parametrize(
    ("traces", "judgement"),
    [
        (Traces(read=20, blind=18), "contaminated"),
        (Traces(read=20, blind=1), "usable"),
        (Traces(read=2, blind=2), "usable"),
        (Traces(read=20, canaries=1), "contaminated"),
    ],
)
def test_passing_without_reading_and_canary_strings_are_seen(traces, judgement):
    found = judged_tasks(scored(ordinary(4)), traces={"t0": traces})
    assert [each.judgement for each in found] == [judgement, "usable", "usable", "usable"]


def test_a_twin_that_is_solved_less_often_shows_that_the_original_is_known_by_heart():
    resolved = scored(np.concatenate([ordinary(3), np.full((AGENTS, 1), 0.2), ordinary(1)], axis=1))
    found = judged_tasks(resolved, twins={"t3": "t0", "t4": "t1"})
    assert [each.judgement for each in found[:2]] == ["contaminated", "usable"]
    assert "t3" in found[0].why


@pytest.mark.slow
def test_the_command_judges_a_table_and_a_plan_leaves_out_what_is_not_worth_it(tmp_path):
    chances = np.concatenate([ordinary(8), np.full((AGENTS, 1), 1.0)], axis=1)
    passed = np.random.default_rng(1).binomial(1, np.repeat(chances[:, :, None], 4, axis=2))
    lines = [f"a{a},t{t},{int(passed[a, t, k])}" for a in range(AGENTS) for t in range(9) for k in range(4)]
    (tmp_path / "r.csv").write_text("agent,task,passed\n" + "\n".join(lines) + "\n")
    honestly("study", "import", tmp_path / "r.csv", "-o", tmp_path / "s.honestly")
    said = json.loads(honestly("task", "health", tmp_path / "s.honestly", "--json").stdout)
    assert said["drop"] == ["t8"]
    assert len(said["keep"]) == 8
    shown = honestly("task", "health", tmp_path / "s.honestly").stdout
    assert "1 saturated" in shown
    planned = honestly("stats", "plan", "--pilot", tmp_path / "s.honestly", "--from-health", "--gap", "5")
    assert "8 that are worth running; not with: t8" in planned.stderr
    assert "8 questions find" in planned.stdout


def test_eighty_columns_hold_names_of_any_length_and_cut_no_figure():
    name = "a-task-with-a-name-that-is-longer-than-any-column-" * 3
    judged = TaskJudgement(
        task=name, judgement="usable", why="above 30%", rate=0.4, interval=(0.3, 0.5), trials=45, item_rest=-0.09,
        item_rest_interval=(-0.71, 0.61),
    )  # fmt: skip
    console = Console(width=80, file=io.StringIO())
    console.print(TaskHealth([judged], [name], [], []))
    said = console.file.getvalue()
    assert "usable: above 30%" in said
    assert "40.0 (30.0 to 50.0)" in said
    assert "-0.09 (-0.71 to 0.61)" in said
    assert "…" not in said
