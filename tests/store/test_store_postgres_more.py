"""A study in a real PostgreSQL: damage, moves, passwords, and the contract over what a run is given."""

from __future__ import annotations

import pytest
from postgres_study import Place, fill, read, sql
from store_contract import StoreContract

from honestly.errors import StoreError, StudyAwayError, StudyBusyError, StudyDamagedError
from honestly.records import Conditions, Isolation
from honestly.store import (
    Store,
    add_reviews,
    archive_study,
    compact_study,
    content_of,
    copy_study,
    create_study,
    deliver_waiting,
    drop_study,
    empty_dropped,
    list_studies,
    open_or_create,
    open_study,
    rename_study,
    restore_study,
    study_damages,
    study_path,
)

pytestmark = pytest.mark.slow


class TestSpoolingDatabase(StoreContract):
    """The contract, over what a run is given."""

    @pytest.fixture
    def fresh(self, address: str) -> Place:
        class Run(Place):
            def create(self) -> Store:
                return open_or_create(self.address)

        return Run(address)


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
    assert list(study_damages(address)) == []
    for number, (table, change) in enumerate(DAMAGE.items()):
        place = f"{address}-{number}"
        copy_study(address, place)
        sql(place, change)
        found = list(study_damages(place))
        assert {each.table for each in found} - {""} == {table}
        assert all(each.row and "check sum" in each.what for each in found if each.table)
        with pytest.raises(StudyDamagedError):
            read(place)
    lost = f"{address}-lost"
    copy_study(address, lost)
    sql(lost, "DELETE FROM trajectory_chunks")
    assert [each.what for each in study_damages(lost)] == ["5 trajectories or artifacts lack a part"]
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
    found = list(study_damages(address))
    assert [each.table for each in found] == ["trials"]
    with pytest.raises(StudyDamagedError):
        read(address)


def test_what_two_runners_learn_is_kept_of_both(address):
    with open_or_create(address) as first, open_or_create(address) as second:
        before = first.facts()
        first.learn(Isolation(kind="namespaces", layers=("a", "b")), Conditions(program="1"))
        second.learn(Isolation(kind="namespaces", layers=("b",)), Conditions(program="2"))
        assert [each.program for each in first.facts().ran] == ["1", "2"]
        assert first.facts().sandbox_layers == ("b",)
        with pytest.raises(StudyBusyError, match="another run"):
            first.set_facts(before, was=before)


def test_a_waiting_trial_that_is_damaged_is_kept_and_stops_no_run(server, address, make, state, caplog):
    with open_or_create(address) as study:
        study.add([*make.agents, *make.tasks])
        server.stop("immediate")
        study.add_trial(make.trial())
    server.start()
    (file,) = state.rglob("*.trial")
    whole = file.read_bytes()
    file.write_bytes(whole[:-9] + bytes([whole[-9] ^ 1]) + whole[-8:])
    assert deliver_waiting(address) == 0
    (kept,) = state.rglob("*.refused")
    assert f"kept as {kept}" in caplog.text
    caplog.clear()
    assert deliver_waiting(address) == 0
    assert not caplog.text, "it is said once"
    kept.rename(file).write_bytes(whole)
    assert deliver_waiting(address) == 1


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
    drop_study(second)
    fill(str(second), make, samples=1)
    archive_study(second)
    assert "archived" in str(restore_study(second).was), "one that was archived comes before those that were dropped"
    with open_or_create(second) as runner:
        runner.claim("x", 0)
        with pytest.raises(StudyBusyError, match="at work"):
            drop_study(second)
    drop_study(second)
    assert len(empty_dropped(study_path(database))) == 2
    assert list_studies(study_path(database)) == []


@pytest.mark.parametrize("name", ["x" * 35, "é" * 17, "..x", "a b", '"', "%s", "archived", "a#b", "--", "?x=1"])
def test_names_of_studies_survive_being_dropped(server, make, state, name):
    address = server.address(name)
    fill(address, make, samples=1)
    drop_study(study_path(address))
    assert not study_path(address).exists()
    assert restore_study(study_path(address)).now == study_path(address)
    assert deliver_waiting(address) == 0
    assert address in [str(each.path) for each in list_studies(study_path(server.address("")))]


@pytest.mark.parametrize("name", ["x" * 36, "a/b", "a//b", ".", "..", "a/.", "archived/a/b", "$user", "a\0", "\ud800"])
def test_what_is_no_name_for_a_study_in_a_database_is_refused(address, make, name):
    with pytest.raises(StoreError, match="is not a name for a study"):
        study_path(f"{address.partition('#')[0]}#{name}")
    create_study(address).close()
    with pytest.raises(StoreError, match="is not a name for a study"):
        rename_study(study_path(address), name)


def test_a_study_is_made_smaller(address, make):
    fill(address, make, samples=1)
    with open_study(address, "write") as study:
        big = make.trial(2, 2, 0)
        study.add_trial(big, None, {f"{n}": bytes(range(256)) * 999 for n in range(20)})
    for _ in range(3):
        sql(address, "UPDATE artifact_chunks SET size = size")
    before = content_of(address)
    found = compact_study(address.replace("postgresql:", "postgres:"))  # which libpq takes, too
    assert 0 < found.after < found.before
    assert content_of(address) == before


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
