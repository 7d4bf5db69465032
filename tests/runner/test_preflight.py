"""What would spoil every trial is said before the first one, and costs a question at most."""

import json
import time
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial

import anyio
import pytest
from anyio.abc import SocketAttribute

from forked import honestly
from honestly.agents import Honest, make_agent
from honestly.errors import AgentError, ModelError, PreflightError
from honestly.models import (
    Message,
    RetryModel,
    ScriptedModel,
    assistant_message,
    make_model,
    scripted_server,
    tool_call,
    trouble_with,
)
from honestly.records import Usage
from honestly.runner import Plan, preflight, run_attempt
from honestly.sandbox import open_sandbox
from honestly.studies import RunSettings, actors_of
from honestly.tasks import load_suite

SUITE = load_suite("embedded", only=["split-bill"])
TOKENS = Usage(input_tokens=1000, output_tokens=100)
DONE = assistant_message("", tool_call("finish", outcome="cannot", summary="x"), usage=TOKENS)


@asynccontextmanager
async def answering(status, text):
    """A server that gives one answer to every request; none at all where the status is 0."""

    async def serve(stream):
        async with stream:
            await stream.receive()
            if not status:
                await anyio.sleep_forever()
            body = json.dumps({"error": {"message": text}}).encode()
            head = f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            await stream.send(head.encode() + body)

    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    async with listener, anyio.create_task_group() as group:
        group.start_soon(listener.serve, serve)
        yield f"http://127.0.0.1:{listener.extra(SocketAttribute.local_port)}/v1#m"
        group.cancel_scope.cancel()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("status", "said"),
    [(401, "check the key"), (404, "check the address and the model's name"), (0, "did not answer within 2 s")],
)
def test_a_model_that_cannot_be_asked_is_named_with_what_to_do(status, said):
    async def go():
        async with answering(status, "no") as spec:
            return await trouble_with(RetryModel(make_model(spec)), seconds=2.0)

    (found,) = anyio.run(go)
    assert said in found


def test_an_endpoint_that_is_not_there_is_found_in_seconds():
    begun = time.monotonic()
    (found,) = anyio.run(trouble_with, RetryModel(make_model("http://127.0.0.1:9/v1#m")))
    assert "is the server running?" in found
    assert time.monotonic() - begun < 10


def run(*words):
    done = honestly("run", "embedded", "--task", "split-bill", *words)
    return done.returncode, done.stdout, done.stderr


def server(*turns):
    """A chat server while the block runs, in this process; the command is run in a thread."""
    return scripted_server(ScriptedModel([*turns] * 9, name="m"))


@pytest.mark.parametrize("price", ["2/10", "own-model=2/10"])
def test_a_price_reaches_the_model_that_an_agent_names_itself(price):
    async def go():
        async with server(DONE) as chat:
            named = f"honest:model={chat.spec('own-model')}"
            tried = RunSettings("", (named, "nop"), prices=price, budget_usd=1.0)
            (actor,) = (actor for actor in actors_of(tried, SUITE) if isinstance(actor, Honest))
            assert actor.limits.usd == 1.0
            answer = await actor.model([Message(role="user", text="?")])
            others = replace(tried, models=(chat.spec("another"),), prices=("2/10",))
            with pytest.raises(AgentError, match="does not say of which of 2 models"):
                actors_of(others, SUITE)
            return answer.usage.usd

    assert anyio.run(go) == pytest.approx((1000 * 2 + 100 * 10) / 1e6)


@pytest.mark.slow
def test_the_price_must_be_known_where_there_is_a_limit_in_dollars_and_can_be_given(tmp_path):
    out = tmp_path / "s.honestly"

    async def go():
        async with server(DONE) as chat:
            words = ("-a", "honest", "-m", chat.spec("own-model"), "--budget-usd", "1", "-o", str(out), "--json")
            refused = await anyio.to_thread.run_sync(partial(run, *words))
            asked = len(chat.requests)
            ran = await anyio.to_thread.run_sync(partial(run, *words, "--price", "2/10"))
            named = await anyio.to_thread.run_sync(partial(run, *words, "--price", "own-model=2/10/1", "-k", "2"))
            return refused, asked, ran, named

    (code, _, said), asked, ran, named = anyio.run(go)
    assert (code, asked) == (2, 1)
    assert "--price IN/OUT" in said
    assert "preflight failed, so nothing was run" in said
    assert ran[0] == 0, ran
    state = json.loads(ran[1])
    assert {key: state[key] for key in ("done", "total", "void", "missing", "redone")} == {
        "done": 1, "total": 1, "void": 0, "missing": 0, "redone": 0,
    }  # fmt: skip
    assert named[0] == 0, named
    from honestly.leaderboards import leaderboard
    from honestly.store import open_study

    with open_study(out) as study:
        assert [agent.name for agent in study.agents()] == [trial.agent for trial in study.trials()][:1]
        assert leaderboard(study).agents[0].usd == pytest.approx(2 * (1000 * 2 + 100 * 10) / 1e6)


