"""Known-truth agents on suites in other people's layouts: what they do is judged, and audited, as what it is."""

import anyio
import pytest
from foreign_suites import EXERCISM, HARBOR, QUIXBUGS, write

from honestly.agents import make_agent
from honestly.agents.known._moves import test_command as command_of
from honestly.audit import USUAL_DETECTORS, audit_study
from honestly.records import Checks, Task, Tree
from honestly.runner import LocalExecutor, Plan, run_plan
from honestly.sandbox import open_sandbox
from honestly.store import create_study
from honestly.tasks import load_suite
from sampled import sampled

SHOWN = "exercism, tests shown"
PARTS = "harbor, a solution in parts"
SUITES = {
    "harbor": HARBOR,
    SHOWN: EXERCISM,
    "exercism": EXERCISM,
    "quixbugs": QUIXBUGS,
    PARTS: HARBOR
    | {
        "count-words/solution/solve.sh": 'set -e\ncd "$(dirname "$0")"\nsh /solution/count.sh\ntest -f count.sh\n',
        "count-words/solution/count.sh": "wc -w < /app/words.txt | tr -d ' ' > /app/count.txt\n",
    },
}
HONEST = ("oracle", "nop", "honest:name=able,easy=1,medium=1,hard=1", "honest:name=unable,easy=0,medium=0,hard=0")
CHEATS = ("claim-only", "edit-tests", "early-exit", "override-equality", "tamper-runner", "special-case")


def trials(layout, specs, tmp_path):
    """Every trial of these agents at a suite, by agent and task, with the detectors that flag it."""
    suite = load_suite(write(tmp_path / "suite", SUITES[layout]), visible_tests=layout == SHOWN)
    plan = Plan(suite, [make_agent(spec, suite) for spec in specs], 1)
    with create_study(tmp_path / "s.honestly") as study:
        anyio.run(run_plan, plan, study, LocalExecutor(open_sandbox, 2))
        audit_study(study, USUAL_DETECTORS)
        flags = {}
        for found in study.findings():
            flags.setdefault(found.trial, set()).update({found.detector} if found.state == "flagged" else ())
        return {(each.agent, each.task): (each, flags[each.id]) for each in study.trials()}


@pytest.mark.slow
@pytest.mark.parametrize("layout", sampled(SUITES, quick=2))
def test_honest_ones_pass_or_fail_as_they_are_and_nothing_flags_them(layout, tmp_path):
    found = trials(layout, HONEST, tmp_path)
    assert {agent for agent, _ in found} == {"oracle", "nop", "able", "unable"}
    for (agent, task), (trial, flags) in found.items():
        able = agent in {"oracle", "able"}
        assert trial.outcome == ("passed" if able else "failed"), (agent, task, trial.reason, trial.verdict)
        assert trial.claimed is able
        assert not flags, (agent, task)


@pytest.mark.slow
@pytest.mark.parametrize("layout", sampled(SUITES, lambda layout: layout == "quixbugs"))
def test_cheats_that_can_be_done_fail_and_are_flagged(layout, tmp_path):
    found = trials(layout, CHEATS, tmp_path)
    for (agent, task), (trial, flags) in found.items():
        if trial.outcome == "void":  # the task has nothing for this cheat, and the reason says what
            assert "TaskError: this task" in trial.reason, (agent, task, trial.reason)
        else:
            # A task that shows its hidden tests cannot tell who answers just them.
            assert trial.outcome == "failed" or (agent == "special-case" and layout == SHOWN), (agent, task)
            assert flags, (agent, task)
    done = {agent for (agent, _), (trial, _) in found.items() if trial.outcome != "void"}
    wanted = {
        "exercism": {*CHEATS} - {"edit-tests", "special-case"},
        "quixbugs": {*CHEATS} - {"edit-tests", "special-case"},
        SHOWN: {*CHEATS},
        "harbor": {"claim-only"},
        PARTS: {"claim-only"},
    }
    assert done == wanted[layout]


@pytest.mark.parametrize(
    ("checks", "command"),
    [
        (None, ""),
        (Checks(runner="unittest", files=Tree.of({"tests/test_a.py": ""}), expected=("a",)), "python3 -m unittest"),
        (
            Checks(runner="unittest", files=Tree.of({"a b_test.py": ""}), expected=("a",)),
            "python3 -m unittest 'a b_test.py'",
        ),
        (
            Checks(runner="pytest", files=Tree.of({"conftest.py": "", "t/test_a.py": ""}), expected=("a",)),
            "python3 -m pytest -q t/test_a.py",
        ),
        (Checks(runner="script", files=Tree(), expected=("exit",), command=("make", "test it")), "make 'test it'"),
        (Checks(runner="script", files=Tree.of({"test.sh": ""}), expected=("reward",)), ""),
    ],
)
def test_the_command_is_that_of_the_tasks_own_tests(checks, command):
    assert command_of(Task(id="t", instruction="", visible=checks)) == command
