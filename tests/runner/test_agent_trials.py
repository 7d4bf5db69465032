"""Trials of the real agent: however they end, what was done and spent is kept, and no key gets anywhere."""

import re
import sqlite3
import subprocess
import sys
from contextlib import asynccontextmanager

import anyio
import pytest
from anyio.abc import SocketAttribute
from anyio.streams.buffered import BufferedByteReceiveStream
from msgspec.structs import replace

from honestly.agents import AgentLimits, Honest
from honestly.errors import AgentError, ModelError
from honestly.models import ScriptedModel, assistant_message, make_model, read_cassette, scripted_server, tool_call
from honestly.records import Usage, decode
from honestly.runner import LocalExecutor, Plan, run_attempt, run_plan
from honestly.sandbox import open_sandbox
from honestly.store import JournalLine, create_study, open_study
from honestly.studies import RunSettings, actors_of
from honestly.tasks import load_suite

SUITE = load_suite("embedded", only=["split-bill"])
TASK = SUITE.tasks[0]
COST = Usage(input_tokens=100, output_tokens=10, usd=0.01)
DONE = assistant_message("", tool_call("finish", outcome="done", summary="x"), usage=COST)


def tried(agent, models, usd):
    """What `honestly run` makes of its options."""
    return RunSettings("", agent, models=models, budget_usd=usd)


def bash(command):
    return assistant_message("", tool_call("bash", command=command), usage=COST)


def solution():
    return [
        bash(f"cat > {path} <<'HERE'\n{file.data.decode()}HERE")
        for path, file in TASK.hidden.reference.write.files.items()
    ]


def attempted(*turns, task=TASK, **settings):
    plan = Plan(replace(SUITE, tasks=(task,)), [Honest(ScriptedModel(turns), tools=("bash",), **settings)], 1)
    return anyio.run(run_attempt, plan.trials[0], open_sandbox)


@pytest.mark.slow
def test_an_agent_that_runs_out_of_time_keeps_its_steps_its_spend_and_its_cassette():
    result = attempted(bash("echo 1 > new; echo hello"), bash("sleep 60"), task=replace(TASK, timeout_s=2.0))
    assert (result.trial.outcome, result.trial.reason) == ("limit", "agent_timeout")
    first, second = (step for step in result.trajectory.steps if step.source == "agent")
    assert first.observations[0].text == "hello"
    assert (len(second.calls), second.observations) == (1, ())
    assert result.trial.usage == Usage(input_tokens=200, output_tokens=20, usd=0.02)
    assert len(read_cassette(result.artifacts["cassette.jsonl"]).answers) == 2
    assert result.final.write.text("new") == "1\n"


def test_a_model_that_does_not_answer_makes_the_trial_void_and_what_was_done_is_kept():
    result = attempted(*solution(), ModelError("overloaded", transient=True, status=529))
    assert result.trial.outcome == "void"
    assert result.trial.reason == "ModelError: overloaded"
    assert result.trial.usage.usd == pytest.approx(0.01 * len(solution()))
    assert result.final.apply(TASK.workspace) == TASK.hidden.reference.apply(TASK.workspace)
    assert result.trial.claimed is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("turns", "outcome"), [([bash("true")] * 9, "limit"), ([*solution(), *[bash("true")] * 9], "passed")]
)
def test_a_limit_is_an_outcome_only_where_the_work_does_not_stand(turns, outcome):
    result = attempted(*turns, limits=AgentLimits(turns=3))
    assert (result.trial.outcome, result.trial.reason) == (outcome, "limit: turns")
    assert result.trial.usage.usd == pytest.approx(0.03)


def test_a_trial_in_flight_when_all_is_stopped_leaves_its_journal_and_the_next_run_is_untouched(tmp_path):
    begun = anyio.Event()

    class Stuck:
        name = "stuck"
        calls = 0

        async def __call__(self, messages, tools=(), settings=None):
            self.calls += 1
            if self.calls == 2:
                begun.set()
                await anyio.sleep(600)
            return bash("echo hello") if self.calls == 1 else DONE

    model = Stuck()
    plan = Plan(SUITE, [Honest(model, tools=("bash",))], 1)
    folder = tmp_path / "s.unfinished"
    with create_study(tmp_path / "s.honestly") as study:

        async def stopped():
            async with anyio.create_task_group() as group:
                group.start_soon(run_plan, plan, study, LocalExecutor(open_sandbox, 1, folder))
                await begun.wait()
                group.cancel_scope.cancel()

        anyio.run(stopped)
        assert study.trial_ids() == frozenset()
        (path,) = folder.iterdir()
        step = decode(path.read_bytes().splitlines()[-1], JournalLine).step
        assert (step.observations[0].text, step.usage) == ("hello", COST)
        path.write_bytes(path.read_bytes() + b'{"n": 9, "st')
        anyio.run(lambda: run_plan(plan, study, LocalExecutor(open_sandbox, 1, folder)))
        assert len(study.trial_ids()) == 1
        assert list(folder.iterdir()) == [path]


