"""Tasks of ours in other people's layouts: Harbor's task folders, and rows of SWE-bench.

    TASK/task.toml, instruction.md
    TASK/environment/Dockerfile, environment/workspace/     what the agent starts with, in /app
    TASK/tests/test.sh                                      judges, and writes /logs/verifier/reward.txt
    TASK/solution/solve.sh, solution/files/                 the reference
    TASK/validity.json                                      what is known of the task, where it was certified

Checks that run apart from the work (`grader`) run in its container there, each in a process of its own, as nobody.
"""

import json
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import msgspec

from honestly.errors import FormatError, TaskError
from honestly.formats import rows
from honestly.making._record import NAME, Records
from honestly.records import Checks, File, Preparation, Task, Tree
from honestly.tasks import write_tree

_IMAGE = "python:3.12-bookworm"
_PACKAGES = {"node": "nodejs", "tclsh": "tcl", "bc": "bc", "jq": "jq", "pytest": "python3-pytest"}
"""What the image lacks, by the program; it has gcc, g++, make, perl, bash, sed and awk."""
_THERE = {"gcc", "g++", "make", "perl", "bash", "sed", "awk", "python3", "git"}
_GUEST = {
    "honestly.sandbox._guest": ("frames",),
    "honestly.verify._guest": ("wire", "scalars", "arrays", "asking", "grader", "candidate", "compiler"),
}
"""The modules by which checks reach the work."""
_REWARD = """
if [ $? -eq 0 ]; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi
"""
_NEEDED = ("instance_id", "repo", "base_commit", "patch", "test_patch", "FAIL_TO_PASS", "problem_statement")


