"""Harbor's own tasks, without our table: `tests/test.sh` judges, and leaves a reward.

    TASK/task.toml, instruction.md
    TASK/environment/Dockerfile     and the files that it copies
    TASK/tests/                     in /tests when it runs
    TASK/solution/                  in /solution; its solve.sh solves the task

The script runs inside the sandbox, over the final workspace in /app, with the programs of this machine. What a task
needs beyond that (an image that has to be built, a network for its tests, several steps or containers) is put down as
something that it requires: such a task is listed, and left out of every run with that reason.

Of the Dockerfile, FROM is taken to mean this machine's programs, and COPY and WORKDIR are done; whatever else it says
is an image to be built.
"""

import json
import posixpath
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec

from honestly.errors import TaskError
from honestly.records import Checks, Edit, File, Hidden, Tags, Task, Tree
from honestly.tasks._reading import task_id, text_at

_APP = "/app"
_NETWORK = re.compile(
    r"^[^#\n]*?(?<![\w./-])(apt-get|apt|apk|dnf|yum|curl|wget|uvx|uv|pip3?|npm|npx|cargo|git clone)(?![\w./=-])",
    re.MULTILINE,
)
"""Programs in a test script that fetch something."""
_DIFFICULTIES = {"easy": "easy", "medium": "medium", "hard": "hard"}


class _TaskTable(msgspec.Struct):
    name: str = ""
    version: str = "1.0"


class _Metadata(msgspec.Struct):
    category: object = ""
    language: object = ""
    difficulty: object = ""


class _Timeout(msgspec.Struct):
    timeout_sec: Annotated[float, msgspec.Meta(gt=0, le=604_800)] | None = None
    environment_mode: str = "shared"
    environment: dict[str, Any] | None = None


class _Environment(msgspec.Struct):
    docker_image: str | None = None
    os: str | None = None
    gpus: int | float | None = None


class HarborToml(msgspec.Struct):
    """The parts of a task.toml that are read; Harbor's other keys are left alone."""

    task: _TaskTable = msgspec.field(default_factory=_TaskTable)
    metadata: _Metadata = msgspec.field(default_factory=_Metadata)
    agent: _Timeout = msgspec.field(default_factory=_Timeout)
    verifier: _Timeout = msgspec.field(default_factory=_Timeout)
    environment: _Environment = msgspec.field(default_factory=_Environment)
    steps: list[Any] = []


def load_harbor(folder: Path, toml: HarborToml) -> Task:
    """The task in `folder`.

    Raises:
        TaskError: something is missing or malformed; the message names it.
    """
    tests = Tree.read(folder / "tests")
    context = Tree.read(folder / "environment") if (folder / "environment").is_dir() else Tree()
    workspace, needed = _built(context, toml)
    needed += _beyond(folder, toml, tests)
    solution = Tree.read(folder / "solution") if (folder / "solution").is_dir() else Tree()
    difficulty = _DIFFICULTIES.get(str(toml.metadata.difficulty), "")
    return Task(
        id=task_id(folder.resolve().name, folder),
        version=toml.task.version,
        instruction=text_at(folder, "instruction.md"),
        workspace=workspace,
        hidden=Hidden(
            checks=Checks(
                runner="script", files=tests, expected=("reward",), timeout_s=toml.verifier.timeout_sec or 600.0
            ),
            reference=Edit(),
            solution=solution,
        ),
        tags=Tags(
            category=str(toml.metadata.category),
            language=str(toml.metadata.language),
            difficulty=difficulty,  # type: ignore[arg-type]
        ),
        timeout_s=toml.agent.timeout_sec or 600.0,
        requires=tuple(needed),
    )


def _beyond(folder: Path, toml: HarborToml, tests: Tree) -> list[str]:
    """What the task needs that no sandbox here has."""
    if "test.sh" not in tests.files:
        raise TaskError(
            f"{folder} has neither tests/test.sh nor, in task.toml, an [honestly] table: nothing to judge by"
            " (docs/suites.md)"
        )
    found = _NETWORK.search(tests.files["test.sh"].data.decode("utf-8", "replace"))
    needed = {
        "several steps": bool(toml.steps) or (folder / "steps").is_dir(),
        "a container of its own for the tests": toml.verifier.environment_mode == "separate"
        or toml.verifier.environment is not None
        or "Dockerfile" in tests.files,
        f"the operating system {toml.environment.os}": (toml.environment.os or "linux").lower() != "linux",
        "a GPU": bool(toml.environment.gpus),
        f"a network for its tests ({found[1] if found else ''} in tests/test.sh)": found is not None,
    }
    return [name for name, is_needed in needed.items() if is_needed]


