"""Overlays: files in the workspace that the agent sees, as a condition of its own, and nothing of them is judged."""

from __future__ import annotations

import json
import random
import zlib
from functools import partial
from pathlib import Path

import anyio
import pytest

from forked import honestly
from honestly.agents import (
    ARMS,
    FunctionAgent,
    OverlaidAgent,
    Run,
    agent_again,
    base_name,
    make_agent,
    overlaid_agents,
    overlay_of,
    seed_record,
    under_arms,
)
from honestly.errors import AgentError
from honestly.models import ScriptedModel
from honestly.records import Edit, File, Suite, Task, Tree, decode
from honestly.runner import Plan, Planned, TrialResult, run_attempt
from honestly.sandbox import Sandbox, open_sandbox
from honestly.store import open_study
from honestly.studies import run
from honestly.tasks import make_task

GIVEN = Tree.of({"b.txt": "b\n", "CLAUDE.md": "the task's own\n", "notes": "a file\n"})
TASK = Task(id="q", instruction="Do it.", workspace=GIVEN, timeout_s=60.0)
LAID = {"CLAUDE.md": "Say please.\n", ".claude/skills/sum/SKILL.md": "---\nname: sum\n---\nAdd.\n", "notes/a.md": "a\n"}


def folder_of(place: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return place


def attempt(script: str, task: Task, place: Path, files: dict[str, str]) -> TrialResult:
    """A trial of a script with an overlay."""
    program = place / "agent"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    suite = Suite(name="s", version="1", tasks=(task,))
    actor = make_agent(f"cli:{program}", suite)
    (laid,) = overlaid_agents([actor], [f"rules={folder_of(place / 'laid', files)}"], suite.tasks)
    return anyio.run(run_attempt, Planned("t" * 32, task, laid, 0), partial(open_sandbox))


def test_nothing_of_an_overlay_is_in_the_change_whatever_the_agent_does_to_it(tmp_path: Path) -> None:
    script = (
        "cat CLAUDE.md notes/a.md; cp CLAUDE.md copy.md; echo more >>CLAUDE.md; rm -r notes; echo new >notes; "
        "echo x >.claude/own.md"
    )
    done = attempt(script, TASK, tmp_path, LAID)
    assert done.artifacts["program/stdout"] == b"Say please.\na\n"
    assert {path: file.data for path, file in done.final.write.files.items()} == {
        "copy.md": b"Say please.\n",
        ".claude/own.md": b"x\n",
    }
    assert done.final.delete == ()
    edit = decode(done.artifacts["overlay.json"], Edit)
    assert edit.delete == ("notes/a.md",)
    assert edit.write == Tree.of({"CLAUDE.md": "Say please.\nmore\n"})


def test_an_overlay_that_was_left_alone_leaves_no_trace(tmp_path: Path) -> None:
    done = attempt("true", TASK, tmp_path, LAID)
    assert done.final == Edit()
    assert "overlay.json" not in done.artifacts


def test_git_passes_an_overlay_over(tmp_path: Path) -> None:
    history = {".git/HEAD": "ref: refs/heads/main\n", ".git/info/exclude": "*.log"}
    task = Task(id="q", instruction="x", workspace=Tree.of({**history, ".git/objects/.x": "", ".git/refs/.x": ""}))
    script = "echo 1 >own.txt; git add -A && git -c user.name=a -c user.email=a@b commit -qm c && git ls-files"
    done = attempt(script, task, tmp_path, {"AGENTS.md": "A rule that nobody else has.\n"})
    assert done.artifacts["program/stdout"] == b"own.txt\n", done.artifacts["program/stderr"]
    assert ".git/info/exclude" not in done.final.write.files
    objects = [file.data for path, file in done.final.write.files.items() if path.startswith(".git/objects/")]
    assert len(objects) == 3
    assert not any(b"nobody else" in zlib.decompress(data) for data in objects)


def test_an_agent_with_an_overlay_is_another_agent_on_the_same_seeds(tmp_path: Path) -> None:
    suite = Suite(name="s", version="1", tasks=(TASK,))
    agent = make_agent("nop", suite)
    typed = ["none", f"rules={folder_of(tmp_path, LAID)}"]
    bare, laid = overlaid_agents([agent], typed, suite.tasks)
    assert bare is agent
    assert laid.record.name == f"{agent.record.name}+rules"
    assert overlay_of(laid.record) == ("rules", Tree.of(LAID))
    assert overlay_of(agent.record) is None
    every = under_arms([bare, laid], [ARMS["none"], ARMS["anti-hack"]], "7")
    assert {seed_record(each.record).name for each in every} == {f"{agent.record.name}#7"}
    assert every[3].record.name == f"{agent.record.name}+rules#7+anti-hack"
    assert base_name(every[3].record) == laid.record.name
    trials = Plan(suite, every, 2).trials
    assert (len({trial.id for trial in trials}), len({trial.agent_seed for trial in trials})) == (8, 2)
    (tmp_path / "CLAUDE.md").write_text("Say thanks.\n")
    assert overlaid_agents([agent], typed, ())[1].record.hash != laid.record.hash


def test_an_agent_is_made_again_from_its_record_with_its_overlay() -> None:
    model = ScriptedModel([], name="http://example.org/v1#tiny")
    actor = OverlaidAgent(make_agent("honest", Suite(name="s", version="1", tasks=(TASK,)), model), "r", Tree.of(LAID))
    (under,) = under_arms([actor], [ARMS["anti-hack"]], "7")
    again = agent_again(under.record, model)
    assert again.record == under.record
    assert again.needs.overlay == Tree.of(LAID)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["rules"], "expected NAME=DIR"),
        (["none=."], "none stands for the agent without an overlay"),
        (["a b=."], "expected NAME=DIR"),
        (["rules=absent"], "is not a directory"),
        (["rules=empty"], "holds no file"),
        (["rules=linked"], "is a link"),
        (["rules=large"], "1024 KiB"),
        (["rules=laid", "rules=laid"], "twice"),
        (["rules=laid"], "task sum asks for a change to CLAUDE.md"),
    ],
)
def test_a_slip_is_named(typed: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("empty", "linked", "large"):
        Path(name).mkdir()
    Path("linked/a").symlink_to("/etc/passwd")
    Path("large/a").write_bytes(b"x" * (1025 << 10))
    folder_of(Path("laid"), LAID)
    task = make_task(
        "sum", "x", {"a.py": ""}, hidden={"check_t.py": "def test_a(ws):\n    pass\n"}, reference={"CLAUDE.md": ""}
    )
    with pytest.raises(AgentError, match=said):
        overlaid_agents([make_agent("nop", Suite(name="s", version="1", tasks=(task,)))], typed, (task,))


@pytest.mark.slow
def test_the_command_line_and_the_study_file_take_overlays(tmp_path: Path) -> None:
    folder_of(tmp_path / "laid", {"CLAUDE.md": "Say please.\n"})
    words = ("embedded", "-a", "nop", "--task", "api-move", "--overlay", "none", "--overlay", "rules=laid")
    done = honestly("run", *words, "--save-config", "s.toml", "--dry-run", "--json", "-o", "s.honestly", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert 'overlays = ["none", "rules=laid"]' in (tmp_path / "s.toml").read_text()
    again = honestly("run", "-c", "s.toml", "--dry-run", "--json", cwd=tmp_path)
    assert json.loads(again.stdout) == json.loads(done.stdout)
    assert {row["agent"] for row in json.loads(done.stdout)["agents"]} == {"nop", "nop+rules"}


CHECK = "def test_sum(ws):\n    assert ws.load('sums').add(2, 3) == 5\n"


async def obedient(run: Run, box: Sandbox) -> None:
    """Solves 30% of all trials; 60% where it finds CLAUDE.md, and 90% where it finds a skill."""
    found = (await box.exec("ls CLAUDE.md .claude/skills/sum/SKILL.md")).stdout
    chance = 0.9 if b"SKILL" in found else 0.6 if b"CLAUDE" in found else 0.3
    if random.Random(run.seed).random() < chance:
        await box.write("/workspace/sums.py", b"def add(a, b):\n    return a + b\n")
    await box.exec("rm -rf .claude; test -e CLAUDE.md && echo more >>CLAUDE.md; true")


@pytest.mark.slow
def test_the_gain_of_a_skill_and_of_a_claude_md_is_in_its_interval(tmp_path: Path) -> None:
    """Nothing of them is in any change, though the agent edits one and deletes the other."""
    wrong = {"sums.py": "def add(a, b):\n    return a - b\n"}
    tasks = [
        make_task(
            f"sum-{n}",
            f"{n}",
            wrong,
            hidden={"check_t.py": CHECK},
            reference={"sums.py": "def add(a, b): return a + b"},
        )
        for n in range(24)
    ]
    rules = folder_of(tmp_path / "rules", {"CLAUDE.md": "Add, do not subtract.\n"})
    skill = folder_of(tmp_path / "skill", {".claude/skills/sum/SKILL.md": "---\nname: sum\n---\nAdd.\n"})
    overlays = ["none", f"rules={rules}", f"skill={skill}"]
    study = run(tasks, [FunctionAgent.of(obedient)], samples=4, overlays=overlays, out=tmp_path / "s.honestly")
    for overlay, gain in (("rules", 0.3), ("skill", 0.6)):
        found = study.compare(f"obedient+{overlay}", "obedient")
        assert found.interval is not None
        low, high = found.interval
        print(f"{overlay}: {gain} is known, {found.difference:.2f} ({low:.2f} to {high:.2f}) was found")
        assert 0 < low <= gain <= high
    with open_study(tmp_path / "s.honestly") as store:
        changes = [decode(store.artifact(trial.id, "final.json"), Edit) for trial in store.trials()]
    assert len(changes) == 24 * 4 * 3
    assert {path for edit in changes for path in (*edit.write.files, *edit.delete)} == {"sums.py"}
    assert File(data=b"def add(a, b):\n    return a + b\n") in [edit.write.files.get("sums.py") for edit in changes]
