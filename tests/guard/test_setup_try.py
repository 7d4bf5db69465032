"""Set-ups as treatments: what each part does, found of scripted agents that do as is known."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

import pytest

from forked import honestly
from honestly.agents import FunctionAgent, Run
from honestly.errors import SettingsError
from honestly.guard import placebo, setup_effects, setup_files, setup_overlays, setup_parts, setup_plan
from honestly.records import Step, Usage
from honestly.sandbox import Sandbox
from honestly.studies import run
from honestly.tasks import make_task

SETUP = {
    "AGENTS.md": "# Rules\n\nRun the tests before you say that it is done.\n",
    ".claude/skills/sum/SKILL.md": "---\nname: sum\ndescription: When numbers are added.\n---\nAdd, do not subtract.\n",
    ".claude/rules/style.md": "Short names.\n",
    ".claude/settings.json": '{"permissions": {"deny": ["Bash(rm:*)"]}}',
}


def laid(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_a_set_up_has_parts_and_a_placebo_of_its_length(tmp_path: Path) -> None:
    found = setup_files(laid(tmp_path, {**SETUP, "src/a.py": "x", "README.md": "x"}))
    assert found == SETUP
    assert set(setup_parts(found)) == {"AGENTS.md", "skill-sum", "rule-style", "claude-settings.json"}
    overlays = setup_overlays(found)
    assert set(overlays) == {
        "all",
        "placebo",
        "no-AGENTS.md",
        "no-skill-sum",
        "no-rule-style",
        "no-claude-settings.json",
    }
    assert {name: len(text) for name, text in overlays["placebo"].items()} == {n: len(t) for n, t in SETUP.items()}
    assert "subtract" not in "".join(overlays["placebo"].values())
    assert json.loads(overlays["placebo"][".claude/settings.json"]) == {}
    assert placebo("a.md", "x\n\ny")[1:3] == "\n\n"


def test_a_plan_says_what_cannot_be_seen() -> None:
    small, large = setup_plan(22, 3, 5), setup_plan(400, 5, 5)
    assert (small.blind, large.blind) == (True, False)
    assert small.gap > 0.15 > large.gap
    assert 22 < small.tasks_for_15 <= 400


def test_what_is_no_set_up_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no set-up"):
        setup_files(tmp_path)
    (tmp_path / "CLAUDE.md").symlink_to("/etc/passwd")
    with pytest.raises(SettingsError, match="link"):
        setup_files(tmp_path)
    (tmp_path / "CLAUDE.md").unlink()
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "rules").symlink_to("/")
    with pytest.raises(SettingsError, match="link"):
        setup_files(tmp_path)
    (tmp_path / ".claude" / "rules").unlink()
    os.mkfifo(tmp_path / "CLAUDE.md")
    with pytest.raises(SettingsError, match="not a file"):
        setup_files(tmp_path)
    os.truncate(laid(tmp_path / "large", {"CLAUDE.md": ""}) / "CLAUDE.md", 5 << 30)
    with pytest.raises(SettingsError, match="1 MiB"):
        setup_files(tmp_path / "large")
    with pytest.raises(SettingsError, match="its set-up has more"):
        setup_files(laid(tmp_path / "many", {f".claude/rules/{n}.md": "x" * 400_000 for n in range(3)}))


CHECK = "def test_sum(ws):\n    assert ws.load('sums').add(2, 3) == 5\n"


async def helped(run: Run, box: Sandbox) -> None:
    """Solves 30% of trials, 70% with the skill; costs a quarter more with AGENTS.md, whatever it says."""
    found = (await box.exec("cat AGENTS.md .claude/skills/sum/SKILL.md")).stdout.decode()
    luck = random.Random(run.seed).random()
    if luck < (0.7 if "do not subtract" in found else 0.3):
        await box.write("/workspace/sums.py", b"def add(a, b):\n    return a + b\n")
    cost = 0.01 * (1.25 if "AGENTS" in found or "# " in found else 1.0) * (1 + luck)
    run.steps += [Step(source="agent", message="x", usage=Usage(input_tokens=10, output_tokens=10, usd=cost))]


@pytest.mark.slow
def test_known_effects_are_in_their_intervals(tmp_path: Path) -> None:
    wrong = {"sums.py": "def add(a, b):\n    return a - b\n"}
    solved = {"sums.py": "def add(a, b): return a + b"}
    tasks = [make_task(f"sum-{n}", f"{n}", wrong, hidden={"check_t.py": CHECK}, reference=solved) for n in range(30)]
    overlays = ["none"]
    for name, files in setup_overlays(SETUP).items():
        overlays.append(f"{name}={laid(tmp_path / name, files)}")
    study = run(tasks, [FunctionAgent.of(helped)], samples=3, overlays=overlays, out=tmp_path / "s.honestly")
    with study.store() as store:
        found = setup_effects(store, "s", setup_plan(30, 3, 6), 0.10)
    rows = {each.part: each for each in found.parts}
    assert set(rows) == {"all", "content", "AGENTS.md", "skill-sum", "rule-style", "claude-settings.json"}
    for part, truth in (("all", 0.4), ("content", 0.4), ("skill-sum", 0.4)):
        assert rows[part].interval is not None
        low, high = rows[part].interval
        print(f"{part}: {truth} is known, {rows[part].difference:.2f} ({low:.2f} to {high:.2f}) was found")
        assert 0 < low <= truth <= high
    for part in ("AGENTS.md", "rule-style", "claude-settings.json"):  # the same seeds: exactly nothing
        assert rows[part].difference == 0
        assert not rows[part].equivalent or rows[part].equivalent_within is not None
    ends = rows["AGENTS.md"].cost_interval
    assert ends is None or ends[0] <= 1.25 <= ends[1]
    assert rows["AGENTS.md"].cost_ratio == pytest.approx(1.25)
    assert rows["rule-style"].cost_ratio == pytest.approx(1.0)


@pytest.mark.slow
def test_the_command_tries_a_set_up(tmp_path: Path) -> None:
    laid(tmp_path / "mine", SETUP)
    words = ("setup", "try", "mine", "--on", "embedded", "--task", "api-move", "--task", "bullet-wrap", "-a", "nop")
    plan = honestly(*words, "--plan", "--json", cwd=tmp_path)
    assert plan.returncode == 0, plan.stderr
    assert json.loads(plan.stdout)["blind"] is True
    done = honestly(*words, "--json", "-o", "s.honestly", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert {"difference", "interval", "equivalent_within", "cost_ratio"} <= answer["parts"][0].keys()
    assert len(answer["parts"]) == 6
