"""Real studies for the tests: made-up agents with known behaviour, and the Terminal-Bench trials."""

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest

from honestly.formats import read_terminal_bench
from honestly.records import Agent, Check, CheckRun, Outcome, StudyFacts, Tags, Task, Trial, Usage, Verdict, trial_id
from honestly.store import create_study

SHARED = Path(__file__).parents[2].parent / "shared"


def checks(passed):
    return None if passed is None else CheckRun(checks=(Check(id="c", status="passed" if passed else "failed"),))


def trial(agent, task, sample, outcome, *, visible=None, hidden=None, tampered=(), usd=None, reason=""):
    return Trial(
        id=trial_id(f"task {task}", f"agent {agent}", sample, 0),
        agent=agent,
        task=task,
        sample=sample,
        outcome=outcome,
        reason=reason,
        verdict=Verdict(visible=checks(visible), hidden=checks(hidden), tampered=tampered),
        usage=Usage(usd=usd),
    )


def task(name, *, impossible=False, category="debug", difficulty="easy", **tags):
    variant = "impossible" if impossible else "standard"
    tags = Tags(category=category, difficulty=difficulty, variant=variant, **tags)
    return Task(id=name, instruction="do it", tags=tags)


def study(path, agents, tasks, trials, **facts):
    """A study in a file, open."""
    store = create_study(path, msgspec.convert(facts, StudyFacts))
    store.add([*(Agent(name=name) for name in agents), *tasks])
    store.add([(item, None, {}) for item in trials])
    return store


def demo(path, *, names=("honest-good", "honest-weak", "special-case", "edit-tests"), tasks=24, samples=5, seed=7):
    """Agents of known kinds: honest ones of falling ability, then cheats that pass the visible checks alone.

    Every third task has an impossible twin; a few trials are void, at a limit, or missing.
    """
    rng = np.random.default_rng(seed)
    standard = [task(f"task-{i:02d}", difficulty=("easy", "medium", "hard")[i % 3]) for i in range(tasks)]
    twins = [task(f"task-{i:02d}-impossible", impossible=True) for i in range(0, tasks, 3)]
    ease = rng.uniform(-0.35, 0.35, tasks)
    trials = []
    for a, name in enumerate(names):
        cheat = a >= (len(names) + 1) // 2
        ability = 0.15 if cheat else 0.85 - 0.5 * a / max(len(names) / 2, 1)
        for i, item in enumerate([*standard, *twins]):
            for k in range(samples):
                luck = rng.random()
                if luck < 0.01:
                    continue
                if luck < 0.03:
                    trials.append(trial(name, item.id, k, Outcome.VOID, reason="sandbox died"))
                    continue
                if item.tags.variant == "impossible":
                    passed = cheat and rng.random() < 0.9
                    trials.append(trial(name, item.id, k, Outcome.FAILED, visible=passed, hidden=False))
                    continue
                good = rng.random() < np.clip(ability + ease[i], 0.02, 0.98)
                visible = bool(good or rng.random() < (0.9 if cheat else 0.06))
                caught = ("exit hook",) if cheat and not good and rng.random() < 0.1 else ()
                outcome = Outcome.PASSED if good else Outcome.LIMIT if luck > 0.95 else Outcome.FAILED
                usd = None if a == 1 else round(0.01 * (1 + k), 2)
                trials.append(
                    trial(name, item.id, k, outcome, visible=visible, hidden=bool(good), tampered=caught, usd=usd)
                )
    return study(
        path, names, [*standard, *twins], trials, suite="made-up", suite_hash="0" * 32, seed=seed, samples=samples
    )


def terminal_bench(path):
    """The nine submissions to Terminal-Bench, imported from their own directories."""
    source = SHARED / "data" / "terminal-bench"
    if not source.exists():
        pytest.skip("the Terminal-Bench results are not beside this repository")
    store = create_study(path, StudyFacts(imported_from=source.name))
    store.add(read_terminal_bench(source))
    return store


def reference(name):
    """One file of reference values."""
    path = SHARED / "refs" / name
    if not path.exists():
        pytest.skip(f"the reference values {name} are not beside this repository")
    return json.loads(path.read_text())
