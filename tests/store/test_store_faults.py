"""Runs on a study in PostgreSQL while the server dies, comes back, or another runner is there: the study is the same."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from runner_process import TRIALS

from distant import distant
from honestly.records import Outcome
from honestly.store import content_of, copy_study, open_study, study_damages
from postgres_server import Server, running_server

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running_server(fsync="on") as server:
        yield server


class Runner:
    """A process that runs a study, watched."""

    def __init__(self, study: object, state: Path, log: Path) -> None:
        words = [sys.executable, str(Path(__file__).with_name("runner_process.py")), str(study)]
        self.log = log
        with log.open("wb") as file:
            self.process = subprocess.Popen(
                words, stdout=file, stderr=subprocess.STDOUT, env={**os.environ, "XDG_STATE_HOME": str(state)}
            )

    @property
    def said(self) -> str:
        return self.log.read_text()

    @property
    def trials(self) -> int:
        """How many trials have ended in this run."""
        return self.said.count("ran ")

    def wait_for(self, trials: int) -> bool:
        """Whether it runs on once so many trials have ended."""
        self.until(lambda: self.trials >= trials or self.process.poll() is not None)
        return self.process.poll() is None

    def until(self, true: Callable[[], bool]) -> None:
        end = time.monotonic() + 300
        while not true():
            assert time.monotonic() < end, self.said
            time.sleep(0.02)

    def end(self) -> int:
        return self.process.wait(300)


def content(place: object) -> dict[str, object]:
    """Everything of a study that must not depend on when and how it was run."""
    with open_study(str(place)) as study:
        return {
            trial.id: (
                *(trial.agent, trial.task, trial.sample, trial.outcome, trial.truth, trial.claimed),
                [(c.id, c.status) for run in (trial.verdict.visible, trial.verdict.hidden) if run for c in run.checks],
                [step.message for step in study.trajectory(trial.id).steps],
                sorted(study.artifacts(trial.id)),
            )
            for trial in study.trials()
        }


def attempts(place: str) -> int:
    """Attempts at all trials: a busy machine may make one void, which is then done again."""
    with open_study(place) as study:
        return sum(len(cell.earlier) + 1 for cell in study.cells())


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """What a run that nobody disturbs leaves, in a file."""
    folder = tmp_path_factory.mktemp("quiet")
    runner = Runner(folder / "s.honestly", folder, folder / "log")
    assert runner.end() == 0, runner.said
    found = content(folder / "s.honestly")
    assert len(found) == TRIALS
    return found


@pytest.mark.parametrize("how", ["fast", "immediate", "kill -9"])
def test_a_server_that_stops_and_comes_back_mid_run(server, quiet, tmp_path, how):
    address = server.address(f"back-{how.replace(' ', '')}")
    runner = Runner(address, tmp_path, tmp_path / "log")
    times = 0
    for trials in (0, 6, 14, 22):  # the first: while the run begins, or right after
        if not runner.wait_for(trials or 1):
            break
        server.kill() if how == "kill -9" else server.stop(how)
        ended = runner.trials
        runner.wait_for(min(ended + 3, TRIALS))
        server.start(fsync="on")
        times += 1
    assert runner.end() == 0, runner.said
    assert times > 1
    assert runner.trials == attempts(address), "none was run twice"
    assert content(address) == quiet
    assert list(study_damages(address)) == []
    assert not list(tmp_path.rglob("*.trial"))


def test_a_run_that_ends_while_the_database_is_away_says_where_its_trials_are(server, quiet, tmp_path):
    address = server.address("away")
    runner = Runner(address, tmp_path, tmp_path / "log")
    runner.wait_for(10)
    server.stop("immediate")
    assert runner.end() == 1
    waiting = list(tmp_path.rglob("*.trial"))
    said = " ".join(runner.said.split())
    assert f"{len(waiting)} trials are kept in {waiting[0].parent}" in said
    server.start(fsync="on")
    assert len(content(address)) == TRIALS - len(waiting)
    again = Runner(address, tmp_path, tmp_path / "again")
    assert (again.end(), again.trials) == (0, 0), again.said
    assert content(address) == quiet


def test_a_server_that_is_far_away(server, quiet, tmp_path):
    address = server.address("far")
    with distant(server.port, 0.05) as distance:
        runner = Runner(address.replace(str(server.port), str(distance.port)), tmp_path, tmp_path / "log")
        assert runner.end() == 0, runner.said
        assert distance.trips > 2 * TRIALS
    assert runner.trials == attempts(address), "none was run twice"
    assert content(address) == quiet


def test_two_runners_share_one_study(server, quiet, tmp_path):
    address = server.address("two")
    runners = [Runner(address, tmp_path / f"state-{name}", tmp_path / name) for name in ("a.log", "b.log")]
    assert [runner.end() for runner in runners] == [0, 0], [runner.said for runner in runners]
    assert sum(runner.trials for runner in runners) == attempts(address), "each was run once"
    assert min(runner.trials for runner in runners) > 0
    assert content(address) == quiet


def test_a_runner_takes_over_what_a_killed_one_leaves(server, quiet, tmp_path):
    address = server.address("killed")
    first, second = (Runner(address, tmp_path / f"state-{name}", tmp_path / name) for name in ("a.log", "b.log"))
    first.wait_for(5)
    os.kill(first.process.pid, signal.SIGKILL)
    first.process.wait()
    assert second.end() == 0, second.said
    assert content(address) == quiet


def test_two_runners_of_one_file_are_one(quiet, tmp_path):
    study = tmp_path / "s.honestly"
    first = Runner(study, tmp_path, tmp_path / "a.log")
    first.wait_for(3)
    second = Runner(study, tmp_path, tmp_path / "b.log")
    assert second.end() == 1
    assert f"(pid {first.process.pid})" in " ".join(second.said.split())
    assert first.end() == 0, first.said
    assert content(study) == quiet


def test_a_study_moves_on_in_another_store(server, quiet, tmp_path):
    address, study = server.address("moved"), tmp_path / "s.honestly"
    first = Runner(study, tmp_path, tmp_path / "a.log")
    first.wait_for(9)
    first.process.send_signal(signal.SIGINT)
    assert first.end() == 130
    assert copy_study(study, address) == content_of(study)
    second = Runner(address, tmp_path, tmp_path / "b.log")
    assert second.end() == 0, second.said
    assert content(address) == quiet
    with open_study(address) as there:
        assert there.tally().get(Outcome.VOID, 0) == 0
