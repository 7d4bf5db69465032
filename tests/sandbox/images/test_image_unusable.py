"""One task's image never ends a run: what cannot be built, opened or used is left out by name, and the others go on."""

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner
from small_image import make_image

from honestly.cli import cli
from honestly.sandbox.images import add_image
from honestly.store import open_study
from honestly.tasks import load_suite, runnable_tasks

OTHER = "arm64" if os.uname().machine == "x86_64" else "amd64"
BEFORE = {
    "add": ("FROM scratch\nADD a /app/a\n", "begins with scratch"),
    "alias": ("FROM scratch AS e\nFROM e\nCOPY a /app/a\n", "begins with scratch"),
    "copied": ("FROM scratch\nCOPY a /data/a\n", "begins with scratch"),
    "env": ("FROM scratch\nENV X=1\n", "begins with scratch"),
    "other": (f"FROM --platform=linux/{OTHER} small\n", f"it is for linux/{OTHER}"),
    "scratch-run": ("FROM scratch\nRUN echo x\n", "begins with scratch"),
}
"""Dockerfiles that the files themselves say cannot be used, and why."""
BUILT = {
    "fails": ("FROM small\nRUN exit 3\n", "RUN exit 3"),
    "shell-gone": ('FROM small\nRUN ["/usr/bin/rm", "/usr/bin/sh"]\n', "it has no shell"),
    "shell-broken": ('FROM small\nRUN ["/usr/bin/cp", "/etc/mark", "/usr/bin/sh"]\n', "does not start"),
    "etc-file": (
        "FROM small AS b\nFROM scratch\nCOPY --from=b /usr /usr\nCOPY --from=b /bin /bin\nCOPY a /etc\n",
        "etc is not a directory",
    ),
    "staged": ("FROM small AS b\nFROM scratch\nCOPY --from=b /etc/mark /data/a\n", "it has no shell"),
}
"""Dockerfiles of which only a build shows it."""


def _write(folder: Path, dockerfile: str, *, name: str = "Dockerfile") -> None:
    for part in ("environment", "tests", "solution"):
        (folder / part).mkdir(parents=True)
    (folder / "task.toml").write_text('version = "1.0"\n[environment]\nallow_internet = false\n')
    (folder / "instruction.md").write_text("Write hello into /app/hello.txt.\n")
    (folder / "environment" / name).write_text(dockerfile)
    (folder / "environment" / "a").write_text("x\n")
    (folder / "solution" / "solve.sh").write_text("mkdir -p /app && echo hello >/app/hello.txt\n")
    (folder / "tests" / "test.sh").write_text("[ -e /app/hello.txt ] && echo 1 >/logs/verifier/reward.txt\n")


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for tasks, beside a store of images that has `small`."""
    monkeypatch.setenv("HONESTLY_IMAGES", str(tmp_path / "store"))
    (tmp_path / "root").mkdir()
    make_image(tmp_path / "root", ("bash", "sh", "cat", "mkdir", "chmod", "kill", "rm", "cp"))
    (tmp_path / "root" / "etc" / "mark").write_text("1\n")
    (tmp_path / "root" / "etc" / "mark").chmod(0o755)
    add_image(tmp_path / "root", "small")
    _write(tmp_path / "tasks" / "good", "FROM small\nWORKDIR /app\n")
    return tmp_path / "tasks"


def _json(*words: str) -> dict:
    result = CliRunner().invoke(cli, [*words, "--json"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.slow
def test_a_task_whose_image_cannot_be_used_is_left_out_and_the_others_go_on(small: Path) -> None:
    for name, (dockerfile, _) in (BEFORE | BUILT).items():
        _write(small / name, dockerfile)
    out = str(small.parent / "s.honestly")
    asked = ("run", str(small), "--agent", "oracle", "-o", out, "--jobs", "1")
    ahead = _json(*asked, "--dry-run")
    assert sorted(ahead["left_out"]) == sorted(BEFORE)
    assert sorted(ahead["to_build"]) == sorted([*BUILT, "good"])
    for name, (_, why) in BEFORE.items():
        assert why in ahead["left_out"][name][0]
    done = _json(*asked)
    for name, (_, why) in (BEFORE | BUILT).items():
        assert why in done["left_out"][name][0]
    with open_study(Path(out)) as study:
        assert [(trial.task, str(trial.outcome)) for trial in study.trials()] == [("good", "passed")]
        assert sorted(study.facts().left_out) == sorted(BEFORE | BUILT)


def test_other_names_and_links_of_a_dockerfile(small: Path) -> None:
    for name in ("dockerfile", "Containerfile", "compose.yaml"):
        _write(small / name.lower(), "FROM small\n", name=name)
    for name, goal in (("inside", "real"), ("outside", str(small.parent / "root/etc/mark")), ("nowhere", "missing")):
        _write(small / name, "FROM small\nWORKDIR /app\n", name="real")
        (small / name / "environment" / "Dockerfile").symlink_to(goal)
    kept, left_out = runnable_tasks(load_suite(small))
    assert [task.id for task in kept.tasks] == ["good", "inside"]
    why = {each.task: str(each) for each in left_out}
    assert "environment/Containerfile, which is not read" in why["containerfile"]
    assert "environment/dockerfile, which is not read" in why["dockerfile"]
    assert "which is no file in there" in why["outside"]
    assert "which is no file in there" in why["nowhere"]
