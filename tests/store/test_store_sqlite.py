"""The SQLite store keeps the contract."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from store_contract import StoreContract

from honestly.records import Agent, Outcome, Task, Trial
from honestly.store import Store, content_of, create_study, open_study, study_damages
from honestly.store._schema import MIGRATIONS, migrate_study


class _Place:
    def __init__(self, path: Path) -> None:
        self.path = path

    def create(self) -> Store:
        return create_study(self.path)

    def reopen(self) -> Store:
        return open_study(self.path)


class TestSqliteStore(StoreContract):
    """The contract, over a file."""

    @pytest.fixture
    def fresh(self, tmp_path: Path) -> _Place:
        return _Place(tmp_path / "s.honestly")


def test_what_has_changed_is_told_once(tmp_path, make):
    first, second = make.trial(0, 0, 0), make.trial(0, 0, 1)
    with create_study(tmp_path / "s") as study:
        study.add([*make.agents, *make.tasks])
        study.add_trial(first)
        seen: dict[str, int] = {}
        assert list(study.new_trials(seen)) == [first]
        study.add_trial(second)
        assert list(study.new_trials(seen)) == [second]
        study.redo_trial(first)
        assert [len(trial.earlier) for trial in study.new_trials(seen)] == [1]
        assert list(study.new_trials(seen)) == []


def test_a_study_of_the_first_version_lacks_tables_and_is_not_damaged(tmp_path):
    with closing(sqlite3.connect(tmp_path / "s", isolation_level=None)) as db:
        migrate_study(db, MIGRATIONS[:1])
    assert list(study_damages(tmp_path / "s")) == []
    assert sum(content_of(tmp_path / "s").rows.values()) == 0


def test_the_trials_of_a_task_are_found_without_reading_those_of_others(tmp_path):
    tasks = [Task(id=f"t{number:03}", instruction=str(number)) for number in range(200)]
    trials = [
        Trial(id=f"{agent}{task.id}{sample}", agent=agent, task=task.id, sample=sample, outcome=Outcome.PASSED)
        for task in tasks
        for agent in "ba"
        for sample in range(5)
    ]
    steps: list[int] = []
    with create_study(tmp_path / "s") as study:
        study.add([Agent(name="a"), Agent(name="b"), *tasks])
        study.add((trial, None, {}) for trial in trials)
    with open_study(tmp_path / "s") as study:
        study._current_database.set_progress_handler(lambda: steps.append(1), 100)
        found = [(trial.agent, trial.sample) for trial in study.trials(task="t123")]
    assert found == [(agent, sample) for agent in "ab" for sample in range(5)]
    assert 100 * len(steps) < 1500  # of 2,000 trials
