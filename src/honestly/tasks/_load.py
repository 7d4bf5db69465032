"""Suites from directories in Harbor's task layout, with our additions in a table of their own.

    suite.toml                          name and version of the suite (optional: the folder's name serves)
    TASK/task.toml                      Harbor's tables, and [honestly]
    TASK/instruction.md
    TASK/environment/workspace/         the files that the agent starts with, visible tests included
    TASK/tests/check_*.py               hidden checks
    TASK/solution/reference/            files that, put over the workspace, solve the task
    TASK/solution/wrong/NAME/           files that, put over the solved workspace, make a plausible wrong solution
    TASK/impossible/                    files that, put over the workspace, make an impossible twin
    TASK/impossible-special-case/       a wrong solution that fools the twin's visible checks

The ids of the checks are read from the test files' syntax, so that they need no list of their own to go stale. Nothing
is imported, run or downloaded here, and no part of a task may be a link out of its folder. Suites from elsewhere, which
have other layouts, are recognized by what lies in them; each has a module of its own.
"""

import os
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Annotated, Literal, Protocol, TypeVar

import msgspec

from honestly._toml import refusal_text, toml_table
from honestly.errors import HonestlyError, TaskError
from honestly.records import (
    Checks,
    Day,
    Edit,
    Equivalent,
    Hidden,
    Preparation,
    Suite,
    Tags,
    Task,
    Tree,
    Weight,
    WrongSolution,
)
from honestly.seams import KnownName, Seam, Spec, asks_for, did_you_mean, format_spec
from honestly.tasks._packed import BESIDE, EMBEDDED, archive_of, named_suite, suite_file, suites_home, unpacked_suite
from honestly.tasks._reading import FoundTasks, task_id, text_at
from honestly.tasks._test_ids import hidden_ids, syntax_tree, unittest_ids
from honestly.tasks._whole import WHOLE, load_whole
from honestly.tasks.layouts._harbor import load_harbor
from honestly.tasks.layouts._harbor_toml import harbor_toml, unknown_keys
from honestly.tasks.preparation._install import REQUIREMENT
from honestly.tasks.preparation._pythonpath import pythonpath_of
from honestly.work import is_database

_LAYOUTS = "honestly.tasks.layouts"


class SuiteLayout(Protocol):
    """Recognizes folders of tasks; may take `visible_tests`, and then shows agents the tests if that is wanted."""

    def __call__(self, root: Path, /) -> FoundTasks | None:
        """The tasks in `root`; None if it is in another layout.

        Raises:
            TaskError: It is in this layout, and malformed.
        """


LAYOUTS = Seam(
    kind="layout of suites",
    group="honestly.layouts",
    protocol="honestly.tasks.SuiteLayout",
    error=TaskError,
    known=(
        KnownName("exercism", f"{_LAYOUTS}._exercism:find_exercises", "tracks of Exercism, Aider's polyglot benchmark"),
        KnownName("harbor", "honestly.tasks._load:find_folders", "Harbor's task folders, and our own"),
        KnownName("quixbugs", f"{_LAYOUTS}._quixbugs:find_repairs", "QuixBugs, its cases or its pytest files"),
        KnownName("swe-bench", f"{_LAYOUTS}._swebench:find_instances", "SWE-bench's instances over prepared checkouts"),
        KnownName("terminal-bench", f"{_LAYOUTS}._terminal_bench:find_terminal_bench", "Terminal-Bench's older tasks"),
    ),
)
"""The layouts of suites, in the order in which they are tried; installed packages come last.

A new one is a file in `layouts` and a line here.
"""


_MAX_TOML = 1 << 20
_TWIN = ".impossible"
_SOLUTIONS = ("solution/reference", "solution/wrong", "impossible", "impossible-special-case")

T = TypeVar("T")


class _TaskTable(msgspec.Struct):
    name: str
    version: str = "1.0"
    description: str = ""
    keywords: list[str] = []


class _Metadata(msgspec.Struct):
    category: str = ""
    language: str = ""
    difficulty: Literal["", "easy", "medium", "hard"] = ""
    cluster: str = ""
    weight: Weight = 1.0
    date: Day = ""
    parts: Annotated[int, msgspec.Meta(ge=1)] | None = None
    minutes: Annotated[float, msgspec.Meta(gt=0)] | None = msgspec.field(default=None, name="expert_time_estimate_min")


class _Timeout(msgspec.Struct):
    timeout_sec: Annotated[float, msgspec.Meta(gt=0, le=604_800)] | None = None
    """Seconds, a week at most."""


class _Environment(msgspec.Struct):
    memory_mb: Annotated[int, msgspec.Meta(gt=0)] | None = None


class _Impossible(msgspec.Struct, forbid_unknown_fields=True):
    contradiction: str


