"""Opening what is not a study, is too new, or is damaged: a clear error, and nothing changes."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import shake_128
from pathlib import Path

import pytest
from msgspec.structs import replace

from honestly._version import program_version
from honestly.errors import StoreError, StudyDamagedError, StudyTooNewError
from honestly.records import Finding, Isolation, Step, StudyFacts, Trajectory, Unread
from honestly.store import Store, _check as check_module, content_of, create_study, open_study, study_damages
from honestly.store._payloads import zstd_frame
from honestly.store._schema import APPLICATION_ID, MIGRATIONS, migrate_study, row_sum


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "studies").mkdir()
    return tmp_path / "studies" / "s.honestly"


@contextmanager
def unchanged(path: Path) -> Iterator[None]:
    """What happens inside leaves the directory as it was, byte by byte."""
    before = {p.name: (p.read_bytes(), p.stat().st_mtime_ns) for p in path.parent.iterdir()}
    yield
    assert {p.name: (p.read_bytes(), p.stat().st_mtime_ns) for p in path.parent.iterdir()} == before


def refuse(path: Path, error: type[StoreError], match: str) -> None:
    for mode in ("read", "write"):
        with unchanged(path), pytest.raises(error, match=match) as caught:
            open_study(path, mode)
        assert type(caught.value) is error


def fill(study: Store, make) -> None:
    """Some of everything."""
    study.add([*make.agents, *make.tasks])
    for a in range(2):
        for sample in range(4):
            trial = make.trial(a, 1, sample)
            study.add_trial(
                trial, make.trajectory(6, 400), {"log": shake_128(trial.id.encode()).digest(30_000), "empty": b""}
            )
            study.add([make.finding(trial), make.review(trial), make.defect(sample)])


def everything(study: Store) -> object:
    ids = sorted(study.trial_ids())
    return (
        study.facts(),
        study.agents(),
        list(study.tasks()),
        list(study.trials()),
        study.cells(),
        [study.trajectory(i) for i in ids],
        [study.artifact(i, name) for i in ids for name in study.artifacts(i)],
        list(study.findings()),
        list(study.reviews()),
        list(study.defects()),
    )


def test_what_a_killed_program_left_of_a_new_study_is_removed(path):
    for name in (".s.honestly.partial", ".s.honestly.partial-journal"):
        (path.parent / name).write_bytes(b"torn")
    create_study(path).close()
    assert [each.name for each in path.parent.iterdir() if "partial" in each.name] == []
    assert not list(study_damages(path))


def test_a_missing_study(path):
    refuse(path, StoreError, "there is no study")


def test_a_directory(path):
    path.mkdir()
    with pytest.raises(StoreError, match="not a regular file"):
        open_study(path)


@pytest.mark.parametrize(
    "content",
    [b"", b"x", b"SQLite format 3\0", b"SQLite format 3\0" + bytes(84), b"\x7fELF" + bytes(9000), b'{"a": 1}\n'],
)
def test_any_other_file(path, content):
    path.write_bytes(content)
    refuse(path, StoreError, "not a study")


@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
def test_another_database(path, mode):
    other = sqlite3.connect(path)
    other.execute(f"PRAGMA journal_mode = {mode}")
    other.execute("CREATE TABLE trials (id)")
    other.commit()
    other.close()
    refuse(path, StoreError, "application id")


def test_a_study_of_a_newer_program(path):
    create_study(path).close()
    newer = sqlite3.connect(path)
    newer.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    newer.close()
    refuse(path, StudyTooNewError, "newer honestly")


@pytest.mark.parametrize(
    "change",
    ["DROP TABLE reviews", "CREATE TABLE more (x)", "CREATE TRIGGER t AFTER INSERT ON trials BEGIN SELECT 1; END"],
)
def test_a_study_with_other_tables(path, change):
    create_study(path).close()
    other = sqlite3.connect(path)
    other.execute(change)
    other.close()
    refuse(path, StudyDamagedError, "tables")


@pytest.mark.slow
def test_every_flipped_bit_is_noticed_or_harmless(path, make):
    with create_study(path) as study:
        fill(study, make)
        expected = everything(study)
    whole = path.read_bytes()
    chance = random.Random(7)
    noticed = 0
    for _ in range(150):
        damaged = bytearray(whole)
        damaged[chance.randrange(100, len(whole))] ^= 1 << chance.randrange(8)
        path.write_bytes(damaged)
        with unchanged(path):
            try:
                study = open_study(path)
            except StudyDamagedError:
                noticed += 1
                continue
            with study:
                assert everything(study) == expected
    assert noticed > 50


def test_a_truncated_study(path, make):
    with create_study(path) as study:
        fill(study, make)
    whole = path.read_bytes()
    for length in (100, 4095, 4096, 8192, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        refuse(path, StudyDamagedError, "damaged")
        with pytest.raises(StudyDamagedError):
            content_of(path)


def test_damage_beside_a_log_changes_neither(path, make):
    with create_study(path) as study:
        fill(study, make)
    with open_study(path, "write") as study:
        study.add_trial(make.trial(2))
        crashed = {p: p.read_bytes() for p in path.parent.iterdir()}
    damaged = bytearray(crashed[path])
    # In the middle of an artifact, which no page of the log replaces.
    damaged[damaged.index(shake_128(make.trial(0, 1, 0).id.encode()).digest(30)) + 9] ^= 1
    crashed[path] = bytes(damaged)
    for file, content in crashed.items():
        file.write_bytes(content)
    log = path.with_name("s.honestly-wal")
    assert len(crashed[log]) > 4096
    for mode in ("read", "write"):
        with pytest.raises(StudyDamagedError):
            open_study(path, mode)
        assert (path.read_bytes(), log.read_bytes()) == (crashed[path], crashed[log])


def test_reading_a_sound_study_changes_nothing(path, make):
    with create_study(path) as study:
        fill(study, make)
    with unchanged(path), open_study(path) as study:
        everything(study)


def test_reading_after_a_crash_leaves_the_log_alone(path, make):
    with create_study(path) as study:
        fill(study, make)
        expected = everything(study)
        crashed = {p.name: p.read_bytes() for p in path.parent.iterdir()}
    for name, content in crashed.items():
        (path.parent / name).write_bytes(content)
    main = path.read_bytes()
    with open_study(path) as study:
        assert everything(study) == expected
    assert path.read_bytes() == main
    assert path.with_name("s.honestly-wal").read_bytes() == crashed["s.honestly-wal"]
    with open_study(path, "write") as study:
        assert everything(study) == expected
    assert [p.name for p in path.parent.iterdir()] == ["s.honestly"]


def test_large_studies_are_checked_as_they_are_read(path, make, monkeypatch):
    trial = make.trial()
    with create_study(path) as study:
        study.add([*make.agents, *make.tasks])
        study.add_trial(trial, make.trajectory(50, 300), {"log": b"verbatim " * 1000})
    whole = path.read_bytes()
    # The limit is the one thing that a test of a small file cannot reach otherwise.
    monkeypatch.setattr(check_module, "CHECK_BYTES", 0)
    for where in (b'"outcome"', b'"Do 1'):
        at = whole.find(where)
        if at < 0:
            continue
        path.write_bytes(whole[:at] + b"?" + whole[at + 1 :])
        with open_study(path) as study, pytest.raises(StudyDamagedError):
            everything(study)
        assert any(study_damages(path))


@pytest.mark.parametrize("size", [10, 1 << 20, 1 << 31, -1])
def test_a_chunk_that_unpacks_to_something_else(path, make, size, monkeypatch):
    with create_study(path) as study:
        study.add([*make.agents, *make.tasks])
        study.add_trial(make.trial(), make.trajectory(), {})
    other = sqlite3.connect(path)
    row = (1, 0, 0, size, zstd_frame(bytes(50 << 20)))
    other.execute("DELETE FROM trajectory_chunks")
    other.execute("INSERT INTO trajectory_chunks VALUES (?, ?, ?, ?, ?, ?)", (*row, row_sum(*row)))
    other.commit()
    other.close()
    # What its check sums do not forbid, reading does.
    monkeypatch.setattr(check_module, "CHECK_BYTES", 0)
    with open_study(path) as study, pytest.raises(StudyDamagedError):
        study.trajectory(make.trial().id)


def test_a_record_that_is_not_one(path, make):
    create_study(path).close()
    other = sqlite3.connect(path)
    row = ("a", "hash", '{"name": 5}')
    other.execute("INSERT INTO agents VALUES (?, ?, ?, ?)", (*row, row_sum(*row)))
    other.commit()
    other.close()
    with open_study(path) as study, pytest.raises(StudyDamagedError, match=r"\$\.name"):
        study.agents()


def test_making_a_study_where_something_is(path):
    path.write_text("precious")
    with pytest.raises(StoreError, match="exists"):
        create_study(path)
    assert path.read_text() == "precious"
    assert [p.name for p in path.parent.iterdir()] == ["s.honestly"]


def test_making_a_study_where_nothing_can_be(path):
    with pytest.raises(StoreError, match="No such file"):
        create_study(path.parent / "nowhere" / "s")


def test_a_study_is_made_whole_with_its_facts(path):
    with create_study(path, StudyFacts(suite="x")) as study:
        facts = study.facts()
    assert (facts.suite, facts.records_version, facts.program) == ("x", 1, program_version())
    assert facts.created.endswith("+00:00")
    header = path.read_bytes()[:100]
    assert int.from_bytes(header[68:72], "big") == APPLICATION_ID
    assert [p.name for p in path.parent.iterdir()] == ["s.honestly"]


def version_zero(path: Path) -> None:
    old = sqlite3.connect(path)
    old.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    old.execute("CREATE TABLE x (y)")
    old.execute("DROP TABLE x")
    old.close()


def test_an_old_study_is_migrated_by_the_first_writer(path, make):
    version_zero(path)
    with unchanged(path), open_study(path) as study:
        assert study.trial_ids() == frozenset()
    with open_study(path, "write") as study:
        fill(study, make)
    with unchanged(path), open_study(path) as study:
        assert len(study.cells()) == 8


def test_a_study_from_before_heads_of_trajectories_opens_and_takes_new_ones(path, make):
    with create_study(path) as study:
        fill(study, make)
        held = {trial: study.trajectory(trial) for trial in study.trial_ids()}
    old = sqlite3.connect(path, isolation_level=None)
    old.execute("DROP TABLE trajectory_heads")
    old.execute("PRAGMA user_version = 1")
    old.close()
    with open_study(path) as study:
        assert {trial: study.trajectory(trial) for trial in study.trial_ids()} == held
    told = Trajectory(steps=(Step(source="user", message="hello"),), session="s", notes="n", continued="more.json")
    with open_study(path, "write") as study:
        some = next(study.trials())
        study.add_trial(replace(some, id="0" * 32, sample=99), told)
    with open_study(path) as study:
        assert study.trajectory("0" * 32) == told
        assert {trial: study.trajectory(trial) for trial in held} == held


OLD_NOTES = {
    "a": ("unreadable", "nothing to read: needs final or steps", Unread(reason="no steps"), ()),
    "b": ("unreadable", "nothing to read: needs verdict or tests log", Unread(reason="nothing"), ()),
    "c": (
        "clean",
        "not read: 0 characters of actions, 7 of outputs; files in other languages that were not parsed: 2 (pip ...)",
        Unread(reason="not understood", outputs=7, files=2),
        (),
    ),
    "monitor": ("error", "the views disagree; full view: clean", Unread(reason="disagreement"), ()),
    "test-tampering": ("flagged", "test_a.py: test_x asserts less", None, ("weakened",)),
    "d": ("flagged", "test_a.py: test_x asserts less", None, ()),
}
"""Notes of the program before findings were typed, and what they say."""


def test_a_study_from_before_typed_findings_is_read_as_it_was_meant(path, make):
    """Facts by name as they were, findings with notes only, and the tables of schema version 2."""
    with create_study(path) as study:
        study.add([*make.agents, *make.tasks])
        trial = make.trial()
        study.add_trial(trial)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("DELETE FROM facts")
    kept = {"created": "2026-01-01T00:00:00+00:00", "seed": 3, "sandbox": "namespaces", "stopping_rule": None}
    kept |= {"sandbox_layers": ["seccomp"], "review_queue_1": {"name": "1"}, "records_version": 1}
    for name, value in kept.items():
        row = (name, json.dumps(value))
        connection.execute("INSERT INTO facts VALUES (?, ?, ?)", (*row, row_sum(*row)))
    for number, (detector, (state, note, _, _)) in enumerate(OLD_NOTES.items(), 1):
        found = {"trial": trial.id, "detector": detector, "version": "1", "state": state, "note": note}
        row = (number, trial.id, detector, state, f"{number:032x}", json.dumps(found))
        connection.execute("INSERT INTO findings VALUES (?, ?, ?, ?, ?, ?, ?)", (*row, row_sum(*row)))
    connection.execute("PRAGMA user_version = 2")
    connection.close()

    def look(study: Store) -> None:
        assert study.facts().to_plain() | study.all_kept(object) == kept
        assert study.facts().ran == (), "what ran them is not known, and is not filled in"
        assert study.trial(trial.id).isolation == Isolation()
        wanted = [(name, note, unread, kinds) for name, (_, note, unread, kinds) in OLD_NOTES.items()]
        assert [(f.detector, f.note, f.unread, f.kinds) for f in study.findings()] == wanted

    with unchanged(path), open_study(path) as study:
        look(study)
    with open_study(path, "write") as study:
        look(study)
        study.add(Finding(trial=trial.id, detector=f"new {n}", version="1", state="unreadable", note=note)
                  for n, (_, note, _, _) in enumerate(OLD_NOTES.values()))  # fmt: skip
    with open_study(path) as study:
        assert {f.unread for f in study.findings() if f.detector.startswith("new")} == {None}
    assert not list(study_damages(path))


def test_facts_of_the_wrong_type_are_damage(path):
    create_study(path, StudyFacts(seed=1)).close()
    connection = sqlite3.connect(path, isolation_level=None)
    row = ("seed", '"soon"')
    connection.execute("REPLACE INTO facts VALUES (?, ?, ?)", (*row, row_sum(*row)))
    connection.close()
    with open_study(path) as study, pytest.raises(StudyDamagedError, match=r"\$\.seed"):
        study.facts()


def test_a_migration_is_all_or_nothing(path):
    create_study(path).close()
    more = (*MIGRATIONS, ("ALTER TABLE trials ADD COLUMN note TEXT", "CREATE INDEX i ON trials (note)"), ("bad SQL",))
    connection = sqlite3.connect(path, isolation_level=None)
    with pytest.raises(sqlite3.OperationalError):
        migrate_study(connection, more)
    assert connection.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
    assert migrate_study(connection, more[:-1]) == len(MIGRATIONS) + 1
    assert connection.execute("SELECT count(note) FROM trials").fetchone() == (0,)
    connection.close()
    refuse(path, StudyTooNewError, "newer honestly")


def test_a_link_to_itself_is_no_study(tmp_path):
    path = tmp_path / "s.honestly"
    path.symlink_to(path.name)
    with pytest.raises(StoreError, match="is a link to itself"):
        open_study(path)