@pytest.mark.parametrize("price", ["x", "1", "1/2/3/4", "-1/2", "a=b/c"])
def test_what_is_no_price_is_refused(price):
    from honestly.models import read_price

    with pytest.raises(ModelError, match="US dollars per million tokens"):
        read_price(price)


def test_a_command_line_needs_a_model_only_if_it_speaks_of_one(tmp_path):
    program = tmp_path / "worker"
    program.write_text('#!/bin/sh\necho done > made; test -z "$OPENAI_BASE_URL"\n')
    program.chmod(0o755)
    agent = make_agent(f"cli:{program} {{instruction_file}}", SUITE)
    plan = Plan(SUITE, [agent], 1)
    result = anyio.run(run_attempt, plan.trials[0], open_sandbox)
    assert (result.trial.outcome, result.trajectory.stop) == ("failed", "done")
    assert result.final.write.text("made") == "done\n"
    assert (agent.record.model, "told" in agent.record.settings) == ("", False)
    anyio.run(preflight, plan.trials, open_sandbox)
    program.write_text("#!/no/such/interpreter\n")
    with pytest.raises(PreflightError, match="worker does not start in the sandbox"):
        anyio.run(preflight, plan.trials, open_sandbox)
    with pytest.raises(AgentError, match="name one: --model"):
        make_agent(f"cli:{program} --model {{model}}", SUITE)


@pytest.mark.slow
def test_a_hanging_endpoint_under_a_limit_in_seconds_is_void_and_a_slow_agent_is_not():
    async def go(spec, **limits):
        agent = make_agent(f"honest:tools=bash,max-seconds={limits['seconds']}", SUITE, make_model(spec))
        return (await run_attempt(Plan(SUITE, [agent], 1).trials[0], open_sandbox)).trial

    async def hanging():
        async with answering(0, "") as spec:
            return await go(spec, seconds=1)

    trial = anyio.run(hanging)
    assert (trial.outcome, trial.reason) == ("void", "ModelError: the model never answered (limit: seconds)")
    slow = Honest(ScriptedModel([assistant_message("", tool_call("bash", command="sleep 30"))]), tools=("bash",))
    from honestly.agents import AgentLimits

    slow = Honest(slow.model, tools=("bash",), limits=AgentLimits(seconds=1))
    trial = anyio.run(run_attempt, Plan(SUITE, [slow], 1).trials[0], open_sandbox).trial
    assert (trial.outcome, trial.reason) == ("limit", "limit: seconds")


@pytest.mark.slow
def test_a_run_that_an_endpoint_ends_says_so_and_exits_with_5_and_one_that_is_void_with_1(tmp_path):
    out = tmp_path / "s.honestly"

    async def go():
        async with answering(401, "expired") as spec:
            words = ("-a", "honest", "-m", spec, "-k", "9", "-o", str(out), "-j", "1")
            first = await anyio.to_thread.run_sync(partial(run, *words))
            forced = await anyio.to_thread.run_sync(partial(run, *words, "--no-preflight"))
            whole = await anyio.to_thread.run_sync(partial(run, *words, "--no-preflight", "--breaker", "0", "--json"))
            return first, forced, whole

    first, forced, whole = anyio.run(go)
    assert (first[0], "expired; check the key" in first[2]) == (2, True), first
    assert forced[0] == 5, forced
    assert "Stopped honest@" in forced[2]
    assert f"honestly show {out} --outcome void --why" in forced[2]
    assert "to finish the other 9." in forced[2]
    assert whole[0] == 1
    state = json.loads(whole[1])
    assert (state["done"], state["void"], state["missing"], state["redone"]) == (0, 9, 0, state["redone"])
    assert state["redone"] in (5, 6, 7)  # one that began before the first was known, and one before the last was
