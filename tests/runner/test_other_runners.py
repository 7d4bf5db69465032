"""Several runners of one study: what one leaves to another is no success, and is said; the other one is made up."""

import json
from functools import partial

import anyio
import pytest

from honestly.command import exit_code, say_what_came
from honestly.records import Outcome, Trial
from honestly.runner import Oversight, Plan, Redo, RunLog, read_study_budget, run_plan
from honestly.store import ClaimResult, create_study
from honestly.tasks import load_suite
from instant import Instant, Priced

TASKS = load_suite("embedded", only=["split-bill", "stock-holds", "config-layers"])
PLAN = Plan(TASKS, [Priced("a"), Priced("b")], 2)
REDO = Redo(waits_s=(), breaker=0)


class Shared:
    """A study whose other runner has every trial of the agent b, and has just ended so many of them."""

    shared = True

    def __init__(self, study, ended, answer=ClaimResult.ELSEWHERE):
        self.study, self.ended, self.answer = study, ended, answer
        self.theirs = {each.id: each for each in PLAN.trials if each.actor.record.name == "b"}

    def __getattr__(self, name):
        return getattr(self.study, name)

    def claim(self, trial, attempts):
        return self.claim_all({trial: attempts})[0]

    def claim_all(self, attempts, most=None):
        return [self.answer_to(trial) for trial in attempts]

    def answer_to(self, trial):
        if (planned := self.theirs.get(trial)) is None:
            return ClaimResult.OURS
        if self.ended and trial not in self.study.trial_ids():
            self.ended -= 1
            cell = {"agent": "b", "task": planned.task.id, "sample": planned.sample}
            self.study.add_trial(Trial(id=trial, outcome=Outcome.PASSED, **cell))
        return self.answer


@pytest.mark.parametrize(("ended", "code"), [(0, 6), (2, 6), (5, 6), (6, 0)])
def test_trials_that_another_runner_still_has_are_counted_and_said(tmp_path, capsys, ended, code):
    with create_study(tmp_path / "s.honestly") as study:
        over = Oversight(lookers=[RunLog(tmp_path / "log")])
        state = anyio.run(partial(run_plan, PLAN, Shared(study, ended), Instant(), redo=REDO, oversight=over))
        say_what_came(PLAN, study, study.path, state, REDO)
    left = 6 - ended
    assert (state.done, state.missing, state.elsewhere, exit_code(state)) == (6 + ended, left, left, code)
    said = capsys.readouterr().err
    assert ("with another runner of this study" in said) == (left > 0)
    assert ("1 trial is with" in said) == (left == 1)
    assert ("Next: honestly report" in said) == (left == 0)
    assert "The same command" not in said, "it would find them claimed"
    assert json.loads((tmp_path / "log").read_text().splitlines()[-1])["elsewhere"] == left


def test_a_void_trial_that_another_runner_tries_again_is_with_it(tmp_path, capsys):
    with create_study(tmp_path / "s.honestly") as study:
        anyio.run(partial(run_plan, PLAN, study, Instant(outcome=Outcome.VOID), redo=REDO))
        state = anyio.run(partial(run_plan, PLAN, Shared(study, 0), Instant(), redo=REDO))
        say_what_came(PLAN, study, study.path, state, REDO)
    assert (state.done, state.void, state.elsewhere, exit_code(state)) == (6, 6, 6, 1)
    said = capsys.readouterr().err
    assert "6 trials are with another runner" in said
    assert "The same command" not in said


def test_trials_for_which_the_budget_has_no_room_are_with_nobody(tmp_path):
    with create_study(tmp_path / "s.honestly") as study:
        shared, over = Shared(study, 0, ClaimResult.FULL), Oversight(read_study_budget("9 trials"))
        state = anyio.run(partial(run_plan, PLAN, shared, Instant(), redo=REDO, oversight=over))
    assert state.stopped
    assert (state.elsewhere, exit_code(state)) == (0, 5)
