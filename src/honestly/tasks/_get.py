"""Benchmarks by name: fetched from where they are published, or from a mirror, with their licence and their hash.

A repository is cloned without its history, a file is downloaded; nothing of either is run. What was fetched is kept
where it is what its name says, by its layout and one task that it must hold; it is known by the hash of its commit, or
of the file, which is kept beside it in `SOURCE`, and may be demanded.

A mirror is an address below which there is `NAME.git` for a repository, and the file under its own name.
"""

import shutil
import urllib.request
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit
from urllib.request import url2pathname

import msgspec

from honestly.errors import FormatError, GitError, TaskError
from honestly.formats import problem_format, problem_rows
from honestly.git import run_git
from honestly.seams import did_you_mean
from honestly.tasks._load import folder_tasks

SOURCE = ".honestly-source.json"
"""The file that says where a benchmark is from."""
_LARGEST = 4 << 30
_CLONE_S = 1800.0
_ANSWER_S = 60.0


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A benchmark that can be fetched."""

    name: str
    what: str
    url: str
    licence: str
    """As its publisher says it; what was fetched may say otherwise."""
    layout: str
    """Its layout of suites, or its format of problems; of rows, what the file begins with."""
    holds: str
    """A task that it has, a word of the first problem, or a column."""
    tried: str = ""
    """The hash of the version that was tried here; empty where it was never reached. Today's may be a later one."""
    suite: str = ""
    """The folder of it that is a suite; empty where the whole is."""
    use: Literal["run", "samples", "rows"] = "run"
    """What it is for: a suite to run, problems for `bench samples`, or rows that need checkouts."""

    @property
    def is_repository(self) -> bool:
        """Whether it is cloned."""
        return self.url.endswith(".git")

    def address(self, mirror: str) -> str:
        """Where it is fetched from."""
        own = f"{self.name}.git" if self.is_repository else self.url.rpartition("/")[2]
        return f"{mirror.rstrip('/')}/{own}" if mirror else self.url


_EVALPLUS, _ROWS = "https://github.com/evalplus", "https://huggingface.co/datasets"
BENCHMARKS: Mapping[str, Benchmark] = {
    each.name: each
    for each in (
        Benchmark(
            "exercism",
            "Exercism's Python track",
            "https://github.com/exercism/python.git",
            "MIT",
            layout="exercism",
            holds="leap",
            tried="git:9eb657d4507d91efef99f484e7f2a1f4074911b5",
        ),
        Benchmark(
            "polyglot",
            "Aider's polyglot benchmark, of it Python",
            "https://github.com/Aider-AI/polyglot-benchmark.git",
            "MIT (Exercism's)",
            layout="exercism",
            holds="bowling",
            tried="git:7e0611e77b54e2dea774cdc0aa00cf9f7ed6144f",
            suite="python",
        ),
        Benchmark(
            "quixbugs",
            "QuixBugs",
            "https://github.com/jkoppel/QuixBugs.git",
            "MIT",
            layout="quixbugs",
            holds="gcd",
            tried="git:4257f44b0ff1181dedaedee6a447e133219fcebf",
        ),
        Benchmark(
            "humaneval-plus",
            "HumanEval+",
            f"{_EVALPLUS}/humanevalplus_release/releases/download/v0.1.10/HumanEvalPlus.jsonl.gz",
            "Apache-2.0",
            layout="evalplus",
            holds="HumanEval/",
            use="samples",
        ),
        Benchmark(
            "mbpp-plus",
            "MBPP+",
            f"{_EVALPLUS}/mbppplus_release/releases/download/v0.2.0/MbppPlus.jsonl.gz",
            "Apache-2.0",
            layout="evalplus",
            holds="Mbpp/",
            use="samples",
        ),
        Benchmark(
            "livecodebench",
            "LiveCodeBench, its first release",
            f"{_ROWS}/livecodebench/code_generation_lite/resolve/main/test.jsonl",
            "CC (see its page)",
            layout="livecodebench",
            holds="",
            use="samples",
        ),
        Benchmark(
            "terminal-bench",
            "Terminal-Bench's older tasks",
            "https://github.com/laude-institute/terminal-bench.git",
            "Apache-2.0",
            layout="terminal-bench",
            holds="hello-world",
            suite="original-tasks",
        ),
        Benchmark(
            "terminal-bench-2",
            "Terminal-Bench 2, as Harbor's tasks",
            "https://github.com/laude-institute/terminal-bench-2.git",
            "Apache-2.0",
            layout="harbor",
            holds="",
        ),
        Benchmark(
            "swe-bench-verified",
            "rows of SWE-bench Verified, without checkouts",
            f"{_ROWS}/princeton-nlp/SWE-bench_Verified/resolve/main/data/test-00000-of-00001.parquet",
            "MIT (each project's own for its code)",
            layout="PAR1",
            holds="FAIL_TO_PASS",
            use="rows",
        ),
    )
}
"""What can be fetched, by name."""


@dataclass(frozen=True, slots=True)
class FetchedBenchmark:
    """A fetched benchmark."""

    name: str
    url: str
    hash: str
    """`git:COMMIT` or `sha256:HASH`."""
    licence: str
    licence_text: str
    """The first line of the file LICENSE that came with it; empty where none did."""
    path: str
    """The suite, or the file."""


