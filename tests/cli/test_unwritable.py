"""Commands that write, on a full disk and at an impossible path: one line, exit code 2, and nothing half-written."""

import os
import re
import shlex
import subprocess
import sys

import pytest

from disturbed import Disturbed, disturbed, with_small_disk
from forked import honestly
from made_once import made_once
from sampled import sampled

__all__ = ["disturbed"]

FORMATS = ("atif", "adp", "otel", "inspect", "scout", "harbor", "table", "junit", "markdown", "model-index", "parquet")
COMMANDS = {
    **{f"export --to {name}": ("export", "STUDY", "PLACE", "--to", name) for name in FORMATS},
    "report --html": ("report", "STUDY", "--html", "PLACE"),
    "report --figures": ("report", "STUDY", "--figures", "PLACE"),
    "compare --figures": ("compare", "STUDY", "good", "none", "--figures", "PLACE"),
    "gate --junit": ("gate", "STUDY", "STUDY", "--agent", "none", "--baseline-agent", "good", "--junit", "PLACE"),
    "plan --register": ("plan", "--score", "0.5", "-k", "2", "--claim", "a>b", "--register", "PLACE"),
    "view --export": ("view", "STUDY", "--export", "PLACE"),
    "review --export": ("review", "STUDY", "--export", "PLACE.csv"),
    "improve --new": ("improve", "PLACE", "--new", "sorting", "--agent", "searcher", "--budget", "2 attempts"),
    "new --in": ("new", "detector", "my_detector", "--in", "PLACE"),
    "tasks new": ("tasks", "new", "PLACE"),
    "import": ("import", "TABLE", "--out", "PLACE"),
    "merge": ("merge", "STUDY", "STUDY", "--out", "PLACE"),
    "languages --out": ("languages", "SAMPLES", "--out", "PLACE"),
    "languages --model": ("languages", "PLACE", "-l", "python", "--model", "script:SCRIPT"),
    "verify --out": ("verify", "PROBLEMS", "SOLUTIONS", "--out", "PLACE"),
    "tasks make-impossible": ("tasks", "make-impossible", "SUITE", "--out", "PLACE"),
    "tasks harden": ("tasks", "harden", "SUITE", "--out", "PLACE"),
    "run": ("run", "SUITE", "-a", "honest:name=good,easy=1,medium=1,hard=1", "-o", "PLACE"),
    "demo": ("demo", "--out", "PLACE"),
}


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """What commands read: names in capitals above, and where they lie."""

    def make(path):
        agents = ("honest:name=good,easy=1,medium=1,hard=1", "claim-only:name=none")
        words = ("run", "embedded", "--task", "split-bill", "--task", "stock-holds", "-o", path)
        done = honestly(*words, *(word for agent in agents for word in ("-a", agent)))
        assert done.returncode == 0, done.stderr

    folder = tmp_path_factory.mktemp("given")
    places = {"STUDY": made_once(tmp_path_factory, "unwritable", make)}
    texts = {
        "TABLE": "agent,task,outcome\na,t,passed\na,u,failed\n",
        "SAMPLES": '{"language": "python", "puzzle": "griffins", "model": "m", "sample": 0, "code": "print(1)"}\n',
        "SCRIPT": '{"text": "no code"}\n',
        "PROBLEMS": '{"task_id": "T/0", "prompt": "def one():\\n", "entry_point": "one", "canonical_solution": '
        '"    return 1\\n", "test": "def check(f):\\n    assert f() == 1\\n"}\n',
        "SOLUTIONS": '{"task_id": "T/0", "completion": "    return 1\\n"}\n',
    }
    for name, text in texts.items():
        places[name] = folder / (f"{name.lower()}.csv" if name == "TABLE" else f"{name.lower()}.jsonl")
        places[name].write_text(text)
    files = {
        "python_programs/half.py": "def half(n):\n    return n\n",
        "correct_python_programs/half.py": "def half(n):\n    return n // 2\n",
        "json_testcases/half.json": "[[6], 3]\n[[7], 3]\n[[40], 20]\n",
    }
    places["SUITE"] = folder / "suite"
    for name, text in files.items():
        (places["SUITE"] / name).parent.mkdir(parents=True, exist_ok=True)
        (places["SUITE"] / name).write_text(text)
    return places


def words_of(name, given, place):
    known = {**{key: str(path) for key, path in given.items()}, "PLACE": str(place)}
    return [re.sub("|".join(known), lambda found: known[found[0]], word) for word in COMMANDS[name]]


def assert_one_line(said):
    lines = [line for line in said.splitlines() if line.startswith(("error:", "Error:", "Traceback"))]
    assert len(lines) == 1, said
    assert "Traceback" not in said


@pytest.mark.parametrize("name", sampled(COMMANDS, quick=3))
def test_a_full_disk_is_one_line_and_leaves_nothing(tmp_path, given, disturbed: Disturbed, name):
    disk = tmp_path / "disk"
    run = shlex.join([sys.executable, "-m", "honestly", *words_of(name, given, disk / "p")])
    fill = f"dd if=/dev/zero of={disk}/filler bs=1k 2>/dev/null || :"
    said = with_small_disk(
        disturbed, disk, 64, f"{fill}\ncode=0; {run} 2>&1 || code=$?; echo ended: $code; find {disk} -type f -size +0c"
    )
    assert_one_line(said)
    ended, *left = said[said.index("ended: ") :].splitlines()
    assert ended == "ended: 2", said
    assert left == [f"{disk}/filler"], said


@pytest.mark.parametrize("name", sampled(COMMANDS, quick=6))
@pytest.mark.parametrize("place", ["file/below/p", "x" * 300, "missing/folder/p"])
def test_an_impossible_path_is_one_line(tmp_path, given, name, place):
    (tmp_path / "file").touch()
    if place.startswith("missing"):
        place = "/proc/nowhere/p"  # where nobody can make a folder
    done = honestly(*words_of(name, given, tmp_path / place), cwd=tmp_path, env={**os.environ, "COLUMNS": "500"})
    assert done.returncode == 2, done.stdout + done.stderr
    assert_one_line(done.stderr)
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


@pytest.mark.slow
def test_a_full_standard_output_is_one_line(tmp_path, given, disturbed: Disturbed):
    """`/dev/full` is a device that is always full."""
    run = shlex.join([sys.executable, "-m", "honestly", "report", str(given["STUDY"]), "--json"])
    said = with_small_disk(disturbed, tmp_path / "d", 64, f"code=0; {run} >/dev/full || code=$?; echo ended: $code")
    assert_one_line(said)
    assert "cannot write: No space left on device; free some space there" in said
    assert "ended: 2" in said


def test_a_bug_still_shows_itself():
    script = "import sys, click, honestly.cli as c\n@c.cli.command()\ndef broken():\n    {}['a bug']\n"
    script += "c.cli.get_command = lambda *_: broken\nc.cli.resolve_command = lambda ctx, args: ('broken', broken, args[1:])\nsys.argv[1:] = ['broken']\nc.main()"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, "KeyError: 'a bug'" in done.stderr) == (2, True), done.stderr
