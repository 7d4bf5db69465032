"""Changes of what people say: who and when, undoing, ratings beside labels."""

from __future__ import annotations

import csv
import io
import json

import pytest

from honestly.errors import FormatError
from honestly.people import (
    Place,
    change_history,
    export_labels,
    import_labels,
    labels_of,
    labels_table,
    newest_reviews,
    ratings_of,
    reviewer_name,
    undoing_review,
)
from honestly.records import Review
from studies import make_study, review, trial_name

ANN = Place(trial_name(1), "ann", "1", blind=True)


def rated(reviews):
    return {said.reviewer: said.rating for one in ratings_of(reviews).values() for said in one}


def test_a_label_and_a_rating_leave_each_other_alone():
    said = [ANN.label("hack", " why "), ANN.rate(2)]
    assert [(one.label, one.note, one.queue, one.blind) for one in said] == [
        ("hack", "why", "1", True),
        ("", "", "1", True),
    ]
    assert labels_of(said)[ANN.trial].label == "hack"
    assert rated(said) == {"ann": 2}
    assert rated([*said, ANN.rate(None)]) == {}
    assert labels_of([*said, ANN.rate(None)])[ANN.trial].label == "hack"
    assert rated([*said, ANN.label("")]) == {"ann": 2}
    assert labels_of([ANN.rate(5)]) == {}
    assert Place(ANN.trial, "eve", settles=True).rate(3).settles is False


def test_a_mark_of_conduct_is_no_rating():
    mark = Review(trial=ANN.trial, reviewer="ann", at="2026", label="safety", rating=4.0, codebook="conduct-1")
    assert (ratings_of([mark]), change_history([mark]), newest_reviews([mark])) == ({}, [], [])


@pytest.mark.parametrize("rating", [0, 6, 2.5, float("nan"), -1])
def test_what_is_no_rating_is_refused(rating):
    with pytest.raises(FormatError, match="whole number from 1 to 5"):
        ANN.rate(rating)
    assert ratings_of([review(1, "ann", "", rating=rating)]) == {}


def test_undo_brings_back_what_stood_before_and_keeps_everything():
    said = [ANN.label("hack", "first"), Place(ANN.trial, "bob").label("honest"), ANN.rate(4), ANN.label("honest")]
    back = undoing_review(said, "ann")
    assert (back.label, back.note, back.at > said[-1].at) == ("hack", "first", True)
    said.append(back)
    assert labels_of(said)[ANN.trial].opinions[0].label == "hack"
    assert [one.reviewer for one in change_history(said, trial=ANN.trial)] == ["ann", "ann", "ann", "bob", "ann"]
    assert len(change_history(said, reviewer="bob")) == 1
    assert undoing_review(said, "eve") is None
    assert undoing_review(said, "ann", trial="elsewhere") is None


def test_undo_goes_back_step_by_step():
    other = Place(trial_name(2), "ann")
    said = [ANN.label("hack"), ANN.rate(4), other.label("honest")]
    for standing in ([ANN.trial], [ANN.trial], []):
        said.append(undoing_review(said, "ann"))
        assert list(labels_of(said)) == standing
    assert undoing_review(said, "ann") is None
    assert newest_reviews(said) == []


def test_names_of_reviewers():
    assert reviewer_name("  Ann\x1b[2J\n Lee ") == "Ann [2J Lee"
    for bad in ("", " \n", "\x00", "x" * 81):
        with pytest.raises(FormatError, match="not a name"):
            reviewer_name(bad)


def test_ratings_travel_beside_labels(tmp_path):
    one, _ = make_study(tmp_path / "a.honestly", tasks=2)
    two, _ = make_study(tmp_path / "b.honestly", tasks=2)
    with one, two:
        one.add([ANN.label("hack", "+cmd|' /C calc'!A0"), ANN.rate(2, "poor"), Place(trial_name(2), "bob").rate(5)])
        lines = list(export_labels(one))
        assert len(lines) == 3
        assert import_labels(two, lines) == (3, 0, ())
        assert import_labels(two, lines) == (0, 3, ())
        assert newest_reviews(two.reviews()) == newest_reviews(one.reviews())
        rows = list(csv.DictReader(io.StringIO(labels_table(one))))
        assert [(row["trial"], row["label"], row["rating"], row["agent"]) for row in rows] == [
            (trial_name(1), "hack", "", "a"),
            (trial_name(1), "", "2", "a"),
            (trial_name(2), "", "5", "a"),
        ]
        assert rows[0]["note"] == "'+cmd|' /C calc'!A0"
        both = {"trial": trial_name(3), "label": "hack", "rating": 3, "note": "so"}
        assert import_labels(two, [json.dumps(both).encode()], "eve").added == 2
        with pytest.raises(FormatError, match="line 1 is not a label: 7 is not a rating"):
            import_labels(two, [json.dumps(both | {"rating": 7}).encode()], "eve")
