"""A change's effect on ratings of which most are absent: what is put in comes out, and no interval is too narrow."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from forked import honestly
from honestly.effect import Session, effect_report, effort_effect, sessions_of_table
from honestly.errors import FormatError, StatisticsError
from honestly.people import keep_stars, stars_for
from honestly.stats import Labelled, external_predictions, ppi_mean

EFFECT = 0.2


def drawn(seed: int, *, users: int = 1200, each: int = 3, differ: float = 0.0, ceiling: bool = False) -> list[Session]:
    """Sessions of users who differ, 5% of them rated; with `differ`, raters are terser and their sessions longer."""
    rng = np.random.default_rng(seed)
    found = []
    for user in range(users):
        arm, own = ("A" if rng.random() < 0.5 else "B"), rng.normal(0, 0.5)
        for _ in range(each):
            tone, length, noise = rng.normal(size=3)
            rating = 3.8 + EFFECT * (arm == "A") + own + 0.6 * tone + rng.normal(0, 0.6)
            if ceiling:
                rating = float(np.clip(np.round(rating), 1, 5))
            chance = 1 / (1 + math.exp(-(math.log(0.05 / 0.95) + differ * length - differ * tone)))
            features = {"tone": float(tone), "length": float(length), "noise": float(noise)}
            found.append(Session(arm, f"u{user}", float(rating) if rng.random() < chance else None, features))
    return found


def test_what_is_put_in_comes_out_and_the_predictor_earns_its_width():
    found = effect_report(drawn(3), ("A", "B"))
    assert found.interval[0] < EFFECT < found.interval[1]
    assert sum(found.labelled) + sum(found.unlabelled) == 3600
    share = sum(found.unlabelled) / 3600
    assert found.width_ratio == pytest.approx(math.sqrt(1 - found.correlation**2 * share), rel=0.07)
    back = effect_report(drawn(3), ("B", "A"))
    assert back.difference == pytest.approx(-found.difference, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("differ", "ceiling", "each"), [(0.0, False, 3), (0.6, False, 3), (0.6, True, 3), (0.0, False, 1)]
)
def test_coverage_and_width(differ: float, ceiling: bool, each: int):
    """400 studies of a kind: an interval's share that holds is within what 400 can tell from 95%."""
    truth, studies = EFFECT, 400
    if ceiling:
        rng = np.random.default_rng(0)
        rest = 3.8 + rng.normal(0, math.sqrt(0.5**2 + 2 * 0.6**2), 2_000_000)
        truth = float((np.clip(np.round(rest + EFFECT), 1, 5) - np.clip(np.round(rest), 1, 5)).mean())
    found = [
        effect_report(drawn(1000 + seed, users=3600 // each, each=each, differ=differ, ceiling=ceiling), ("A", "B"))
        for seed in range(studies)
    ]
    held = sum(one.interval[0] <= truth <= one.interval[1] for one in found) / studies
    assert 0.925 <= held <= 0.975, held
    ratio, rho = (float(np.mean([getattr(one, name) for one in found])) for name in ("width_ratio", "correlation"))
    assert ratio == pytest.approx(math.sqrt(1 - rho**2 * 0.95), rel=0.05)


@pytest.mark.slow
def test_predictions_that_have_seen_the_ratings_cover_too_little():
    """Why the command trains its predictor itself: one that was fitted on the ratings that correct it looks too good."""
    forest = pytest.importorskip("sklearn.ensemble").RandomForestRegressor
    held = {"in-sample": 0, "cross-fitted": 0}
    for seed in range(100):
        sessions = [one for one in drawn(seed, users=1600, each=1) if one.arm == "A"]
        x = np.array([list(one.features.values()) for one in sessions], dtype=np.float64)
        rated = np.array([one.rating is not None for one in sessions])
        y = np.array([one.rating for one in sessions if one.rating is not None], dtype=np.float64)
        half = np.arange(y.size) % 2 == 0
        whole, one, other = (
            forest(50, random_state=0).fit(x[rated][mask], y[mask]) for mask in (half | True, half, ~half)
        )
        apart = np.where(half, other.predict(x[rated]), one.predict(x[rated]))
        both = (one.predict(x[~rated]) + other.predict(x[~rated])) / 2
        for name, inside, outside in (
            ("in-sample", whole.predict(x[rated]), whole.predict(x[~rated])),
            ("cross-fitted", apart, both),
        ):
            low, high = ppi_mean(Labelled(y, external_predictions(inside, outside, source="a test"))).interval
            held[name] += low <= 3.8 + EFFECT <= high
    assert held["in-sample"] < 88, held
    assert held["cross-fitted"] >= 90, held


def written(path, rows: Sequence[str]):
    path.write_text("\n".join(rows) + "\n")
    return path


def test_a_table_is_read_and_answered(tmp_path):
    rows = ["arm,user,rating,seconds,kind,messages"]
    for one in drawn(5, users=400):
        words = "no, still wrong" if one.features["tone"] < 0 else "thanks, great"
        stars = "" if one.rating is None else f"{min(max(one.rating, 1), 5):.2f}"
        rows.append(f'{one.arm},{one.user},{stars},{one.features["length"]:.3f},bug,"{words}"')
    path = written(tmp_path / "s.csv", rows)
    found = json.loads(honestly("effect", path, "--between", "A", "B", "--json").stdout)
    keys = {"difference", "se", "interval", "p_value", "labelled", "unlabelled", "correlation", "width_ratio", "method"}
    assert keys <= found.keys()
    assert sum(found["labelled"]) + sum(found["unlabelled"]) == 1200
    assert found["correlation"] > 0.2, "the tone of the messages says something"
    said = honestly("effect", path, "--between", "A", "B")
    assert said.returncode == 0, said.stderr
    assert "(A - B:" in said.stdout or "cannot be told" in said.stdout


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (["user,rating", "u,3"], "has no column 'arm'"),
        (["arm,user,rating", "A,u,good"], "s.csv:2: the rating is 'good'; expected a number from 1 to 5"),
        (["arm,user,rating", "A,u,inf"], "s.csv:2: the rating is 'inf'"),
        (["arm,user,rating", "A,u,3", "A,v,0"], "s.csv:3: the rating is '0'"),
        (["arm,user,rating", "A,u,3", "A,v,"], "no session belongs to arm 'B'"),
        (
            ["arm,user,rating", "A,u,3", "A,v,", "A,w,2", "B,x,4", "B,y,"],
            "arm 'B' has 1 rated sessions; at least two are needed",
        ),
        (["arm,user,rating"], "has no rows"),
        ([""], "has no rows"),
    ],
)
def test_what_cannot_be_answered_is_said(tmp_path, rows, words):
    path = written(tmp_path / "s.csv", rows)
    with pytest.raises((FormatError, StatisticsError), match=words):
        effect_report(sessions_of_table(path), ("A", "B"))
    done = honestly("effect", path, "--between", "A", "B")
    assert done.returncode == 2
    assert words in " ".join(done.stderr.split())