KEY = "canary-key-81b2f0"


@asynccontextmanager
async def echoing_server():
    """A server that refuses every request, and repeats its headers in what it says."""

    async def serve(stream):
        async with stream:
            head = await BufferedByteReceiveStream(stream).receive_until(b"\r\n\r\n", 65536)
            body = b'{"error": {"message": "bad: ' + head.replace(b"\r\n", b" ").replace(b'"', b"") + b'"}}'
            size = str(len(body)).encode()
            await stream.send(
                b"HTTP/1.1 401 No\r\nContent-Type: application/json\r\nContent-Length: " + size + b"\r\n\r\n" + body
            )

    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    async with listener, anyio.create_task_group() as group:
        group.start_soon(listener.serve, serve)
        yield f"http://127.0.0.1:{listener.extra(SocketAttribute.local_port)}/v1#m"
        group.cancel_scope.cancel()


def test_a_key_gets_neither_into_the_sandbox_nor_into_what_is_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("HONESTLY_MODEL_KEY", KEY)
    hunt = "env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n'; grep -rs canary-key /tmp /etc /workspace; echo end"
    path = tmp_path / "s.honestly"

    async def go():
        async with scripted_server([bash(hunt), DONE]) as server, echoing_server() as bad:
            agents = [
                Honest(make_model(server.spec()), tools=("bash",), name="hunter"),
                Honest(make_model(bad), tools=("bash",), name="refused"),
            ]
            with create_study(path) as study:
                await run_plan(Plan(SUITE, agents, 1), study, LocalExecutor(open_sandbox, 2))
                trials = {trial.agent: trial for trial in study.trials()}
                texts = [study.trajectory(trial.id) for trial in trials.values()]
                kept = [study.artifact(t.id, name) for t in trials.values() for name in study.artifacts(t.id)]
            return server.requests, trials, repr(texts) + repr(kept)

    requests, trials, kept = anyio.run(go)
    assert requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert trials["refused"].outcome == "void"
    assert "PATH=" in kept
    assert "end" in kept
    assert KEY not in kept + repr(trials)
    with sqlite3.connect(path) as base:
        base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert KEY.encode() not in b"".join(p.read_bytes() for p in tmp_path.iterdir() if p.is_file())


@pytest.mark.slow
def test_the_command_makes_one_agent_for_each_model(tmp_path):
    script = '{"calls": [{"name": "finish", "arguments": {"outcome": "cannot", "summary": "x"}}]}'
    for name in ("a", "b"):
        (tmp_path / name).write_text(script)
    path = tmp_path / "s.honestly"
    command = [sys.executable, "-m", "honestly", "run", "embedded", "--task", "split-bill", "-o", str(path)]
    agents = ["-a", "honest:max-turns=5", "-a", "nop", "-m", f"script:{tmp_path}/a", "-m", f"script:{tmp_path}/b"]
    done = subprocess.run([*command, *agents, "--budget-tokens", "1000"], capture_output=True, text=True)
    assert "3 of 3 trials" in done.stderr, done.stderr
    with open_study(path) as study:
        records = {agent.name: agent for agent in study.agents()}
    assert set(records) == {"nop", *(f"honest:max-turns=5@script:{tmp_path}/{name}" for name in "ab")}
    real = records[f"honest:max-turns=5@script:{tmp_path}/a"]
    assert (real.settings["max_turns"], real.settings["max_tokens"]) == (5, 1000)


@pytest.mark.parametrize(
    ("agent", "model", "usd", "said"),
    [
        ("honest:easy=0.5", True, None, "agent 'honest' with a model has no setting 'easy'"),
        ("nop", True, None, "nop work"),
        ("honest:tools=bash", False, None, "works with a model; add --model"),
        ("honest:tools=bsh", True, None, "there is no tool 'bsh' (did you mean 'bash'?)"),
        ("honest:max-turns=0", True, None, "is '0'; expected a whole number from 1"),
        ("honest:temperature=hot", True, None, "is 'hot'; expected a number"),
        ("honest:project=maybe", True, None, "is 'maybe': Invalid enum value 'maybe'; expected one of yes, no"),
        ("honest", False, 1.0, "add --model"),
    ],
)
def test_what_makes_no_sense_is_said_before_anything_runs(tmp_path, agent, model, usd, said):
    (tmp_path / "a").write_text('{"text": "x"}')
    models = [f"script:{tmp_path}/a"] if model else []
    with pytest.raises(AgentError, match=re.escape(said)):
        actors_of(tried(agent, models, usd), SUITE)
