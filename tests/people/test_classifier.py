"""The classifier: against truths that were put in, through its gate both ways, and never a comfortable answer."""

from __future__ import annotations

import json
import math

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace
from sklearn.linear_model import LogisticRegression

from honestly.errors import StatisticsError
from honestly.people import (
    Classifier,
    Example,
    audit_standpoints,
    classifiers_of,
    classify_messages,
    current_classifier,
    examples_of,
    fit_classifier,
    fitted_classifier,
    keep_classifier,
    keep_split,
    split_of,
)
from honestly.people._classifier import CLASSIFIER, Curve, trial_features
from honestly.people._fit import may_replace
from honestly.records import Evidence, Unread
from studies import DETECTORS, finding, make_study, review

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def labelled(tmp_path_factory):
    """A study of 60 tasks of which all trials are labelled."""
    study, truth = make_study(tmp_path_factory.mktemp("fit") / "s.honestly", tasks=60, samples=6, share=0.35, seed=9)
    with study:
        ids = sorted(study.trial_ids())
        study.add([review(trial, "ann", "hack" if trial in truth else "honest") for trial in ids])
        split = split_of(study)
        keep_split(study, split)
        yield study, truth, examples_of(study, split)[0]


@pytest.fixture(scope="module")
def fitted(labelled):
    return fit_classifier(labelled[2], 0.05)


def test_it_is_the_regression_of_scikit_learn_and_needs_it_no_more(labelled, fitted):
    train = [example for example in labelled[2] if example.part == "train"]
    rows = [trial_features(example.trial, example.findings) for example in train]
    x = np.array([[row.get(name, 0.0) for name in fitted.weights] for row in rows])
    y = np.array([example.hack for example in train])
    theirs = LogisticRegression(C=fitted.regularisation, max_iter=2000).fit(x, y)
    again = msgspec.json.decode(msgspec.json.encode(fitted), type=Classifier)
    assert again == fitted
    assert [again.score(row) for row in rows] == pytest.approx(theirs.decision_function(x).tolist(), abs=1e-9)


def test_it_learns_whom_to_believe(labelled, fitted):
    weights = {name: fitted.weights[f"{name}@1: flagged"] for name in DETECTORS}
    assert max(weights, key=lambda name: weights[name]) != "noise"
    assert weights["noise"] < 0.5 < weights["beta"]
    tested = fitted.tested
    assert tested.found / tested.hacks > 0.5
    assert tested.false / tested.honest < 0.12 < tested.rules_false / tested.honest
    assert tested.brier < 0.15


def test_over_other_splits_its_probabilities_are_shares_and_its_threshold_holds(labelled):
    """On average: what is promised of a threshold from a sample is about the average."""
    found = [fit_classifier(shuffled(labelled[2], seed), 0.1) for seed in range(3)]
    rates = [one.tested.false / one.tested.honest for one in found]
    errors = [abs(chance - share) for one in found for chance, share, _ in one.tested.bins]
    print(f"false positives {np.mean(rates):.1%} where 10% were allowed; probabilities off by {np.mean(errors):.1%}")
    assert np.mean(rates) < 0.12
    assert np.mean(errors) < 0.1
    assert {one.curve.kind for one in found} == {"platt"}


def shuffled(examples, seed):
    """The same examples with other parts for their tasks."""
    families = sorted({example.family for example in examples})
    rng = np.random.default_rng(seed)
    parts = dict(
        zip(families, rng.choice(["train", "calibration", "test"], len(families), p=[0.5, 0.2, 0.3]), strict=True)
    )
    return [Example(e.trial, e.findings, e.hack, str(parts[e.family]), e.family) for e in examples]


def test_no_task_is_in_two_parts(labelled):
    parts = {}
    for example in labelled[2]:
        parts.setdefault(example.family, set()).add(example.part)
    assert all(len(some) == 1 for some in parts.values())
    assert set().union(*parts.values()) == {"train", "calibration", "test"}


def test_the_gate_lets_pass_what_finds_as_much_and_nothing_that_finds_less(labelled, fitted):
    test = [example for example in labelled[2] if example.part == "test"]
    strict = replace(fitted, threshold=max(fitted.score(trial_features(e.trial, e.findings)) for e in test) - 1e-9)
    strict = replace(
        strict, tested=replace(strict.tested, found=1, flagged=dict.fromkeys(strict.tested.flagged, False))
    )
    assert may_replace(fitted, None, test)[0]
    assert may_replace(fitted, fitted, test) == (True, may_replace(fitted, fitted, test)[1])
    assert may_replace(fitted, strict, test)[0]
    adopted, why = may_replace(strict, replace(fitted, name="7"), test)
    assert not adopted
    assert why == f"recall on the test falls: 0 of {fitted.tested.hacks} hacks, classifier 7 had {fitted.tested.found}"


def test_where_the_old_one_cannot_be_asked_again_what_it_said_counts(labelled, fitted):
    test = [example for example in labelled[2] if example.part == "test"]
    old = replace(fitted, detectors={"gone": "1"}, name="3")
    silent = replace(fitted, tested=replace(fitted.tested, flagged=dict.fromkeys(fitted.tested.flagged, False)))
    assert not may_replace(silent, old, test)[0]
    unknown = replace(old, tested=replace(old.tested, flagged={}))
    assert "nothing is known" in may_replace(fitted, unknown, test)[1]
    assert may_replace(fitted, unknown, test, {test[0].trial.id: True, **dict.fromkeys(fitted.tested.flagged, False)})[
        0
    ]


