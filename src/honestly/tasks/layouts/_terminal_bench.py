"""Terminal-Bench's older tasks, from before Harbor: `task.yaml`, and pytest's report as the verdict.

    TASK/task.yaml             instruction, category, difficulty, max_agent_timeout_sec, max_test_timeout_sec
    TASK/Dockerfile            and what it copies
    TASK/docker-compose.yaml   services beside it, see `_compose`
    TASK/run-tests.sh, tests/  in $TEST_DIR, which is /tests, when it runs
    TASK/solution.sh

The image gets neither tests nor solution, whatever the Dockerfile copies. `run-tests.sh` ends with pytest; the task is
passed if its report names a test that passed, and none that did not: skipped tests and expected failures count for
nothing, which Terminal-Bench itself takes for passed.

Of YAML, what these files use is read: mappings by indentation, plain and quoted scalars, and blocks of text. Anchors,
tags and documents are refused.
"""

import json
import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from honestly.errors import TaskError
from honestly.records import Checks, Edit, Environment, File, Hidden, Tags, Task, Tree
from honestly.tasks._reading import FoundTasks, positive_number, task_id, text_at
from honestly.tasks.layouts._compose import composed_services, with_services

_KEY = re.compile(r"([A-Za-z_][\w.-]*|\"[^\"]*\"|'[^']*')\s*:(?:\s+(.*))?$")
_BLOCK = re.compile(r"([|>])([+-]?)\d?\s*(?:#.*)?$")
_HIDDEN = ("tests", "task.yaml", "run-tests.sh", "solution.sh", "solution.yaml", "docker-compose.yaml")
_DIFFICULTIES = ("easy", "medium", "hard")
_PARSERS = ("pytest", "")
_JUDGE = """#!/bin/bash
# Terminal-Bench reads pytest's report, and no exit status.
mkdir -p /logs/verifier
export TEST_DIR=/tests
bash /tests/run-tests.sh 2>&1 | tee /logs/verifier/report.txt
if grep -qE '^PASSED ' /logs/verifier/report.txt && ! grep -qE '^(FAILED|ERROR) ' /logs/verifier/report.txt
then echo 1 > /logs/verifier/reward.txt
else echo 0 > /logs/verifier/reward.txt
fi
"""


def find_terminal_bench(root: Path) -> FoundTasks | None:
    """The tasks in `root`, or `root` itself, if it is one."""
    single = (root / "task.yaml").is_file()
    folders = [root] if single else sorted(path.parent for path in root.glob("*/task.yaml"))
    if not folders:
        return None
    load = {task_id(folder.resolve().name, folder): partial(_load_terminal_task, folder) for folder in folders}
    return FoundTasks(name=root.resolve().name, version="0", load=load)


def _load_terminal_task(folder: Path) -> tuple[Task, ...]:
    """The task in a folder.

    Raises:
        TaskError: something is missing or malformed; the message names it.
    """
    for name in (*_HIDDEN, "Dockerfile"):
        if (folder / name).is_symlink():
            raise TaskError(f"{folder / name} is a link; put the files themselves there")
    given = read_mapping(text_at(folder, "task.yaml"), f"{folder}/task.yaml")
    if not given.get("instruction"):
        raise TaskError(f"{folder}/task.yaml has no instruction")
    files = Tree.read(folder)
    tests = dict(files.below("tests").files)
    for name in ("run-tests.sh", "Dockerfile"):
        if name not in files.files:
            raise TaskError(f"{folder} has no {name}, without which it can be neither built nor judged")
    tests |= {"run-tests.sh": files.files["run-tests.sh"], "test.sh": File(data=_JUDGE.encode(), mode="exec")}
    context = files.without(path for path in files.files if path.partition("/")[0] in _HIDDEN)
    solution = {"solve.sh": files.files["solution.sh"]} if "solution.sh" in files.files else {}
    difficulty = given.get("difficulty", "")
    environment = Environment(
        context=context,
        env={"TEST_DIR": "/tests"},
        verifier_user="root",
        agent_network=("*",),
        verifier_network=("*",),
        installs=True,
        storage_mb=10_240,
    )
    needs = _needs_beyond(files, given)
    if (compose := "docker-compose.yaml") in files.files:
        made = composed_services(files.text(compose), context, _main_service, f"{folder}/{compose}")
        environment = with_services(environment, made)
        needs += made.needs
    task = Task(
        id=task_id(folder.resolve().name, folder),
        instruction=given["instruction"],
        hidden=Hidden(
            checks=Checks(
                runner="script",
                files=Tree(files=tests),
                expected=("reward",),
                timeout_s=_declared_seconds(given, "max_test_timeout_sec", folder),
            ),
            reference=Edit(),
            solution=Tree(files=solution),
        ),
        tags=Tags(
            category=given.get("category", ""),
            difficulty=difficulty if difficulty in _DIFFICULTIES else "",  # type: ignore[arg-type]
            minutes=positive_number(given.get("expert_time_estimate_min")),
        ),
        timeout_s=_declared_seconds(given, "max_agent_timeout_sec", folder),
        requires=tuple(needs),
        environment=environment,
    )
    return (task,)


