"""Our environment beside verifiers and OpenEnv: the same code task, own process, no network, fresh files, in one run.

    python bench/environments.py [--episodes 100] [--at-once 8] [--rounds 3]

Each rival is installed in an environment of its own (tests/peers.py), and plays by its own way: verifiers v1 a taskset
with a harness in its process and its subprocess runtime, OpenEnv a server and clients over WebSocket. They write the
answer into a new folder and run visible and hidden tests there with `unshare --net`, a process for each. Rounds are
interleaved. Printed are episodes per second of CPU time (a core that does nothing else) and the memory that an episode
adds (proportional, of all processes, at the peak). What they do not isolate: the work and its judge share process,
user and file system, see the files of the host, and may write the result; ours has mounts, processes and users of its
own, and a wire between work and judge.
"""

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).parent
RIGHT, SPECIAL = "def total(values):\n    return sum(values)\n", "def total(values):\n    return 3\n"
TESTS = {
    "visible": "import unittest\nfrom work import total\n\n\nclass T(unittest.TestCase):\n"
    "    def test_one(self):\n        self.assertEqual(total([1, 2]), 3)\n\n\nunittest.main()\n",
    "hidden": "from work import total\nassert total([4, 5, 6]) == 15\n",
}


def proportional_kib() -> int:
    """Proportional memory of this process and all that it began."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
    own = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in own} - own:
        own |= more
    total = 0
    for pid in own:
        try:
            rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
            total += int(rollup.split("\nPss:", 1)[1].split()[0])
        except (OSError, IndexError):
            continue
    return total


class Measure:
    """CPU time and peak memory between enter and exit, of this process and its children."""

    def __enter__(self):
        self.before, self.peak, self.over = proportional_kib(), 0, threading.Event()
        self.began = cpu_s()
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()
        return self

    def watch(self):
        while not self.over.wait(0.5):
            self.peak = max(self.peak, proportional_kib())

    def __exit__(self, *_):
        self.cpu = cpu_s() - self.began
        self.over.set()
        self.thread.join()


def cpu_s() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    try:
        from honestly.sandbox import cpu_seconds

        return max(cpu_seconds(), sum(each.ru_utime + each.ru_stime for each in used))
    except ImportError:
        return sum(each.ru_utime + each.ru_stime for each in used)


def answer(number: int) -> str:
    return RIGHT if number % 2 else SPECIAL


async def judged(folder: str, program: str) -> float:
    """As rivals do it: write, and run the tests in a process each, without a network."""
    Path(folder, "work.py").write_text(program)  # noqa: ASYNC240
    passed = []
    for name, text in TESTS.items():
        Path(folder, f"{name}.py").write_text(text)  # noqa: ASYNC240
        process = await asyncio.create_subprocess_exec(
            "unshare", "--net", "--map-root-user", sys.executable, "-I", "-S", "-c",
            f"import sys; sys.path.insert(0, '.'); sys.argv = ['{name}']; exec(open('{name}.py').read())",
            cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        passed.append(await process.wait() == 0)
    return float(passed[1])


async def ours(episodes: int, at_once: int) -> list[float]:
    sys.path.insert(0, str(HERE))
    import anyio
    from environment import SUITE

    from honestly.train import Environment

    rewards, numbers = [], iter(range(episodes))
    async with Environment(SUITE) as environment:
        with Measure() as measure:

            async def play():
                for number in numbers:
                    episode = await environment.reset()
                    rewards.append((await episode.step(f"```python\n{answer(number)}```")).reward)

            async with anyio.create_task_group() as group:
                for _ in range(at_once):
                    group.start_soon(play)
    return rewards, measure


async def verifiers(episodes: int, at_once: int):
    folder = tempfile.mkdtemp()
    Path(folder, "plain_sums.py").write_text(PLAIN)  # noqa: ASYNC240
    sys.path[:0] = [folder, str(HERE)]
    import verifiers.v1 as vf
    from verifiers.v1.utils.loaders import load_environment

    os.environ["PLAIN_KEY"] = "x"
    from environment import Model

    env = load_environment(
        vf.SingleAgentEnvConfig(taskset={"id": "plain-sums"}, agent={"runtime": {"type": "subprocess"}})
    )
    model = vf.ModelContext(model="m", client=vf.EvalClientConfig(base_url=Model().url, api_key_var="PLAIN_KEY"))
    (task,) = env.taskset
    gate = asyncio.Semaphore(at_once)
    async with env.serving():
        with Measure() as measure:
            played = await asyncio.gather(*(env.run_slot(slot, model, gate) for slot in env.slots(task, episodes)))
    return [each.traces[0].reward for each in played], measure


PLAIN = """
import re

import httpx
import verifiers.v1 as vf
from environments import judged


