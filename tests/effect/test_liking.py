"""Satisfaction against hidden verdicts: users whose liking is known, and what benchmark scores would have predicted."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from forked import honestly
from honestly.effect import Session, effect_report, sessions_of_table
from honestly.records import Agent, Outcome, Task, Trial
from honestly.scores import style_of
from honestly.store import create_study

FLATTERY = ("Great question!", "You're absolutely right.", "What a brilliant idea.")


def drawn(seed: int, *, flattery: float = 0.0, correct: float = 0.0, users: int = 300) -> list[tuple[str, ...]]:
    """Sessions of a flatterer A, right in 40%, and an expert B, right in 70%: what their users like is given."""
    rng = np.random.default_rng(seed)
    found = []
    for user in range(users):
        arm, own = "AB"[user % 2], rng.normal(0, 0.4)
        for _ in range(3):
            phrases = int(rng.poisson(2.5 if arm == "A" else 0.4))
            passed = rng.random() < (0.4 if arm == "A" else 0.7)
            rating = 3 + own + flattery * np.log1p(phrases) + correct * passed + rng.normal(0, 0.6)
            text = " ".join([*rng.choice(FLATTERY, phrases), *["word"] * rng.integers(20, 80)])
            stars = f"{min(max(rating, 1), 5):.3f}" if rng.random() < 0.4 else ""
            found.append((arm, f"u{user}", stars, text, "passed" if passed else "failed"))
    return found


def table(path: Path, rows: list[tuple[str, ...]]) -> Path:
    path.write_text("\n".join(map(",".join, [("arm", "user", "rating", "replies", "verdict"), *rows])))
    return path


def sessions(rows: list[tuple[str, ...]]) -> list[Session]:
    return [
        Session(arm, user, float(stars) if stars else None, style_of([text]) | {"passed": float(verdict == "passed")})
        for arm, user, stars, text, verdict in rows
    ]


def test_who_likes_flattery_rates_the_flatterer_better_and_it_is_told(tmp_path: Path) -> None:
    path = table(tmp_path / "s.csv", drawn(1, flattery=0.6))
    found = effect_report(sessions_of_table(path), ("A", "B"), benchmark=(0.4, 0.7))
    assert found.interval[0] > 0, "by ratings alone the flatterer is better"
    assert found.liking is not None
    assert found.liking.plain_difference > 0.2
    assert found.liking.interval[0] < 0 < found.liking.interval[1], "and of equal words and verdicts it is not"
    effects = {each.what: each for each in found.liking.rated_for}
    assert effects.keys() == {"passed", "length", "flattery", "tone"}
    assert effects["flattery"].interval[0] > 0.2
    assert effects["passed"].interval[0] < 0 < effects["passed"].interval[1]
    assert found.benchmark is not None
    assert not found.benchmark.same_direction
    assert found.benchmark.interval[0] < 0 < found.benchmark.interval[1]
    shown = honestly("effect", path, "--between", "A", "B", "--benchmark", "40,70")
    assert "flattery (SD)" in shown.stdout
    assert "Benchmark scores of 40% and 70% point otherwise than ratings do" in " ".join(shown.stdout.split())
    plain = json.loads(honestly("effect", path, "--between", "A", "B", "--json").stdout)
    assert plain["liking"]["judged"] == sum(plain["labelled"])
    assert plain["benchmark"] is None


def test_where_all_rate_alike_nothing_is_known_of_what_they_rate(tmp_path: Path) -> None:
    rows = [(arm, user, stars and "5", text, verdict) for arm, user, stars, text, verdict in drawn(6)]
    found = effect_report(sessions(rows), ("A", "B"))
    assert found.liking is not None
    assert all(np.isnan([*each.interval, each.p_value]).all() for each in found.liking.rated_for)
    shown = honestly("effect", table(tmp_path / "s.csv", rows), "--between", "A", "B").stdout
    assert "[0.00, 0.00]" not in shown


def test_who_likes_what_is_right_is_predicted_by_a_benchmark() -> None:
    found = effect_report(sessions(drawn(2, correct=1.0)), ("A", "B"), benchmark=(0.4, 0.7))
    assert found.liking is not None
    effects = {each.what: each for each in found.liking.rated_for}
    assert effects["passed"].interval[0] < 1 < effects["passed"].interval[1]
    assert effects["flattery"].interval[0] < 0 < effects["flattery"].interval[1]
    assert found.benchmark is not None
    assert found.benchmark.same_direction
    assert found.benchmark.interval[0] < -0.3 < found.benchmark.interval[1]
    assert found.interval[0] < found.benchmark.predicted < found.interval[1]


@pytest.mark.slow
def test_intervals_of_what_is_liked_cover() -> None:
    held = []
    for seed in range(200):
        found = effect_report(sessions(drawn(seed, correct=0.5, users=200)), ("A", "B"), benchmark=(0.4, 0.7))
        assert found.liking is not None
        effects = {each.what: each.interval for each in found.liking.rated_for}
        held.append(
            [
                effects["passed"][0] < 0.5 < effects["passed"][1],
                effects["flattery"][0] < 0 < effects["flattery"][1],
                found.liking.interval[0] < 0 < found.liking.interval[1],
                found.benchmark.interval[0] < -0.15 < found.benchmark.interval[1],
            ]
        )
    print("coverage of passed, flattery, difference, prediction:", np.mean(held, axis=0))
    assert np.all(np.mean(held, axis=0) > 0.91)


def test_without_verdicts_nothing_is_told_of_them(tmp_path: Path) -> None:
    rows = [(arm, user, stars, text, "") for arm, user, stars, text, _ in drawn(3)]
    found = effect_report(sessions_of_table(table(tmp_path / "s.csv", rows)), ("A", "B"), benchmark=(0.4, 0.7))
    assert found.liking is None
    assert found.benchmark is not None
    assert found.benchmark.predicted is None


def test_benchmark_scores_are_those_of_a_study_and_what_is_none_is_refused(tmp_path: Path) -> None:
    with create_study(tmp_path / "b.honestly") as study:
        study.add([Agent(name="A"), Agent(name="B"), *(Task(id=f"t{at}", instruction="Do.") for at in range(4))])
        for agent, passed in (("A", 1), ("B", 3)):
            for at in range(4):
                outcome = Outcome.PASSED if at < passed else Outcome.FAILED
                study.add_trial(Trial(id=f"{agent}{at}", agent=agent, task=f"t{at}", sample=0, outcome=outcome))
    path = table(tmp_path / "s.csv", drawn(4))
    words = ("effect", path, "--between", "A", "B", "--json", "--benchmark")
    done = honestly(*words, tmp_path / "b.honestly")
    assert json.loads(done.stdout)["benchmark"]["scores"] == [0.25, 0.75], done.stderr
    for wrong in ("40", "40,x", "140,20"):
        done = honestly(*words, wrong)
        assert done.returncode == 2
        assert "expected a study, or two percentages" in " ".join(done.stderr.split())