def test_without_hacks_in_the_test_nothing_passes(labelled, fitted):
    assert may_replace(fitted, None, [e for e in labelled[2] if e.part == "test" and not e.hack]) == (
        False,
        "no hack of the test's tasks is labelled, so nothing is known of its recall",
    )


def test_too_few_labels_are_an_error_that_says_which(labelled):
    examples = labelled[2]
    with pytest.raises(StatisticsError, match="0 labelled hacks are in tasks of the train part"):
        fit_classifier([e for e in examples if not (e.hack and e.part == "train")])
    few = [e for e in examples if e.part != "calibration" or e.hack]
    one = next(e for e in examples if e.part == "calibration" and not e.hack)
    with pytest.raises(StatisticsError, match=r"rate of 0.02 takes 49 .* there are 1, which can hold 0.5"):
        fit_classifier([*few, one])
    with pytest.raises(StatisticsError, match="train"):
        fit_classifier([])


def test_few_calibration_labels_make_no_curve_and_say_so(labelled):
    hacks = [e for e in labelled[2] if e.part == "calibration" and e.hack]
    found = fit_classifier([e for e in labelled[2] if e not in hacks[3:]], 0.05)
    assert found.curve.kind == "none"
    assert "3 hacks" in found.curve.why


def test_curves():
    platt = Curve(kind="platt", slope=2.0, offset=-1.0)
    assert platt.hack_probability(0.5) == 0.5
    assert platt.hack_probability(-1e6) == 0.0
    assert Curve(kind="isotonic", scores=(0.0, 1.0), shares=(0.2, 0.6)).hack_probability(0.5) == pytest.approx(0.4)
    assert Curve(kind="isotonic", scores=(0.0, 1.0), shares=(0.2, 0.6)).hack_probability(9.0) == 0.6


def test_it_is_kept_gated_and_used(tmp_path):
    study, truth = make_study(tmp_path / "s.honestly", tasks=40, samples=4, share=0.4, seed=3)
    with study:
        study.add([review(t, "ann", "hack" if t in truth else "honest") for t in sorted(study.trial_ids())])
        study.add([review(min(truth), "ann", "suspicious", at="2026-02-01T00:00:00.000000+00:00")])
        clean = {trial for trial, each in audit_standpoints(study).items() if each.state == "clean"}
        one, other, third = min(clean), *sorted(truth)[1:3]
        study.add([finding(one, "alpha", "error"), finding(other, "beta", "clean", version="2")])
        study.add([finding(third, "monitor", "error")])
        found, split = fitted_classifier(study, 0.1)
        assert found.left_out == {"suspicious": 1, "not read": 1, "not audited by the same detectors and versions": 1}
        assert (found.new.name, found.new.adopted, found.old) == ("1", True, None)
        assert classify_messages(study) == 0
        keep_split(study, split)
        keep_classifier(study, found.new)
        assert classify_messages(study) == 320
        assert classify_messages(study) == 0
        said = {f.trial: f for f in study.findings() if f.detector == CLASSIFIER}
        flagged = {trial for trial, one in said.items() if one.state == "flagged"}
        assert len(flagged & truth) > 0.4 * len(truth)
        assert all(0 <= one.confidence <= 1 for one in said.values() if one.state != "unreadable")
        assert "probability" in next(iter(said.values())).note
        again, _ = fitted_classifier(study, 0.1)
        assert (again.new.name, again.new.adopted) == ("2", True)
        assert again.new.weights == found.new.weights, "its own findings are no features"
        keep_classifier(study, replace(again.new, adopted=False, why="recall on the test falls"))
        assert current_classifier(study) == found.new
        assert [one.adopted for one in classifiers_of(study)] == [True, False]
        assert "0x" not in json.dumps(study.all_kept(object))


def test_what_was_not_read_is_never_clean(labelled, fitted):
    example = next(e for e in labelled[2] if not e.hack)
    findings = dict(example.findings)
    said = fitted.judge(example.trial, {k: v for k, v in findings.items() if k != "alpha"})
    assert (said.state, said.note) == ("unreadable", "there is no finding of alpha 1")
    findings["alpha"] = finding(example.trial.id, "alpha", "clean", version="2")
    assert fitted.judge(example.trial, findings).state == "unreadable"
    findings["alpha"] = finding(example.trial.id, "alpha", "unreadable", unread=Unread(reason="no steps"))
    assert fitted.judge(example.trial, findings).note == "the detectors could not read it"


def test_flags_carry_the_quotes_of_what_they_rest_on(labelled, fitted):
    example = labelled[2][0]
    quote = Evidence(quote="exit 0", step=3, start=0, where="call:1")
    flags = {name: finding(example.trial.id, name, "flagged", evidence=(quote,)) for name in DETECTORS}
    said = fitted.judge(example.trial, flags)
    assert (said.state, said.evidence[0], said.version) == ("flagged", quote, fitted.version)
    assert not math.isnan(said.confidence)
    assert "flagged (+" in said.note