def _built(context: Tree, toml: HarborToml) -> tuple[Tree, list[str]]:
    """The workspace that the environment comes to, and what it takes to build it otherwise."""
    compose = sorted(set(context.files) & {"docker-compose.yaml", "docker-compose.yml"})
    if compose:
        return Tree(), [f"containers ({compose[0]})"]
    if "Dockerfile" not in context.files:
        return Tree(), [f"the image {toml.environment.docker_image}"] if toml.environment.docker_image else []
    try:
        return _copied(context), []
    except _NeedsImage as error:
        return Tree(), [f"an image to be built (Dockerfile: {error})"]


class _NeedsImage(Exception):  # noqa: N818  (an event of reading, turned into data)
    """A line of the Dockerfile that only a build can do."""


def _copied(context: Tree) -> Tree:
    """What the COPY lines of a Dockerfile put into the workspace."""
    workspace, folder, stages = Tree(), "/", 0
    for word, rest in _instructions(context.files["Dockerfile"].data.decode("utf-8", "replace")):
        if word == "FROM" and stages == 0:
            stages += 1
        elif word == "WORKDIR":
            folder = posixpath.normpath(posixpath.join(folder, rest))
        elif word == "COPY":
            workspace = _put(context, rest, folder).over(workspace)
        else:
            raise _NeedsImage(f"{word} {rest}"[:60].strip())
    if folder not in {_APP, "/"}:
        raise _NeedsImage(f"WORKDIR {folder}")
    return workspace


def _instructions(text: str) -> Iterator[tuple[str, str]]:
    """Each instruction and its arguments; lines that end with a backslash go on in the next."""
    joined = re.sub(r"^[ \t]*#[^\n]*\n?", "", text, flags=re.MULTILINE)
    for line in re.sub(r"\\[ \t]*\n", " ", joined).splitlines():
        word, _, rest = line.strip().partition(" ")
        if word:
            yield word.upper(), rest.strip()


def _put(context: Tree, arguments: str, folder: str) -> Tree:
    """Files as `COPY source ... target` puts them into the workspace."""
    *sources, target = _words(arguments)
    below = posixpath.normpath(posixpath.join(folder, target))
    if not sources or any(source.startswith("--") or set(source) & set("*?[$") for source in (*sources, target)):
        raise _NeedsImage(f"COPY {arguments}"[:60])
    if below != _APP and not below.startswith(f"{_APP}/"):
        raise _NeedsImage(f"COPY to {below}")
    prefix = below.removeprefix(_APP).strip("/")
    files: dict[str, File] = {}
    for source in sources:
        name = posixpath.normpath(source).strip("/")
        as_folder = target.endswith(("/", ".")) or len(sources) > 1 or below == _APP
        found = _found(context, name, prefix, as_folder=as_folder)
        if not found:
            raise _NeedsImage(f"COPY {source}, which is not in environment/"[:80])
        files |= found
    return Tree(files=files)


def _found(context: Tree, name: str, prefix: str, *, as_folder: bool) -> dict[str, File]:
    """The files that a source of COPY means, under their new names."""
    if name in context.files:
        path = posixpath.join(prefix, posixpath.basename(name)) if as_folder else prefix
        return {path: context.files[name]}
    start = "" if name == "." else f"{name}/"
    return {
        posixpath.join(prefix, path.removeprefix(start)): file
        for path, file in context.files.items()
        if path.startswith(start) and path != "Dockerfile"
    }


def _words(arguments: str) -> list[str]:
    try:
        words = json.loads(arguments) if arguments.startswith("[") else shlex.split(arguments)
    except (ValueError, RecursionError):
        words = []
    if not isinstance(words, list) or len(words) < 2 or not all(isinstance(word, str) for word in words):
        raise _NeedsImage(f"COPY {arguments}"[:60])
    return words
