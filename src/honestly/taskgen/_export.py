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
import shutil
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

import msgspec

from honestly.errors import TaskError
from honestly.formats import write_patch
from honestly.records import Checks, Edit, File, Task, Tree
from honestly.taskgen._record import NAME, Records, ValidityRecord
from honestly.taskgen._repository import one_commit
from honestly.tasks import NPM_PREFIX, load_suite, npm_manifest, write_tree

_IMAGE = "python:3.12-bookworm"
_NEEDS, _PACKAGE, _MADE = "requirements.txt", "package.json", "made.json"
_LARGEST = 16 << 20
_PACKAGES = {"node": "nodejs npm", "go": "golang-go", "tclsh": "tcl", "bc": "bc", "jq": "jq"}
"""What the image lacks, by the program; it has gcc, g++, make, perl, bash, sed and awk."""
_THERE = {"gcc", "g++", "make", "perl", "bash", "sed", "awk", "python3", "git"}
_GUEST = {
    "honestly.sandbox._guest": ("clock", "frames"),
    "honestly.verify._guest": (
        "wire", "scalars", "arrays", "asking", "pages", "rewriting", "worktests", "grader", "candidate",
        "compiler",
    ),
}  # fmt: skip
"""The modules by which checks reach the work."""
_REWARD = """
if [ $? -eq 0 ]; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi
"""
_ONE_REWARD = """
python3 -I - <<'END'
import json
from pathlib import Path
place = Path("/logs/verifier/reward.json")
said = json.loads(place.read_text("utf-8")) if place.exists() else {}
expected = json.loads(Path("/tests/expected.json").read_text("utf-8"))
place.write_text(json.dumps({"reward": float(all(said.get(name, 0) >= 1 for name in expected))}), "utf-8")
END
"""


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
    if task.site:
        raise TaskError(f"it plays on the web site {task.site!r}, which this program opens next to the sandbox")
    lacking = [name for name in task.requires if name not in _THERE and name not in _PACKAGES]
    if lacking:
        raise TaskError(f"it needs {', '.join(lacking)}, and no package is known that brings it")
    visible = Tree() if task.visible is None or task.visible.runner == "grader" else task.visible.files
    workspace, tests = visible.over(task.workspace), _tests_folder(hidden.checks)
    program = hidden.solution if hidden.solution.files else _solution(task)
    try:
        folder.mkdir(parents=True)
        (folder / "task.toml").write_text(_task_toml(task), "utf-8")
        (folder / "instruction.md").write_text(task.instruction, "utf-8", newline="\n")
        write_tree(folder / "environment" / "workspace", workspace)
        (folder / "environment" / "Dockerfile").write_text(_docker_file(task, bool(workspace.files)), "utf-8")
        for name, text in _needed_files(task).items():
            (folder / "environment" / name).write_text(text, "utf-8")
        write_tree(folder / "tests", tests)
        write_tree(folder / "solution", program)
        if (record := records.read(task.id)) is not None:
            (folder / NAME).write_bytes(_indented_record(record))
    except (OSError, UnicodeEncodeError, TaskError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise TaskError(f"cannot write {folder}: {error}") from error


def mark_exported(folder: Path) -> None:
    """Tells the records in a folder of exported tasks beside which tasks they lie.

    Raises:
        TaskError: a task cannot be read again, or its record cannot be written.
    """
    suite = load_suite(str(folder))
    records = Records(folder, suite.name)
    for task in suite.tasks:
        if (record := records.read(task.id)) is not None:
            records.write(msgspec.structs.replace(record, exported=task.hash))


def _indented_record(record: ValidityRecord) -> bytes:
    return msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n"


def _task_toml(task: Task) -> str:
    """Its task.toml; JSON's strings are TOML's."""
    assert task.hidden is not None
    tags = {"category": task.tags.category, "language": task.tags.language, "difficulty": task.tags.difficulty}
    tags |= {"cluster": task.tags.cluster}
    metadata = "".join(f"{name} = {json.dumps(value)}\n" for name, value in tags.items() if value) + "any_base = true\n"
    memory = task.preparation.memory_mb
    metadata += f"\n[environment]\nmemory_mb = {memory}\n" if memory else ""
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


def _docker_file(task: Task, has_files: bool) -> str:
    needed, before = sorted({_PACKAGES[name] for name in task.requires if name in _PACKAGES}), task.preparation
    lines = [f"FROM {_IMAGE}"]
    if needed:
        lines.append(f"RUN apt-get update && apt-get install -y --no-install-recommends {' '.join(needed)}")
    files = _needed_files(task)
    if _NEEDS in files:
        lines += [f"COPY {_NEEDS} /tmp/", f"RUN pip install --no-cache-dir -r /tmp/{_NEEDS}"]
    if _PACKAGE in files:  # in the root, where node looks from any folder
        lines += [f"COPY {_PACKAGE} /", "RUN cd / && npm install --ignore-scripts --legacy-peer-deps --no-audit"]
    if task.hidden is not None and task.hidden.checks.runner == "pytest":
        lines.append("RUN python3 -c 'import pytest' 2>/dev/null || pip install --no-cache-dir 'pytest>=8.2'")
    lines.append("WORKDIR /app")
    if has_files:
        lines.append("COPY workspace/ /app/")
    if before.pythonpath:
        lines.append(f"ENV PYTHONPATH={':'.join(f'/app/{folder}' for folder in before.pythonpath)}")
    if before.setup:
        lines.append(f"RUN {json.dumps(['sh', '-c', before.setup])}")
    return "\n".join(lines) + "\n"


def _needed_files(task: Task) -> dict[str, str]:
    """Files that say what is installed, by name."""
    node = [each for each in task.preparation.dependencies if each.startswith(NPM_PREFIX)]
    rest = [each for each in task.preparation.dependencies if not each.startswith(NPM_PREFIX)]
    return ({_NEEDS: "\n".join(rest) + "\n"} if rest else {}) | ({_PACKAGE: npm_manifest(node)} if node else {})


def _tests_folder(checks: Checks) -> Tree:
    """The files of /tests."""
    if checks.runner == "script" and not checks.command:
        return checks.files if "reward" in checks.expected else _with_one_reward(checks)
    if checks.runner == "grader":
        orders = {"expected": checks.expected, "timeout_s": checks.timeout_s}
        shipped = {"harbor_checks.py": _module_source("honestly.taskgen._guest", "harbor_checks")}
        for package, modules in _GUEST.items():
            parts = package.split(".")
            shipped |= {"/".join([*parts[:end], "__init__.py"]): b"" for end in range(1, len(parts) + 1)}
            shipped |= {f"{'/'.join(parts)}/{name}.py": _module_source(package, name) for name in modules}
        own = {f"checks/{path}": file for path, file in checks.files.files.items()}
        made = Tree.of({**shipped, "checks.json": json.dumps(orders)}).files
        return Tree(files={**made, **own, "test.sh": _bash_script("python3 -I /tests/harbor_checks.py\n")})
    commands = {
        "script": checks.command,
        "unittest": ("python3", "-m", "unittest", "-v", *checks.expected),
        "pytest": ("python3", "-m", "pytest", "-q", "-p", "no:cacheprovider", "@/tests/expected.txt"),
    }
    words = " ".join(_shell_quoted(word) for word in commands[checks.runner])
    own = {f"files/{path}": file for path, file in checks.files.files.items()}
    if checks.runner == "pytest":
        own["expected.txt"] = File(data="\n".join(checks.expected).encode())
    copies = "cp -rP --remove-destination /tests/files/. /app/\n" if checks.files.files else ""
    return Tree(files={**own, "test.sh": _bash_script(f"cd /app\n{copies}{words}{_REWARD}")})


def _with_one_reward(checks: Checks) -> Tree:
    """A script with a reward for each check, so that it leaves one for all that are expected."""
    program = checks.files.files["test.sh"]
    own = {"test.sh": File(data=program.data + _ONE_REWARD.encode(), mode=program.mode)}
    return Tree(files={**checks.files.files, **own, "expected.json": File(data=json.dumps(checks.expected).encode())})


def _shell_quoted(word: str) -> str:
    return "'" + word.replace("'", "'\\''") + "'"


def _module_source(package: str, module: str) -> bytes:
    return (files(package) / f"{module}.py").read_bytes()


def _solution(task: Task) -> Tree:
    """A program that makes the reference's changes."""
    assert task.hidden is not None
    reference = task.hidden.reference
    gone = "".join(f"rm -f -- {_shell_quoted(path)}\n" for path in reference.delete)
    own = {f"files/{path}": file for path, file in reference.write.files.items()}
    copies = "cp -rP --remove-destination /solution/files/. /app/\n" if own else ""
    return Tree(files={"solve.sh": _bash_script(f"set -e\ncd /app\n{gone}{copies}"), **own})


def _bash_script(text: str) -> File:
    return File(data=f"#!/bin/bash\n{text}".encode(), mode="exec")


def swe_bench_task(folder: Path, task: Task, origin: Path, records: Records) -> None:
    """Adds a task that was made of a repository to a folder: a row of SWE-bench, and the checkout that it is done in.

    Args:
        folder: gets `instances.jsonl`, `checkouts/TASK/` and `validity/TASK.json`.
        task: the task.
        origin: the task's own folder, whose `made.json` says of what it was made.
        records: validity records of its suite.

    Raises:
        TaskError: the row would lack what SWE-bench needs, or cannot be written; the message says what.
    """
    try:
        path = origin / _MADE
        if path.is_symlink() or not path.is_file():
            how_made = {}
        else:
            with path.open("rb") as file:
                made = json.loads(file.read(_LARGEST))
            how_made = made if isinstance(made, dict) else {}
        row = _instance_row(task, how_made)
        write_tree(folder / "checkouts" / task.id, task.workspace)
        if not row["base_commit"]:  # a fault was planted, or something taken out: its files are those of no commit
            row["base_commit"] = row["environment_setup_commit"] = one_commit(folder / "checkouts" / task.id)
        if (record := records.read(task.id)) is not None:
            (folder / "validity").mkdir(exist_ok=True)
            (folder / "validity" / f"{task.id}.json").write_bytes(_indented_record(record))
        with (folder / "instances.jsonl").open("a", encoding="utf-8") as instances:
            instances.write(json.dumps(row) + "\n")
    except (OSError, ValueError) as error:
        raise TaskError(f"cannot write it: {error}") from error


def _instance_row(task: Task, made: Mapping[str, object]) -> dict[str, str]:
    hidden, tests = task.hidden, made.get("fail_to_pass")
    lacking = [name for name in ("repository", "parent") if not isinstance(made.get(name), str)]
    if lacking or not isinstance(tests, list) or not tests:
        raise TaskError(
            "it was made from no repository and commit" if lacking else "no test fails before and passes after"
        )
    if hidden is None or hidden.checks.runner != "pytest":
        raise TaskError("its hidden checks are not pytest's")
    return {
        "instance_id": task.id,
        "repo": str(made["repository"]),
        "base_commit": str(made["parent"]),
        "problem_statement": task.instruction,
        "hints_text": "",
        "created_at": task.tags.date or "",
        "version": task.version,
        "patch": _utf8_diff(task, hidden.reference),
        "test_patch": _utf8_diff(task, Edit(write=hidden.checks.files)),
        "FAIL_TO_PASS": json.dumps(tests),
        "PASS_TO_PASS": json.dumps(made.get("pass_to_pass") or []),
        "environment_setup_commit": str(made["parent"]),
    }


def _utf8_diff(task: Task, change: Edit) -> str:
    try:
        return write_patch(task.workspace, change).decode()
    except UnicodeDecodeError:
        raise TaskError("a file of it is not text in UTF-8") from None
