"""A commit of somebody's repository as a task: measured, told, proved, and written with how it was made.

The work and the tests run in sandboxes only, and offline. What a Python project needs is installed from wheels, once
for each set of requirements, and kept (`honestly.tasks.prepare_task`).
"""

from __future__ import annotations

import platform
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha1
from importlib.util import find_spec
from pathlib import Path
from secrets import token_hex

import msgspec
from msgspec.structs import replace

from honestly._version import program_version
from honestly.errors import HonestlyError, SandboxError, SandboxUnavailableError, TaskError, VerifierError
from honestly.making._measured import Measured, States, measure
from honestly.making._needs import Needs, needs_of
from honestly.making._repository import Commit, Repository
from honestly.making._split import Split, language_of, refused_by_diff, split
from honestly.making._told import Told, tell
from honestly.records import Edit, Hidden, Preparation, Record, Tags, Task, Tree
from honestly.tasks import prepare_task, pythonpath_of, task_id, write_task
from honestly.verify import OpenBox, check_task

MADE = "made.json"
"""The file beside a task that says how it was made."""
_KIND = "from-commit"


class MadeFrom(Record, frozen=True, kw_only=True):
    """How a task was made."""

    kind: str
    """from-commit, from-mutants, from-tests."""
    repository: str
    revision: str
    parent: str
    fail_to_pass: tuple[str, ...]
    pass_to_pass: tuple[str, ...]
    flaky: tuple[str, ...]
    runs: int
    """How often the tests were run in each state."""
    tests: tuple[str, ...]
    """Files of the commit by what they were taken for."""
    source: tuple[str, ...]
    other: tuple[str, ...]
    history: str
    """What the task's `.git` holds: `whole` up to the parent, or the parent alone."""
    instruction: Told
    read: tuple[str, ...]
    """The project's files that say what it needs."""
    installed: tuple[str, ...]
    versions: dict[str, str]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Made:
    """What became of a commit."""

    revision: str
    task: str | None = None
    """Id of the task; None if there is none."""
    fail_to_pass: tuple[str, ...] = ()
    pass_to_pass: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()
    refused: str | None = None
    """Why there is no task."""

    @property
    def shown(self) -> dict[str, object]:
        """As `--json` shows it."""
        return {name: getattr(self, name) for name in ("task", "fail_to_pass", "pass_to_pass", "flaky", "refused")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Making:
    """How tasks are made."""

    runs: int = 5
    issue: str = ""
    """Text of the issue, to be used instead of the commit's message."""
    unsafe: bool = False
    tell: Callable[[str], None] = lambda _words: None


async def from_commit(
    repository: Repository, commit: Commit, into: Path, open_box: OpenBox, how: Making | None = None
) -> Made:
    """Makes a task of a commit, in a new folder below `into`, or says why not.

    Raises:
        TaskError: the folder is there already, or cannot be written.
        SandboxUnavailableError: this machine does not let us build a sandbox.
    """
    how = how or Making()
    name = task_id(f"{repository.name}-{commit.sha[:10]}", repository.name)
    if (into / name).exists():
        raise TaskError(f"{into / name} exists; remove it, or give another folder with --into")
    if why := refused_by_diff(commit):
        return Made(commit.sha, refused=why)
    parts = split(commit)
    if parts.language != "python":
        return Made(commit.sha, refused=_no_runner(parts.language))
    try:
        return await _made(repository, commit, parts, name, into, open_box, how)
    except SandboxUnavailableError:
        raise
    except (SandboxError, VerifierError) as error:
        return Made(commit.sha, refused=f"its tests cannot be run here: {str(error)[:400]}")


def _no_runner(language: str) -> str:
    program = {"javascript": "npm", "go": "go"}.get(language, "")
    if program and shutil.which(program) is None:
        return f"its tests are in {language}, and there is no program {program!r} on this machine to run them"
    return f"its tests are in {language}; so far only tests in Python are run"


async def _made(
    repository: Repository, commit: Commit, parts: Split, name: str, into: Path, open_box: OpenBox, how: Making
) -> Made:
    parent = commit.parents[0]
    before, after = repository.tree(parent), repository.tree(commit.sha)
    edit = Edit.between(before, after)
    tests = set(parts.tests)
    reference = Edit(
        write=edit.write.without(tests), delete=tuple(path for path in edit.delete if path not in tests)
    )
    how.tell("installing")
    needs = needs_of(after)
    if needs.python:
        return Made(commit.sha, refused=f"it asks for Python {needs.python}; this is {platform.python_version()}")
    try:
        preparation, notes = await _prepared(needs, after, unsafe=how.unsafe)
    except TaskError as error:
        return Made(commit.sha, refused=f"what it needs cannot be installed: {error}"[:600])
    solved = reference.apply(before)
    states = States(before, after, solved, parts.tests, preparation)
    found = await measure(states, open_box, how.runs, how.tell)
    if found.refused or found.hidden is None:
        return Made(commit.sha, flaky=found.flaky, refused=found.refused)
    whole = not _holds(repository, parent, reference)
    git = repository.history(parent, whole=whole)
    whole = whole and ".git/shallow" not in git.files
    told = tell(
        how.issue or commit.message, repository.name, before, reference, found.hidden.files.only(parts.tests),
        (found.visible.files.only(i.partition("::")[0] for i in found.visible.expected).files if found.visible else ()),
    )  # fmt: skip
    task = _task(name, repository, commit, git.over(before), reference, found, told, preparation)
    how.tell("proving")
    prepared = await prepare_task(task, unsafe=how.unsafe)
    proof = await check_task(prepared, open_box)
    if not proof.holds:
        broken = next(claim for claim in proof.claims if not claim.holds)
        why = f"it is not proved that {broken.text}: {broken.detail}"
        return Made(commit.sha, flaky=found.flaky, refused=why[:600])
    record = MadeFrom(
        kind=_KIND, repository=repository.name, revision=commit.sha, parent=parent,
        fail_to_pass=found.fail_to_pass, pass_to_pass=found.pass_to_pass, flaky=found.flaky, runs=found.rounds,
        tests=parts.tests, source=parts.source, other=parts.other, history="whole" if whole else "the parent alone",
        instruction=told, read=needs.files, installed=prepared.preparation.installed,
        versions={"honestly": program_version(), "python": platform.python_version()},
        notes=(*notes, *(["no visible tests: none passes before and after"] if found.visible is None else [])),
    )  # fmt: skip
    write_made(into / name, task, record)
    return Made(commit.sha, name, found.fail_to_pass, found.pass_to_pass, found.flaky)


def write_made(folder: Path, task: Task, record: MadeFrom) -> None:
    """Writes a task and how it was made, both or nothing.

    Raises:
        TaskError: it cannot be written.
    """
    part = folder.with_name(f".{folder.name}.{token_hex(4)}")
    try:
        write_task(part, task)
        (part / MADE).write_bytes(msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n")
        part.rename(folder)
    except OSError as error:
        raise TaskError(f"cannot write {folder}: {error.strerror or error}") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


async def _prepared(needs: Needs, tree: Tree, *, unsafe: bool) -> tuple[Preparation, list[str]]:
    """What is installed around the workspace, as its lock says, or else as free as the project allows."""
    runner: list[str] = []
    if find_spec("pytest") is not None:
        import pytest

        runner = [f"pytest=={pytest.__version__}"]
    paths = pythonpath_of(tree)
    tries = list(dict.fromkeys((needs.pinned, needs.free, needs.runtime)))
    notes: list[str] = []
    for at, wanted in enumerate(tries):
        for more in (runner, []):
            declared = Preparation(pythonpath=paths, dependencies=(*wanted, *more))
            try:
                ready = (await prepare_task(Task(id="x", instruction="", preparation=declared), unsafe=unsafe)).preparation
            except TaskError as error:
                if at == len(tries) - 1 and not more:
                    raise
                notes.append(str(error)[:300])
                break
            if needs.name and any(line.partition("==")[0] == needs.name for line in ready.installed):
                notes.append(f"without {', '.join(more or wanted)}: it needs the project itself, fix included")
                if not more:
                    raise TaskError(f"they need {needs.name} itself, which would give the fix away")
                continue
            return replace(ready, dependencies=declared.dependencies), notes
    raise TaskError("nothing of it could be installed")


def _holds(repository: Repository, parent: str, reference: Edit) -> bool:
    """Whether the history up to the parent holds a file of the reference as it is."""
    names = {
        sha1(b"blob %d\0" % len(file.data) + file.data, usedforsecurity=False).hexdigest()
        for path, file in reference.write.files.items()
        if file.data.strip() and language_of(path)
    }
    return bool(names & repository.blobs(parent))


def _task(
    name: str, repository: Repository, commit: Commit, workspace: Tree, reference: Edit, found: Measured, told: Told,
    preparation: Preparation,
) -> Task:  # fmt: skip
    assert found.hidden is not None
    return Task(
        id=name,
        instruction=told.text,
        workspace=workspace,
        visible=found.visible,
        hidden=Hidden(checks=found.hidden, reference=reference),
        tags=Tags(
            category="repair" if "fix" in commit.message.lower() else "feature",
            language="python",
            cluster=repository.name,
            date=commit.day,
            made=_KIND,
        ),
        timeout_s=1800.0,
        preparation=Preparation(pythonpath=preparation.pythonpath, dependencies=preparation.dependencies),
    )


def failed(error: HonestlyError, commit: Commit) -> Made:
    """A commit that something went wrong with, as a refusal."""
    return Made(commit.sha, refused=f"it could not be tried: {str(error)[:400]}")
