"""A trial that is done again: the new attempt takes the old one's place, inside the caller's transaction.

The trial keeps its id and its number. The old attempt goes into `Trial.earlier`, which the store itself fills in, so
that nobody can do a trial again in silence. Its trajectory, artifacts, findings and reviews become artifacts below
`earlier/N/`: none of them is lost, and none is taken for the new attempt's.
"""

from collections.abc import Iterable, Iterator, Mapping

import msgspec
from msgspec.structs import replace

from honestly.errors import StoreError
from honestly.records import Finding, Outcome, Step, Trajectory, Trial, encode
from honestly.store._database import Database
from honestly.store._payloads import read_steps, write_artifact, write_steps
from honestly.store._rows import insert_item, read_trial, write_trial
from honestly.store._schema import intact_columns, row_sum
from honestly.store._types import Blob, Steps

_KEPT = "earlier/"
"""How the names of artifacts of earlier attempts begin; what an attempt itself calls so becomes `own/earlier/...`."""


def put_again(
    db: Database, trial: Trial, trajectory: Steps, artifacts: Mapping[str, Blob], findings: Iterable[Finding]
) -> None:
    """Put an attempt in the place of the one that the study holds of the same trial.

    Raises:
        StoreError: there is none, it is of another cell, or a finding is about another trial.
    """
    row = db.execute("SELECT * FROM trials WHERE id = ?", (trial.id,)).fetchone()
    if row is None:
        raise StoreError(f"trial {trial.id} cannot be rerun: the study does not contain it; add it")
    held, number = read_trial(row), int(row[0])
    if (held.agent, held.task, held.sample) != (trial.agent, trial.task, trial.sample):
        raise StoreError(f"trial {trial.id} is {held.agent}/{held.task}/{held.sample}; an attempt at another was given")
    _put_aside(db, number, trial.id, f"{_KEPT}{len(held.earlier) + 1}/")
    write_trial(db, number, replace(trial, earlier=(*held.earlier, held.as_attempt())), again=True)
    write_steps(db, number, trajectory)
    for name, content in artifacts.items():
        write_artifact(db, number, f"own/{name}" if name.startswith(_KEPT) else name, content)
    for finding in findings:
        if finding.trial != trial.id:
            raise StoreError(f"a finding about {finding.trial} cannot come with trial {trial.id}")
        insert_item(db, finding)


def is_on_record(held: Trial, trial: Trial) -> bool:
    """Whether an attempt at a trial is the one that the study holds, or one of those before it."""
    attempts = (held.as_attempt(), *held.earlier)
    return (trial.started_at, trial.seconds) in [(each.started_at, each.seconds) for each in attempts]


def put_beside(db: Database, trial: Trial, trajectory: Steps, artifacts: Mapping[str, Blob]) -> bool:
    """Put an attempt on record that came after another runner's; False where it is the one that the study holds, or on
    record already.

    Raises:
        StoreError: the study holds none of the trial.
    """
    row = db.execute("SELECT * FROM trials WHERE id = ?", (trial.id,)).fetchone()
    if row is None:
        raise StoreError(f"trial {trial.id} has no other attempt: the study does not contain it; add it")
    held, number = read_trial(row), int(row[0])
    if is_on_record(held, trial):
        return False
    why = f"another runner's attempt was stored first; this one ended as {trial.outcome}"
    lost = replace(trial.as_attempt(), outcome=Outcome.VOID, reason=why, elsewhere=True)
    write_trial(db, number, replace(held, earlier=(*held.earlier, lost)), again=True)
    place = f"{_KEPT}{len(held.earlier) + 1}/"
    if trajectory is not None:
        steps = trajectory.steps if isinstance(trajectory, Trajectory) else trajectory
        write_artifact(db, number, f"{place}trajectory.jsonl", _step_lines(steps))
    for name, content in artifacts.items():
        write_artifact(db, number, place + name, content)
    return True


def _put_aside(db: Database, number: int, trial_id: str, place: str) -> None:
    """Makes everything that belongs to the attempt at hand artifacts below `place`."""
    for artifact, name, size in db.execute(
        "SELECT number, name, size FROM artifacts WHERE trial = ? AND substr(name, 1, ?) != ?",
        (number, len(_KEPT), _KEPT),
    ).fetchall():
        kept = place + name
        total = row_sum(artifact, number, kept, size)
        db.execute("UPDATE artifacts SET name = ?, sum = ? WHERE number = ?", (kept, total, artifact))
    if db.execute("SELECT 1 FROM trajectories WHERE trial = ?", (number,)).fetchone():
        write_artifact(db, number, f"{place}trajectory.jsonl", _step_lines(read_steps(db, number, 0, None)))
    for table in ("trajectory_chunks", "trajectory_heads", "trajectories"):
        db.execute(f"DELETE FROM {table} WHERE trial = ?", (number,))  # noqa: S608 (names are ours)
    for table in ("findings", "reviews"):
        rows = db.execute(f"SELECT * FROM {table} WHERE trial = ? ORDER BY number", (trial_id,)).fetchall()  # noqa: S608
        if rows:
            noted = (str(intact_columns("a note", row)[-1]).encode() + b"\n" for row in rows)
            write_artifact(db, number, f"{place}{table}.jsonl", noted)
            db.execute(f"DELETE FROM {table} WHERE trial = ?", (trial_id,))  # noqa: S608


def _step_lines(steps: Iterable[Step]) -> Iterator[bytes]:
    for step in steps:
        yield msgspec.json.format(encode(step), indent=-1) + b"\n"  # arguments of calls may hold line breaks
