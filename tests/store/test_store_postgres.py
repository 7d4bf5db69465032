"""A study in a real PostgreSQL: the contract of every store, and what is a database's own."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

import pytest
from msgspec.structs import replace
from store_contract import StoreContract

from honestly.errors import StoreError, StudyAwayError, StudyBusyError, StudyDamagedError, StudyTooNewError
from honestly.records import Conditions, Isolation, Outcome, Step
from honestly.store import (
    SqlStore,
    add_reviews,
    archive_study,
    compact,
    content_of,
    copy_study,
    create_study,
    damages,
    deliver_waiting,
    drop_study,
    empty_dropped,
    list_studies,
    open_or_create,
    open_study,
    rename_study,
    restore_study,
    study_path,
)
from postgres_server import Server, running_server

NUMBERS = count()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """One server for all tests of this file."""
    with running_server() as server:
        yield server


@pytest.fixture
def address(server: Server) -> str:
    """Where a study can be made."""
    return server.address(f"s{next(NUMBERS)}")


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where this machine keeps what waits for a database."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


class Place:
    """A study in the database."""

    def __init__(self, address: str) -> None:
        self.address = address

    def create(self) -> SqlStore:
        return create_study(self.address)

    def reopen(self) -> SqlStore:
        return open_study(self.address)


class TestPostgresStore(StoreContract):
    """The contract, over a schema."""

    @pytest.fixture
    def fresh(self, address: str) -> Place:
        return Place(address)


class TestSpoolingStore(StoreContract):
    """The contract, over what a run is given."""

    @pytest.fixture
    def fresh(self, address: str) -> Place:
        class Run(Place):
            def create(self) -> SqlStore:
                return open_or_create(self.address)

        return Run(address)


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


def test_text_that_a_database_cannot_hold_comes_back(address, make):
    with create_study(address) as study:
        study.add([*make.agents, *make.tasks])
        trial = make.trial(reason="nul \0, dle \x10, \x100 and \x10e, % ? \\N \t\n", outcome=Outcome.VOID)
        study.add_trial(trial, [Step(source="agent", message="\0\x10")], {"a\0b": b"\0"})
    copy_study(address, f"{address}-copy")
    for place in (address, f"{address}-copy"):
        with open_study(place) as study:
            assert study.trial(trial.id) == trial
            assert study.artifact(trial.id, "a\0b") == b"\0"
            assert [step.message for step in study.steps(trial.id)] == ["\0\x10"]


def test_a_copy_holds_all_that_its_source_holds(address, make, tmp_path):
    fill(tmp_path / "a", make)
    there = copy_study(tmp_path / "a", address)
    back = copy_study(address, tmp_path / "b")
    assert there == back == content_of(tmp_path / "a") == content_of(address)
    assert there.rows["trials"] == 6
    assert read(tmp_path / "a") == read(address) == read(tmp_path / "b")
    with open_study(address, "write") as study:
        study.add_trial(make.trial(2, 2, 0), make.trajectory(), {"log": b"more"})
    assert content_of(address).hash != there.hash
    for target in (address, tmp_path / "b"):
        with pytest.raises(StoreError, match="exists"):
            copy_study(tmp_path / "a", target)


def test_a_copy_that_is_stopped_or_reads_damage_leaves_nothing(address, make, tmp_path):
    fill(tmp_path / "a", make, samples=2)

    class Stop(Exception):
        pass

    def stop(_table: str, _rows: int) -> None:
        raise Stop

    with create_study(tmp_path / "many") as study:
        study.add(make.defect(n) for n in range(1000))
    for target in (tmp_path / "b", f"{address}-b"):
        with pytest.raises(Stop):
            copy_study(tmp_path / "many", target, stop)
        assert not study_path(target).exists()
    copy_study(tmp_path / "a", address)
    sql(address, "UPDATE artifact_chunks SET data = set_byte(data, 9, get_byte(data, 9) # 1) WHERE artifact = 1")
    for target in (tmp_path / "b", f"{address}-b"):
        with pytest.raises(StudyDamagedError, match="artifact_chunks"):
            copy_study(address, target)
        assert not study_path(target).exists()


# What a failing disk does to a row, and the table that must be named.
DAMAGE = {
    "trials": "UPDATE trials SET outcome = 'passed' WHERE outcome <> 'passed'",
    "facts": "UPDATE facts SET value = '\"other\"' WHERE name = 'program'",
    "agents": "UPDATE agents SET record = replace(record, 'honest', 'honesT')",
    "tasks": "UPDATE tasks SET record = set_byte(record, 20, get_byte(record, 20) # 1)",
    "trajectories": "UPDATE trajectories SET stop = 'lost'",
    "trajectory_chunks": "UPDATE trajectory_chunks SET data = set_byte(data, 20, get_byte(data, 20) # 1)",
    "artifacts": "UPDATE artifacts SET size = size + 1",
    "artifact_chunks": "UPDATE artifact_chunks SET data = set_byte(data, 5, get_byte(data, 5) # 1)",
    "findings": "UPDATE findings SET record = replace(record, '42', '43')",
    "reviews": "UPDATE reviews SET record = replace(record, 'hack', 'fair')",
    "defects": "UPDATE defects SET record = replace(record, 'not read', 'was read')",
}


def test_damage_is_told_by_table_and_row_and_never_served(address, make):
    fill(address, make)
    assert list(damages(address)) == []
    for number, (table, change) in enumerate(DAMAGE.items()):
        place = f"{address}-{number}"
        copy_study(address, place)
        sql(place, change)
        found = list(damages(place))
        assert {each.table for each in found} - {""} == {table}
        assert all(each.row and "check sum" in each.what for each in found if each.table)
        with pytest.raises(StudyDamagedError):
            read(place)
    lost = f"{address}-lost"
    copy_study(address, lost)
    sql(lost, "DELETE FROM trajectory_chunks")
    assert [each.what for each in damages(lost)] == ["5 trajectories or artifacts lack a part"]
    with pytest.raises(StudyDamagedError, match="is lost"):
        read(lost)


def test_a_corrupted_page_is_told_and_never_served(server, address, make):
    fill(address, make)
    ((file,),) = sql(address, "SELECT pg_relation_filepath('trials')")
    server.stop()
    page = server.data / str(file)
    whole = page.read_bytes()
    page.write_bytes(whole[:8100] + bytes(16) + whole[8116:])  # in the middle of the last row of the first page
    server.start()
    found = list(damages(address))
    assert [each.table for each in found] == ["trials"]
    with pytest.raises(StudyDamagedError):
        read(address)


def test_two_runners_share_trials_and_one_that_is_gone_gives_them_back(address, make):
    trial, other = make.trial(0, 0, 0), make.trial(0, 0, 1)
    first, second = open_or_create(address), open_or_create(address)
    first.add([*make.agents, *make.tasks])
    assert first.claim(trial.id, 0)
    assert first.claim(trial.id, 0), "it is its own"
    assert not second.claim(trial.id, 0)
    assert second.claim(other.id, 0)
    first.add_trial(trial)
    assert not second.claim(trial.id, 0)
    first.close()
    assert not second.claim(trial.id, 0), "it is done"
    assert second.claim(trial.id, 1), "and may be done again"
    second.close()
    third = open_or_create(address)
    assert third.claim(other.id, 0)
    third.close()


def test_what_two_runners_learn_is_kept_of_both(address):
    with open_or_create(address) as first, open_or_create(address) as second:
        before = first.facts()
        first.learn(Isolation(kind="namespaces", layers=("a", "b")), Conditions(program="1"))
        second.learn(Isolation(kind="namespaces", layers=("b",)), Conditions(program="2"))
        assert [each.program for each in first.facts().ran] == ["1", "2"]
        assert first.facts().sandbox_layers == ("b",)
        with pytest.raises(StudyBusyError, match="another run"):
            first.set_facts(before, was=before)


def test_trials_wait_while_the_database_is_away(server, address, make, tmp_path, state):
    isolation, conditions = Isolation(kind="namespaces", layers=()), Conditions(program="x")
    first = make.trial(1, 1, 0, outcome=Outcome.VOID, reason="ModelError: x", isolation=isolation)
    second = make.trial(1, 1, 1, isolation=isolation)
    again = replace(first, outcome=Outcome.PASSED, reason="")

    def work(study: SqlStore, *, away: bool) -> None:
        study.add([*make.agents, *make.tasks])
        for trial in (first, second):
            assert study.claim(trial.id, 0)
            if trial is second and away:
                server.stop("immediate")
            study.learn(isolation, conditions)
            study.add([(trial, make.trajectory(3), {"log": b"1"}), make.finding(trial)], every=3)
        study.redo_trial(again, make.trajectory(2), {"log": b"2"}, [make.finding(again, "again")])

    with create_study(tmp_path / "quiet") as study:
        work(study, away=False)
        facts = study.facts()
    study = open_or_create(address)
    work(study, away=True)
    assert study.waiting == 2
    files = sorted(state.rglob("*.trial"))
    with pytest.raises(StudyAwayError, match="cannot reach"):
        study.cells()
    with pytest.raises(StudyAwayError, match="cannot reach"):
        deliver_waiting(address)
    study.close()
    assert sorted(state.rglob("*.trial")) == files, "they stay where they are"
    server.start()
    copies = {file: file.read_bytes() for file in files}
    assert deliver_waiting(address) == 2
    assert not list(state.rglob("*.trial"))
    for _ in range(2):  # and where they are there again, nothing is there twice
        rows = read(address)
        assert rows[1:] == read(tmp_path / "quiet")[1:]
        assert replace(rows[0], created="") == replace(facts, created="")
        for file, content in copies.items():
            file.write_bytes(content)
        assert deliver_waiting(address) == 2


def test_a_waiting_trial_that_is_damaged_is_not_delivered(server, address, make, state):
    with open_or_create(address) as study:
        study.add([*make.agents, *make.tasks])
        server.stop("immediate")
        study.add_trial(make.trial())
    server.start()
    (file,) = state.rglob("*.trial")
    whole = file.read_bytes()
    file.write_bytes(whole[:-9] + bytes([whole[-9] ^ 1]) + whole[-8:])
    with pytest.raises(StudyDamagedError, match=file.name):
        deliver_waiting(address)
    file.write_bytes(whole)
    assert deliver_waiting(address) == 1


@contextmanager
def proxy(port: int, fatal: bytes) -> Iterator[int]:
    """A way to the server that breaks where the server answers a statement with these bytes; gives its port."""
    with socket.create_server(("127.0.0.1", 0)) as door:

        def pump(source: socket.socket, sink: socket.socket, broken: threading.Event, *, watch: bool) -> None:
            with suppress(OSError):
                while data := source.recv(1 << 16):
                    if watch and fatal in data:
                        broken.set()
                        sink.sendall(data)
                        continue
                    if not watch and broken.is_set():
                        break  # the answer gets lost
                    sink.sendall(data)
            for end in (source, sink):
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)

        def serve() -> None:
            with suppress(OSError):
                while True:
                    inner, outer, broken = (
                        door.accept()[0],
                        socket.create_connection(("127.0.0.1", port)),
                        threading.Event(),
                    )
                    for pair in ((inner, outer, broken), (outer, inner, broken)):
                        threading.Thread(
                            target=pump, args=pair, kwargs={"watch": pair[0] is inner}, daemon=True
                        ).start()

        threading.Thread(target=serve, daemon=True).start()
        yield door.getsockname()[1]
        door.shutdown(socket.SHUT_RDWR)


def test_a_trial_whose_commit_was_not_confirmed_is_there_once(server, address, make, state):
    with open_or_create(address) as study:
        study.add([*make.agents, *make.tasks])
    with proxy(server.port, b"COMMIT") as port:
        study = open_or_create(address.replace(str(server.port), str(port)))
        study.add_trial(make.trial(), make.trajectory())
        assert study.waiting == 1
        with open_study(address) as there:
            assert there.trial_ids() == {make.trial().id}, "the server took it all the same"
        study.close()
        assert not list(state.rglob("*.trial"))
    with open_study(address) as there:
        assert [trial.earlier for trial in there.trials()] == [()]


def test_a_reader_goes_on_after_the_server_was_restarted(server, address, make):
    fill(address, make, samples=2)
    with open_study(address) as study:
        cells = study.cells()
        server.stop()
        with pytest.raises(StudyAwayError):
            study.cells()
        server.start()
        assert study.cells() == cells


def test_reviews_are_added_beside_a_writer(address, make):
    fill(address, make, samples=1)
    with open_study(address, "write") as writer, open_study(address) as reader:
        before = reader.generation()
        assert add_reviews(address, [make.review(make.trial(1, 1, 0), "fair")]) == 1
        assert reader.generation() != before
        assert len(list(writer.reviews())) == 2


def test_the_studies_of_a_database_move_as_files_do(server, make):
    address = server.address("first", "template1")
    database = address.partition("#")[0]
    fill(address, make, samples=1)
    hashed = content_of(address)
    (listed,) = list_studies(study_path(database))
    assert (str(listed.path), listed.place, listed.trials) == (address, "here", 1)
    assert listed.size > 10_000
    second = rename_study(study_path(address), "second").now
    assert not study_path(address).exists()
    archive_study(second)
    assert [each.place for each in list_studies(study_path(database))] == ["archived"]
    assert restore_study(second).now == second
    drop_study(second)
    with pytest.raises(StoreError, match="no study"):
        open_study(second)
    restore_study(second)
    assert content_of(second) == hashed
    with open_or_create(second) as runner:
        runner.claim("x", 0)
        with pytest.raises(StudyBusyError, match="at work"):
            drop_study(second)
    drop_study(second)
    assert len(empty_dropped(study_path(database))) == 1
    assert list_studies(study_path(database)) == []


def test_a_study_is_made_smaller(address, make):
    fill(address, make, samples=1)
    with open_study(address, "write") as study:
        big = make.trial(2, 2, 0)
        study.add_trial(big, None, {f"{n}": bytes(range(256)) * 999 for n in range(20)})
    for _ in range(3):
        sql(address, "UPDATE artifact_chunks SET size = size")
    before = content_of(address)
    found = compact(address)
    assert found.after < found.before
    assert content_of(address) == before


def test_what_is_no_study_is_refused_in_words(server, address, make):
    with pytest.raises(StoreError, match="there is no study"):
        open_study(address)
    with pytest.raises(StoreError, match="names a database"):
        create_study(address.partition("#")[0])
    with pytest.raises(StoreError, match="holds no study"):
        open_study(server.address("public"))
    with pytest.raises(StudyAwayError, match="cannot reach"):
        open_study(address.replace("/postgres#", "/elsewhere#"))
    create_study(address).close()
    with pytest.raises(StoreError, match="exists"):
        create_study(address)
    sql(address, "UPDATE study SET version = 999")
    with pytest.raises(StudyTooNewError, match="newer honestly"):
        open_study(address, "write")
    sql(address, "UPDATE study SET application = 1")
    with pytest.raises(StudyDamagedError, match="not one of ours"):
        open_study(address)


def test_a_password_is_asked_for_and_never_said(server, address, monkeypatch, tmp_path):
    create_study(address).close()
    sql(address, "CREATE ROLE locked LOGIN PASSWORD 'open sesame'")
    sql(address, "GRANT USAGE ON SCHEMA public TO locked")
    rules = server.data / "pg_hba.conf"
    rules.write_text(f"host all locked 127.0.0.1/32 scram-sha-256\n{rules.read_text()}")
    sql(address, "SELECT pg_reload_conf()")
    theirs = address.replace("tester@", "locked@")
    with pytest.raises(StudyAwayError, match="password"):
        open_study(theirs)
    monkeypatch.setenv("PGPASSWORD", "wrong sesame")
    with pytest.raises(StudyAwayError) as found:
        open_study(theirs)
    assert "sesame" not in str(found.value)
    monkeypatch.setenv("PGPASSWORD", "open sesame")
    mine = theirs.replace("#", "#own-")
    with pytest.raises(StoreError, match="permission denied"):
        create_study(mine)
    sql(address, "GRANT CREATE ON DATABASE postgres TO locked")
    create_study(mine).close()
    monkeypatch.delenv("PGPASSWORD")
    (tmp_path / "pass").write_text("*:*:*:*:open sesame\n")
    (tmp_path / "pass").chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "pass"))
    assert open_study(mine).path == study_path(mine)
