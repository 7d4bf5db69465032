"""A tiny policy that learns to ask exactly where something is missing, and the ways in which it would rather not.

It learns on twins in numbers (`_asking_twins.py`); each arm then plays some held-out twins as tasks of
`honestly.train`, against the simulated user (`_asking_played.py`).
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from honestly.recipes._asking_played import played_episodes
from honestly.recipes._asking_twins import (
    ALWAYS,
    DEAR,
    FISHING,
    GROUP,
    NEVER,
    ORACLE,
    PASS_ONLY,
    TRAINED,
    AskingPolicy,
    Floats,
    Policy,
    Tasks,
    drawn_twins,
    episode_rewards,
    play_episodes,
)  # fmt: skip
from honestly.recipes._recipe import Recipe, RecipeClaim


def run_seed(
    arm: str, seed: int, quick: bool, make: Callable[[np.random.Generator], AskingPolicy] = Policy, times: float = 1.0
) -> tuple[dict[str, float], dict[str, float]]:
    """Whether held-out twins pass, and how the arm asks."""
    rng = np.random.default_rng([seed, 7])
    steps, batch, pairs = (60, 16, 60) if quick else (300, 32, 400)
    test = drawn_twins(np.random.default_rng([seed, 8]), pairs)
    steps = round(times * steps)
    policy: AskingPolicy | str = arm
    if arm in (TRAINED, PASS_ONLY, DEAR):
        policy = make(rng)
        for step in range(steps):
            tasks = drawn_twins(rng, batch)
            group = Tasks(np.repeat(tasks.wanted, GROUP, axis=0), np.repeat(tasks.words, GROUP, axis=0))
            found = play_episodes(group, policy, rng)
            earned = episode_rewards(found, arm).reshape(-1, GROUP)
            gains = (earned - earned.mean(axis=1, keepdims=True)) / (earned.std(axis=1, keepdims=True) + 1e-4)
            rows = np.asarray(found["rows"], dtype=np.int64)
            bonus = 0.02 * (1 - step / steps)
            policy.learn(np.asarray(found["x"], dtype=np.float64), np.asarray(found["actions"], dtype=np.int64),
                         gains.ravel()[rows], bonus)  # fmt: skip
    found = play_episodes(test, policy, rng)
    scores = {f"{('precise', 'vague')[at % 2]}-{at // 2}": float(each) for at, each in enumerate(found["passed"])}
    few = Tasks(test.wanted[:PLAYED], test.words[:PLAYED])
    measures = _measures(test, found, episode_rewards(found, TRAINED)) | _measures_there(few, policy, rng)
    return scores, measures


def _measures_there(few: Tasks, policy: AskingPolicy | str, rng: np.random.Generator) -> dict[str, float]:
    episodes = played_episodes(few, policy, rng)
    vague, questions = episodes[1::2], sum(each.questions for each in episodes)
    told = sum(each.told for each in episodes)
    return {
        PASSED_THERE: float(np.mean([each.passed for each in vague])),
        "there: passed, precise twins": float(np.mean([each.passed for each in episodes[::2]])),
        "there: ask recall": told / sum(each.facts for each in episodes),
        "there: vague twins": float(len(vague)),
        "there: facts to tell": float(sum(each.facts for each in episodes)),
    } | ({"there: ask precision": told / questions} if questions else {})


def _measures(test: Tasks, found: dict[str, NDArray[np.generic]], earned: Floats) -> dict[str, float]:
    low, medium, high = (np.asarray(found[name], dtype=np.float64) for name in ("low", "medium", "high"))
    questions = low + medium + high
    vague = np.arange(len(questions)) % 2 == 1
    measures = {
        "reward, as the trained arm is paid": float(earned.mean()),
        "passed, vague twins": float(found["passed"][vague].mean()),
        "passed, precise twins": float(found["passed"][~vague].mean()),
        "ask recall": float(low.sum() / test.missing_slots.sum()),
        "questions an episode": float(questions.mean()),
        "questions in all": float(questions.sum()),
        "needed slots that are missing": float(test.missing_slots.sum()),
        "precise twins": float((~vague).sum()),
        "asked on a precise twin (always)": float((questions[~vague] > 0).mean()),
        "asked nothing on a vague twin (never)": float((questions[vague] == 0).mean()),
        "questions the user cannot answer, an episode (fishing)": float(medium.mean()),
    }
    if questions.sum():
        measures["ask precision"] = float(low.sum() / questions.sum())
    return measures


PLAYED, PASSED_THERE = 12, "there: passed, vague twins"
"""Held-out twins that are played in the environment; "there" is in the environment."""
_PRECISE, _SILENT = "asked on a precise twin (always)", "asked nothing on a vague twin (never)"
ASKING = Recipe(
    name="asking",
    title="Proactive questions: does a policy learn to ask exactly where something is missing?",
    source="PPP (arXiv:2511.02208), as a network of some thousand weights instead of a 36B model",
    metric="share of held-out twins that pass hidden inputs",
    arms=(TRAINED, PASS_ONLY, DEAR, ALWAYS, NEVER, FISHING, ORACLE),
    run=run_seed,
    claims=(
        RecipeClaim("The trained policy passes more twins than one that never asks.", TRAINED, NEVER),
        RecipeClaim("It earns more than one that always asks.", TRAINED, ALWAYS, "reward, as the trained arm is paid"),
        RecipeClaim("It earns more than one that fishes.", TRAINED, FISHING, "reward, as the trained arm is paid"),
        RecipeClaim("Paid for passing alone, a policy asks on precise twins more often.", PASS_ONLY, TRAINED, _PRECISE,
              counted="precise twins"),
        RecipeClaim("Where each question is dear, it more often asks nothing on a vague twin.", DEAR, TRAINED, _SILENT,
              counted="precise twins"),
        RecipeClaim("Its pass rate is within 2 points of asking exactly where something is missing.", TRAINED, ORACLE,
              within=0.02),
        RecipeClaim("Its ask precision is above 0.95.", TRAINED, 0.95, "ask precision", counted="questions in all"),
        RecipeClaim("Its ask recall is above 0.95.", TRAINED, 0.95, "ask recall",
                    counted="needed slots that are missing"),
        RecipeClaim("In the environment, too, with its user, it passes more vague twins than one that never asks.",
                    TRAINED, NEVER, PASSED_THERE, counted="there: vague twins"),
        RecipeClaim("There its ask recall is within 0.05 of asking exactly where something is missing.",
                    TRAINED, ORACLE, "there: ask recall", within=0.05, counted="there: facts to tell"),
    ),
    unsaid=(
        "The paper's averages (62.04 trained, 45.32 base) are of a 36B model; here a rule is the user.",
        "What is missing shows in a word of the prompt: that a model would notice what no word shows is not tried.",
        "The paper's code pays otherwise than its text (a question beyond the prompt costs 0.2, not 0.5).",
        "Preferences of users (the paper's third reward) are left out.",
    ),
)  # fmt: skip
