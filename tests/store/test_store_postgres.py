"""A study in a real PostgreSQL: the contract of every store, and what is a database's own."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
from msgspec.structs import replace
from postgres_study import Place, fill, read, sql
from store_contract import StoreContract

from honestly.errors import StoreError, StudyAwayError, StudyDamagedError, StudyTooNewError
from honestly.records import Conditions, Isolation, Outcome, Step
from honestly.store import (
    ClaimResult,
    Store,
    content_of,
    copy_study,
    create_study,
    deliver_waiting,
    open_or_create,
    open_study,
    study_path,
)


class TestPostgresStore(StoreContract):
    """The contract, over a schema."""

    @pytest.fixture
    def fresh(self, address: str) -> Place:
        return Place(address)


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


def test_two_runners_share_trials_and_one_that_is_gone_gives_them_back(address, make):
    trial, other = make.trial(0, 0, 0), make.trial(0, 0, 1)
    first, second = open_or_create(address), open_or_create(address)
    first.add([*make.agents, *make.tasks])
    assert first.claim(trial.id, 0) is ClaimResult.OURS
    assert first.claim(trial.id, 0) is ClaimResult.OURS, "it is its own"
    assert second.claim(trial.id, 0) is ClaimResult.ELSEWHERE
    assert second.claim(other.id, 0) is ClaimResult.OURS
    first.add_trial(trial)
    assert second.claim(trial.id, 0) is ClaimResult.ELSEWHERE
    first.close()
    assert second.claim(trial.id, 0) is ClaimResult.ELSEWHERE, "it is done"
    assert second.claim(trial.id, 1) is ClaimResult.OURS, "and may be done again"
    second.close()
    third = open_or_create(address)
    assert third.claim(other.id, 0) is ClaimResult.OURS
    third.close()


def test_trials_wait_while_the_database_is_away(server, address, make, tmp_path, state):
    isolation, conditions = Isolation(kind="namespaces", layers=()), Conditions(program="x")
    first = make.trial(1, 1, 0, outcome=Outcome.VOID, reason="ModelError: x", isolation=isolation)
    second = make.trial(1, 1, 1, isolation=isolation)
    again = replace(first, outcome=Outcome.PASSED, reason="")

    def work(study: Store, *, away: bool) -> None:
        study.add([*make.agents, *make.tasks])
        for trial in (first, second):
            assert study.claim(trial.id, 0) is ClaimResult.OURS
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


def test_what_is_no_study_is_refused_in_words(server, address, make):
    with pytest.raises(StoreError, match="there is no study"):
        open_study(address)
    with pytest.raises(StoreError, match="names a database"):
        create_study(address.partition("#")[0])
    with pytest.raises(StoreError, match="contains no study"):
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