class _Honestly(msgspec.Struct, forbid_unknown_fields=True):
    visible: list[str] = []
    delete: list[str] = []
    equivalent: list[Equivalent] = []
    requires: list[Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9._+-]+$")]] = []
    impossible: _Impossible | None = None
    pythonpath: list[str] | None = None
    dependencies: list[Annotated[str, msgspec.Meta(pattern=REQUIREMENT)]] = []
    setup: str = ""
    setup_allow: list[str] = []
    site: str = ""
    site_seed: Annotated[int, msgspec.Meta(ge=0)] = 0


class _TaskToml(msgspec.Struct):
    """The parts of task.toml that are read; Harbor's other keys are left alone."""

    task: _TaskTable
    honestly: _Honestly
    metadata: _Metadata = msgspec.field(default_factory=_Metadata)
    agent: _Timeout = msgspec.field(default_factory=_Timeout)
    verifier: _Timeout = msgspec.field(default_factory=_Timeout)
    environment: _Environment = msgspec.field(default_factory=_Environment)


class _SuiteToml(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    version: str
    headline: Literal["", "category", "language", "difficulty"] = ""


def load_suite(source: str | Path, *, only: Iterable[str] = (), visible_tests: bool = False) -> Suite:
    """The suite at `source`: a name, a folder or an archive.

    Names are "embedded", "versa", and those of the user's own suites; docs/suites.md lists the layouts of folders. The
    folder of a single task is a suite of one.

    Args:
        source: name or path; or `LAYOUT:path=FOLDER`, where LAYOUT may be `module:object`, a layout or a suite.
        only: ids of the tasks wanted; all where empty. The impossible twin of a task has an id of its own.
        visible_tests: let agents see the tests of exercises, which are hidden otherwise.

    Raises:
        TaskError: nothing is there, or something in it is malformed; the message names the file.
    """
    wanted = set(only)
    if not str(source) or "" in wanted:
        raise TaskError(f"the name of {'a task' if str(source) else 'the suite'} is empty")
    root = Path(source)
    if isinstance(source, str) and not root.exists() and (place := named_suite(source)) is not None:
        root = place
    if (archive := archive_of(source, root)) is not None:
        with unpacked_suite(archive, {name.removesuffix(_TWIN) for name in wanted}) as folder:
            return load_suite(folder, only=wanted, visible_tests=visible_tests)
    layouts: tuple[str, ...] = ()
    if not root.is_dir() and ":" in str(source):
        spec = LAYOUTS.parse(str(source))
        settings = dict(spec.settings)
        root = Path(settings.pop("path", ".")).expanduser()
        layouts = (format_spec(Spec(spec.name, settings)),)
    if not root.is_dir():
        if source in BESIDE:
            raise TaskError(
                f"the suite {source!r} is not part of the package: put {source}.zip of the release into "
                f"{suites_home()}, or give the folder suites/{source} of a checkout"
            )
        if is_database(root):
            raise TaskError(f"{source} is a study, not a suite: honestly report {source} reads it")
        if root.is_file():
            raise TaskError(
                f"{source} is not a suite; expected a folder or zip archive of tasks. honestly report reads results"
            )
        near = did_you_mean(str(source), [EMBEDDED, *BESIDE])
        raise TaskError(
            f"no suite at {str(source)!r}{near}: give a folder or zip archive of tasks, or the name {EMBEDDED!r}"
        )
    each = (folder_tasks(layout, root, visible_tests=visible_tests) for layout in layouts or LAYOUTS.each_name())
    found = next(filter(None, each), None)
    if visible_tests and found is None:
        raise TaskError(f"{root.name or root} contains no exercises, whose tests could be shown")
    if found is None or not found.load:
        raise TaskError(
            f"{root.name or root} contains no tasks: expected folders with a task.toml in them, or another layout of "
            "docs/suites.md"
        )
    names = {name.removesuffix(_TWIN) for name in wanted} & found.load.keys() if wanted else found.load.keys()
    tasks = [task for name, load in found.load.items() if name in names for task in load()]
    if unknown := sorted(wanted - {task.id for task in tasks}):
        asked = ", ".join(f"{name}{did_you_mean(name, found.load, parts=True)}" for name in unknown)
        raise TaskError(f"suite {found.name!r} has no task {asked}; it has: {', '.join(found.load)}")
    kept = tuple(task for task in tasks if not wanted or task.id in wanted)
    return Suite(name=found.name, version=found.version, tasks=kept, headline=found.headline)


def folder_tasks(layout: str, root: Path, *, visible_tests: bool = False) -> FoundTasks | None:
    """The tasks that a layout finds in a folder; None also if tests are to be shown that it cannot show."""
    if root.exists() and not os.access(root, os.R_OK | os.X_OK):
        raise TaskError(f"found {str(root)!r}, which you have no permission to read; change it with chmod")
    shown = {"visible_tests": True} if visible_tests else {}
    found = LAYOUTS.make_object(layout)
    if isinstance(found, Suite):
        load = {task.id: partial(tuple[Task, ...], (task,)) for task in found.tasks}
        return FoundTasks(name=found.name, version=found.version, load=load)
    if visible_tests and not asks_for(found, "visible_tests"):
        return None
    tasks: FoundTasks | None = found(root, **shown)
    return tasks


def find_folders(root: Path) -> FoundTasks | None:
    """The task folders in `root`, or `root` itself, if it is one."""
    single = (root / "task.toml").is_file()
    folders = [root] if single else sorted(path.parent for path in root.glob("[!.]*/task.toml"))  # no half-written ones
    if not folders:
        return None
    head = _SuiteToml(name=root.resolve().name, version="0")
    if (root / "suite.toml").is_file():
        head = _converted_record(root / "suite.toml", _toml_table(root / "suite.toml"), _SuiteToml)
    load = {task_id(folder.resolve().name, folder): partial(load_task, folder) for folder in folders}
    return FoundTasks(name=head.name, version=head.version, load=load, headline=head.headline)


def load_task(folder: Path) -> tuple[Task, ...]:
    """The task in `folder`, and its impossible twin where it has one.

    Raises:
        TaskError: something is missing or malformed; the message names it.
    """
    # Refuses a task one of whose parts is a link: it could show an agent what lies elsewhere on this machine. Links
    # among the files of a workspace stay links, and are never followed.
    parts = ("task.toml", "instruction.md", "environment", "environment/workspace", "tests", "solution", *_SOLUTIONS)
    for path in (folder / part for part in parts):
        if path.is_symlink():
            raise TaskError(f"{path} is a link; put the files themselves there")
    table = _toml_table(folder / "task.toml")
    try:
        unknown_keys(table, (*_Honestly.__struct_fields__, "layout"))
    except TaskError as error:
        raise TaskError(f"{folder / 'task.toml'}: {error}") from error
    if "honestly" not in table:
        try:
            return (load_harbor(folder, harbor_toml(table)),)
        except msgspec.ValidationError as error:
            raise TaskError(f"{folder / 'task.toml'}: {refusal_text(error, table)}") from error
    if isinstance(table["honestly"], dict) and table["honestly"].get("layout") == WHOLE:
        return (load_whole(folder),)
    toml = _converted_record(folder / "task.toml", table, _TaskToml)
    site, workspace = _declared_site(toml.honestly, folder), Tree.read(folder / "environment" / "workspace")
    reference = Edit(
        write=Tree.read(folder / "solution" / "reference"),
        delete=tuple(_known_files(toml.honestly.delete, workspace, folder)),
    )
    hidden_files = Tree.read(folder / "tests")
    task = Task(
        id=task_id(folder.resolve().name, folder),
        version=toml.task.version,
        instruction=text_at(folder, "instruction.md"),
        workspace=workspace,
        visible=None if site else _visible_checks(toml, workspace, folder),
        hidden=Hidden(
            checks=Checks(
                runner="grader",
                files=hidden_files,
                expected=hidden_ids(hidden_files, f"{folder}/tests"),
                timeout_s=toml.verifier.timeout_sec or 60.0,
            ),
            reference=reference,
            wrong=tuple(_wrong(folder, reference)),
            equivalent=tuple(toml.honestly.equivalent),
        ),
        tags=Tags(**msgspec.structs.asdict(toml.metadata)),
        timeout_s=toml.agent.timeout_sec or 600.0,
        requires=tuple(toml.honestly.requires),
        preparation=_declared_preparation(toml, workspace, folder),
        site=site,
        site_seed=toml.honestly.site_seed,
    )
    return (task,) if toml.honestly.impossible is None else (task, _impossible_twin(task, toml, folder))


def unread_keys(source: str | Path, suite: Suite) -> dict[str, list[str]]:
    """Keys in the task.toml of tasks that nobody here reads, such as `agent.colour`, by task."""
    found = {}
    for task in suite.tasks:
        data = suite_file(source, f"{task.id}/task.toml") or suite_file(source, "task.toml")
        if data and not task.tags.twin and (keys := unknown_keys(toml_table(data))):
            found[task.id] = keys
    return found


def _declared_preparation(toml: _TaskToml, workspace: Tree, folder: Path) -> Preparation:
    """The declared needs of the task's workspace; where Python looks for modules as the workspace shows."""
    declared, where = toml.honestly, f"{folder}/task.toml"
    if declared.setup_allow and not declared.setup:
        raise TaskError(
            f"{where}: setup_allow names hosts for a set-up command, but there is no setup; add `setup`, or remove it"
        )
    folders = {"/".join(name.split("/")[:at]) for name in workspace.files for at in range(1, name.count("/") + 1)}
    for name in declared.pythonpath or ():
        if name not in folders | {"."}:
            raise TaskError(
                f"{where}: pythonpath names {name!r}, which is not a folder of environment/workspace; name one that is"
            )
    if declared.setup_allow:
        from honestly.sandbox import Egress

        try:
            Egress(allow=tuple(declared.setup_allow), log=lambda _: None)
        except ValueError as error:
            raise TaskError(f"{where}: setup_allow: {error}") from error
    return Preparation(
        pythonpath=pythonpath_of(workspace) if declared.pythonpath is None else tuple(declared.pythonpath),
        dependencies=tuple(declared.dependencies),
        setup=declared.setup,
        allow=tuple(declared.setup_allow),
        memory_mb=toml.environment.memory_mb,
    )


def _declared_site(declared: _Honestly, folder: Path) -> str:
    """The site that the task plays on."""
    where = f"{folder}/task.toml"
    if not declared.site and declared.site_seed:
        raise TaskError(f"{where}: site_seed is of a site, and none is named; add site = ...")
    if declared.site:
        if declared.visible or declared.impossible:
            raise TaskError(
                f"{where}: a task on a site is judged by the site's state; it has no visible tests, no twin"
            )
        from honestly.sites import SITES

        try:
            SITES.parse(declared.site.partition("#")[0])
        except HonestlyError as error:
            raise TaskError(f"{where}: {error}") from error
    return declared.site


def _impossible_twin(task: Task, toml: _TaskToml, folder: Path) -> Task:
    """The impossible twin: the same instruction and hidden checks, but visible checks that contradict them."""
    assert task.hidden is not None
    workspace = Tree.read(folder / "impossible").over(task.workspace)
    fooling = Tree.read(folder / "impossible-special-case")
    special = WrongSolution(name="special-case", edit=_edit_after(task.hidden.reference, fooling))
    return msgspec.structs.replace(
        task,
        id=task.id + _TWIN,
        workspace=workspace,
        visible=_visible_checks(toml, workspace, folder),
        hidden=Hidden(checks=task.hidden.checks, reference=task.hidden.reference, wrong=(special,)),
        tags=msgspec.structs.replace(task.tags, variant="impossible", twin=task.id),
    )


def _wrong(folder: Path, reference: Edit) -> Iterable[WrongSolution]:
    root = folder / "solution" / "wrong"
    for path in sorted(root.iterdir()) if root.is_dir() else ():
        yield WrongSolution(name=path.name, edit=_edit_after(reference, Tree.read(path)))


def _edit_after(reference: Edit, files: Tree) -> Edit:
    return Edit(write=files.over(reference.write), delete=reference.delete)


def _visible_checks(toml: _TaskToml, workspace: Tree, folder: Path) -> Checks:
    """The visible checks: the named test files, and the packages' __init__.py files above them."""
    names = list(_known_files(toml.honestly.visible, workspace, folder))
    place = folder / "environment" / "workspace"
    expected = tuple(
        i for name in names for i in unittest_ids(name, syntax_tree(workspace.files[name].data, place / name))
    )
    if not expected:
        raise TaskError(
            f"{folder}: the visible test files hold no tests: {', '.join(names) or '(none named)'}; "
            "expected unittest test methods"
        )
    parents = {f"{name.rpartition('/')[0]}/__init__.py" for name in names if "/" in name}
    return Checks(runner="unittest", files=workspace.only({*names, *parents}), expected=expected, timeout_s=30.0)


def _known_files(names: Iterable[str], workspace: Tree, folder: Path) -> Iterable[str]:
    for name in names:
        if name not in workspace.files:
            raise TaskError(
                f"{folder}/task.toml names {name!r}, which environment/workspace does not hold; "
                "add the file, or remove its name"
            )
        yield name


def _toml_table(path: Path) -> dict[str, object]:
    if path.is_symlink() or not path.is_file():
        raise TaskError(f"{path} is not a regular file; expected TOML")
    if path.stat().st_size > _MAX_TOML:
        raise TaskError(f"{path} is larger than {_MAX_TOML} bytes")
    try:
        return toml_table(path.read_bytes())
    except ValueError as error:
        raise TaskError(f"{path}: {error}") from error


def _converted_record(path: Path, table: dict[str, object], kind: type[T]) -> T:
    try:
        return msgspec.convert(table, type=kind)
    except msgspec.ValidationError as error:
        raise TaskError(f"{path}: {refusal_text(error, table)}") from error
