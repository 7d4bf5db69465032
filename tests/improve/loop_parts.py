"""Small projects and boxes for tests of loops."""

import json
import random
from contextlib import asynccontextmanager
from functools import partial

import anyio
from msgspec.structs import replace

from honestly.improve import (
    LOOPS,
    Evaluation,
    LoopTerms,
    begin_run,
    open_run,
    read_loop_budget,
    read_target,
    work_until_spent,
)
from honestly.improve.projects import write_example
from honestly.records import File, Tree
from honestly.sandbox import Result, open_sandbox

NAMES = [known.name for known in LOOPS.known]

unsafe_box = partial(open_sandbox, unsafe=True)

TOML = """
change = ["knobs.py"]
produce = "cat knobs.py"
evaluate = "sh judge.sh"
metric = "loss"
direction = "lower"
seconds = 10
"""
JUDGE = """
if [ "$1" = score ]; then awk -v s=$HONESTLY_SEED '/^LEVEL = /{x=$3} END{printf "{\\"loss\\": %.6f}\\n", x*x + (s % 97) / 970}'; fi
"""


def project(folder, toml=TOML, **files):
    folder.mkdir(parents=True)
    for name, text in {"improve.toml": toml, "judge.sh": JUDGE, "knobs.py": "LEVEL = 4\nRATE = 1.5\n", **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def begun(folder, agent="searcher", budget="10 attempts", **terms):
    run = folder / ".improve"
    terms = LoopTerms(
        **{"seed": 1, "keep": "" if terms.get("loop") == "harden" else "paired", **terms},
        agent=agent,
        budget=read_loop_budget(budget),
    )
    begin_run(run, read_target(folder), terms, folder.name)
    return run


def worked(run, open_box=unsafe_box, measure=None, then=work_until_spent):
    with open_run(run, open_box, measure) as opened:
        found = anyio.run(then, opened)
        return found if found is not None else opened.state


def plain(state):
    """What a journal says, apart from times and from what was interrupted."""
    still = {name: replace(each, seconds=0.0) for name, each in state.proposed.items()}
    looks = {name: replace(each, seconds=0.0, cpu=0.0, metrics={}) for name, each in state.evaluated.items()}
    begun = {name: replace(each, at=0.0) for name, each in state.begun.items()}
    return begun, still, looks, state.decided, state.sealed, state.best, state.score, state.edits, state.notes


class MemoryBox:
    """A box that only holds files."""

    name = "memory"

    def __init__(self, tree):
        self.files = dict(tree.files)

    async def write(self, path, data, *, executable=False):
        self.files[path.removeprefix("/workspace/")] = File(data=data)

    async def exec(self, command, **_):
        return Result(0, b"", b"", False, 0, 0.0)

    async def snapshot(self):
        return Tree(files=dict(self.files))


@asynccontextmanager
async def memory_box(tree, **_):
    yield MemoryBox(tree)


def scored(value, status="ok"):
    return Evaluation(status, value, {}, "", 0.0)


def kernel_project(folder):
    write_example("kernel", folder)
    return folder


class MachineBox(MemoryBox):
    """A box whose programs all print a number, and take a hundredth of a second."""

    async def exec(self, command, **_):
        return Result(0, b"1e11", b"", False, 0, 0.01)


@asynccontextmanager
async def machine_box(tree, **_):
    yield MachineBox(tree)


def kernel_times(log, wrong=()):
    """Measures the searcher's kernels by what they chose, with noise; the candidates `wrong` by their order are wrong."""
    seen = []

    async def measure(target, edit, seed):
        log.append(seed)
        text = target.workspace(edit).text("kernel.c")
        said = json.loads(text[13 : text.index(" */")]) if text.startswith("/* searched") else {"order": "ijk"}
        if text not in seen:
            seen.append(text)
        if seen.index(text) in wrong:
            return scored(None, "wrong")
        seconds = {"ijk": 0.4, "ikj": 0.2, "blocks": 0.08}[said["order"]] / (2 if said.get("optimize") else 1)
        seconds /= said.get("rows", 1) ** 0.3
        return scored(0.01 + seconds * random.Random(f"{seed}{text}").uniform(0.9, 1.1))

    return measure
