"""What does running trials cost, apart from models and sandboxes? CPU per turn and memory per trial, beside inspect-ai.

python bench/overhead.py [--turns 20] [--trials 400] [--planned 100000] [--rounds 3] [--alone]

A scripted model that answers at once, one tool, no sandbox. Ours is what `honestly run` does: plan, queue, executor,
the real agent's loop with journal and cassette on disk, the study in SQLite, each trial durable; verification is left
out, since it works in sandboxes (`trial.py`). inspect-ai's is `react` with one tool and `mockllm`, epochs, its log in
`.eval`, in the environment that our tests make of it (`constraints/peer-inspect.txt`); no scorer. CPU per turn is the
difference of a long and a short run of each, so that starting up does not count; rounds are interleaved.

Then ours alone. Memory: so many trials in flight, all waiting for their first answer, or for their last. Peak: 1,000 in
flight, of ever more planned. Each measurement is a process of its own. `--alone` leaves inspect-ai out.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import anyio
from simulated import Simulated, at_once, cpu, held, peak, plan_of, resident

from honestly.runner import LocalExecutor, Redo, run_plan
from honestly.store import create_study, unfinished_folder

ROOT = Path(__file__).parents[1]
FLYING = 1000

THEIRS = """
import json, resource, sys
from inspect_ai import Task, eval
from inspect_ai.agent import react
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.tool import tool

trials, turns, flying, reply, seen, folder = *map(int, sys.argv[1:4]), *sys.argv[4:]

@tool
def look():
    async def execute(place: int) -> str:
        '''Shows a part of the file.

        Args:
            place: which part.
        '''
        return seen
    return execute

def answer(messages, tools, tool_choice, config):
    turn = sum(message.role == "assistant" for message in messages)
    last = turn + 1 == turns
    name, arguments = ("submit", {"answer": "x"}) if last else ("look", {"place": turn})
    output = ModelOutput.for_tool_call("mockllm/model", name, arguments, content=reply)
    read = 100 * (turn + 1)
    output.usage = ModelUsage(input_tokens=read, output_tokens=20, total_tokens=read + 20)
    return output

def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime

samples = 20
task = Task(dataset=[Sample(input=f"Do number {n}.", id=f"t{n}") for n in range(samples)], solver=react(tools=[look()]))
model, began = get_model("mockllm/model", custom_outputs=answer), cpu()
(log,) = eval(task, model=model, epochs=trials // samples, max_samples=flying, max_connections=flying,
              display="none", log_dir=folder, message_limit=None)
assert log.status == "success", str(log.error)[:500]
said = [message.text for message in log.samples[-1].messages if message.role == "tool"]
assert said[: turns - 1] == [seen] * (turns - 1), said[:2]
print(json.dumps({"cpu": cpu() - began, "turns": len(log.samples) * turns}))
"""


def ours(trials: int, turns: int, flying: int, wait: Callable[[int], Awaitable[None]] = at_once) -> dict[str, float]:
    """What it takes to run so many trials."""
    model = Simulated(turns, wait)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "study.honestly")
        with create_study(path) as study:
            began = cpu()
            executor = LocalExecutor(held, flying, unfinished_folder(path))
            state = anyio.run(partial(run_plan, plan_of(trials, model), study, executor, redo=Redo(breaker=0)))
            used = cpu() - began
            assert (state.void, state.missing) == (trials, 0), state
        size = path.stat().st_size
    assert model.answers == trials * turns
    return {"cpu": used, "turns": model.answers, "peak": peak(), "size": size}


def in_flight(flying: int, turns: int, at: int) -> dict[str, float]:
    """The memory of this process while so many trials wait for the answer of turn `at`."""
    waiting, measured, go = 0, 0, anyio.Event()

    async def wait(turn: int) -> None:
        nonlocal waiting, measured
        if turn != at:
            return
        waiting += 1
        if waiting == flying:
            measured = resident()
            go.set()
        await go.wait()

    ours(flying, turns, flying, wait)
    return {"resident": measured}


def many(trials: int, turns: int) -> dict[str, float]:
    """1,000 trials in flight, each of which waits a moment for each answer."""
    return ours(trials, turns, FLYING, lambda _: anyio.sleep(0.01))


def measured(what: str, *numbers: int) -> dict[str, float]:
    """One measurement, in a process of its own."""
    command = [sys.executable, __file__, "--one", what, *map(str, numbers)]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def theirs(python: Path, trials: int, turns: int) -> dict[str, float]:
    """The same of inspect-ai."""
    from simulated import REPLY, SEEN

    with tempfile.TemporaryDirectory() as folder:
        command = [python, "-c", THEIRS, str(trials), str(turns), "10", REPLY, SEEN, folder]
        return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def speed(turns: int, trials: int, rounds: int, *, alone: bool) -> None:
    """Prints the CPU of a turn of both, and their ratio."""
    ways = {"honestly": lambda n: measured("ours", n, turns, 10)}
    few, many = {"honestly": trials // 4}, {"honestly": trials}
    if not alone:
        sys.path.append(str(ROOT / "tests"))
        from peers import peer

        python = peer("inspect")
        ways["inspect-ai"] = lambda n: theirs(python, n, turns)
        few["inspect-ai"], many["inspect-ai"] = 20, 60
    spent: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            short, long = way(few[name]), way(many[name])
            spent[name].append((long["cpu"] - short["cpu"]) / (long["turns"] - short["turns"]))
    each = {name: statistics.median(found) for name, found in spent.items()}
    print(
        f"trials of {turns} turns, 10 in flight, {rounds} rounds; CPU of a turn, its trial's share and storing included"
    )
    for name, seconds in each.items():
        print(f"{name:12}{1e3 * seconds:8.3f} ms   {1 / seconds:8,.0f} turns/s/core")
    if not alone:
        print(f"inspect-ai / honestly: {each['inspect-ai'] / each['honestly']:.0f} times the CPU")


def memory(turns: int) -> None:
    """Prints the resident memory of trials in flight, and its slope."""
    sizes = (10, FLYING, 2 * FLYING)
    for at, what in ((0, "first"), (turns - 1, f"{turns}th")):
        found = [measured("in_flight", n, turns, at)["resident"] for n in sizes]
        slope = (found[2] - found[0]) / (sizes[2] - sizes[0])
        shown = ", ".join(f"{n}: {size / 2**20:.0f} MiB" for n, size in zip(sizes, found, strict=True))
        print(f"in flight, each waiting for the answer of its {what} turn: {shown}")
        print(f"  {slope / 1000:.1f} kB for each further trial")


def flatness(planned: int) -> None:
    """Prints the peak with ever more planned."""
    for trials in (1000, 10_000, 100_000):
        if trials <= planned:
            found = measured("many", trials, 2)
            print(
                f"{trials:>7,} planned, {FLYING:,} in flight: peak {found['peak'] / 2**20:.0f} MiB; "
                f"{found['cpu'] / trials * 1e3:.2f} ms of CPU for a trial of two turns"
            )


def main() -> None:
    """Prints all of it; or measures one thing, for another process of this program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument("--trials", type=int, default=400)
    parser.add_argument("--planned", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--one", nargs="+", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        what, *numbers = asked.one
        print(json.dumps({"ours": ours, "in_flight": in_flight, "many": many}[what](*map(int, numbers))))
        return
    speed(asked.turns, asked.trials, asked.rounds, alone=asked.alone)
    memory(asked.turns)
    flatness(asked.planned)


if __name__ == "__main__":
    main()
