"""`honestly images`, as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from honestly.cli import cli
from honestly.errors import HonestlyError
from honestly.sandbox import isolation_layers


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A root directory with nothing that could run, and an empty store."""
    monkeypatch.setenv("HONESTLY_IMAGES", str(tmp_path / "store"))
    (tmp_path / "root/bin").mkdir(parents=True)
    (tmp_path / "root/bin/sh").write_text("#!")
    return tmp_path / "root"


def honestly(*words: object) -> Result:
    return CliRunner().invoke(cli, ["image", *map(str, words)], standalone_mode=False)


def test_add_build_list_and_remove(root: Path, tmp_path: Path) -> None:
    assert json.loads(honestly("add", root, "--name", "base", "--json").stdout)["layers"] == 1
    (tmp_path / "file").write_text("x" * 100)
    (tmp_path / "Dockerfile").write_text("ARG N=1\nFROM base\nARG N\nENV N=$N\nCOPY file /\n")
    made = json.loads(honestly("build", tmp_path, "-t", "made", "--arg", "N=2", "--offline", "--json").stdout)
    assert (made["name"], made["layers"]) == ("made:latest", 2)
    assert (Path(made["root"]) / "file").read_text() == "x" * 100
    listed = json.loads(honestly("ls", "--json").stdout)
    assert listed["store"] == str(tmp_path / "store")
    sizes = {row["names"][0]: (row["own"], row["shared"]) for row in listed["images"]}
    assert sizes == {"base:latest": (0, 2), "made:latest": (100, 2)}
    table = honestly("ls").stdout
    assert "made:latest" in table
    assert made["id"][:12] in table
    gone = honestly("rm", "made", "nowhere", "--json")
    assert json.loads(gone.stdout) == {"removed": ["made"], "missing": ["nowhere"]}
    assert gone.return_value == 2
    assert honestly("rm", "base").return_value == 0


def test_what_cannot_be_done_is_said(root: Path, tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text("FROM nowhere\n")
    for words, said in (
        (("build", tmp_path), "not in the store of images"),
        (("build", tmp_path, "--offline", "--allow", "a.com"), "exclude each other"),
        (("build", tmp_path, "--allow", "a b"), "not a host to allow"),
        (("build", tmp_path, "--arg", "x"), "--arg got 'x'"),
        (("build", tmp_path, "--show", "x"), "expected FILE=PATH"),
        (("add", root, "--name", "A B"), "not a name of an image"),
    ):
        done = honestly(*words)
        assert done.exception is not None, words
        errors = getattr(done.exception, "exceptions", [done.exception])
        assert any(said in str(getattr(error, "message", error)) for error in errors), (words, done.exception)
        assert all(isinstance(error, HonestlyError) or hasattr(error, "exit_code") for error in errors)


@pytest.mark.skipif(not isolation_layers().usable, reason="this machine does not let us build a sandbox")
def test_a_step_that_fails_says_what_it_wrote(root: Path, tmp_path: Path) -> None:
    honestly("add", root, "--name", "base")
    (tmp_path / "Dockerfile").write_text("FROM base\nRUN true\n")
    done = honestly("build", tmp_path, "--offline")
    assert "line 2 of the Dockerfile, RUN true: it ended with" in str(done.exception)