def harbor_task(folder: Path, task: Task, records: Records) -> None:
    """Writes a task into a new folder, as Harbor reads it.

    Raises:
        TaskError: Harbor has no way to say the task, or the folder cannot be written.
    """
    hidden = task.hidden
    if hidden is None:
        raise TaskError("it has no hidden checks")
    if task.tags.variant != "standard":
        raise TaskError("it cannot be done, which Harbor has no verdict for")
    if task.environment is not None:
        raise TaskError("it is done in an image of its own: copy its folder, which is Harbor's already")
    if task.preparation != Preparation():
        raise TaskError("it is prepared before anyone works, which Harbor has no place for")
    lacking = [name for name in task.requires if name not in _THERE and name not in _PACKAGES]
    if lacking:
        raise TaskError(f"it needs {', '.join(lacking)}, and no package is known that brings it")
    visible = Tree() if task.visible is None or task.visible.runner == "grader" else task.visible.files
    workspace, tests = visible.over(task.workspace), _tests(hidden.checks)
    program = hidden.solution if hidden.solution.files else _solution(task)
    try:
        folder.mkdir(parents=True)
        (folder / "task.toml").write_text(_toml(task), "utf-8")
        (folder / "instruction.md").write_text(task.instruction, "utf-8", newline="\n")
        write_tree(folder / "environment" / "workspace", workspace)
        (folder / "environment" / "Dockerfile").write_text(_dockerfile(task, bool(workspace.files)), "utf-8")
        write_tree(folder / "tests", tests)
        write_tree(folder / "solution", program)
        if (record := records.read(task.id)) is not None:
            (folder / NAME).write_bytes(msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n")
    except (OSError, UnicodeEncodeError) as error:
        raise TaskError(f"cannot write {folder}: {error}") from error


def _toml(task: Task) -> str:
    """Its task.toml; JSON's strings are TOML's."""
    assert task.hidden is not None
    tags = {"category": task.tags.category, "language": task.tags.language, "difficulty": task.tags.difficulty}
    tags |= {"cluster": task.tags.cluster}
    metadata = "".join(f"{name} = {json.dumps(value)}\n" for name, value in tags.items() if value)
    seconds = task.hidden.checks.timeout_s * max(len(task.hidden.checks.expected), 1)
    return f"""\
schema_version = "1.4"

[task]
name = {json.dumps(f"honestly/{_slug(task.id)}")}
version = {json.dumps(task.version)}

[metadata]
{metadata}
[agent]
timeout_sec = {task.timeout_s:.1f}

[verifier]
timeout_sec = {max(seconds, 60.0):.1f}
"""


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-._") or "task"


def _dockerfile(task: Task, has_files: bool) -> str:
    needed = sorted({_PACKAGES[name] for name in task.requires if name in _PACKAGES})
    if task.hidden is not None and task.hidden.checks.runner == "pytest":
        needed.append("python3-pytest")
    install = f"RUN apt-get update && apt-get install -y --no-install-recommends {' '.join(needed)}\n" if needed else ""
    return f"FROM {_IMAGE}\n{install}WORKDIR /app\n" + ("COPY workspace/ /app/\n" if has_files else "")


def _tests(checks: Checks) -> Tree:
    """What lies in /tests."""
    if checks.runner == "script" and not checks.command:
        return checks.files
    if checks.runner == "grader":
        orders = {"expected": checks.expected, "timeout_s": checks.timeout_s}
        shipped = {"harbor_checks.py": _source("honestly.making._guest", "harbor_checks")}
        for package, modules in _GUEST.items():
            parts = package.split(".")
            shipped |= {"/".join([*parts[:end], "__init__.py"]): b"" for end in range(1, len(parts) + 1)}
            shipped |= {f"{'/'.join(parts)}/{name}.py": _source(package, name) for name in modules}
        own = {f"checks/{path}": file for path, file in checks.files.files.items()}
        made = Tree.of({**shipped, "checks.json": json.dumps(orders)}).files
        return Tree(files={**made, **own, "test.sh": _script("python3 -I /tests/harbor_checks.py\n")})
    names = sorted({name.partition("::")[0] for name in checks.expected})
    commands = {
        "script": checks.command,
        "unittest": ("python3", "-m", "unittest", "-v", *checks.expected),
        "pytest": ("python3", "-m", "pytest", "-q", "-p", "no:cacheprovider", *names),
    }
    words = " ".join(_quoted(word) for word in commands[checks.runner])
    own = {f"files/{path}": file for path, file in checks.files.files.items()}
    copies = "cp -rP --remove-destination /tests/files/. /app/\n" if own else ""
    return Tree(files={**own, "test.sh": _script(f"cd /app\n{copies}{words}{_REWARD}")})


def _quoted(word: str) -> str:
    return "'" + word.replace("'", "'\\''") + "'"


def _source(package: str, module: str) -> bytes:
    return (files(package) / f"{module}.py").read_bytes()


def _solution(task: Task) -> Tree:
    """A program that makes the reference's changes."""
    assert task.hidden is not None
    reference = task.hidden.reference
    gone = "".join(f"rm -f -- {_quoted(path)}\n" for path in reference.delete)
    own = {f"files/{path}": file for path, file in reference.write.files.items()}
    copies = "cp -rP --remove-destination /solution/files/. /app/\n" if own else ""
    return Tree(files={"solve.sh": _script(f"set -e\ncd /app\n{gone}{copies}"), **own})


def _script(text: str) -> File:
    return File(data=f"#!/bin/bash\n{text}".encode(), mode="exec")


def swe_bench_rows(suite: Path, only: set[str]) -> Iterator[tuple[str, dict[str, object], str]]:
    """The instances of a suite in SWE-bench's terms: name, row, and what the row lacks to be one.

    Raises:
        TaskError: the suite's file of instances cannot be read.
    """
    place = next((path for name in _INSTANCES if (path := suite / name).is_file()), None)
    try:
        for where, row in rows(place) if place else ():
            name = str(row.get("instance_id") or where)
            if name in only:
                lacking = [key for key in _NEEDED if not row.get(key)]
                yield name, row, f"it has no {', '.join(lacking)}" if lacking else ""
    except FormatError as error:
        raise TaskError(str(error)) from error


_INSTANCES = tuple(f"instances.{ending}" for ending in ("jsonl", "json", "jsonl.gz", "json.gz"))
