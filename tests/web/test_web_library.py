"""What is made of a study: once, beside other pages, anew after a change; and the list's windows and places."""

import threading
from itertools import pairwise

import pytest

import honestly
from honestly.errors import StoreError
from honestly.records import Review
from honestly.web import Library
from honestly.web._listing import Listing, is_one_of


@pytest.fixture
def study(demo_study, tmp_path):
    copy = tmp_path / "copy.honestly"
    copy.write_bytes(demo_study.read_bytes())
    library = Library([copy])
    (opened,) = library
    yield opened
    library.close()


def changed(study):
    trial = next(iter(study.store.trials()))
    with study.writing() as store:
        store.add([Review(trial=trial.id, reviewer="a", at="2026-01-01T00:00:00Z", label="honest")])


def test_the_first_trials_are_those_of_the_list(study):
    flagged = next(iter(study.store.findings(state="flagged"))).trial
    first, whole = Listing.first(study.store, 20), study.listing()
    assert not first.whole
    assert first.rows() == whole.rows(most=20)
    assert Listing.first(study.store, whole.count()).rows([is_one_of("id", [flagged])])[0]["flags"]


def test_what_takes_long_is_made_once_and_keeps_no_page_waiting(study):
    go, calls = threading.Event(), []

    def make(store):
        calls.append(store)
        assert go.wait(20)
        return len(calls)

    assert study.soon("x", make) is None
    assert study.soon("x", make, 0) is None
    assert study.listing().whole, "what else is made does not wait for it"
    go.set()
    assert study.made("x", make) == 1
    changed(study)
    go.clear()
    study._made["x"] = due(study._made["x"])
    assert study.made("x", make) == 1, "what was made before is shown meanwhile"
    going = study._making["x"]
    go.set()
    assert going.result(20) == 2
    assert study.made("x", make) == 2
    assert len(calls) == 2


def due(held):
    """The same at the time when it may be made again."""
    return type(held)(held.generation, held.value, held.took, 0.0)


def test_what_is_made_quickly_is_never_old(study):
    def reviews(store):
        return len(list(store.reviews()))

    before = study.made("reviews", reviews)
    changed(study)
    study._made["reviews"] = due(study._made["reviews"])
    assert study.made("reviews", reviews) == before + 1


def test_what_fails_is_said_and_tried_again(study):
    def fails(_):
        raise StoreError("not yet")

    for _ in range(2):
        with pytest.raises(StoreError, match="not yet"):
            study.made("y", fails)
    assert study.made("y", lambda _: 3) == 3


def test_a_list_of_the_first_trials_says_so(study):
    first = Listing.first(study.store, 3)
    assert not first.whole
    assert first.rows() == study.listing().rows(most=3)


@pytest.mark.parametrize("order", ["", "agent", "-seconds", "usd", "-reason", "flags"])
def test_windows_and_places_are_of_one_order(study, order):
    listing = study.listing()
    for conditions in ((), (is_one_of("outcome", ["failed"]),), (is_one_of("outcome", ["nothing"]),)):
        total = listing.count(conditions)
        ids = [row["id"] for at in range(0, total + 1, 4) for row in listing.rows(conditions, order, at, 4)]
        assert len(set(ids)) == len(ids) == total
        for number, each in enumerate(ids):
            at, before, after = listing.place_of_trial(each, conditions, order)
            assert (at, before) == (number, ids[number - 1] if number else "")
            assert after == (ids[number + 1] if number + 1 < total else "")
        values = [row[order.removeprefix("-")] for row in listing.rows(conditions, order, 0, total)] if order else []
        known = [value for value in values if value is not None]
        assert values[: len(known)] == known, "what is not known comes last"
        assert all((a >= b if order.startswith("-") else a <= b) for a, b in pairwise(known))
    assert listing.place_of_trial("nothing") is None
    study_trials = honestly.open(study.path).trials()
    assert listing.count() == len(study_trials)
