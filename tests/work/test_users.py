"""Commands that keep a journal: killed at random moments, on a full disk, two at once, they end as if undisturbed."""

import json
import os
import random
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from check.projects_to_check import FIX, checkout
from disturbed import ROOT, Disturbed, disturbed, with_small_disk
from honestly.improve import read_state
from improve.loop_parts import plain, project
from languages.programs import TREE

__all__ = ["disturbed"]

SLOW_MODEL = """
import anyio
from pathlib import Path
from honestly.models import Message

class Slow:
    name = "slow"

    async def __call__(self, messages, tools=(), settings=None):
        with (Path(__file__).parent / "asked").open("a") as file:
            file.write("1\\n")
        await anyio.sleep(0.1)
        return Message(role="assistant", text="```python\\nprint(1)\\n" + "# by a slow model\\n" * 120 + "```")

slow = Slow()
"""
HALF = {
    "python_programs/{}.py": "def {}(n):\n    return n\n",
    "correct_python_programs/{}.py": "def {}(n):\n    return n // 2\n",
}


class User(NamedTuple):
    """A command with a journal."""

    prepare: Callable[[Path], list[str]]
    """Writes what the command reads into a folder; gives its words, in which PLACE is where it writes."""
    ended: Callable[[Path], object]
    """What lies there when it has ended, without what changes from run to run."""
    kilobytes: int
    """A disk that is too small for it."""


def languages(folder: Path) -> list[str]:
    (folder / "slow.py").write_text(SLOW_MODEL)
    for name in ("griffins", "roman-load"):
        (folder / "puzzles" / name).mkdir(parents=True)
        for file in ("puzzle.md", "cases.json"):
            (folder / "puzzles" / name / file).write_text((TREE / name / file).read_text())
    words = ["languages", "PLACE/s.jsonl", "--model", "slow:slow", "-k", "6", "-l", "python", "--jobs", "2"]
    return [*words, "--puzzles", str(folder / "puzzles"), "--cpu", "1"]


def rows(path: Path, *but: str) -> list[str]:
    found = (json.loads(line) for line in path.read_text().splitlines())
    return sorted(json.dumps({name: row[name] for name in row if name not in but}, sort_keys=True) for row in found)


def impossible(folder: Path) -> list[str]:
    for name in ("half", "third", "fourth"):
        for path, text in HALF.items():
            (folder / "suite" / path.format(name)).parent.mkdir(parents=True, exist_ok=True)
            (folder / "suite" / path.format(name)).write_text(text.format(name))
        (folder / "suite" / "json_testcases").mkdir(exist_ok=True)
        (folder / "suite" / "json_testcases" / f"{name}.json").write_text("[[6], 3]\n[[7], 3]\n[[40], 20]\n")
    return ["tasks", "make-impossible", str(folder / "suite"), "--out", "PLACE/out", "--jobs", "1"]


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def improve(folder: Path) -> list[str]:
    words = ["improve", str(project(folder / "p")), "--seed", "1", "--unsafe-no-sandbox", "--agent", "searcher"]
    return [*words, "--budget", "8 attempts", "--out", "PLACE/run"]


def checked(folder: Path) -> list[str]:
    place = checkout(folder / "toy", FIX, "Fix the mean of an empty list")
    return ["check", "--repo", str(place), "--out", "PLACE/c", "--mutants", "3"]


def parts(folder: Path) -> list[str]:
    """The lines of a check's journal, without what runs took."""
    (path,) = folder.glob("*/check.jsonl")
    return sorted(re.sub(r'"seconds":[0-9.]+', "", line) for line in path.read_text().splitlines())


def uncertainty(folder: Path) -> list[str]:
    (folder / "slow.py").write_text(SLOW_MODEL)
    questions = [{"id": n, "question": f"{n}?", "options": ["a", "b"], "answer": "AB"[n % 2]} for n in range(6)]
    (folder / "q.jsonl").write_text("".join(json.dumps(each) + "\n" for each in questions))
    words = ["uncertainty", str(folder / "q.jsonl"), "-m", "slow:slow", "--method", "none", "--letters", "2"]
    return [*words, "-j", "1", "--out", "PLACE/u.jsonl"]


def recipe(folder: Path) -> list[str]:
    return ["recipe", "selfplay", "--quick", "--seeds", "2", "-o", "PLACE/r"]


USERS = {
    "uncertainty": User(uncertainty, lambda place: rows(place / "u.jsonl"), 20),
    "languages": User(
        languages, lambda place: (rows(place / "s.jsonl"), rows(place / "s_results.jsonl", "seconds")), 20
    ),
    "tasks make-impossible": User(
        impossible,
        lambda place: (rows(place / "out/made.jsonl"), {**files(place / "out"), "made.jsonl": b""}),
        60,
    ),
    "check": User(checked, lambda place: parts(place / "c"), 4),
    "recipe": User(recipe, lambda place: (rows(place / "r/recipe.jsonl"), (place / "r/recipe.md").read_text()), 8),
    "improve": User(improve, lambda place: plain(read_state(place / "run")), 60),
}
EACH = [pytest.param(name, marks=() if name == "languages" else pytest.mark.slow) for name in USERS]


