"""Other people's agents in images: their programs lie beside, and what they leave is their work and nothing else.

The programs are the real ones, on a scripted model; the images are made of Debian's packages, one of them busybox alone.
"""

from __future__ import annotations

import json
from pathlib import Path

import anyio
import pytest

from external_programs import installed
from forked import honestly
from honestly.agents import Actor, arm_named, make_agent, under_arms
from honestly.models import ScriptedModel, assistant_message, tool_call
from honestly.records import Edit, Outcome, Suite, decode
from honestly.store import open_study
from honestly.studies import run
from honestly.tasks import load_suite
from honestly.verify import build_environments
from packaged_images import IMAGES, add_packaged
from paused import PROGRAM, check_paused, played, waits

FILES = {
    "task.toml": "[agent]\ntimeout_sec = 600\n[verifier]\ntimeout_sec = 120\n[environment]\nallow_internet = false\n",
    "instruction.md": "Write the number of words of words.txt into count.txt.\n",
    "environment/words.txt": "one two\nthree\n",
    "environment/own.txt": "own\n",
    "tests/test.sh": "#!/bin/sh\nr=0\n"
    '[ "$(cat /srv/work/count.txt)" = 3 ] && [ "$(cat /agent/own.txt /opt/agent/own.txt)" = "own\nown" ] && r=1\n'
    "echo $r >/logs/verifier/reward.txt\n",
    "solution/solve.sh": "cd /srv/work && echo 3 >count.txt\n",
}
DOCKERFILE = """FROM {base}
ENV GREETING=hello
COPY own.txt /agent/
COPY own.txt /opt/agent/
WORKDIR /srv/work
COPY words.txt ./
{more}"""
LOOK = "pwd; id -u; echo $GREETING; cat /agent/own.txt /opt/agent/own.txt; ls -a"
WORK = "set -- $(cat words.txt); echo $# >count.txt"
SHELLS = {
    "claude-code": lambda command: tool_call("Bash", command=command, description="A command."),
    "codex": lambda command: tool_call("exec_command", cmd=command),
    "mini-swe-agent": lambda command: tool_call("bash", command=command),
}


def task_in(base: str, folder: Path, more: str = "") -> Suite:
    """A suite of one task, whose image stands on another."""
    files = {**FILES, "environment/Dockerfile": DOCKERFILE.format(base=base, more=more)}
    for path, text in files.items():
        (folder / "count" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "count" / path).write_text(text)
    return load_suite(folder)


def agent(name: str, suite: Suite, folder: Path) -> Actor:
    """An agent that looks around and does the work: of the `cli:`, a script does that, without a model."""
    if name == "cli":
        (folder / "own-agent").write_text(f"#!/bin/sh\n({LOOK})\n{WORK}\ntouch $HOME/mine\n")
        (folder / "own-agent").chmod(0o755)
        return make_agent(f"cli:{folder}/own-agent", suite)
    shell, done = SHELLS[name], "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
    last = assistant_message("", shell(done)) if name == "mini-swe-agent" else assistant_message("Done.")
    model = ScriptedModel(
        [assistant_message("I look.", shell(LOOK)), assistant_message("I work.", shell(WORK)), last],
        name="a/v1#tiny",
        by_turn=True,
    )
    return make_agent(f"{name}:path={installed(name)}", suite, model)


def solved_with_nothing_else(name: str, suite: Suite, folder: Path, user: str = "0") -> None:
    """Runs an agent under two arms: its work is all that it leaves, passes, and no audit finds a hack in it."""
    assert not anyio.run(build_environments, suite.tasks, lambda _: None)
    arms = [arm_named("none"), arm_named("anti-hack")]
    study = folder / "study.honestly"
    run(suite, [*under_arms([agent(name, suite, folder)], arms), "oracle", "nop"], out=study)
    with open_study(study) as store:
        for trial in store.trials():
            assert (trial.outcome is Outcome.PASSED) == (trial.agent != "nop"), (trial.agent, trial.reason)
            if trial.agent in {"oracle", "nop"}:
                continue
            final = decode(store.artifact(trial.id, "final.json"), Edit)
            assert set(final.write.files) == {".honestly/changes.json", "srv/work/count.txt"}
            record = json.loads(final.write.files[".honestly/changes.json"].data)
            assert not [path for path in record.get("folders", []) if path not in {"srv", "srv/work", "tmp"}]
            assert not record.get("removed")
            assert not final.delete
            said = store.artifact(trial.id, "program/stdout").decode()
            if name != "cli":
                steps = [
                    step for step in store.trajectory(trial.id).steps if step.source == "agent" and not step.thread
                ]
                said = steps[0].observations[0].text
            for seen in ("/srv/work", user, "hello", "own", "words.txt"):
                assert seen in said
    audited = json.loads(honestly("audit", study, "--json").stdout)
    assert not [rate for rate in audited["rates"] if rate["flagged"] and rate["severity"] == "hack"]


