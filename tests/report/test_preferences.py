"""`honestly prefer`: CSV and JSONL of both layouts, and what is wrong with a row."""

import gzip
import json

import numpy as np
import pytest

from forked import honestly
from honestly.errors import FormatError, StatisticsError
from honestly.rankings import preference_report
from honestly.scores import style_of


def written(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_both_layouts_and_both_formats_say_the_same(tmp_path):
    rows = [("A", "B", "q1"), ("A", "B", "q2"), ("B", "A", "q3"), ("A", "C", "q1"), ("C", "A", "q2"), ("B", "C", "q3")]
    table = written(tmp_path / "w.csv", "winner,loser,question\n" + "".join(f"{w},{x},{q}\n" for w, x, q in rows))
    lines = [json.dumps({"a": x, "b": w, "outcome": "b", "question": q}) for w, x, q in rows]
    objects = written(tmp_path / "w.jsonl", "\n".join(lines))
    one, other = preference_report(table), preference_report(objects)
    for each, same in zip(one.agents, other.agents, strict=True):
        assert (each.name, each.rank_interval, each.wins) == (same.name, same.rank_interval, same.wins)
        assert (each.strength, each.se) == pytest.approx((same.strength, same.se), abs=1e-9)
    assert one.clusters == {"questions": 3}
    best = one.agents[0]
    assert (best.name, best.wins, best.answers) == ("A", 3.0, 5)


def test_a_tie_is_half_a_win_in_any_table(tmp_path):
    path = tmp_path / "t.tsv.gz"
    path.write_bytes(gzip.compress(b"a\tb\toutcome\nx\ty\ttie\nx\ty\ttie\n"))
    found = preference_report(path)
    assert [each.wins for each in found.agents] == [1.0, 1.0]
    assert found.agents[0].strength == pytest.approx(0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("winner,loser\nx,\n", "bad.txt:2: expected winner and loser"),
        ("a,b,outcome\nx,y,draw\n", "outcome"),
        ('{"winner": "x"', "JSON"),
        ("winner,loser\n", "no preferences"),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path, text, words):
    with pytest.raises((FormatError, StatisticsError), match=words):
        preference_report(written(tmp_path / "bad.txt", text))


def test_the_command_prints_strengths(tmp_path):
    path = written(tmp_path / "p.csv", "winner,loser,rater\n" + "x,y,r1\nx,y,r2\ny,x,r3\n" * 4)
    shown = honestly("stats", "prefer", path)
    assert shown.returncode == 0, shown.stderr
    assert "12 answers; errors count 3 raters as clusters" in shown.stdout
    assert "3 raters are few" in shown.stdout.replace("\n", " ")
    assert json.loads(honestly("stats", "prefer", path, "--json").stdout)["agents"][0]["name"] == "x"


FLATTERY = ("Great question!", "You're absolutely right.", "What a brilliant idea.")


def judged(path, seed, *, flattery=0.0, correct=0.0, answers=300):
    """Answers of a flatterer, right in 40%, and an expert, right in 80%; people like what they are said to like."""
    rng = np.random.default_rng(seed)
    rows = ["a,b,outcome,question,text_a,text_b,correct_a,correct_b"]
    for question in range(answers):
        agents = [("flatterer", 0.4, 2.0), ("expert", 0.8, 0.3)][:: 1 if rng.random() < 0.5 else -1]
        phrases = [int(rng.poisson(mean)) for _, _, mean in agents]
        right = [int(rng.random() < share) for _, share, _ in agents]
        texts = [" ".join([*rng.choice(FLATTERY, n), *["word"] * rng.integers(20, 60)]) for n in phrases]
        gap = flattery * (np.log1p(phrases[0]) - np.log1p(phrases[1])) + correct * (right[0] - right[1])
        won = "a" if rng.random() < 1 / (1 + np.exp(-gap)) else "b"
        rows.append(f"{agents[0][0]},{agents[1][0]},{won},q{question},{texts[0]},{texts[1]},{right[0]},{right[1]}")
    return written(path, "\n".join(rows))


def test_whether_people_prefer_the_words_or_the_work(tmp_path):
    friendly = preference_report(judged(tmp_path / "f.csv", 1, flattery=1.5))
    assert friendly.agents[0].name == "flatterer"
    assert friendly.agents[0].interval[0] > 0, "by preferences alone the flatterer leads"
    low, high = friendly.agents[0].of_equal_style_interval
    assert low < 0 < high, "and among answers that sound alike it does not"
    effects = {each.what: each for each in friendly.preferred_for}
    assert effects["flattery"].interval[0] > 0
    assert effects["correct"].interval[0] < 0 < effects["correct"].interval[1]
    strict = preference_report(judged(tmp_path / "c.csv", 2, correct=1.5))
    effects = {each.what: each for each in strict.preferred_for}
    assert effects["correct"].interval[0] < 1.5 < effects["correct"].interval[1]
    assert effects["flattery"].interval[0] < 0 < effects["flattery"].interval[1]
    shown = honestly("stats", "prefer", tmp_path / "f.csv").stdout
    assert "of equal style" in shown
    assert "Answers are preferred for" in shown


@pytest.mark.slow
def test_the_intervals_of_what_people_prefer_cover(tmp_path):
    held = []
    for seed in range(200):
        found = preference_report(judged(tmp_path / "c.csv", seed, correct=0.8))
        effects = {each.what: each.interval for each in found.preferred_for}
        held.append(
            [effects["correct"][0] < 0.8 < effects["correct"][1], effects["flattery"][0] < 0 < effects["flattery"][1]]
        )
    print("coverage of correct, flattery:", np.mean(held, axis=0))
    assert np.all(np.mean(held, axis=0) > 0.91)


def test_style_that_is_known_in_part_is_left_out_and_wrong_numbers_are_refused(tmp_path):
    rows = "a,b,outcome,length_a,length_b,tone_a,tone_b\n" + "x,y,a,3,1,1,2\nx,y,b,1,2,,2\ny,x,a,5,1,1,3\n" * 3
    found = preference_report(written(tmp_path / "s.csv", rows))
    assert [each.what for each in found.preferred_for] == ["length"]
    assert "tone is known of 6 of 9 answers, and left out" in found.notes
    with pytest.raises(StatisticsError, match="length_a is 'long'; expected a number"):
        preference_report(written(tmp_path / "t.csv", "winner,loser,length_a\nx,y,long\n"))


def test_style_is_counted_by_plain_rules():
    plain = style_of(["The bug is in `parse`: it drops the last line."])
    friendly = style_of(["Great question! You're absolutely right, and I love your approach. Let me know!"])
    assert plain["flattery"] == plain["tone"] == 0
    assert friendly["flattery"] == pytest.approx(np.log1p(3))
    assert friendly["tone"] > 0
    assert style_of(["# Title\n- one\n- two **bold**\n"])["layout"] == pytest.approx(np.log1p(4))
    assert style_of(["The test is not great!=1; a good pointer."])["flattery"] == 0
