"""Harbor's own tasks, without our table: `tests/test.sh` judges, and leaves a reward.

    TASK/task.toml, instruction.md
    TASK/environment/Dockerfile     and the files that it copies
    TASK/environment/docker-compose.yaml   services beside it, see `_compose`
    TASK/tests/                     in /tests when it runs
    TASK/solution/                  in /solution; its solve.sh solves the task

A task is done and judged in the image that its Dockerfile describes (`Environment`), whatever that image is. On this
machine's programs, with /app as the workspace, is done what says that no image matters (FROM scratch, `any_base` in
[metadata], no Dockerfile at all), does nothing but copy files into /app, and fetches nothing. What a task needs beyond
that (several steps, a GPU, keys of task.toml that nobody here knows) is put down as something that it
requires: such a task is listed, and left out of every run with that reason. See `_harbor_toml` for the keys.
"""

import json
import posixpath
import re
import shlex
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from honestly.errors import TaskError
from honestly.records import Checks, Edit, Environment, File, Hidden, Preparation, Tags, Task, Tree
from honestly.tasks._reading import positive_number, task_id, text_at
from honestly.tasks.layouts._compose import COMPOSE_FILES, composed_services, with_services
from honestly.tasks.layouts._harbor_toml import HarborToml, environment_of, needs_beyond

_APP = "/app"
_NETWORK = re.compile(
    r"^[^#\n]*?(?<![\w./-])(apt-get|apt|apk|dnf|yum|curl|wget|uvx|uv|pip3?|npm|npx|cargo|git clone)(?![\w./=-])",
    re.MULTILINE,
)
"""Programs in a test script that fetch something."""
_MAIN = "main"
"""The service that is the task's own container."""
_NOT_READ = {"dockerfile", "containerfile", "compose.yaml", "compose.yml"}
"""Names, in small letters, of files that describe an image or containers to others, where there is no `Dockerfile`."""
_DIFFICULTIES = {"easy": "easy", "medium": "medium", "hard": "hard"}


def load_harbor(folder: Path, toml: HarborToml) -> Task:
    """The task in `folder`.

    Raises:
        TaskError: something is missing or malformed; the message names it.
    """
    if not (folder / "tests").is_dir():
        raise TaskError(f"{folder} is no task: it has no folder tests (`honestly task new FOLDER` writes an example)")
    tests = Tree.read(folder / "tests")
    context, unread = _build_context(folder / "environment")
    if "test.sh" not in tests.files:
        raise TaskError(
            f"{folder} has neither tests/test.sh nor, in task.toml, an [honestly] table: nothing to judge by"
            " (docs/suites.md)"
        )
    installs = _NETWORK.search(tests.files["test.sh"].data.decode("utf-8", "replace")) is not None
    workspace, environment, needed = _built_workspace(context, toml, unread, installs=installs)
    needed = [*needs_beyond(toml), *_files_beyond(folder, tests), *needed]
    solution = Tree.read(folder / "solution") if (folder / "solution").is_dir() else Tree()
    difficulty = _DIFFICULTIES.get(str(toml.metadata.difficulty), "")
    task = Task(
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
            minutes=positive_number(toml.metadata.expert_time_estimate_min),
        ),
        timeout_s=toml.agent.timeout_sec or 600.0,
        requires=tuple(dict.fromkeys(needed)),
    )
    if environment is not None:
        return replace(task, environment=environment)
    memory = toml.environment.memory_mb
    return task if memory is None else replace(task, preparation=Preparation(memory_mb=memory))