def command(words: list[str], place: Path) -> list[str]:
    return [sys.executable, "-m", "honestly", *(word.replace("PLACE", str(place)) for word in words)]


def start(folder: Path, words: list[str], place: Path) -> subprocess.Popen[str]:
    place.mkdir(exist_ok=True)
    path = os.pathsep.join((str(ROOT / "src"), str(folder)))
    return subprocess.Popen(
        command(words, place), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip


def finish(process: subprocess.Popen[str]) -> None:
    said = process.communicate(timeout=600)[1]
    assert process.returncode == 0, said


@pytest.mark.slow
@pytest.mark.parametrize("name", USERS)
def test_kills_at_random_moments_change_nothing(tmp_path: Path, name: str) -> None:
    user, rng, kills = USERS[name], random.Random(name), 0
    words = user.prepare(tmp_path)
    finish(start(tmp_path, words, tmp_path / "calm"))
    size = lambda: sum(path.stat().st_size for path in (tmp_path / "torn").rglob("*") if path.is_file())  # noqa: E731
    while True:
        process = start(tmp_path, words, tmp_path / "torn")
        before = size()
        while process.poll() is None and kills < 4 and size() == before:
            time.sleep(0.01)
        time.sleep(rng.uniform(0.0, 0.3))
        if kills == 4 or process.poll() is not None:
            break
        process.kill()
        process.communicate()
        kills += 1
    finish(process)
    assert kills >= 2
    assert user.ended(tmp_path / "torn") == user.ended(tmp_path / "calm")


@pytest.mark.slow
@pytest.mark.parametrize("name", EACH)
def test_of_two_at_once_one_is_told_who_is_at_work(tmp_path: Path, name: str) -> None:
    user = USERS[name]
    words = user.prepare(tmp_path)
    finish(start(tmp_path, words, tmp_path / "calm"))
    asked = (tmp_path / "asked").read_text() if (tmp_path / "asked").exists() else ""
    first, second = start(tmp_path, words, tmp_path / "torn"), start(tmp_path, words, tmp_path / "torn")
    ends = [(process.communicate(timeout=600)[1], process.returncode) for process in (first, second)]
    assert 0 in {code for _, code in ends}, ends
    for said, code in ends:  # on a busy machine one may have ended before the other began: then both are right
        assert code == 0 or (code == 2 and "another process (" in said and "Traceback" not in said), said
    finish(start(tmp_path, words, tmp_path / "torn"))
    assert user.ended(tmp_path / "torn") == user.ended(tmp_path / "calm")
    if asked:
        assert (tmp_path / "asked").read_text() == 2 * asked, "a question was asked twice"


@pytest.mark.slow
@pytest.mark.parametrize("name", EACH)
def test_a_full_disk_is_said_and_the_same_command_goes_on(tmp_path: Path, disturbed: Disturbed, name: str) -> None:
    user, disk, out = USERS[name], tmp_path / "disk", tmp_path / "out"
    words = user.prepare(tmp_path)
    finish(start(tmp_path, words, tmp_path / "calm"))
    run = f"PYTHONPATH={ROOT / 'src'}:{tmp_path} {shlex.join(command(words, disk))}"
    said = with_small_disk(
        disturbed, disk, user.kilobytes,
        f"code=0; {run} >/dev/null || code=$?; echo ended: $code; mount -o remount,size=100m {disk}\n"
        f"{run} >/dev/null; cp -r {disk} {out}",
    )  # fmt: skip
    assert "ended: 2" in said
    assert "No space left on device; free some space there" in said
    assert "Traceback" not in said
    assert user.ended(out) == user.ended(tmp_path / "calm")


TESTED = {
    "check/_cli.py": "check",
    "improve/_journal.py": "improve",
    "languages/_cli/_run.py": "languages",
    "languages/_results.py": "languages",
    "models/_cassette.py": "tests/models/test_scripted.py",
    "models/_log.py": "tests/models/test_proxy_record.py",
    "recipes/_recipe.py": "recipe",
    "runner/_results_file.py": "tests/cli/test_verify_command.py",
    "stress/_making.py": "tasks make-impossible",
    "taskgen/_journal.py": "tests/taskgen/test_killed.py",
    "taskgen/pages/_explore.py": "tests/taskgen/test_from_pages.py",
    "train/_export.py": "tests/train/test_training_data.py",
    "uncertainty/_cli.py": "uncertainty",
}
"""Where each journal is disturbed: a row of USERS, or a file of tests that does as much."""
TEMPORARY = {"check/_review.py", "check/_tool.py"}
"""Journals in a folder that ends with its check: nothing resumes them."""


def test_every_journal_is_disturbed_somewhere() -> None:
    source = ROOT / "src" / "honestly"
    opens = {
        str(path.relative_to(source))
        for path in source.rglob("*.py")
        if re.search(r"(?<!\w)Journal\(", path.read_text("utf-8").replace("class Journal(", ""))
    }
    assert opens - TEMPORARY == set(TESTED), (
        "a new journal: give it a row of USERS, or a test that kills and fills its disk"
    )
    assert [where for where in TESTED.values() if where not in USERS and not (ROOT / where).is_file()] == []
