"""Repository tasks in SWE-bench's terms, over checkouts that somebody has prepared.

    SUITE/instances.jsonl           (or .json, or either with .gz) with instance_id, problem_statement, patch,
                                    test_patch, FAIL_TO_PASS, PASS_TO_PASS (lists, or JSON as text)
    SUITE/checkouts/INSTANCE_ID/    the repository at its base commit; what it needs to run must lie in it

The agent starts with the checkout; the tests that `test_patch` adds or changes are hidden, and run with pytest inside
the sandbox. FAIL_TO_PASS and PASS_TO_PASS name tests as pytest does (`tests/test_x.py::test_a`); the runners of other
projects (Django's, sympy's) are not understood. The reference is `patch`. Files under test control, which are put back
whatever became of them: those that the tests are in, those of `test_patch`, every conftest.py, and pytest's settings.
"""

from functools import partial
from pathlib import Path
from typing import Annotated

import msgspec

from honestly.errors import FormatError, TaskError
from honestly.formats import ProblemRow, problem_rows, read_patch
from honestly.records import Checks, Edit, File, Hidden, Preparation, Tags, Task, Tree
from honestly.tasks._reading import FoundTasks, task_id
from honestly.tasks.preparation._pythonpath import pythonpath_of

_INSTANCES = tuple(f"instances.{ending}" for ending in ("jsonl", "json", "jsonl.gz", "json.gz"))
_CHECKOUTS = "checkouts"
_SKIPPED = (".git", "__pycache__", ".hg", ".tox", ".nox", ".venv")
_SETTINGS = {
    "pytest.ini": b"",
    ".pytest.ini": b"",
    "pyproject.toml": b"[tool.pytest",
    "tox.ini": b"[pytest]",
    "setup.cfg": b"[tool:pytest]",
}
"""Files that may hold pytest's settings, and what shows that they do."""
_TIMEOUT_S = 600.0

_Ids = list[str] | Annotated[str, msgspec.Meta(min_length=2)]


class _Instance(msgspec.Struct):
    instance_id: str
    problem_statement: str
    patch: str
    test_patch: str
    FAIL_TO_PASS: _Ids
    PASS_TO_PASS: _Ids = []
    repo: str = ""
    version: str | float | None = None


def find_instances(root: Path) -> FoundTasks | None:
    """The repository tasks in `root`; None if there are no instances and checkouts.

    Raises:
        TaskError: an instance is malformed; the message names its place.
    """
    files = [root / name for name in _INSTANCES if (root / name).is_file()]
    if not files or not (root / _CHECKOUTS).is_dir():
        return None
    shared: dict[File, File] = {}
    return FoundTasks(
        name=root.resolve().name,
        version="0",
        load={
            name: partial(_load_swebench_row, root, where, row, shared)
            for name, (where, row) in _instance_rows(files[0]).items()
        },
    )


def _instance_rows(path: Path) -> dict[str, tuple[str, ProblemRow]]:
    found: dict[str, tuple[str, ProblemRow]] = {}
    try:
        for where, row in problem_rows(path):
            name = task_id(str(row.get("instance_id")), where)
            if name in found:
                raise TaskError(f"{where}: the instance {name!r} is already at {found[name][0]}")
            found[name] = where, row
    except FormatError as error:
        raise TaskError(str(error)) from error
    return found


def _load_swebench_row(root: Path, where: str, row: ProblemRow, shared: dict[File, File]) -> tuple[Task, ...]:
    try:
        instance = msgspec.convert(row, type=_Instance)
        msgspec.json.encode(instance)  # halves of surrogate pairs would fail later, without a place
        # The files of a checkout; those that are the same in several are held once.
        folder = root / _CHECKOUTS / instance.instance_id
        if folder.is_symlink() or (root / _CHECKOUTS).is_symlink() or not folder.is_dir():
            raise TaskError(f"{folder} is not a directory: put the repository there, at the instance's base commit")
        tree = Tree.read(folder, skip=_SKIPPED)
        checkout = Tree(files={path: shared.setdefault(file, file) for path, file in tree.files.items()})
        checks = _instance_checks(instance, checkout)
        patch = read_patch(instance.patch)
        reference = Edit(write=patch.apply(checkout).only(patch.changed_paths), delete=patch.deleted_paths)
    except (FormatError, msgspec.ValidationError, UnicodeEncodeError) as error:
        raise TaskError(f"{where}: {error}") from error
    return (
        Task(
            id=instance.instance_id,
            version=str(instance.version or "1"),
            instruction=instance.problem_statement,
            workspace=checkout,
            hidden=Hidden(checks=checks, reference=reference),
            tags=Tags(category="repair", language="python"),
            timeout_s=1800.0,
            preparation=Preparation(pythonpath=pythonpath_of(checkout)),
        ),
    )


def _instance_checks(instance: _Instance, checkout: Tree) -> Checks:
    patch = read_patch(instance.test_patch)
    tested = patch.apply(checkout)
    expected = tuple(dict.fromkeys((*_test_ids_of(instance.FAIL_TO_PASS), *_test_ids_of(instance.PASS_TO_PASS))))
    if not expected:
        raise FormatError("FAIL_TO_PASS names no test; expected at least one")
    files = {name.partition("::")[0] for name in expected}
    if absent := sorted(files - tested.files.keys()):
        raise FormatError(f"there is no {absent[0]!r}, of which tests are named; expected ids as pytest writes them")
    files.update(patch.changed_paths)
    files.update(name for name, mark in _SETTINGS.items() if name in tested.files and mark in tested.files[name].data)
    files.update(path for path in tested.files if path.rpartition("/")[2] == "conftest.py")
    return Checks(runner="pytest", files=tested.only(files), expected=expected, timeout_s=_TIMEOUT_S)


def _test_ids_of(given: _Ids) -> list[str]:
    if isinstance(given, list):
        return given
    try:
        return msgspec.json.decode(given, type=list[str])
    except msgspec.DecodeError as error:
        raise FormatError(f"FAIL_TO_PASS and PASS_TO_PASS are lists of ids, or JSON of such: {error}") from error
