"""The agent that docs/agent.md shows is a whole agent, in twenty lines."""

import re
from pathlib import Path

import anyio

from honestly.agents import AGENTS
from honestly.agents._spec import SETTINGS
from honestly.models import ScriptedModel
from honestly.runner import Plan, run_attempt
from honestly.sandbox import open_sandbox
from honestly.tasks import load_suite

PAGE = (Path(__file__).parents[2] / "docs" / "agent.md").read_text()
(EXAMPLE,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def test_the_agent_of_the_docs_has_twenty_lines_and_does_a_task():
    assert len([line for line in EXAMPLE.splitlines() if line.strip()]) <= 20
    names = {}
    exec(compile(EXAMPLE, "agent.md", "exec"), names)
    suite = load_suite("embedded", only=["split-bill"])
    (task,) = suite.tasks
    writes = [
        f"cat > {path} <<'HERE'\n{file.data.decode()}HERE" for path, file in task.hidden.reference.write.files.items()
    ]
    plan = Plan(suite, [names["OneLiner"](ScriptedModel([*writes, "DONE"]))], 1)
    result = anyio.run(run_attempt, plan.trials[0], open_sandbox)
    assert (result.trial.outcome, result.trial.claimed) == ("passed", True)
    assert len(result.trajectory.steps) == len(writes) + 1


def test_the_page_names_every_setting():
    for name in SETTINGS:
        assert f"`{name}`" in PAGE
    assert "honest" in {known.name for known in AGENTS.known}