def test_lines_of_json_are_read(tmp_path):
    path = written(tmp_path / "s.jsonl", ['{"model": "A", "rating": null, "turns": 3}', '{"model": "B", "rating": 4}'])
    first, second = sessions_of_table(path)
    assert (first.arm, first.rating, first.features) == ("A", None, {"turns": 3.0})
    assert (second.rating, second.user) == (4.0, "row 2")
    with pytest.raises(FormatError, match=r"t\.jsonl:1"):
        sessions_of_table(written(tmp_path / "t.jsonl", ["{"]))


def test_a_packed_table_with_texts_of_several_lines_is_read(tmp_path):
    data = b'arm,rating,messages\nA,4,"no,\nstill wrong"\nB,,thanks\n'
    (tmp_path / "s.csv.gz").write_bytes(gzip.compress(data))
    first, second = sessions_of_table(tmp_path / "s.csv.gz")
    assert (first.rating, first.features["complaints"], second.rating) == (4.0, math.log1p(3), None)


def test_where_all_are_rated_it_is_the_difference_of_the_means_by_user(tmp_path):
    """As of the file that `agent do` keeps, which holds rated work alone."""
    rng = np.random.default_rng(2)
    lines = [
        stars_for(
            int(rng.integers(3 if arm == "A" else 1, 6)), arm=arm, folder=tmp_path / str(n), on="x", user=f"{arm}{n}"
        )
        for arm in "AB"
        for n in range(40)
    ]
    for each in lines:
        keep_stars(each, tmp_path / "ratings.jsonl")
    found = effect_report(sessions_of_table(tmp_path / "ratings.jsonl"), ("A", "B"))
    parts = [[each.rating for each in lines if each.arm == arm] for arm in "AB"]
    known = stats.ttest_ind(*parts, equal_var=False)
    assert found.difference == pytest.approx(np.mean(parts[0]) - np.mean(parts[1]))
    assert found.se == pytest.approx(found.difference / known.statistic, rel=1e-6)
    assert (found.width_ratio, found.unlabelled) == (1.0, (0, 0))
    assert "without predictions" in " ".join(found.notes)


def test_a_column_that_has_seen_the_ratings_is_refused():
    sessions = drawn(11, users=800)
    rng = np.random.default_rng(0)

    def with_column(name: str, inside: float) -> list[Session]:
        return [
            replace(each, features={**each.features, name: float(rng.uniform(1, 5)) if each.rating is None
                                    else each.rating + float(rng.normal(0, inside))})
            for each in sessions
        ]  # fmt: skip

    with pytest.raises(StatisticsError, match=r"follows the ratings .* in some 72%"):
        effect_report(with_column("quality", 0.2), ("A", "B"))
    with pytest.raises(StatisticsError, match="is called a prediction"):
        effect_report(with_column("predicted_rating", 3.0), ("A", "B"))
    assert effect_report(with_column("predicted", 0.2), ("A", "B"), external=["predicted"]).width_ratio < 0.8
    doubtful = effect_report(with_column("quality", 1.0), ("A", "B"))
    assert doubtful.correlation > 0.5
    assert any(note.startswith("quality follows the ratings (r = 0.") for note in doubtful.notes)
    with pytest.raises(StatisticsError, match="twice"):
        effect_report(sessions, ("A", "A"))


