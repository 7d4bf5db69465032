"""A loop improves an agent's prompt or overlay on one half of a suite's tasks, and its gain is proved on the other."""

import pytest

from honestly.errors import StoreError, TaskError
from honestly.improve import BASELINE, prove_run, read_target, work_until_spent
from honestly.sandbox import open_sandbox
from honestly.tasks import load_suite, make_task, write_task
from improve.loop_parts import begun, worked

TASKS = ["split-bill", "stock-holds", "undo-journal", "range-labels"]
TOML = f"""
change = ["prompt.md", "rules/CLAUDE.md"]
metric = "passed"
direction = "higher"
bound = 1.0
proof = {{pairs = 4, control = false}}
[agent]
suite = "embedded"
tasks = {TASKS}
"""
SKILL = "---\nname: s\ndescription: How to work.\n---\n"
PROGRAM = """#!/usr/bin/env python3
import json, os, pathlib, sys, urllib.request
asked = sys.stdin.read()
told = "".join(path.read_text() for path in pathlib.Path(os.environ["CLAUDE_CONFIG_DIR"]).rglob("SKILL.md"))
if "carefully" in told:
    pathlib.Path("b.py").write_text(asked.partition("holds ")[2])
body = {"model": "tiny", "max_tokens": 9, "messages": [{"role": "user", "content": asked}]}
headers = {"content-type": "application/json", "x-api-key": os.environ["ANTHROPIC_API_KEY"]}
url = os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages"
urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers)).read()
"""
"""As much of Claude Code as follows a skill."""
OVERLAY = 'overlay = "rules"\n'
PROMPTED, PLAIN = "improve.tuned_agents:Follower,prompt={project}/prompt.md", "improve.tuned_agents:Follower"


def project(folder, toml):
    (folder / "rules").mkdir(parents=True)
    for name, text in {"improve.toml": toml, "prompt.md": "Help.\n", "rules/CLAUDE.md": "Rules.\n"}.items():
        (folder / name).write_text(text)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    ("toml", "solver", "file", "loop"),
    [
        (TOML, PROMPTED, "prompt.md", "autoresearch"),
        pytest.param(TOML + OVERLAY, PLAIN, "rules/CLAUDE.md", "autoresearch"),
        pytest.param(TOML, PROMPTED, "prompt.md", "reflect"),
        pytest.param(TOML + OVERLAY, PLAIN, "rules/CLAUDE.md", "reflect"),
    ],
)
def test_what_helps_is_kept_and_proved_on_tasks_that_the_loop_has_not_seen(tmp_path, toml, solver, file, loop):
    if loop == "reflect":
        pytest.importorskip("gepa", reason="the extra gepa is not installed")
    log = tmp_path / "told.txt"
    writer = f"improve.tuned_agents:Writer,log={log},file={file}"
    run = begun(project(tmp_path / "p", toml), writer, budget="2 attempts", loop=loop, keep="race", solvers=(solver,))
    state = worked(run, open_sandbox, then=work_until_spent)
    assert state.best != BASELINE
    assert "Work carefully." in state.edits[state.best].write.files[file].data.decode()
    evidence = worked(run, open_sandbox, then=prove_run)
    assert evidence.fresh == {"baseline": (0.0,) * 4, "best": (1.0,) * 4}
    assert not evidence.trusted
    seen = {name: {each.log.split('"')[3].split()[0] for each in state.evaluated.values() if each.arm == name}
            for name in ("loop", "proof")}  # fmt: skip
    assert seen["loop"]
    assert seen["loop"].isdisjoint(seen["proof"])
    assert seen["loop"] | seen["proof"] <= set(TASKS)
    if loop == "reflect":
        assert "The agent's last words: I did what I was told." in log.read_text()
    assert "check_" not in log.read_text()


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        (TOML + 'overlay = "absent"', "no folder 'absent'"),
        (TOML + 'spec = "evil:Agent"', "unknown field `spec`"),
        (TOML.replace("passed", "score"), 'expected `metric = "passed"`'),
        ('evaluate = "x"\n' + TOML, "expected either `evaluate`"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_runs(tmp_path, toml, message):
    with pytest.raises(TaskError, match=message):
        read_target(project(tmp_path / "p", toml))


def test_who_works_is_said_by_the_user_and_sees_the_project(tmp_path):
    folder = project(tmp_path / "p", TOML)
    for solvers, message in (
        ((), "--solver AGENT"),
        (("nop",), "does not see the project"),
        (("nop", "oracle"), "--solver"),
    ):
        with pytest.raises(TaskError, match=message):
            begun(folder, solvers=solvers)


@pytest.mark.slow
def test_a_skill_is_improved_and_one_that_no_program_loads_is_an_attempt_that_failed(tmp_path):
    pytest.importorskip("gepa", reason="the extra gepa is not installed")
    (tmp_path / "claude").write_text(PROGRAM)
    (tmp_path / "claude").chmod(0o755)
    (tmp_path / "answers.jsonl").write_text('{"text": "Done."}\n')
    folder = project(tmp_path / "p", TOML.replace('"embedded"', '"suite"').replace(f"tasks = {TASKS}", ""))
    for number in range(4):
        task = make_task(f"t{number}", f"Write b.py, which holds x = {number}", {"a.py": ""},
            hidden={"check_a.py": f"def test_a(ws):\n    assert ws.load('b').x == {number}\n"}, reference={"b.py": f"x = {number}"})  # fmt: skip
        write_task(folder / "suite" / task.id, task)
    (folder / "improve.toml").write_text((folder / "improve.toml").read_text().replace("prompt.md", "skill/SKILL.md"))
    (folder / "skill").mkdir()
    (folder / "skill" / "SKILL.md").write_text(SKILL)
    solver = f"claude-code:path={tmp_path},model=script:{tmp_path}/answers.jsonl,skill={{project}}/skill"
    writer = f"improve.tuned_agents:Writer,log={tmp_path}/told.txt,file=skill/SKILL.md"
    said = {"budget": "2 attempts", "loop": "reflect", "keep": "race", "solvers": (solver,)}
    run = begun(folder, writer, **said)
    assert worked(run, open_sandbox, then=work_until_spent).best != BASELINE
    assert worked(run, open_sandbox, then=prove_run).fresh == {"baseline": (0.0,) * 4, "best": (1.0,) * 4}
    run.rename(tmp_path / "done")
    broken = worked(begun(folder, "improve.tuned_agents:Breaker", **said), open_sandbox)
    assert broken.best == BASELINE
    assert "programs do not load it" in "".join(each.log for each in broken.evaluated.values())


def test_a_suite_that_has_changed_stops_the_run(tmp_path):
    suite = tmp_path / "p" / "suite"
    folder = project(tmp_path / "p", TOML.replace('"embedded"', '"suite"').replace(f"tasks = {TASKS}", ""))
    for task in load_suite("embedded", only=TASKS[:2]).tasks:
        write_task(suite / task.id, task)
    run = begun(folder, budget="1 attempts", solvers=(PROMPTED,))
    (suite / TASKS[0] / "instruction.md").write_text("Something else.\n")
    with pytest.raises(StoreError, match="has changed since the run started"):
        worked(run, open_sandbox)