@pytest.fixture(scope="module", autouse=True)
def _server_of_forks() -> None:
    """It is begun by the first command, and stays: so before a test looks what it leaves behind."""
    honestly("--version")


@pytest.mark.slow
@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("image", IMAGES)
@pytest.mark.parametrize("name", [*SHELLS, "cli"])
def test_a_program_solves_a_task_in_an_image(name: str, image: str, tmp_path: Path) -> None:
    add_packaged(image)
    solved_with_nothing_else(name, task_in(image, tmp_path / "suite"), tmp_path)


@pytest.mark.slow
@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("name", [*SHELLS, "cli"])
def test_a_program_works_as_the_images_user(name: str, tmp_path: Path) -> None:
    add_packaged("debian")
    more = "RUN chown -R 1234:1234 /srv/work\nUSER 1234:1234\n"
    solved_with_nothing_else(name, task_in("debian", tmp_path / "suite", more), tmp_path, "1234")


@pytest.mark.slow
@pytest.mark.usefixtures("base")
def test_a_script_works_in_an_image_without_bash_whatever_lies_in_the_way(tmp_path: Path) -> None:
    more = "RUN ln -s /etc /.honestly\n"
    solved_with_nothing_else("cli", task_in("small", tmp_path / "suite", more), tmp_path)


@pytest.mark.slow
@pytest.mark.usefixtures("base")
def test_nothing_of_an_overlay_is_in_what_an_image_becomes(tmp_path: Path) -> None:
    suite = task_in("small", tmp_path / "suite", "COPY own.txt /srv/work/CLAUDE.md\n")
    assert not anyio.run(build_environments, suite.tasks, lambda _: None)
    laid = tmp_path / "laid"
    (laid / ".claude" / "skills").mkdir(parents=True)
    (laid / "CLAUDE.md").write_text("Count words.\n")
    (laid / ".claude" / "skills" / "a.md").write_text("A skill.\n")
    (tmp_path / "own-agent").write_text(
        f"#!/bin/sh\ncat CLAUDE.md .claude/skills/a.md\nrm CLAUDE.md\necho x >>.claude/skills/a.md\n{WORK}\n"
    )
    (tmp_path / "own-agent").chmod(0o755)
    study = run(suite, [f"cli:{tmp_path}/own-agent"], overlays=[f"rules={laid}"], out=tmp_path / "s.honestly")
    with study.store() as store:
        (trial,) = store.trials()
        assert trial.outcome is Outcome.PASSED, trial.reason
        assert store.artifact(trial.id, "program/stdout") == b"Count words.\nA skill.\n"
        final = decode(store.artifact(trial.id, "final.json"), Edit)
        assert set(final.write.files) == {".honestly/changes.json", "srv/work/count.txt"}
        record = final.write.files[".honestly/changes.json"].data
        assert b"laude" not in record
        edit = decode(store.artifact(trial.id, "overlay.json"), Edit)
        assert edit.delete == ("srv/work/CLAUDE.md",)
        assert edit.write.text("srv/work/.claude/skills/a.md") == "A skill.\nx\n"


@pytest.mark.slow
@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("name", ["cli", "claude-code"])
def test_a_program_in_an_image_stands_still_while_others_are_judged(name: str, tmp_path: Path) -> None:
    add_packaged("python-on-debian")
    suite = task_in("python-on-debian", tmp_path / "suite")
    assert not anyio.run(build_environments, suite.tasks, lambda _: None)
    (tmp_path / "own-agent").write_text(PROGRAM)
    (tmp_path / "own-agent").chmod(0o755)
    spec = (
        f"cli:{tmp_path}/own-agent {{instruction_file}} {{model}}"
        if name == "cli"
        else f"{name}:path={installed(name)}"
    )
    shell = SHELLS.get(name, SHELLS["mini-swe-agent"])
    turns = [*waits(shell), assistant_message("I work.", shell(WORK)), assistant_message("Done.")]
    stage, (done, *beside) = played(lambda model: make_agent(spec, suite, model), turns, suite.tasks[0])
    check_paused(stage, done, beside, "srv/work/gap.txt")
