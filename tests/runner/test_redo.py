"""Void is a state to resume: what an endpoint spoilt is done again, each attempt stays on record, nothing twice."""

import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace as replace_dataclass
from functools import partial
from pathlib import Path

import anyio
import pytest
from msgspec.structs import replace

from honestly.agents import Honest, Run, make_agent
from honestly.cli._run import run_command
from honestly.errors import AgentError, ModelError, StoreError
from honestly.models import make_model
from honestly.records import Agent, Outcome
from honestly.runner import LocalExecutor, Plan, Redo, read_redo, rule_for, run_plan, same_reason
from honestly.sandbox import open_sandbox
from honestly.store import create_study, open_study
from honestly.tasks import load_suite
from shipped import shipped_suite

SUITE = load_suite("embedded", only=["split-bill"])
TASKS = load_suite("embedded", only=["split-bill", "stock-holds", "config-layers"])
QUICK = Redo(waits_s=(0.05, 0.05), breaker=0)


@contextmanager
def mortal(port, answers):
    """A server in a process of its own, which dies after so many answers."""
    program = [sys.executable, str(Path(__file__).with_name("mortal_server.py")), str(port), str(answers)]
    server = subprocess.Popen(program, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout.readline() == "ready\n"
        yield server
    finally:
        server.kill()
        server.wait()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


def run(plan, study, redo=QUICK, jobs=4, **more):
    return anyio.run(partial(run_plan, plan, study, LocalExecutor(open_sandbox, jobs), redo=redo, **more))


@pytest.mark.slow
def test_forty_trials_that_a_dead_endpoint_spoilt_are_complete_after_one_more_run(tmp_path):
    port = free_port()
    plan = Plan(SUITE, [Honest(make_model(f"http://127.0.0.1:{port}/v1#m"), tools=("bash",))], 100)
    with create_study(tmp_path / "s.honestly") as study:
        with mortal(port, 60) as server:
            first = run(plan, study)
            assert server.wait(5) == 1, "it died by itself"
        assert (first.done + first.void, first.missing, first.total) == (100, 0, 100)
        assert first.done in {59, 60}, "on a busy machine the last answer may die with its server"
        before = {trial.id: trial for trial in study.trials()}
        spoilt = {name for name, trial in before.items() if trial.outcome is Outcome.VOID}
        assert {len(before[name].earlier) for name in spoilt} == {2}, "tried twice more within the run"
        with mortal(port, 1000):
            second = run(plan, study)
        assert (second.done, second.void, second.missing, second.redone) == (100, 0, 0, first.void)
        after = {trial.id: trial for trial in study.trials()}
        assert after.keys() == before.keys(), "a trial keeps its id"
        for name, trial in after.items():
            if name not in spoilt:
                assert trial == before[name], "what was there is not done again"
                continue
            assert trial.earlier == (*before[name].earlier, before[name].as_attempt())
            assert {attempt.outcome for attempt in trial.earlier} == {Outcome.VOID}
            assert all("127.0.0.1" in attempt.reason for attempt in trial.earlier)
            assert {"earlier/1/final.json", "earlier/3/trajectory.jsonl"} <= study.artifacts(name).keys()
        with mortal(port, 0):
            third = run(plan, study)
        assert (third.done, third.redone) == (100, 0)
    open_study(tmp_path / "s.honestly").close()


class Failing:
    """An agent whose model answers as it is told, trial by trial."""

    def __init__(self, errors, name="failing"):
        self.errors, self.record, self.begun = errors, Agent(name=name), Counter()

    async def __call__(self, run: Run, box) -> None:
        self.begun[run.seed] += 1
        if error := self.errors(run, self.begun[run.seed], len(self.begun)):
            raise error


def broken(run, times, number):
    return ModelError(f"http://host:1/v1 answered 503: try {number}", transient=True)


@pytest.mark.slow
def test_a_void_trial_is_tried_again_in_the_same_run_and_at_most_so_often_in_all(tmp_path):
    passing = Failing(lambda run, times, number: broken(run, times, number) if times < 3 else None)
    with create_study(tmp_path / "a") as study:
        state = run(Plan(SUITE, [passing], 2), study)
        assert (state.void, state.redone, {len(trial.earlier) for trial in study.trials()}) == (0, 2, {2})
    for_good = Failing(broken)
    with create_study(tmp_path / "b") as study:
        redo = replace_dataclass(QUICK, attempts=5)
        for attempts in (3, 5, 5):
            assert run(Plan(SUITE, [for_good], 2), study, redo).void == 2
            assert set(for_good.begun.values()) == {attempts}
        assert run(Plan(SUITE, [for_good], 2), study, replace_dataclass(redo, attempts=6)).void == 2
        assert {len(trial.earlier) for trial in study.trials()} == {5}
    hopeless = Failing(lambda run, times, number: ModelError("answered 401; check the key", status=401))
    with create_study(tmp_path / "c") as study:
        run(Plan(SUITE, [hopeless], 2), study)
    assert set(hopeless.begun.values()) == {1}, "a key does not become right by itself"


@pytest.mark.slow
def test_an_agent_is_given_up_after_several_voids_with_one_reason_and_others_go_on(tmp_path):
    bad, good = Failing(broken, "bad"), Failing(lambda *_: None, "good")
    mixed = Failing(lambda run, times, number: ModelError("ab"[number % 2]), "mixed")
    with create_study(tmp_path / "s") as study:
        state = run(Plan(TASKS, [bad, good, mixed], 8), study, Redo(waits_s=(60.0,)), jobs=1)
        assert list(state.given_up) == ["bad"]
        counts = Counter(trial.agent for trial in study.trials())
        lost = counts.pop("bad")
        assert lost in (5, 6), "what is in flight then still ends"
        assert counts == {"good": 24, "mixed": 24}
        assert (state.total, state.void, state.missing) == (72, lost + 24, 24 - lost)
        bad.errors = lambda *_: None
        state = run(Plan(TASKS, [bad, good], 8), study, Redo())
        assert (state.done, state.void, state.missing, state.redone) == (48, 0, 0, lost)


def test_reasons_are_the_same_but_for_their_numbers():
    assert same_reason("a: port 41234, try 0x7ff1 of 3.5 s") == same_reason("a: port 1, try 0x1 of 12 s")
    assert same_reason("model a") != same_reason("model b")


@pytest.mark.slow
def test_what_is_chosen_is_done_again_and_stays_on_record(tmp_path):
    agents = [make_agent(spec, TASKS) for spec in ("oracle", "nop")]
    plan = Plan(TASKS, agents, 1)
    names = [task.id for task in TASKS.tasks]
    with create_study(tmp_path / "s") as study:
        run(plan, study)
        assert run(plan, study, read_redo(["void", "limit"], 6, plan.names, names)).redone == 0
        assert run(plan, study, read_redo(["agent=nop"], 6, plan.names, names)).redone == 3
        assert run(plan, study, read_redo([f"task={names[0]}"], 6, plan.names, names)).redone == 2
        earlier = {(trial.agent, trial.task): trial.earlier for trial in study.trials()}
        assert [len(earlier["nop", name]) for name in names] == [2, 1, 1]
        assert {attempt.outcome for attempt in earlier["nop", names[0]]} == {Outcome.FAILED}
        assert run(plan, study, read_redo(["agent=nop"], 2, plan.names, names)).redone == 0, "attempts are used up"
    for wrong, said in (
        ("agent=nope", "no such agent (did you mean 'nop'?)"),
        ("task=x", "no such task"),
        ("failed", "expected void, limit, stale, task=ID or agent=NAME"),
    ):
        with pytest.raises(AgentError) as caught:
            read_redo([wrong], 6, plan.names, names)
        assert said in str(caught.value)


@pytest.mark.slow
def test_a_rule_waits_for_what_is_done_again_and_its_state_is_the_same_from_the_file(tmp_path):
    suite = shipped_suite("embedded")
    suite = replace(suite, tasks=tuple(task for task in suite.tasks if task.tags.variant == "standard")[:10])
    spoilt = Failing(lambda run, times, number: ModelError("gone") if number <= 2 and times == 1 else None, "nop")
    plan = Plan(suite, [make_agent("oracle", suite), spoilt], 1, question_by_question=True)
    rule = rule_for("oracle", "nop", 10, 1, 0.05)
    with create_study(tmp_path / "s") as study:
        first = run(plan, study, jobs=1, rule=rule)
        assert (first.void, first.done, first.decision.questions) == (2, 18, 0), "it waits for the first question"
        with pytest.raises(StoreError, match="second look"):
            run(plan, study, Redo(limit=True), rule=rule)
        with pytest.raises(StoreError, match="started with attempts 6, but 7"):
            run(plan, study, Redo(attempts=7), rule=rule)
        second = run(plan, study, rule=rule)
        assert second.decision.stop
        assert second.decision.questions < 10
        assert run(plan, study, rule=rule).decision == second.decision
    always = Failing(lambda *_: ModelError("gone"), "nop")
    plan = replace_dataclass(plan, actors=[plan.actors[0], always])
    with create_study(tmp_path / "t") as study:
        for _ in range(2):
            state = run(plan, study, replace_dataclass(QUICK, attempts=2), rule=rule)
        assert state.decision.stop, "after the last attempt void is the outcome, and counts as failed"


@pytest.mark.slow
def test_kill_9_while_trials_are_done_again_leaves_the_study_whole(tmp_path):
    out, port = tmp_path / "s.honestly", free_port()
    words = ["run", "embedded", "--task", "split-bill", "-k", "12", "-o", str(out), "-j", "2", "--breaker", "0"]
    words += ["-a", "honest:tools=bash", "-m", f"http://127.0.0.1:{port}/v1#m"]
    command = [sys.executable, "-m", "honestly", *words]
    plan = Plan(SUITE, [make_agent("honest:tools=bash", SUITE, make_model(f"http://127.0.0.1:{port}/v1#m"))], 12)
    with create_study(out) as study:
        run(plan, study, Redo(waits_s=(), breaker=0))
        before = {trial.id: trial for trial in study.trials()}
    assert {trial.outcome for trial in before.values()} == {Outcome.VOID}
    with mortal(port, 1000):
        redone = 0
        while redone < 12:
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            wanted = min(redone + 3, 12)
            while redone < wanted and process.poll() is None:
                time.sleep(0.05)
                with open_study(out) as study:
                    now = {trial.id: trial for trial in study.trials()}
                assert now.keys() == before.keys()
                for name, trial in now.items():
                    assert trial == before[name] or trial.earlier == (before[name].as_attempt(),)
                redone = sum(trial.outcome is not Outcome.VOID for trial in now.values())
            assert process.poll() is None or redone == 12, process.stderr.read()
            process.send_signal(signal.SIGKILL)
            process.communicate()


def test_the_command_is_as_patient_as_the_library_and_its_page_says_so():
    usual = {option.name: option.default for option in run_command.params}
    page = (Path(__file__).parents[2] / "docs/run.md").read_text()
    for name, patience in (("attempts", Redo().attempts), ("breaker", Redo().breaker)):
        assert usual[name] == patience
        assert f"`--{name}` (default {patience})" in page
