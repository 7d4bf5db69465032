"""A loop improves an agent's prompt or overlay on one half of a suite's tasks, and its gain is proved on the other."""

import pytest

from honestly.errors import StoreError, TaskError
from honestly.improve import BASELINE, prove_run, read_target, work_until_spent
from honestly.sandbox import open_sandbox
from honestly.tasks import load_suite, write_task
from loops.loop_parts import begun, worked

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
OVERLAY = 'overlay = "rules"\n'
PROMPTED, PLAIN = "loops.tuned_agents:Follower,prompt={project}/prompt.md", "loops.tuned_agents:Follower"


def project(folder, toml):
    (folder / "rules").mkdir(parents=True)
    for name, text in {"improve.toml": toml, "prompt.md": "Help.\n", "rules/CLAUDE.md": "Rules.\n"}.items():
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize(
    ("toml", "solver", "file", "loop"),
    [
        (TOML, PROMPTED, "prompt.md", "autoresearch"),
        pytest.param(TOML + OVERLAY, PLAIN, "rules/CLAUDE.md", "autoresearch", marks=pytest.mark.slow),
        pytest.param(TOML, PROMPTED, "prompt.md", "reflect", marks=pytest.mark.slow),
    ],
)
def test_what_helps_is_kept_and_proved_on_tasks_that_the_loop_has_not_seen(tmp_path, toml, solver, file, loop):
    if loop == "reflect":
        pytest.importorskip("gepa", reason="the extra gepa is not installed")
    log = tmp_path / "told.txt"
    writer = f"loops.tuned_agents:Writer,log={log},file={file}"
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


def test_a_suite_that_has_changed_stops_the_run(tmp_path):
    suite = tmp_path / "p" / "suite"
    folder = project(tmp_path / "p", TOML.replace('"embedded"', '"suite"').replace(f"tasks = {TASKS}", ""))
    for task in load_suite("embedded", only=TASKS[:2]).tasks:
        write_task(suite / task.id, task)
    run = begun(folder, budget="1 attempts", solvers=(PROMPTED,))
    (suite / TASKS[0] / "instruction.md").write_text("Something else.\n")
    with pytest.raises(StoreError, match="has changed since the run began"):
        worked(run, open_sandbox)