def get_benchmark(name: str, folder: Path, *, mirror: str = "", expected: str = "") -> FetchedBenchmark:
    """Fetch a benchmark into a new folder.

    Args:
        name: One of `BENCHMARKS`.
        folder: Where to; it must not exist.
        mirror: The address to fetch from, in place of its publisher's: `file:///srv/mirror`.
        expected: The hash that it must have, as an earlier fetch gave it; any if empty.

    Raises:
        TaskError: The name is unknown, the folder exists, it cannot be fetched, or has another hash.
    """
    found = BENCHMARKS.get(name)
    if found is None:
        own = Path(name).exists() or "/" in name or ":" in name
        hint = "; a suite of your own needs no fetching: honestly run FOLDER" if own else did_you_mean(name, BENCHMARKS)
        raise TaskError(f"no benchmark is called {name!r}{hint}; there are: {', '.join(BENCHMARKS)}")
    if folder.exists():
        raise TaskError(f"{folder} already exists; remove it, or name another folder with --out")
    if mirror and "://" not in mirror and Path(mirror).is_dir():
        mirror = Path(mirror).resolve().as_uri()
    url = found.address(mirror)
    if urlsplit(url).scheme not in {"https", "http", "file"}:
        raise TaskError(f"{url!r} is not an address; expected one of https://, http:// or file://")
    folder = folder.absolute()
    folder.parent.mkdir(parents=True, exist_ok=True)
    partly = folder.with_name(f".{folder.name}.partly")
    shutil.rmtree(partly, ignore_errors=True)  # of a fetch that was cut short
    if url.startswith("file:") and not Path(url2pathname(urlsplit(url).path)).exists():
        raise TaskError(
            f"there is no {url.rpartition('/')[2]} in the mirror {mirror}; check the spelling, or put it there"
        )
    try:
        if found.is_repository:
            words = ("clone", "-q", "--depth", "1", "--no-tags", "--single-branch", url, str(partly))
            run_git(*words, allow="https:http:file", seconds=_CLONE_S)
            got = "git:" + run_git("-C", str(partly), "rev-parse", "HEAD").decode("ascii").strip()
        else:
            got = _downloaded(url, partly)
    except (GitError, OSError, ValueError) as error:
        shutil.rmtree(partly, ignore_errors=True)
        raise TaskError(
            f"{name} cannot be fetched from {url}: {getattr(error, 'reason', None) or error}. Without a network, put "
            f"{found.address('MIRROR').removeprefix('MIRROR/')} into a folder, and give --mirror FOLDER"
        ) from error
    if expected and got != expected:
        shutil.rmtree(partly)
        raise TaskError(f"{name} has the hash {got}, expected {expected}; nothing of it was kept")
    place = partly / found.suite if found.is_repository else partly / url.rpartition("/")[2]
    if wrong := _unlike(found, place):
        shutil.rmtree(partly)
        raise TaskError(f"what is at {url} is not {name}: {wrong}; nothing of it was kept")
    licences = sorted(path for path in partly.iterdir() if path.name.upper().startswith(("LICENSE", "LICENCE")))
    text = licences[0].read_text("utf-8", "replace").strip().partition("\n")[0].strip()[:100] if licences else ""
    fetched = FetchedBenchmark(name, url, got, found.licence, text, str(folder / place.relative_to(partly)))
    (partly / SOURCE).write_bytes(msgspec.json.encode(asdict(fetched)) + b"\n")
    partly.rename(folder)
    return fetched


def _unlike(found: Benchmark, place: Path) -> str:
    """What shows that something else was fetched; empty where nothing does."""
    try:
        if found.use == "run":
            tasks = folder_tasks(found.layout, place)
            known = tasks.load if tasks is not None else ()
            if not known:
                return f"it contains no tasks in the layout {found.layout!r}"
            return f"it has no task {found.holds!r}" if found.holds and found.holds not in known else ""
        if found.use == "samples":
            if (seen := problem_format(place)) != found.layout:
                return f"its problems are in the format {seen!r}, expected {found.layout!r}"
            first = str(next(iter(problem_rows(place)))[1].get("task_id", ""))
            return "" if first.startswith(found.holds) else f"its first problem is {first[:80]!r}"
    except (TaskError, FormatError) as error:
        return str(error).replace(f"{place.parent}/", "")
    data = place.read_bytes()
    whole = data.startswith(found.layout.encode()) and found.holds.encode() in data
    return "" if whole else f"it is no Parquet file with a column {found.holds!r}"


def _downloaded(url: str, folder: Path) -> str:
    state, left = sha256(), _LARGEST
    with urllib.request.urlopen(url, timeout=_ANSWER_S) as reply:  # noqa: S310 - the scheme was checked
        folder.mkdir()
        with (folder / url.rpartition("/")[2]).open("wb") as file:
            while piece := reply.read(1 << 20):
                left -= len(piece)
                if left < 0:
                    raise ValueError(f"it is longer than {_LARGEST >> 30} GiB")
                state.update(piece)
                file.write(piece)
    return f"sha256:{state.hexdigest()}"
