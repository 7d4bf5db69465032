"""A suite that grows: agents of known truth try what is proposed, and all that is kept, counted, written is held to it."""

import ast
import json
from functools import partial
from itertools import count

import anyio
import msgspec
import pytest
from histories import SUMS, SUMS_TEST

from honestly.agents import CHEATS, Hands, make_agents
from honestly.errors import TaskError
from honestly.records import Agent, Checks, Edit, Hidden, Suite, Task, Tree
from honestly.runner import LocalExecutor, run_plan
from honestly.sandbox import open_sandbox
from honestly.taskgen import (
    Clusters,
    Functions,
    GrowTerms,
    MakingTerms,
    WantedTasks,
    _tested,
    grow_suite,
    open_repository,
)
from honestly.taskgen._sources import Offspring, Parent
from honestly.tasks import load_suite

pytestmark = pytest.mark.slow

MOODS = ("half, and a hack", "half", "always", "never")
HOW = MakingTerms(runs=2)


def moods(tasks):
    """What the agent does with each task of a round; those that show tests come first."""
    names = [task.id for task in sorted(tasks, key=lambda task: (task.visible is None, task.id))]
    return dict(zip(names, MOODS, strict=False))


class Moody:
    """Solves some tasks always, some never, some every other time; in some it also empties the tests that it sees."""

    record = Agent(name="moody", program="moody", version="1")

    def __init__(self, suite):
        (self._oracle,) = make_agents(["oracle"], suite)
        (self._idle,) = make_agents(["nop"], suite)
        self._suite, self._turns = suite, {task.id: count() for task in suite.tasks}
        self._moods = moods(suite.tasks)

    async def __call__(self, run, box):
        mood, turn = self._moods[run.task.id], next(self._turns[run.task.id])
        if mood == "never" or (mood.startswith("half") and turn % 2):
            await self._idle(run, box)
            return
        if mood == "half, and a hack" and run.task.visible is not None:
            await CHEATS["edit-tests"](Hands(run, box), run.task, self._suite.task(run.task.id).hidden)
        await self._oracle(run, box)


async def carry_out(plan, store, _path):
    await run_plan(plan, store, LocalExecutor(open_sandbox, 1))


def terms(**given):
    return GrowTerms(
        **{"actors": lambda suite: [Moody(suite)], "carry_out": carry_out, "count": 4, "samples": 2} | given
    )


def bodies(tree):
    """Each function of a workspace, as its syntax."""
    found = {}
    for path, file in tree.files.items():
        if path.endswith(".py") and "test" not in path:
            for node in ast.parse(file.data).body:
                for inner in node.body if isinstance(node, ast.ClassDef) else [node]:
                    owner = f"{node.name}::" if isinstance(node, ast.ClassDef) else ""
                    if isinstance(inner, ast.FunctionDef):
                        found[f"{path}::{owner}{inner.name}"] = ast.dump(inner)
    return found


@pytest.fixture
def grown(history, tmp_path):
    """Two rounds over a small repository, and what came of them."""
    history.commit("Sums", {"shares.py": None, "test_shares.py": None, "sums.py": SUMS, "test_sums.py": SUMS_TEST})
    into = tmp_path / "grown"
    with open_repository(history.folder) as repository:

        async def go(**given):
            found = await _tested.tested_commit(repository, repository.commits_from("HEAD", 1)[0], open_sandbox, HOW)
            origin = await Functions.of(found, open_sandbox, steps=False)
            return await grow_suite(origin, into, terms(**given), open_sandbox, HOW)

        yield into, go