def _build_context(folder: Path) -> tuple[Tree, str]:
    """The build context of an image, its Dockerfile a file where it was a link to one; and what of it
    cannot be read.
    """
    if not folder.is_dir():
        return Tree(), ""
    context = Tree.read(folder)
    link = context.files.get("Dockerfile")
    if link is None:
        found = sorted(name for name in context.files if name.lower() in _NOT_READ)
        return context, f"environment/{found[0]}, which is not read: only `Dockerfile` is" if found else ""
    if link.mode != "link":
        return context, ""
    root, path = folder.resolve(), (folder / "Dockerfile").resolve()
    file = context.files.get(path.relative_to(root).as_posix()) if path.is_relative_to(root) else None
    if file is None:
        goal = link.data.decode("utf-8", "replace")
        return context, f"a Dockerfile inside environment/: it is a link to {goal[:200]!r}, which is no file in there"
    return Tree(files={**context.files, "Dockerfile": file}), ""


def _files_beyond(folder: Path, tests: Tree) -> list[str]:
    """The demands of the task's files that no sandbox here meets."""
    needed = {
        "several steps": (folder / "steps").is_dir(),
        "a container of its own for the tests": "Dockerfile" in tests.files,
        "a trajectory to begin with (trajectory.json)": (folder / "trajectory.json").exists(),
    }
    return [name for name, is_needed in needed.items() if is_needed]


def _built_workspace(
    context: Tree, toml: HarborToml, unread: str, *, installs: bool
) -> tuple[Tree, Environment | None, list[str]]:
    """The workspace, or the environment instead of it, and what neither can give."""
    compose = next((name for name in COMPOSE_FILES if name in context.files), "")
    name = toml.environment.docker_image or ""
    if compose:
        made = composed_services(context.text(compose), context, lambda _: _MAIN, f"environment/{compose}")
        if "Dockerfile" not in context.files and not name:
            return Tree(), None, [*made.needs, "a Dockerfile or a docker_image for its own container"]
        environment = environment_of(toml, Tree() if name else context, installs=installs)
        return Tree(), with_services(environment, made), list(made.needs)
    if unread and not name:
        return Tree(), None, [unread]
    if "Dockerfile" in context.files and not installs and not toml.environment.asks_more:
        with suppress(_NeedsImage):
            return _copied_files(context, any_base=toml.metadata.any_base is True), None, []
    if "Dockerfile" not in context.files and not name:
        return Tree(), None, ["a network for its tests, and an image to have it in"] if installs else []
    return Tree(), environment_of(toml, Tree() if name else context, installs=installs), []


class _NeedsImage(Exception):  # noqa: N818  (an event of reading, turned into data)
    """A line of the Dockerfile that only a build can do."""


def _copied_files(context: Tree, *, any_base: bool) -> Tree:
    """The files that the COPY lines of a Dockerfile put into the workspace, if it stands on nothing or on anything."""
    workspace, folder, stages = Tree(), "/", 0
    for word, rest in _instructions(context.files["Dockerfile"].data.decode("utf-8", "replace")):
        if word == "FROM" and stages == 0 and (any_base or rest == "scratch"):
            stages += 1
        elif word == "WORKDIR":
            folder = posixpath.normpath(posixpath.join(folder, rest))
        elif word == "COPY":
            workspace = _put_files(context, rest, folder).over(workspace)
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


def _put_files(context: Tree, arguments: str, folder: str) -> Tree:
    """Files as `COPY source ... target` puts them into the workspace."""
    try:
        words = json.loads(arguments) if arguments.startswith("[") else shlex.split(arguments)
    except (ValueError, RecursionError):
        words = []
    if not isinstance(words, list) or len(words) < 2 or not all(isinstance(word, str) for word in words):
        raise _NeedsImage(f"COPY {arguments}"[:60])
    *sources, target = words
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
        # The files that a source of COPY means, under their new names.
        if name in context.files:
            path = posixpath.join(prefix, posixpath.basename(name)) if as_folder else prefix
            found = {path: context.files[name]}
        else:
            start = "" if name == "." else f"{name}/"
            found = {
                posixpath.join(prefix, path.removeprefix(start)): file
                for path, file in context.files.items()
                if path.startswith(start) and path != "Dockerfile"
            }
        if not found:
            raise _NeedsImage(f"COPY {source}, which is not in environment/"[:80])
        files |= found
    return Tree(files=files)
