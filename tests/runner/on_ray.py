"""What `test_ray.py` runs under a Python that has Ray: real clusters, whose processes are killed while trials run."""

import os
import signal
import socket
import sys
import threading
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from secrets import token_hex

import anyio
import pytest
import ray
from ray.cluster_utils import Cluster

from disturbed import content
from honestly.agents import FunctionAgent, make_agents
from honestly.errors import AgentError, HonestlyError, ModelError, SandboxUnavailableError
from honestly.models import RetryModel, ScriptedModel, assistant_message, make_model, scripted_server
from honestly.records import Outcome
from honestly.runner import LOST, LocalExecutor, Oversight, Plan, RayExecutor, RayOptions, Redo, run_plan
from honestly.sandbox import open_sandbox
from honestly.store import create_study
from honestly.tasks import load_suite

SUITE = load_suite("embedded", only=["split-bill", "stock-holds"])
AT_ONCE = Redo(waits_s=(0.1, 0.1))
SLOW_AGENT = """
import anyio
from pauses import PAUSE_S
from honestly.agents import Actor

class Slow:
    def __init__(self, agent: Actor, *, pause: float = PAUSE_S):
        self.agent, self.pause = agent, pause

    async def __call__(self, run, box):
        await anyio.sleep(self.pause)
        await self.agent(run, box)
"""


def plan_of(*specs, samples=2):
    return Plan(SUITE, make_agents(specs, SUITE), samples)


def run(executor, plan, path, progress=lambda _: None, redo=AT_ONCE):
    async def whole():
        with create_study(path) as study:
            async with executor:
                over = Oversight(before=executor.preflight)
                state = await run_plan(plan, study, executor, progress, redo=redo, oversight=over)
            return state, {trial.id: trial for trial in study.trials()}

    return anyio.run(whole)


def equals_an_undisturbed_one(path, plan):
    """Whether a study is that of a run without Ray, in which nothing died."""
    calm = path.with_name("calm.honestly")
    with create_study(calm) as study:
        anyio.run(run_plan, plan, study, LocalExecutor(open_sandbox, 3))
    return content(path) == content(calm)


@pytest.fixture
def cluster():
    """Two nodes of one core each, the connection to which belongs to the test."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "ray_client_server_port": port})
    made.client = f"ray://127.0.0.1:{port}"
    made.second = made.add_node(num_cpus=1, env_vars={"SECOND": "1"})
    made.wait_for_nodes()
    yield made
    made.shutdown()


@pytest.fixture
def own_agent(tmp_path, monkeypatch):
    """A module in the current directory, which imports another one there."""
    (tmp_path / "slowly.py").write_text(SLOW_AGENT)
    (tmp_path / "pauses.py").write_text("PAUSE_S = 0.0\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield "slowly:Slow"
    for name in ("slowly", "pauses"):
        sys.modules.pop(name, None)


def on(cluster, **more):
    return RayExecutor(open_sandbox, RayOptions(address=cluster.address, **more))


def kill(node):
    """kill -9 of what makes a machine a node, while a trial runs there: of its raylet, and of its workers."""
    raylet = node.all_processes["raylet"][0].process.pid
    while not (there := working(raylet)):
        time.sleep(0.01)
    for process in (raylet, *there):
        os.kill(process, signal.SIGKILL)


def working(raylet=None):
    """Processes that run a trial now, on any node or one."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if (folder / "cmdline").read_bytes().startswith(b"ray::trial of ") and raylet in {None, parent}:
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def test_two_hundred_trials_of_an_agent_from_a_file_over_two_nodes(cluster, own_agent, tmp_path):
    plan = plan_of(f"{own_agent},agent='honest:easy=0.5,medium=0.5,name=one'", "honest:easy=0.4", samples=50)
    state, trials = run(on(cluster), plan, tmp_path / "ray.honestly")
    assert (state.done, state.total, state.redone) == (200, 200, 0)
    by_node = Counter(trial.isolation.node for trial in trials.values())
    assert len(by_node) == 2
    assert min(by_node.values()) > 20
    assert all(node.startswith(f"{socket.gethostname()}/") for node in by_node)
    assert equals_an_undisturbed_one(tmp_path / "ray.honestly", plan)
    assert len({trial.outcome for trial in trials.values()}) == 2


def test_a_node_that_is_killed_costs_one_attempt_of_the_trials_on_it(cluster, own_agent, tmp_path):
    plan = plan_of(f"{own_agent},agent='honest:easy=0.5,name=one',pause=0.5", "claim-only", samples=8)
    killed = []

    def watch(state):
        there = state.latest and state.latest.isolation.node.endswith(cluster.second.node_id[:8])
        if there and state.done >= 6 and not killed:
            killed.append(kill(cluster.second))

    state, trials = run(on(cluster), plan, tmp_path / "ray.honestly", watch)
    lost = {name: trial.earlier for name, trial in trials.items() if trial.earlier}
    assert killed
    assert (state.done, state.total, state.void) == (32, 32, 0)
    assert 1 <= len(lost) == state.redone
    for attempts in lost.values():
        assert [attempt.outcome for attempt in attempts] == [Outcome.VOID]
        assert attempts[0].reason.startswith(f"{LOST}: ")
    assert not state.given_up
    assert equals_an_undisturbed_one(tmp_path / "ray.honestly", plan)