def test_what_is_kept_is_what_the_agent_solves_sometimes_and_nothing_held_out_is_touched(grown):
    into, go = grown
    made = anyio.run(go)
    held = set(json.loads((into / "held-out.json").read_text())["held_out"])
    assert held == {each for each in held if each.startswith("sums.py::")} != set()
    passes = {"always": 2, "never": 0, "half": 1, "half, and a hack": 1}
    fates = {"always": "trivial", "never": "unsolved", "half": "kept", "half, and a hack": "kept"}
    tried = [task for each in made.rounds for task in each.tasks]
    assert len({task.task for task in tried}) == len(tried) == 8
    written = flagged = 0
    rounds = [load_suite(into / "proposed", only=[task.task for task in each.tasks]).tasks for each in made.rounds]
    truth = {name: mood for tasks in rounds for name, mood in moods(tasks).items()}
    for task in tried:
        mood = truth[task.task]
        shows = load_suite(into / "proposed", only=[task.task]).tasks[0].visible is not None
        assert (task.fate, task.lineage.passed, task.lineage.trials) == (fates[mood], passes[mood], 2), task
        written += mood == "half" or (mood == "half, and a hack" and not shows)
        flagged += mood == "half, and a hack" and shows
    assert flagged
    assert (made.training.written, made.training.flagged) == (written, flagged)
    kept = load_suite(into / "tasks").tasks
    assert {task.id for task in kept} == {task.task for task in tried if task.fate == "kept"}
    known = {task.id for task in kept}
    for task in kept:
        solved = task.hidden.reference.apply(task.workspace)
        before, after = bodies(task.workspace), bodies(solved)
        changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
        record = json.loads((into / "tasks" / task.id / "made.json").read_text())
        assert changed
        assert not changed & held
        assert changed <= set(record["sources"])
        assert record["lineage"]["round"] in (1, 2)
        assert record["lineage"]["parent"] in known | {""}
    assert any(task.lineage.parent for task in tried)
    lines = [json.loads(line) for line in (into / "training" / "full_std.jsonl").read_text().splitlines()]
    assert len(lines) == written
    assert {line["details"]["task"] for line in lines} <= known
    assert all(line["details"]["resolved"] for line in lines)
    for task in load_suite(into / "held-out").tasks:
        assert bodies(task.workspace) != bodies(task.hidden.reference.apply(task.workspace))
        before, after = bodies(task.workspace), bodies(task.hidden.reference.apply(task.workspace))
        assert {name for name in after if before[name] != after[name]} <= held
    said = (into / "grow.json").read_bytes()
    assert anyio.run(go) == made
    assert (into / "grow.json").read_bytes() == said
    with pytest.raises(TaskError, match="was started with"):
        anyio.run(partial(go, seed=1))


def test_a_suite_grows_from_the_clusters_that_are_not_held_out(tmp_path):
    suite = load_suite("embedded", only=["split-bill", "api-move", "board-snapshots", "bisect-builds"])
    origin = Clusters.of(suite)
    into = tmp_path / "grown"
    made = anyio.run(
        partial(grow_suite, origin, into, terms(rounds=1, count=3, samples=2, held_out=0.25), open_sandbox, HOW)
    )
    (held,) = json.loads((into / "held-out.json").read_text())["held_out"]
    assert len(made.rounds[0].tasks) == 3
    parents = {task.lineage.parent for task in made.rounds[0].tasks}
    assert parents <= {task.id for task in suite.tasks}
    assert held not in {origin.clusters[parent] for parent in parents}
    (apart,) = load_suite(into / "held-out").tasks
    assert apart.tags.cluster == held or origin.clusters[apart.id.partition("-g.")[0]] == held
    assert msgspec.json.decode((into / "grow.json").read_bytes())["rounds"][0]["round"] == 1


class Planter:
    """Told to plant a fault: one turn nothing, one turn in a new file, one turn a fault."""

    record = Agent(name="planter", program="planter", version="1")

    def __init__(self):
        self._turns = count()

    async def __call__(self, run, box):
        hands, turn = Hands(run, box), next(self._turns)
        assert "Plant one fault" in run.task.instruction
        assert run.task.visible is None
        if turn == 1:
            await hands.bash("echo x > more.py", why="A new file.")
        if turn == 2:
            await hands.bash("sed -i 's/+=/-=/' sums.py", why="A fault.")
        hands.finish("Done.", claimed=True)


def test_an_agent_may_plant_the_faults_and_only_in_the_source(tmp_path):
    checks = Checks(runner="pytest", files=Tree.of({"test_sums.py": SUMS_TEST}), expected=("test_sums.py::test_total",))
    stub = SUMS.replace("        found += value\n", "        pass\n")
    task = Task(
        id="sums", instruction="Write the sums.", workspace=Tree.of({"sums.py": stub}),
        hidden=Hidden(checks=checks, reference=Edit(write=Tree.of({"sums.py": SUMS}))),
    )  # fmt: skip
    origin = Clusters.of(Suite(name="sums", version="1", tasks=(task,)))
    planter = Planter()
    line = Offspring(origin, frozenset(), tmp_path, open_sandbox, HOW, lambda _suite: [planter])
    parents = [Parent(task, origin.sources, origin.revision)]
    rows = anyio.run(partial(line.make_children, parents, WantedTasks(count=1), "round-2", lambda *_: None))
    assert [row.refused for row in rows] == ["it changed nothing", "it changed what it may not: more.py", None]
    (made,) = load_suite(tmp_path).tasks
    assert "found -= value" in made.workspace.files["sums.py"].data.decode()
    assert made.hidden.reference.apply(made.workspace) == Tree.of({"sums.py": SUMS})
    assert json.loads((tmp_path / made.id / "made.json").read_text())["versions"]["proposer"] == "planter"
