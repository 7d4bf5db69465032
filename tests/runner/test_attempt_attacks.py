"""Agents that would rather be void than failed, or take the run down with them: their trials fail, and are stored."""

import pytest

from honestly.records import Step, ToolCall, Trajectory, Tree, Trial, decode, encode

from .test_plan_and_run import SUITE, attempted

LEAVES = {
    "a file for the tests' folder": "rm -rf tests; touch tests",
    "a link for the tests' folder": "rm -rf tests; ln -s /tmp tests",
    "a folder for a test file": "for f in tests/test_*.py; do rm $f; mkdir $f; touch $f/x; done",
    "what nobody may read": "mkdir d; touch d/x; chmod 000 d . tests",
    "directories too deep": "for i in $(seq 220); do mkdir d; cd d; done; touch x",
    "a path too long": """python3 -c "import os
for _ in range(25):
    os.mkdir('d' * 200)
    os.chdir('d' * 200)
open('x', 'w')" """,
    "nothing": "rm -rf * .[!.]*",
}


@pytest.mark.parametrize("what", LEAVES)
def test_what_an_agent_leaves_never_makes_its_trial_void(what):
    async def act(_run, box):
        result = await box.exec(LEAVES[what])
        assert result.code == 0, result

    trial = attempted(act).trial
    assert trial.outcome == "failed", trial.reason


def test_what_the_sandbox_refuses_an_agent_is_the_agents_error_and_its_work_is_judged():
    async def act(_run, box):
        for path, file in SUITE.tasks[0].hidden.reference.write.files.items():
            await box.write(path, file.data)
        await box.write("/etc/passwd", b"")

    trial = attempted(act).trial
    assert trial.outcome == "passed"
    assert trial.reason.startswith("agent_error: SandboxError: /etc/passwd")


def test_what_an_agent_says_is_stored_even_if_it_is_no_text():
    async def act(run, _box):
        call = ToolCall.of("1", "say", text="hi")
        run.steps.append(Step(source="agent", message="half a smiley: \ud83d", calls=(call,)))
        raise RuntimeError("\udc80")

    result = attempted(act)
    trial = decode(encode(result.trial), Trial)
    assert trial.reason == r"agent_error: RuntimeError: \udc80"
    step = decode(encode(result.trajectory), Trajectory).steps[0]
    assert step.message == r"half a smiley: \ud83d"
    assert step.calls[0].argument("text") == "hi"


def test_files_put_over_others_replace_what_is_in_their_way():
    over = Tree.of({"tests/a.py": "new", "b": "new"}).over(Tree.of({"tests": "old", "b/c": "old", "bc/d": "old"}))
    assert over == Tree.of({"tests/a.py": "new", "b": "new", "bc/d": "old"})
