"""A loop improves an agent's prompt or overlay on one half of a suite's tasks, and its gain is proved on the other."""

import pytest

from honestly.errors import TaskError
from honestly.improve import BASELINE, prove_run, read_target, work_until_spent
from honestly.sandbox import open_sandbox
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
PROMPT = 'spec = "loops.tuned_agents:Follower,prompt={project}/prompt.md"\n'
OVERLAY = 'spec = "loops.tuned_agents:Follower"\noverlay = "rules"\n'


def project(folder, toml):
    (folder / "rules").mkdir(parents=True)
    for name, text in {"improve.toml": toml, "prompt.md": "Help.\n", "rules/CLAUDE.md": "Rules.\n"}.items():
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize(
    ("toml", "file", "loop"),
    [
        (TOML + PROMPT, "prompt.md", "autoresearch"),
        pytest.param(TOML + OVERLAY, "rules/CLAUDE.md", "autoresearch", marks=pytest.mark.slow),
        pytest.param(TOML + PROMPT, "prompt.md", "reflect", marks=pytest.mark.slow),
    ],
)
def test_what_helps_is_kept_and_proved_on_tasks_that_the_loop_has_not_seen(tmp_path, toml, file, loop):
    if loop == "reflect":
        pytest.importorskip("gepa", reason="the extra gepa is not installed")
    log = tmp_path / "told.txt"
    writer = f"loops.tuned_agents:Writer,log={log},file={file}"
    run = begun(project(tmp_path / "p", toml), writer, budget="3 attempts", loop=loop, keep="race")
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
        (TOML + 'spec = "nop"', "does not see the project"),
        (TOML + 'spec = "nop"\noverlay = "absent"', "no folder 'absent'"),
        (TOML.replace("passed", "score") + PROMPT, 'expected `metric = "passed"`'),
        ('evaluate = "x"\n' + TOML + PROMPT, "expected either `evaluate`"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_runs(tmp_path, toml, message):
    with pytest.raises(TaskError, match=message):
        read_target(project(tmp_path / "p", toml))
