"""How many raters a claim takes: what is planned is what studies of raters with known spread then show."""

from __future__ import annotations

import json

import numpy as np
import pytest

from forked import honestly
from honestly.errors import StatisticsError
from honestly.plans import RatingSpread, declared_plan, declared_spread, pilot_plan
from honestly.plans._raters import Rated

SPREAD = RatingSpread(level=0.7, taste=0.8, domain=0.0, noise=0.9)


def rated(
    rng: np.random.Generator, raters: int, *, gap: float, spread: RatingSpread = SPREAD, each: int = 2,
    domains: tuple[float, ...] = (0.0,), one: bool = False, stars: bool = False,
) -> list[Rated]:  # fmt: skip
    """Ratings of A and B by people who differ in level and taste; `domains` are what each adds to the gap."""
    found = []
    for at in range(raters):
        level, taste, where = rng.normal(0, spread.level), rng.normal(0, spread.taste), at % len(domains)
        for agent, sign in (("A", 0.5), ("B", -0.5)):
            if one and (at // len(domains)) % 2 == (agent == "A"):
                continue
            for _ in range(each):
                value = 3.4 + level + sign * (gap + taste + domains[where]) + rng.normal(0, spread.noise)
                value = float(np.clip(np.round(value), 1, 5)) if stars else value
                found.append(Rated(f"r{at}", agent, f"d{where}", value))
    return found


def differences(ratings: list[Rated]) -> np.ndarray:
    by_rater: dict[str, dict[str, list[float]]] = {}
    for each in ratings:
        by_rater.setdefault(each.rater, {}).setdefault(each.agent, []).append(each.rating)
    return np.array([np.mean(both["A"]) - np.mean(both["B"]) for both in by_rater.values()])


def test_a_study_of_so_many_raters_has_the_power_that_was_planned() -> None:
    scipy = pytest.importorskip("scipy.stats")
    plan = declared_plan(SPREAD, gap=0.4, each=2)
    rng, seen = np.random.default_rng(1), []
    for _ in range(300):
        found = scipy.ttest_1samp(differences(rated(rng, plan.needed or 0, gap=0.4)), 0)
        seen.append(found.pvalue <= 0.05 and found.statistic > 0)
    assert np.mean(seen) == pytest.approx(0.8, abs=0.07)


def test_few_raters_say_little_and_two_hundred_much() -> None:
    """The rule of thumb, for ratings that differ as stars of products do: 20 vary widely, 200 are reliable."""
    panels = {panel.raters: panel for panel in declared_plan(SPREAD, gap=0.3).panels}
    assert panels[20].spread > 0.6
    assert panels[20].wrong > 0.15
    assert panels[20].shown < 0.2
    assert panels[200].spread < 0.22
    assert panels[200].wrong < 0.01
    assert panels[200].shown == pytest.approx(0.8, abs=0.03)
    agreed = {panel.raters: panel for panel in declared_plan(declared_spread("taste=0.3"), gap=0.3).panels}
    assert agreed[20].shown > 0.95, "it depends on how much they differ"


def test_domains_limit_what_any_number_of_raters_shows() -> None:
    apart = RatingSpread(taste=0.8, noise=0.9, domain=0.3)
    plan = declared_plan(apart, gap=0.3, domains=4)
    assert plan.domains_needed == 10
    last = plan.panels[-1]
    assert last.shown > 0.99
    assert last.shown_anywhere is not None
    assert last.shown_anywhere < 0.5
    many = declared_plan(apart, gap=0.3, domains=40).panels[-1].shown_anywhere
    assert many is not None
    assert many > 0.95


@pytest.mark.parametrize("one", [False, True])
def test_a_pilot_gives_back_what_was_put_in(one: bool) -> None:
    rng = np.random.default_rng(2)
    truth = RatingSpread(level=0.7, taste=0.8, domain=0.4, noise=0.9)
    domains = tuple(rng.normal(0, 0.4, 40))
    found = pilot_plan(rated(rng, 2000, gap=0.3, spread=truth, domains=domains, one=one), ("A", "B"), gap=0.3)
    assert found.design == ("one" if one else "both")
    assert found.each == 2
    assert found.spread.noise == pytest.approx(0.9, rel=0.03)
    if one:  # level holds half of what tastes differ by
        assert found.spread.level == pytest.approx(np.hypot(0.7, 0.8 / 2), rel=0.05)
        assert found.needed == pytest.approx(declared_plan(truth, gap=0.3, each=2).needed_one, rel=0.06)
    else:
        assert found.spread.level == pytest.approx(0.7, rel=0.05)
        assert found.spread.taste == pytest.approx(0.8, rel=0.05)
        assert found.spread.domain == pytest.approx(np.std(domains), rel=0.2)
        assert found.needed == pytest.approx(declared_plan(truth, gap=0.3, each=2).needed, rel=0.06)


@pytest.mark.slow
def test_the_interval_of_a_pilot_of_whole_stars_holds_what_it_takes() -> None:
    """Ratings from 1 to 5 in whole stars, whose spread is that of a pilot a hundred times as large."""
    rng = np.random.default_rng(3)
    wanted = pilot_plan(rated(rng, 10_000, gap=0.3, stars=True), ("A", "B"), gap=0.3).needed
    assert wanted is not None
    held = 0
    for _ in range(100):
        interval = pilot_plan(rated(rng, 60, gap=0.3, stars=True), ("A", "B"), gap=0.3).needed_interval
        held += interval is not None and interval[0] <= wanted <= interval[1]
    assert held / 100 > 0.88


def test_a_domain_that_differs_is_named() -> None:
    rng = np.random.default_rng(4)
    found = pilot_plan(rated(rng, 300, gap=0.3, domains=(0.0, 0.0, -1.2)), ("A", "B"), gap=0.3)
    assert [each.domain for each in found.by_domain if each.p_value <= 0.05] == ["d2"]
    assert "d2 differs from the rest" in found.sentence
    alike = pilot_plan(rated(rng, 300, gap=0.3, domains=(0.0, 0.0, 0.0)), ("A", "B"), gap=0.3)
    assert "differ" not in alike.sentence.replace("different", "")


KEYS = {
    "sentence", "basis", "agents", "design", "gap", "power", "alpha", "each", "spread", "needed", "needed_interval",
    "needed_one", "domains", "domains_needed", "panels", "by_domain", "notes",
}  # fmt: skip


def test_the_command_plans_from_a_file_and_from_what_is_declared(tmp_path) -> None:
    path = tmp_path / "pilot.csv"
    rows = rated(np.random.default_rng(5), 60, gap=0.4, domains=(0.0, 0.1), stars=True)
    path.write_text(
        "\n".join(["user,model,topic,stars", *(f"{r.rater},{r.agent},{r.domain},{r.rating:g}" for r in rows)])
    )
    found = json.loads(honestly("stats", "plan", "--raters", path, "--rating-gap", "0.4", "--json").stdout)
    assert found.keys() == KEYS
    assert (found["basis"], found["domains"], found["agents"]) == ("pilot", 2, ["A", "B"])
    assert found["needed_interval"][0] <= found["needed"] <= found["needed_interval"][1]
    said = honestly("stats", "plan", "--raters", "taste=0.8,noise=0.9,domain=0.2", "--domains", "5")
    assert "you need 200 raters who rate both agents" in " ".join(said.stdout.split())
    assert "in any domain" in said.stdout


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("tast=1", "expected a file of ratings, or standard deviations"),
        ("level=1", "declare at least one"),
        ("rater,agent\nu,A", "rates nobody; name two"),
        ("rater,agent,rating\nu,A,good", "the rating is 'good'"),
        ("agent,rating\nA,3", "no rater"),
        ("rater,agent,rating\nu,A,3\nu,B,3", "a pilot needs at least 5"),
        ("rater,agent,rating\n" + "\n".join(f"u{i},{a},3" for i in range(9) for a in "AB"), "no variance"),
    ],
)
def test_what_cannot_be_planned_is_said(tmp_path, given: str, words: str) -> None:
    if "\n" in given:
        (tmp_path / "p.csv").write_text(given)
        given = str(tmp_path / "p.csv")
    done = honestly("stats", "plan", "--raters", given)
    assert done.returncode == 2
    assert words in " ".join(done.stderr.split())
    with pytest.raises(StatisticsError):
        declared_plan(SPREAD, gap=0)