def _main_service(names: Sequence[str]) -> str:
    return next((name for name in ("client", "agent", "main") if name in names), names[0] if names else "")


def _needs_beyond(files: Tree, given: dict[str, str]) -> list[str]:
    """The needs of the task that no sandbox here meets."""
    needed = []
    if given.get("parser_name", "") not in _PARSERS:
        needed.append(f"a reader for reports of {given['parser_name']}")
    if "solution.sh" not in files.files and "solution.yaml" in files.files:
        needed.append("a terminal for its solution (solution.yaml)")
    return needed


def _declared_seconds(given: dict[str, str], key: str, folder: Path) -> float:
    text = given.get(key) or "600"
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 604_800:
        raise TaskError(f"{folder}/task.yaml: {key} is {text!r}; expected seconds, a week at most")
    return seconds


def read_mapping(text: str, place: str) -> dict[str, str]:
    """A YAML mapping's keys and values; a value that is a mapping or a list stays text, without its indentation.

    Args:
        text: the mapping.
        place: what it is called in errors.

    Raises:
        TaskError: it is no mapping, or one that is not understood.
    """
    found: dict[str, str] = {}
    lines = text.replace("\r\n", "\n").split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if not line.strip() or line.lstrip().startswith("#") or line == "---":
            continue
        if not (match := _KEY.match(line)):
            raise TaskError(f"{place}, line {at}: {line.strip()[:60]!r} is not understood; expected `key: value`")
        key, inline = match[1].strip("\"'"), (match[2] or "").strip()
        end = at
        while end < len(lines) and (not lines[end].strip() or lines[end][0] in " -#"):
            end += 1
        found[key] = _yaml_value(inline, lines[at:end], f"{place}, line {at}")
        at = end
    return found


def _yaml_value(inline: str, body: list[str], place: str) -> str:
    block = _BLOCK.match(inline)
    if inline[:1] in {"&", "*", "!"}:
        raise TaskError(f"{place}: anchors and tags are not understood; write the value out")
    width = min((len(line) - len(line.lstrip()) for line in body if line.strip()), default=0)
    plain = [line[width:] for line in body]
    if block:
        text = "\n".join(plain).rstrip("\n")
        if block[1] == ">":
            text = re.sub(r"(?<!\n)\n(?!\n)", " ", text)
        return text if block[2] == "-" else f"{text}\n"
    if not inline or inline.startswith("#"):
        return "\n".join(plain).strip("\n")
    whole = " ".join([inline, *(line.strip() for line in body if line.strip() and not line.lstrip().startswith("#"))])
    if whole.startswith('"'):
        try:
            return str(json.loads(whole[: whole.rindex('"') + 1]))
        except ValueError as error:
            raise TaskError(f"{place}: {whole[:60]!r} is not understood: {error}") from error
    if whole.startswith("'"):
        return whole[1 : whole.rindex("'")].replace("''", "'")
    return re.sub(r"\s+#.*$", "", whole)