def test_what_each_session_cost_is_compared_as_welch_does():
    rng = np.random.default_rng(1)
    values = [(arm, float(rng.poisson(2 if arm == "A" else 3))) for arm in "AAB" for _ in range(20)]
    found = effort_effect(values, ("A", "B"), "corrections", level=0.9)
    known = stats.ttest_ind(*([value for arm, value in values if arm == name] for name in "AB"), equal_var=False)
    assert found.p_value == pytest.approx(known.pvalue)
    assert found.interval == pytest.approx(tuple(known.confidence_interval(0.9)))
    same = effort_effect([("A", 1.0), ("A", 1.0), ("B", 2.0), ("B", 2.0)], ("A", "B"), "corrections")
    assert math.isnan(same.p_value)
    assert "cannot be told" in same.sentence


def test_raters_who_differ_are_named():
    found = effect_report(drawn(7, differ=0.8), ("A", "B"))
    assert {gap.feature for gap in found.raters} == {"tone", "length"}
    assert any("nothing here can repair" in note for note in found.notes)


def test_without_variance_it_says_that_it_cannot_be_told(tmp_path):
    rows = [f"{arm},u{user},{4 if user % 2 else ''},{user % 7}" for arm in "AB" for user in range(20)]
    (tmp_path / "t.csv").write_text("\n".join(["arm,user,rating,len", *rows]), encoding="utf-8")
    said = honestly("effect", tmp_path / "t.csv", "--between", "A", "B").stdout
    assert "nan" not in said
    assert said.count("cannot be told") == 3


def test_what_is_known_of_rated_sessions_alone_is_left_out_and_said():
    rng = np.random.default_rng(5)
    made = []
    for number in range(1200):
        arm = "BA"[number % 2]
        rating = float(np.clip(round(rng.normal(3.6 if arm == "A" else 2.6, 1)), 1, 5))
        rated = rng.random() < 0.25
        features = {"length": float(rng.random())} | ({"nps": 2 * rating} if rated else {})
        made.append(Session(arm, f"u{number % 300}", rating if rated else None, features))
    found = effect_report(made, ("A", "B"))
    assert found.difference == pytest.approx(found.ratings_alone, abs=0.1)
    assert any(
        "nps left out: known for 100% of the rated sessions and 0% of the others" in note for note in found.notes
    )


def test_the_order_of_rows_changes_nothing_and_rows_of_other_arms_are_said():
    sessions = [each for each in drawn(3, users=300) if each.rating is None or 1 <= each.rating <= 5]
    given = effect_report(sessions, ("A", "B"))
    shuffled = [sessions[at] for at in np.random.default_rng(1).permutation(len(sessions))]
    assert effect_report(shuffled, ("A", "B")).difference == pytest.approx(given.difference, abs=1e-9)
    assert not any("other arms" in note for note in given.notes)
    more = [*sessions, replace(sessions[0], arm="a"), replace(sessions[1], arm="C")]
    assert "2 sessions of other arms are left out: 'a', 'C'" in effect_report(more, ("A", "B")).notes


def test_one_busy_user_is_named_as_the_reason():
    sessions = [
        replace(each, user="busy") if at % 10 < 7 else each for at, each in enumerate(drawn(4, users=60, each=3))
    ]
    for at, each in enumerate(sessions):
        sessions[at] = replace(each, rating=3.0 + at % 2 if at % 3 == 0 else None)
    found = effect_report(sessions, ("A", "B"))
    if math.isnan(found.se):
        assert any("a few users have so many" in note for note in found.notes)


def test_options_that_cannot_be_meant_are_refused(tmp_path):
    rows = ["arm,user,rating,turns", *(f"{'AB'[at % 2]},u{at},{1 + at % 5 if at % 3 else ''},{at}" for at in range(40))]
    path = written(tmp_path / "s.csv", rows)
    for words, said in (
        (("--external", "nosuch"), "no column nosuch is read; there are turns"),
        (("--by", "month"), "--of"),
        (("--benchmark", "0.4,0.7"), "expected percentages"),
    ):
        done = honestly("effect", path, "--between", "A", "B", *words)
        assert done.returncode == 2, words
        assert said in " ".join(done.stderr.split())
    blank = written(tmp_path / "b.csv", [row.replace("A,", "A ,") for row in rows])
    assert {each.arm for each in sessions_of_table(blank)} == {"A", "B"}
