"""More than one process: writers that are killed, writers that meet, readers beside a writer."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from made_records import Make
from writer_process import LENGTH, step

from honestly.errors import StoreError, StudyBusyError, StudyDamagedError
from honestly.records import Review
from honestly.store import Store, _check, add_reviews, create_study, open_study, study_damages

HERE = Path(__file__).parent


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "s.honestly"


def start(*arguments: object, script: str = "") -> subprocess.Popen[str]:
    """A child process with this directory's modules, its output to be read."""
    program = ["-c", script] if script else [str(HERE / "writer_process.py")]
    environment = {**os.environ, "PYTHONPATH": str(HERE)}
    command = [sys.executable, *program, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True, env=environment)


def assert_whole(study: Store) -> None:
    """Every trial of the study is there with all that belongs to it."""
    for trial in study.trials():
        assert trial == Make().trial(sample=trial.sample)
        assert list(study.steps(trial.id)) == [step(trial.sample, n) for n in range(LENGTH)]
        assert study.artifact(trial.id, "log") == b"log of %d" % trial.sample


@pytest.mark.slow
def test_a_killed_writer_leaves_whole_trials_only(path):
    chance = random.Random(20)
    promised: set[str] = set()
    within = 0
    for _ in range(20):
        child = start(path)
        heard = ""
        for _ in range(chance.randrange(1, 40)):
            while not heard.endswith("."):
                heard += child.stdout.read(1)
            heard += child.stdout.read(1)
        child.send_signal(signal.SIGKILL)
        heard += child.stdout.read()
        child.wait()
        child.stdin.close()
        *lines, last = heard.split("\n")
        promised |= {line for line in lines if len(line) == 32}
        within += "." in last
        assert not list(study_damages(path))
        with open_study(path) as study:
            assert promised <= study.trial_ids()
            # At most the trial that was committed before the child could say so.
            assert len(study.trial_ids() - promised) <= 1
            promised |= study.trial_ids()
    assert within >= 5, "the kills should fall within trials, or they prove nothing"
    with open_study(path) as study:
        assert sorted(cell.sample for cell in study.cells()) == list(range(len(promised)))
        assert_whole(study)


@pytest.mark.slow
def test_a_second_process_reads_while_one_writes(path):
    create_study(path).close()
    child = start(path, 12)
    seen: list[str] = []
    with open_study(path) as study:
        while len(seen) < 12:
            line = child.stdout.readline().strip()
            if len(line) == 32:
                seen.append(line)
                # The writer waits with the study open, its last trial still in the log.
                assert child.poll() is None
                assert study.trial_ids() == set(seen)
                assert list(study.steps(line)) == [step(len(seen) - 1, n) for n in range(LENGTH)]
                with open_study(path) as another:
                    assert len(another.cells()) == len(seen)
                child.stdin.write("\n")
                child.stdin.flush()
        assert child.wait() == 0
        assert_whole(study)
    child.stdin.close()
    assert sorted(p.name for p in path.parent.iterdir()) == ["s.honestly"]


def test_a_second_writer_is_refused_until_the_first_is_gone(path):
    child = start(path)
    child.stdout.readline()
    for _ in range(3):
        with pytest.raises(StudyBusyError, match=f"pid {child.pid}"):
            open_study(path, "write")
    with open_study(path) as reader:
        reader.trial_ids()
    child.kill()
    child.wait()
    with open_study(path, "write") as study:
        assert_whole(study)


def test_a_second_writer_of_one_process_is_refused(path, make):
    with create_study(path) as study:
        with pytest.raises(StudyBusyError, match="this process"):
            open_study(path, "write")
        with pytest.raises(StudyBusyError, match="this process"):
            create_study(path)
        study.add([make.agents[0]])
    with open_study(path, "write") as study:
        assert len(study.agents()) == 1


def test_readers_of_the_writing_process_do_not_drop_its_locks(path):
    with create_study(path):
        for _ in range(3):
            open_study(path).close()
        with pytest.raises(StoreError):
            open_study(path.with_name("other"))
        script = "import sys; from honestly.store import open_study; open_study(sys.argv[1], 'write')"
        child = start(path, script=script + " # fails")
        assert child.wait() == 1


@pytest.mark.slow
def test_reviews_are_added_beside_a_writer_and_outlive_a_kill(path, make):
    writer = start(path)
    trial = make.trial(sample=0)
    heard = ""
    while trial.id not in heard:
        heard += writer.stdout.readline()
    script = """
import sys
from honestly.records import Review
from honestly.store import add_reviews
for number in range(10_000):
    review = Review(trial=sys.argv[2], reviewer=sys.argv[3], at=str(number), label="hack")
    assert add_reviews(sys.argv[1], [review]) == 1
    print(number, flush=True)
"""
    people = {name: start(path, trial.id, name, script=script) for name in ("ann", "bob")}
    said = {name: [person.stdout.readline() for _ in range(25)] for name, person in people.items()}
    for person in people.values():
        person.kill()
    writer.kill()
    for name, person in people.items():
        said[name] += person.stdout.readlines()
        person.wait()
        person.stdin.close()
    writer.wait()
    writer.stdin.close()
    assert not list(study_damages(path))
    with open_study(path) as study:
        reviews = list(study.reviews())
        assert_whole(study)
    for name, lines in said.items():
        held = {review.at for review in reviews if review.reviewer == name}
        assert {line.strip() for line in lines if line.endswith("\n")} <= held
        assert len(held) <= len(lines) + 1