def test_a_worker_that_is_killed_costs_one_attempt(cluster, own_agent, tmp_path):
    plan = plan_of(f"{own_agent},agent='honest:easy=0.5,name=one',pause=0.5", samples=6)
    killed = []

    def watch(state):
        if state.done >= 2 and not killed:
            while not (found := working()):
                time.sleep(0.02)
            killed.append(os.kill(found[0], signal.SIGKILL))

    state, _ = run(on(cluster), plan, tmp_path / "ray.honestly", watch)
    assert killed
    assert (state.done, state.void, state.redone) == (12, 0, 1)
    assert equals_an_undisturbed_one(tmp_path / "ray.honestly", plan)


def test_a_trial_that_takes_its_worker_with_it_twice_stays_void(cluster, tmp_path, monkeypatch):
    (tmp_path / "deadly.py").write_text("import os\n\nasync def deadly(run, box):\n    os.kill(os.getpid(), 9)\n")
    monkeypatch.chdir(tmp_path)
    plan = plan_of("deadly:deadly", samples=1)
    state, trials = run(on(cluster), plan, tmp_path / "ray.honestly", redo=replace(AT_ONCE, waits_s=(0.1,) * 5))
    assert (state.void, state.redone) == (2, 2)
    assert all(len(trial.earlier) == 1 and trial.reason.startswith(LOST) for trial in trials.values())


def picky(tree, **how):
    if "SECOND" in os.environ:
        raise SandboxUnavailableError("this kernel has no namespaces")
    return open_sandbox(tree, **how)


def hopeless(tree, **how):
    raise SandboxUnavailableError("this kernel has no namespaces")


def test_a_node_without_sandboxes_gets_no_trials(cluster, tmp_path, caplog):
    options = RayOptions(address=cluster.address)
    state, trials = run(RayExecutor(picky, options), plan_of("honest", samples=4), tmp_path / "ray.honestly")
    assert (state.done, state.void) == (8, 0)
    assert len({trial.isolation.node for trial in trials.values()}) == 1
    assert "this node gets no trials" in caplog.text
    assert "has no namespaces" in caplog.text
    with pytest.raises(SandboxUnavailableError, match="no node of Ray can run trials"):
        run(RayExecutor(hopeless, options), plan_of("honest"), tmp_path / "none.honestly")
    assert not ray.is_initialized()


def test_a_node_without_what_we_depend_on_gets_no_trials(cluster, tmp_path, caplog):
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "msgspec.py").write_text("raise ModuleNotFoundError(\"No module named 'msgspec'\")\n")
    cluster.add_node(num_cpus=1, env_vars={"PYTHONPATH": str(tmp_path / "bare")})
    cluster.wait_for_nodes()
    state, trials = run(on(cluster), plan_of("honest", samples=4), tmp_path / "ray.honestly")
    assert (state.done, state.void) == (8, 0)
    assert len({trial.isolation.node for trial in trials.values()}) <= 2
    assert "this node gets no trials" in caplog.text
    assert "No module named 'msgspec'" in caplog.text


def test_what_cannot_travel_is_said(cluster, tmp_path):
    async def here(run, box):
        with held:
            pass

    held = threading.Lock()
    plan = Plan(SUITE, [FunctionAgent.of(here)], 1)
    with pytest.raises(AgentError, match="agent 'here' cannot travel"):
        run(on(cluster), plan, tmp_path / "ray.honestly")
    with pytest.raises(HonestlyError, match="env names NOT_SET, which is not set here"):
        run(on(cluster, env=("NOT_SET",)), plan, tmp_path / "ray2.honestly")


def test_a_client_of_ray_runs_trials_too(cluster, own_agent, tmp_path):
    plan = plan_of(f"{own_agent},agent='honest:easy=0.5,name=one'", samples=3)
    executor = RayExecutor(open_sandbox, RayOptions(address=cluster.client, cpus=0.5, memory_mb=1 << 30))
    state, _ = run(executor, plan, tmp_path / "ray.honestly")
    assert (state.done, state.redone) == (6, 0)
    assert equals_an_undisturbed_one(tmp_path / "ray.honestly", plan)


def test_a_key_travels_only_where_it_is_named_and_is_written_nowhere(cluster, tmp_path, monkeypatch):
    key = f"sk-{token_hex(16)}"  # this file travels, too
    monkeypatch.setenv("HONESTLY_MODEL_KEY", key)

    async def asked(path, *env):
        async with scripted_server(
            ScriptedModel([assistant_message("I have looked at it.")] * 3, by_turn=True)
        ) as server:
            model = RetryModel(make_model(server.spec()))
            plan = Plan(SUITE, make_agents(["honest"], SUITE, [model]), 1)
            options = RayOptions(address=cluster.address, env=env)
            with create_study(path) as study:
                async with RayExecutor(open_sandbox, options) as executor:
                    await run_plan(plan, study, executor, oversight=Oversight(before=executor.preflight))
                return [request.headers["authorization"] for request in server.requests], list(study.trials())

    with pytest.raises(ModelError, match="keys are not sent"):
        anyio.run(asked, tmp_path / "without.honestly")
    keys, trials = anyio.run(asked, tmp_path / "with.honestly", "HONESTLY_MODEL_KEY")
    assert set(keys) == {f"Bearer {key}"}
    assert not any(trial.outcome is Outcome.VOID for trial in trials)
    written = [path for path in (*Path(os.environ["RAY_TMPDIR"]).rglob("*"), *tmp_path.rglob("*")) if path.is_file()]
    assert len(written) > 20
    assert not [path for path in written if key.encode() in path.read_bytes()]
