"""A study's file that is taken away or locked while a run writes it: nothing is lost, and success is not said of it."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing

import pytest

from honestly.errors import StoreError, StudyAwayError, StudyMovedError
from honestly.records import Outcome
from honestly.store import create_study, open_or_create, open_study


@pytest.fixture
def path(tmp_path):
    return tmp_path / "s.honestly"


def remove(path):
    path.unlink()


def rename(path):
    path.rename(path.with_name("renamed.honestly"))


def replace(path):
    create_study(path.with_name("other.honestly")).close()
    path.with_name("other.honestly").rename(path)


def write_over(path):
    create_study(path.with_name("other.honestly")).close()
    shutil.copyfile(path.with_name("other.honestly"), path)


@pytest.mark.parametrize("takes_away", [remove, rename, replace])
@pytest.mark.parametrize("late", [False, True])
def test_a_study_that_is_taken_away_goes_on_elsewhere_and_that_is_said(path, make, takes_away, late):
    trials = [make.trial(0, 0, sample) for sample in range(3)]
    with open_or_create(path) as study:
        study.add([*make.agents, *make.tasks])
        study.add_trial(trials[0], make.trajectory(3))
        if late:
            study.add_trial(trials[1])
            study.add_trial(trials[2])
        takes_away(path)
        if not late:
            study.add_trial(trials[1])
            study.add_trial(trials[2])
        with pytest.raises(StoreError, match=r"all that it held, and all trials since, are in .*s\.honestly\.rescued"):
            study.flush()
    rescued = path.with_name("s.honestly.rescued")
    with open_study(rescued) as study:
        assert study.trial_ids() == {trial.id for trial in trials}
        assert study.trajectory(trials[0].id) == make.trajectory(3)
    if takes_away is rename:
        with open_study(path.with_name("renamed.honestly")) as study:
            assert trials[0].id in study.trial_ids()
    if takes_away is replace:
        with open_study(path) as study:
            assert study.trial_ids() == set()


def test_a_study_that_is_written_over_takes_nothing_more(path, make):
    with open_or_create(path) as study:
        study.add([*make.agents, *make.tasks])
        study.add_trial(make.trial())
        write_over(path)
        study.add_trial(make.trial(0, 0, 1))
        with pytest.raises(StoreError, match="overwritten"):
            study.flush()


def test_whoever_writes_otherwise_is_told(path, make):
    with create_study(path) as study:
        study.add([*make.agents, *make.tasks])
        path.rename(path.with_name("renamed.honestly"))
        with pytest.raises(StudyMovedError, match="removed or renamed"):
            study.add_trial(make.trial())


def test_reviews_that_others_add_are_no_change_of_place(path, make):
    from honestly.store import add_reviews

    with open_or_create(path) as study:
        study.add([*make.agents, *make.tasks])
        study.add_trial(make.trial())
        for number in range(3):
            add_reviews(path, [make.review(make.trial(), number)] if number else [make.review(make.trial())])
            study.add_trial(make.trial(0, 0, number + 1))
        study.flush()


@pytest.mark.slow
def test_trials_wait_beside_a_file_that_is_locked(path, make):
    trial = make.trial(outcome=Outcome.VOID, reason="busy")
    create_study(path).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as browser:
        with open_or_create(path) as study:
            study.add([*make.agents, *make.tasks])
            browser.execute("BEGIN IMMEDIATE")
            study.add_trial(trial, make.trajectory(2))
            study.redo_trial(make.trial(), make.trajectory(1))
            assert study.waiting == 2
            study._patience_s = 0.0
            with pytest.raises(StudyAwayError, match="2 trials are kept in"):
                study.flush()
        browser.execute("ROLLBACK")
    assert path.with_name("s.honestly.unfinished").is_dir()
    with open_or_create(path) as study:
        assert study.delivered == 2
        assert [each.outcome for each in study.trial(trial.id).earlier] == [Outcome.VOID]
        assert study.trajectory(trial.id) == make.trajectory(1)
    assert [each.name for each in path.parent.iterdir()] == [path.name]