@pytest.mark.slow
def test_reviews_that_cannot_be_added_say_why(path, make):
    trial = make.trial()
    with create_study(path) as study:
        study.add([*make.agents, *make.tasks])
        study.add_trial(trial)
        with pytest.raises(StoreError, match="no trial"):
            add_reviews(path, [make.review(trial), make.review(make.trial(sample=1))])
        assert list(study.reviews()) == [], "all of them or none"
        assert add_reviews(path, [make.review(trial)] * 2) == 1
        with sqlite3.connect(path) as other:
            other.execute("BEGIN IMMEDIATE")
            began = time.monotonic()
            with pytest.raises(StudyBusyError, match="nothing was saved"):
                add_reviews(path, [make.review(trial, "honest")], wait=0.3)
            assert time.monotonic() - began > 0.2
        other.close()
        assert [review.label for review in study.reviews()] == ["hack"]
    with pytest.raises(StoreError, match="there is no study"):
        add_reviews(path.with_name("none"), [])
    other = sqlite3.connect(path.with_name("foreign"))
    other.execute("CREATE TABLE reviews (x)")
    other.close()
    with pytest.raises(StoreError, match="not a study"):
        add_reviews(path.with_name("foreign"), [make.review(trial)])


def test_the_lock_dies_with_its_process_though_a_child_of_it_lives(path):
    script = """
import os, sys
from honestly.store import create_study
study = create_study(sys.argv[1])
if os.fork() == 0:
    print("child", os.getpid(), flush=True)
    sys.stdin.read()
    os._exit(0)
os.wait()
"""
    parent = start(path, script=script)
    child = int(parent.stdout.readline().split()[1])
    parent.kill()
    parent.wait()
    os.kill(child, 0)  # still there
    open_study(path, "write").close()
    parent.stdin.close()


def test_a_forked_child_that_ends_in_order_does_not_unlock(path):
    study = create_study(path)
    child = os.fork()
    if child == 0:
        try:
            study._release()
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    other = start(path, script="import sys; from honestly.store import open_study; open_study(sys.argv[1], 'write')")
    assert other.wait() == 1
    study.close()


def test_one_thread_writes_while_others_read(path, make):
    errors: list[Exception] = []
    with create_study(path) as study:
        study.add([*make.agents, *make.tasks])
        done = threading.Event()

        def read() -> None:
            try:
                while not done.is_set():
                    for trial in study.trials():
                        assert list(study.steps(trial.id)) == list(make.trajectory().steps)
            except Exception as error:
                errors.append(error)

        readers = [threading.Thread(target=read) for _ in range(3)]
        for reader in readers:
            reader.start()
        for sample in range(150):
            study.add_trial(make.trial(sample=sample), make.trajectory())
        done.set()
        for reader in readers:
            reader.join()
        assert errors == []
        assert len(study.cells()) == 150


@pytest.mark.slow
def test_a_study_that_others_write_all_the_time_is_read_and_never_called_damaged(path, make):
    with create_study(path) as study:
        study.add(make.agents + make.tasks)
        study.add((make.trial(sample=sample), (), {}) for sample in range(40))
    script = """if True:
        import sys
        from itertools import count
        from pathlib import Path
        from made_records import Make
        from honestly.records import Review
        from honestly.store import add_reviews
        trial = Make().trial(sample=1).id
        for n in count():
            add_reviews(Path(sys.argv[1]), [Review(trial=trial, reviewer="a", at="2026-01-02T03:04:05Z", note=str(n))])
            if n == 0:
                print("begun", flush=True)
    """
    child = start(path, script=script)
    try:
        assert child.stdout.readline() == "begun\n"
        for _ in range(100):
            with open_study(path) as study:
                assert len(list(study.trials())) == 40
        assert child.poll() is None
    finally:
        child.kill()
        child.communicate()


def test_a_look_past_the_locks_that_a_writer_disturbs_each_time_is_followed_by_one_under_locks(path, make, monkeypatch):
    with create_study(path) as study:
        study.add([*make.agents, *make.tasks, (make.trial(), (), {})])
    looked, look = [], _check._check_file

    def disturbed(file, how, *rest):
        looked.append(how)
        add_reviews(path, [Review(trial=make.trial().id, reviewer="a", at=str(len(looked)), label="hack")])
        if "immutable" in how:
            raise StudyDamagedError("torn")
        return look(file, how, *rest)

    monkeypatch.setattr(_check, "_check_file", disturbed)
    _check.check_study(path)
    assert looked == ["mode=ro&immutable=1", "mode=ro"]
