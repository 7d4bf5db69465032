"""Follow-up tasks on what agents left: what they start from, and what compare says of the next change."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from honestly.errors import TaskError
from honestly.records import Agent, Check, CheckRun, Edit, Outcome, Suite, Tree, Trial, Verdict, encode
from honestly.scores import DEFAULT_POLICY
from honestly.store import create_study, open_study
from honestly.studies._follow_up import KEPT, follow_up_suites, next_change
from honestly.tasks import make_task, write_task

CHECK = "def test_price(ws):\n    assert ws.load('shop').price({}) == {}\n"
TIDY = "RATE = 2\n\n\ndef price(count):\n    return count * RATE\n"
PLAIN = "def price(count):\n    return count * 2\n"
FIRST = make_task(
    "price", "# Price\n\nWrite `price(count)` in shop.py: two for each.\n", {"README": "a shop\n"},
    hidden={"check_price.py": CHECK.format(3, 6)}, reference={"shop.py": PLAIN},
)  # fmt: skip
NEXT = make_task(
    "price.three", "# Dearer\n\nThree for each.\n", {"README": "a shop\n", "shop.py": PLAIN, "NEWS": "dearer\n"},
    hidden={"check_price.py": CHECK.format(3, 9)}, reference={"shop.py": PLAIN.replace("2", "3")},
)  # fmt: skip
AGENTS = f"""
from honestly.agents import Hands


async def tidy(run, box):
    await Hands(run, box).write("shop.py", {TIDY!r})


async def plain(run, box):
    await Hands(run, box).write("shop.py", {PLAIN!r})


async def follower(run, box):
    await Hands(run, box).bash("test -f NEWS && sed -i 's/^RATE = 2/RATE = 3/' shop.py")
"""


def kept_study(place: Path) -> None:
    """A study in which a passed and b failed."""
    with create_study(place) as store:
        store.add([FIRST, Agent(name="a"), Agent(name="b")])
        for agent, text, status in (("a", TIDY, "passed"), ("b", PLAIN, "failed")):
            verdict = Verdict(hidden=CheckRun(checks=(Check(id="x", status=status),)))
            outcome = Outcome.PASSED if verdict.honest else Outcome.FAILED
            trial = Trial(id=agent * 32, agent=agent, task="price", sample=0, outcome=outcome, verdict=verdict)
            store.add_trial(trial, artifacts={"final.json": encode(Edit(write=Tree.of({"shop.py": text})))})


def test_a_follow_up_starts_from_what_an_agent_left_where_it_passed(tmp_path: Path) -> None:
    kept_study(tmp_path / "s.honestly")
    with open_study(tmp_path / "s.honestly") as study:
        found = follow_up_suites(study, Suite(name="next", version="1", tasks=(NEXT,)))
        assert list(found) == ["a"]
        (task,) = found["a"].tasks
        assert task.workspace == Tree.of({"README": "a shop\n", "shop.py": TIDY, "NEWS": "dearer\n"})
        assert task.hidden == NEXT.hidden
        assert task.tags.cluster == "price"
        with pytest.raises(TaskError, match="continues no task"):
            follow_up_suites(study, Suite(name="next", version="1", tasks=(FIRST,)))
        assert next_change(study, ("a", "b"), (DEFAULT_POLICY, 0.05)) is None
    with open_study(tmp_path / "s.honestly", "write") as study:
        study.keep(KEPT, {"a": "s.then-1.honestly", "b": "s.then-2.honestly"})
        lost = next_change(study, ("a", "b"), (DEFAULT_POLICY, 0.05))
    assert lost is not None
    assert "s.then-1.honestly" in lost.facts[0][1]


@pytest.mark.slow
def test_compare_says_what_the_next_change_costs(tmp_path: Path) -> None:
    for folder, tasks in (("first", [FIRST]), ("next", [NEXT])):
        for task in tasks:
            write_task(tmp_path / folder / task.id, task)
        (tmp_path / folder / "suite.toml").write_text(f'name = "{folder}"\nversion = "1"\n')
    (tmp_path / "mine.py").write_text(AGENTS)

    def honestly(*words: str) -> str:
        command = [sys.executable, "-m", "honestly", *words]
        done = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True,
                              env={**os.environ, "COLUMNS": "300"})  # fmt: skip
        return done.stdout + done.stderr * ("--json" not in words)

    words = ("-a", "mine:tidy", "-a", "mine:plain", "-k", "2", "-o", "s.honestly")
    said = honestly("run", "first", *words, "--then", "next", "--then-agent", "mine:follower")
    assert "2 follow-up tasks on the work of mine:tidy" in said
    found = json.loads(honestly("compare", "s.honestly", "tidy", "plain", "--json"))["next_change"]
    assert (found["follower"], found["n"], found["passed"]) == ("mine:follower", 2, [1.0, 0.0])
    assert found["lines"] == [2.0, 0.0]
    assert "passes 100% of 2 follow-ups on the work of A and 0% on that of B" in honestly(
        "compare", "s.honestly", "tidy", "plain"
    )