class SumTask(vf.Task[vf.TaskData]):
    @vf.reward
    async def hidden(self, trace, runtime) -> float:
        said = trace.branches[-1].messages[-1].content
        return await judged(str(runtime.workdir), re.findall(r"```python\\n(.*?)```", said, re.DOTALL)[-1])


class Sums(vf.Taskset[SumTask, vf.TasksetConfig]):
    def load(self):
        yield SumTask(vf.TaskData(prompt="Write `total` in `work.py`: the sum of a list of numbers."))


class Say(vf.Harness[vf.HarnessConfig]):
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(self, ctx, trace, runtime, endpoint, secret, mcp_urls, data):
        async with httpx.AsyncClient(timeout=60) as client:
            body = {"model": ctx.model, "messages": [{"role": "user", "content": data.prompt}]}
            key = {"Authorization": f"Bearer {secret}"}
            (await client.post(f"{endpoint}/chat/completions", json=body, headers=key)).raise_for_status()
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")


__all__ = ["Say", "Sums"]
"""


async def openenv(episodes: int, at_once: int):
    import shutil
    import socket

    import uvicorn
    from openenv.core import GenericEnvClient
    from openenv.core.env_server import create_app
    from openenv.core.env_server.interfaces import Environment
    from openenv.core.env_server.types import Action, Observation, State

    class Answer(Action):
        program: str

    class Sums(Environment):
        SUPPORTS_CONCURRENT_SESSIONS = True
        folder = ""

        async def reset_async(self, **_):
            self.close()
            self.folder = tempfile.mkdtemp()
            return Observation()

        async def step_async(self, action, **_):
            return Observation(done=True, reward=await judged(self.folder, action.program))

        def reset(self, **_): ...
        def step(self, action, **_): ...

        @property
        def state(self):
            return State()

        def close(self):
            shutil.rmtree(self.folder, ignore_errors=True)

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    app = create_app(Sums, Answer, Observation, env_name="sums", max_concurrent_envs=64)
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="warning"))
    serving = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - theirs has no event
        await asyncio.sleep(0.05)
    rewards, numbers = [], iter(range(episodes))

    async def play():
        async with GenericEnvClient(base_url=f"http://127.0.0.1:{port}") as client:
            for number in numbers:
                await client.reset()
                rewards.append((await client.step({"program": answer(number)})).reward)

    with Measure() as measure:
        await asyncio.gather(*(play() for _ in range(at_once)))
    server.should_exit = True
    await serving
    return rewards, measure


PLAYERS = {"honestly": ours, "verifiers": verifiers, "openenv": openenv}
RELEASES = {"verifiers": "verifiers==0.4.0", "openenv": "openenv==0.10.0"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--episodes", type=int, default=100)
    parser.add_argument("--at-once", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--play", choices=PLAYERS, help=argparse.SUPPRESS)
    said = parser.parse_args()
    if said.play:
        began = time.monotonic()
        rewards, measure = asyncio.run(PLAYERS[said.play](said.episodes, said.at_once))
        assert sorted(rewards) == [0.0] * (said.episodes // 2) + [1.0] * (said.episodes // 2), rewards
        added = max(0, measure.peak - measure.before)
        print(json.dumps({"cpu": measure.cpu, "wall": time.monotonic() - began, "kib": added / said.at_once}))
        return
    sys.path.insert(0, str(HERE.parent / "tests"))
    from peers import released

    pythons = {"honestly": sys.executable} | {name: str(released(pin)) for name, pin in RELEASES.items()}
    found: dict[str, list[dict]] = {name: [] for name in PLAYERS}
    print(f"load {os.getloadavg()[0]:.1f}")
    for _ in range(said.rounds):
        for name, python in pythons.items():
            words = [python, __file__, "--play", name, "--episodes", str(said.episodes), "--at-once", str(said.at_once)]
            environ = os.environ | {"PYTHONPATH": str(HERE.parent / "src")}
            done = subprocess.run(words, capture_output=True, text=True, check=False, env=environ)
            if done.returncode:
                raise SystemExit(f"{name}: {done.stderr[-3000:]}")
            found[name].append(json.loads(done.stdout.splitlines()[-1]))
    for name, rounds in found.items():
        cpus = sorted(said.episodes / each["cpu"] for each in rounds)
        memory = sorted(each["kib"] / 1024 for each in rounds)
        print(f"{name:<10} {cpus[len(cpus) // 2]:7.1f} episodes per second and core [{cpus[0]:.1f}, {cpus[-1]:.1f}]"
              f"  {memory[len(memory) // 2]:6.1f} MiB an episode  {RELEASES.get(name, 'this checkout')}")  # fmt: skip


if __name__ == "__main__":
    main()
