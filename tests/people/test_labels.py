"""Labels: nothing is overwritten, the newest counts, they travel as JSONL, and agreement is about the blind ones."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from honestly.errors import FormatError
from honestly.people import export_labels, import_labels, keep_split, label_reliability, labels_of, split_of
from honestly.people._classifier import family_of
from honestly.records import Agent, Outcome, Review, Tags, Task, Trial
from honestly.store import create_study
from studies import make_study, review, trial_name

DATA = Path(__file__).parents[2].parent / "shared" / "data"
LATER = "2026-01-02T00:00:00.000000+00:00"


def test_the_newest_label_counts_and_an_empty_one_takes_it_back():
    first, changed, undone = review(1, "ann", "hack"), review(1, "ann", "honest", at=LATER), review(1, "bob", "hack")
    assert labels_of([changed, first])[trial_name(1)].label == "honest"
    back = review(1, "bob", "", at=LATER)
    said = labels_of([first, undone, back])[trial_name(1)]
    assert [one.reviewer for one in said.opinions] == ["ann"]
    assert labels_of([undone, back]) == {}


def test_a_dispute_has_no_label_until_it_is_settled():
    differ = [review(1, "ann", "hack"), review(1, "bob", "honest")]
    said = labels_of(differ)[trial_name(1)]
    assert (said.is_disputed, said.label, said.is_decided) == (True, "", False)
    said = labels_of([*differ, review(1, "eve", "hack", settles=True)])[trial_name(1)]
    assert (said.is_disputed, said.label, said.is_decided) == (False, "hack", True)
    assert not labels_of([review(1, "ann", "cannot tell")])[trial_name(1)].is_decided


def test_reviews_of_another_codebook_are_not_labels():
    assert labels_of([Review(trial="x", reviewer="ann", at=LATER, label="hack", codebook="0")]) == {}
    assert labels_of([Review(trial="x", reviewer="ann", at=LATER, label="great", codebook="1")]) == {}


def test_labels_travel(tmp_path):
    one, _ = make_study(tmp_path / "a.honestly", tasks=2)
    two, _ = make_study(tmp_path / "b.honestly", tasks=2)
    with one, two:
        one.add(
            [
                review(1, "ann", "hack", note="see step 3"),
                review(1, "ann", "honest", at=LATER),
                review(2, "bob", "hack"),
            ]
        )
        lines = list(export_labels(one))
        assert len(lines) == 2
        assert import_labels(two, lines) == (2, 0, ())
        assert import_labels(two, lines) == (0, 2, ())
        assert labels_of(two.reviews()) == labels_of(one.reviews())
        early = {"trial": trial_name(3), "label": "clean", "at": "2026-01-01T01:00:00+02:00"}
        assert import_labels(two, [json.dumps(early).encode(), b""], "eve").added == 1
        assert [one.at for one in two.reviews(trial_name(3))] == ["2025-12-31T23:00:00.000000+00:00"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "line 2 is not a label"),
        (b'{"trial": "%s"}' % trial_name(1).encode(), "label"),
        (b'{"trial": "%s", "label": "\x1b[2Jowned"}' % trial_name(1).encode(), "line 2"),
        (b'{"trial": "%s", "label": "great"}' % trial_name(1).encode(), "'great' is not a label"),
        (b'{"trial": "%s", "label": "hack", "at": "noon"}' % trial_name(1).encode(), "'noon' is not a time"),
        (b'{"trial": "%s", "label": "hack", "codebook": "9"}' % trial_name(1).encode(), "codebook"),
        (b"\xff\xfe", "line 2"),
        (b"[" * 100_000, "line 2"),
    ],
    ids=["cut", "no label", "escapes", "unknown", "time", "codebook", "bytes", "deep"],
)
def test_a_line_that_is_no_label_adds_nothing(tmp_path, line, reason):
    made, _ = make_study(tmp_path / "s.honestly", tasks=1)
    good = json.dumps({"trial": trial_name(1), "label": "hack"}).encode()
    with made as study:
        with pytest.raises(FormatError, match=reason):
            import_labels(study, [good, line], "ann")
        assert list(study.reviews()) == []
        with pytest.raises(FormatError, match="reviewer"):
            import_labels(study, [good])


@pytest.mark.published
def test_a_list_of_cases_is_taken_by_the_names_of_what_was_imported(tmp_path):
    if not (DATA / "hack-cases").is_dir():
        pytest.skip("the shared data is not beside the checkout")
    lines = (DATA / "hack-cases" / "cases.jsonl").read_bytes().splitlines()
    rows = [json.loads(line) for line in lines]
    with create_study(tmp_path / "tb.honestly") as study:
        study.add([Agent(name="a"), *(Task(id=task, instruction="x") for task in {row["task"] for row in rows})])
        for number, row in enumerate(rows[::2]):
            study.add_trial(
                Trial(
                    id=trial_name(number),
                    agent="a",
                    task=row["task"],
                    sample=number,
                    outcome=Outcome.FAILED,
                    source=row["trial"],
                )
            )
        added, known, elsewhere = import_labels(study, lines, "cases")
        assert (added, known, len(elsewhere)) == (40, 0, 40)
        said = labels_of(study.reviews())
        words = {"clean": "honest", "benign-lookalike": "honest"}
        assert [said[trial_name(n)].label for n in range(40)] == [words.get(r["label"], r["label"]) for r in rows[::2]]


def test_agreement_is_by_pairs_and_of_all():
    tasks = {trial_name(n): f"t{n // 2}" for n in range(40)}
    reviews = [review(n, "ann", "hack" if n % 4 == 0 else "honest", blind=True) for n in range(40)]
    reviews += [review(n, "bob", "hack" if n % 4 == 0 and n > 4 else "honest", blind=True) for n in range(20)]
    reviews += [review(0, "eve", "hack", settles=True)]
    found = label_reliability(labels_of(reviews), tasks)
    assert found.labelled == {"ann": 40, "bob": 20}
    assert (found.disputed, found.settled, found.blind) == (1, 1, 20)
    kappa = found.pairs["ann", "bob"]
    assert kappa.units == found.all.units == 20
    assert kappa.raw == pytest.approx(0.9)
    assert kappa.interval[0] < kappa.kappa < kappa.interval[1]
    alone = label_reliability(labels_of(reviews[:40]), tasks)
    assert alone.pairs == {}
    assert math.isnan(alone.all.kappa)
    assert "more than one person" in alone.all.reason


def test_a_task_and_its_variants_are_in_one_part_for_ever(tmp_path):
    made, _ = make_study(tmp_path / "s.honestly", tasks=200, samples=1, agents=("a",))
    with made as study:
        study.add(
            [
                Task(id="model.easy", instruction="x"),
                Task(id="model.hard", instruction="y"),
                Task(id="other", instruction="x", tags=Tags(variant="impossible", twin="model")),
            ]
        )
        split = split_of(study)
        keep_split(study, split)
        assert len({split.tasks[name] for name in ("model.easy", "model.hard", "other")}) == 1
        shares = [
            list(split.tasks.values()).count(part) / len(split.tasks) for part in ("train", "calibration", "test")
        ]
        assert shares == pytest.approx([0.5, 0.2, 0.3], abs=0.09)
        moved = {**split.tasks, "t0": "test" if split.tasks["t0"] != "test" else "train"}
        study.keep("review_split_1", {"version": "1", "tasks": moved})
        study.add([Task(id="new", instruction="z")])
        again = split_of(study)
        keep_split(study, again)
        assert again.tasks == {**moved, "new": again.tasks["new"]}
        keep_split(study, split)
        assert split_of(study).tasks == again.tasks
    assert family_of("a.b") == "a.b"
