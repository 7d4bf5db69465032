"""A database for the tests of a study in it, and how its content is made, read and spoilt."""

from __future__ import annotations

from pathlib import Path

from honestly.store import Store, create_study, open_study


class Place:
    """A study in the database."""

    def __init__(self, address: str) -> None:
        self.address = address

    def create(self) -> Store:
        return create_study(self.address)

    def reopen(self) -> Store:
        return open_study(self.address)


def sql(address: str, query: str, *values: object) -> list[tuple[object, ...]]:
    """Does to the database what no store would."""
    import psycopg

    database, _, study = address.partition("#")
    with psycopg.connect(database, autocommit=True) as link:
        link.execute(f'SET search_path TO "{study}"')
        done = link.execute(query, values or None)
        return done.fetchall() if done.description else []


def fill(place: str | Path, make, samples: int = 6) -> None:
    with create_study(place) as study:
        study.add([*make.agents, *make.tasks])
        for sample in range(samples):
            trial = make.trial(1, 1, sample)
            study.add_trial(trial, make.trajectory(sample), {"log": trial.id.encode(), "none": b""})
            study.add([make.finding(trial), make.review(trial)])
        study.add([make.defect()])
        study.keep("queue", make.defect(1))


def read(place: str | Path) -> list[object]:
    """Everything that a study says, by every way of asking."""
    with open_study(place) as study:
        ids = sorted(study.trial_ids())
        return [
            *(study.facts(), study.agents(), list(study.tasks()), study.cells(), list(study.trials()), study.tally()),
            *(study.isolations(), study.flags(), list(study.findings()), list(study.reviews()), list(study.defects())),
            *(study.all_kept(object), [study.find("step", most=10**6).hits]),
            [(study.trajectory(one), study.trajectory_info(one), study.artifacts(one)) for one in ids],
            [study.artifact(one, name) for one in ids for name in study.artifacts(one)],
        ]
