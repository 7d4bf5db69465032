"""Benchmarks by name, from a mirror: what came is a suite, with its licence and its hash, and slips are named."""

from __future__ import annotations

import gzip
import json
import subprocess
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import pytest
from foreign_suites import EXERCISM, HARBOR, QUIXBUGS, TERMINAL_BENCH, write

from forked import honestly
from honestly.errors import TaskError
from honestly.tasks import BENCHMARKS, get_benchmark, load_suite

FILES = {
    "LICENSE": "\nMIT License\n\nCopyright\n",
    "python_programs/gcd.py": "def gcd(a, b):\n    return a if b == 0 else gcd(a % b, b)\n",
    "correct_python_programs/gcd.py": "def gcd(a, b):\n    return a if b == 0 else gcd(b, a % b)\n",
    "json_testcases/gcd.json": "[[17, 0], 17]\n[[13, 13], 13]\n",
}
PROBLEM = {"task_id": "HumanEval/0"} | dict.fromkeys(
    ("prompt", "entry_point", "canonical_solution", "base_input", "plus_input"), ""
)


@pytest.fixture
def mirror(tmp_path: Path) -> str:
    place = tmp_path / "mirror" / "quixbugs.git"
    for name, text in FILES.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    for words in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-q", "-m", "All")):
        subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@b", *words], cwd=place, check=True)
    with gzip.open(tmp_path / "mirror" / "HumanEvalPlus.jsonl.gz", "wb") as file:
        file.write(json.dumps(PROBLEM).encode() + b"\n")
    return f"file://{tmp_path}/mirror"


def test_a_repository_is_fetched_and_is_a_suite(mirror: str, tmp_path: Path) -> None:
    done = honestly("task", "get", "quixbugs", "--mirror", mirror, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=tmp_path / "mirror/quixbugs.git", capture_output=True, text=True
    )
    tried = BENCHMARKS["quixbugs"].tried
    assert f"hash     git:{head.stdout.strip()} (not the version that was tried, {tried})" in done.stdout
    assert "begins: MIT License" in done.stdout
    assert [task.id for task in load_suite(tmp_path / "quixbugs").tasks] == ["gcd"]
    kept = json.loads((tmp_path / "quixbugs" / ".honestly-source.json").read_text())
    assert kept["url"] == f"{mirror}/quixbugs.git"
    again = honestly("task", "get", "quixbugs", cwd=tmp_path, env={"HONESTLY_MIRROR": mirror})
    assert again.returncode == 2
    assert "already exists" in again.stderr


def test_a_file_is_fetched_with_its_hash(mirror: str, tmp_path: Path) -> None:
    data = (tmp_path / "mirror" / "HumanEvalPlus.jsonl.gz").read_bytes()
    wanted = f"sha256:{sha256(data).hexdigest()}"
    found = get_benchmark("humaneval-plus", tmp_path / "a" / "b", mirror=mirror, expected=wanted)
    assert found.hash == wanted
    assert Path(found.path).read_bytes() == data
    with pytest.raises(TaskError, match=f"has the hash {wanted}, expected sha256:0"):
        get_benchmark("humaneval-plus", tmp_path / "c", mirror=mirror, expected="sha256:0")
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize(
    ("name", "mirror", "said"),
    [
        ("quixbug", "", r"did you mean 'quixbugs'\?"),
        ("./mine.jsonl", "", r"own needs no fetching: honestly run FOLDER; there are: exercism, "),
        ("quixbugs", "file:///absent", r"there is no quixbugs\.git in the mirror file:///absent"),
        ("mbpp-plus", "file:///absent", r"there is no MbppPlus\.jsonl\.gz in the mirror"),
        ("mbpp-plus", "http://127.0.0.1:9", r"cannot be fetched from http://127\.0\.0\.1:9/MbppPlus"),
        ("quixbugs", "/srv/mirror", "is not an address"),
    ],
)
def test_a_slip_is_named(name: str, mirror: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(TaskError, match=said):
        get_benchmark(name, tmp_path / "out", mirror=mirror)
    assert not (tmp_path / "out").exists()


def test_what_is_something_else_is_refused(mirror: str, tmp_path: Path) -> None:
    place = tmp_path / "mirror"
    for name in ("exercism", "terminal-bench", "terminal-bench-2"):
        (place / f"{name}.git").symlink_to(place / "quixbugs.git")
    (place / "MbppPlus.jsonl.gz").symlink_to(place / "HumanEvalPlus.jsonl.gz")
    (place / "test.jsonl").write_text("an error page\n")
    (place / "test-00000-of-00001.parquet").write_text("PAR1, and nothing else")
    said = {
        "exercism": "contains no tasks in the layout 'exercism'",
        "terminal-bench": "contains no tasks in the layout 'terminal-bench'",
        "terminal-bench-2": "contains no tasks in the layout 'harbor'",
        "mbpp-plus": "its first problem is 'HumanEval/0'",
        "livecodebench": r"is not livecodebench: test\.jsonl:1: not JSON",
        "swe-bench-verified": "no Parquet file with a column 'FAIL_TO_PASS'",
    }
    for name, words in said.items():
        with pytest.raises(TaskError, match=words):
            get_benchmark(name, tmp_path / "out", mirror=mirror)
        assert not list(tmp_path.glob("*out*"))


def renamed(files: Mapping[str, object], old: str, new: str) -> dict[str, object]:
    """The files of a suite, a folder called otherwise; texts in which its name stands follow."""
    return {name.replace(old, new): text for name, text in files.items()}


SUITES = {
    "exercism": EXERCISM,
    "polyglot": {f"python/{name}": text for name, text in renamed(EXERCISM, "practice/leap", "practice/bowling").items()},
    "quixbugs": QUIXBUGS,
    "terminal-bench": {f"original-tasks/{name}": text for name, text in renamed(TERMINAL_BENCH, "hello/", "hello-world/").items()},
    "terminal-bench-2": HARBOR,
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(BENCHMARKS))
def test_every_name_is_fetched_from_a_mirror_and_is_what_it_says(name: str, tmp_path: Path) -> None:
    benchmark = BENCHMARKS[name]
    place = tmp_path / "mirror" / benchmark.address("x").removeprefix("x/")
    if name in SUITES:
        write(place, SUITES[name])
        for words in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "All")):
            subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@b", *words], cwd=place, check=True)
    else:
        place.parent.mkdir()
        row = PROBLEM | {"task_id": f"{benchmark.holds}0"}
        if name == "livecodebench":
            row = dict.fromkeys(("question_id", "question_content", "starter_code", "public_test_cases", "private_test_cases"), "")  # fmt: skip
        if name == "swe-bench-verified":
            pytest.importorskip("polars").DataFrame([{"instance_id": "a", "FAIL_TO_PASS": "[]"}]).write_parquet(place)
        else:
            with gzip.open(place, "wb") if place.suffix == ".gz" else place.open("wb") as file:
                file.write(json.dumps(row).encode() + b"\n")
    done = honestly("task", "get", name, "--mirror", "mirror", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert (said["name"], said["licence"]) == (name, benchmark.licence)
    if benchmark.use == "run":
        assert benchmark.holds in {"", *(task.id for task in load_suite(said["path"]).tasks)}
    else:
        assert Path(said["path"]).read_bytes() == place.read_bytes()


def test_all_are_listed(tmp_path: Path) -> None:
    listed = honestly("task", "get", cwd=tmp_path).stdout
    assert all(f"{each.name} " in listed and each.url in listed for each in BENCHMARKS.values())
