"""A commit of somebody's repository as a task: measured, told, proved, and written with how it was made.

The work and the tests run in sandboxes only, and offline. What a Python project needs is installed from wheels, once
for each set of requirements, and kept (`honestly.tasks.prepare_task`).
"""

from __future__ import annotations

import platform
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace as replaced
from hashlib import sha1
from pathlib import Path
from secrets import token_hex

import msgspec
from msgspec.structs import replace

from honestly._version import program_version
from honestly.errors import SandboxError, SandboxUnavailableError, TaskError, VerifierError
from honestly.records import Checks, Edit, Hidden, Preparation, Record, Tags, Task, Tree
from honestly.scratch import run_owned
from honestly.taskgen._content import refused_by_content
from honestly.taskgen._given_away import given_away
from honestly.taskgen._installed import InstalledNeeds, install_packages, older_lines, with_lock
from honestly.taskgen._languages import Language, language_named, missing_reason
from honestly.taskgen._measured import (
    MeasuredCommit,
    States,
    Way,
    first_way,
    lacking_modules,
    limited_cpu,
    measured_commit,
    modules_too_new,
    ran_out_of_memory,
)
from honestly.taskgen._needs import ALL
from honestly.taskgen._project import python_lack, python_project
from honestly.taskgen._repository import Commit, Repository
from honestly.taskgen._split import CommitSplit, language_of, refused_by_diff, split_commit
from honestly.taskgen._told import Told, task_instruction
from honestly.taskgen._untold import untold_tests
from honestly.tasks import missing_programs, prepare_task, task_id, write_task
from honestly.verify import OpenBox, check_task

MADE = "made.json"
"""The file beside a task that says how it was made."""
_MOST_INSTALLS = 3
"""Rounds in which tests say what they lack, and it is installed."""
_MORE_MB = (1024, 2048, 4096)
"""What is tried where the usual memory does not suffice."""
KIND = "from-commit"
"""How such tasks were made, as their tags say it."""


class Lineage(Record, frozen=True, kw_only=True):
    """How a task came into a suite that grows, and what its agents made of it."""

    round: int
    parent: str
    """Id of the task that it was made of; empty where it was made of the source itself."""
    proposer: str
    passed: int
    """Honest passes, of all agents."""
    trials: int
    low: float
    high: float
    """95% interval of the pass rate, Clopper and Pearson's."""
    agents: dict[str, tuple[int, int]]
    """Honest passes and trials of each agent."""
    hacks: int
    """Passes that an audit found to be hacks; they are not counted as passes."""


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
    left_out: tuple[str, ...] = ()
    """Tests that are no checks: a run of all takes too long, they need the network, or ask for what nobody can know."""
    instruction: Told
    given_away: tuple[str, ...] = ()
    """Names and literals of the reference that the instruction says all the same."""
    read: tuple[str, ...]
    """The project's files that say what it needs."""
    installed: tuple[str, ...]
    versions: dict[str, str]
    notes: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    """What a grown suite made it of: functions, a commit, a cluster."""
    lineage: Lineage | None = None
    """How it came into a grown suite."""


NOT_HERE = "its tests cannot be run here"
"""How a refusal begins that is this machine's, today."""


@dataclass(frozen=True, slots=True)
class TaskMade:
    """The result for a commit."""

    revision: str
    task: str | None = None
    """Id of the task; None if there is none."""
    fail_to_pass: tuple[str, ...] = ()
    pass_to_pass: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()
    refused: str | None = None
    """Why there is no task."""
    notes: tuple[str, ...] = ()
    """What was left out of what its tests need."""

    @property
    def plain_fields(self) -> dict[str, object]:
        """Its fields as `from-commit --json` shows them."""
        return {
            name: getattr(self, name) for name in ("task", "fail_to_pass", "pass_to_pass", "flaky", "refused", "notes")
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class MakingTerms:
    """How tasks are made."""

    runs: int = 5
    issue: str = ""
    """Text of the issue, to be used instead of the commit's message."""
    seconds: float = 90.0
    """Processor time that sandboxes may get for one commit; what is installed or built before is not counted."""
    at_once: int = 1
    """How many commits of a repository are tried at once; the time of all sandboxes counts as shared by as many."""
    unsafe: bool = False
    tell: Callable[[str], None] = lambda _words: None


async def from_commit(
    repository: Repository, commit: Commit, into: Path, open_box: OpenBox, how: MakingTerms | None = None
) -> TaskMade:
    """Makes a task from a commit, in a new folder below `into`, or returns why not.

    Raises:
        TaskError: the folder is there already, or cannot be written.
        SandboxUnavailableError: this machine does not let us build a sandbox.
    """
    name = commit_name(repository, commit)
    if (into / name).exists():
        raise TaskError(f"{into / name} exists; remove it, or give another folder with --out")
    if why := refused_by_diff(commit) or refused_by_content(repository, commit):
        return TaskMade(commit.sha, refused=why)
    try:
        return await _made_task(_source(repository, commit, into / name), open_box, how or MakingTerms())
    except SandboxUnavailableError:
        raise
    except (SandboxError, VerifierError) as error:
        return TaskMade(commit.sha, refused=f"{NOT_HERE}: {str(error)[:400]}")


def commit_name(repository: Repository, commit: Commit) -> str:
    """The id that a commit's task has."""
    return task_id(f"{repository.name}-{commit.sha[:10]}", repository.name)


@dataclass(frozen=True, slots=True)
class _Source:
    """The source of a task, and where it goes."""

    repository: Repository
    commit: Commit
    folder: Path
    parts: CommitSplit
    reference: Edit
    before: Tree
    after: Tree
    version: str
    """The nearest tag's before it."""


def _source(repository: Repository, commit: Commit, folder: Path) -> _Source:
    before, after = repository.tree(commit.parents[0]), repository.tree(commit.sha)
    parts = split_commit(commit)
    edit, tests = Edit.between(before, after), set(parts.tests)
    reference = Edit(write=edit.write.without(tests), delete=tuple(path for path in edit.delete if path not in tests))
    version = repository.version_at(commit.parents[0])
    return _Source(repository, commit, folder, parts, reference, before, after, version)


async def _made_task(source: _Source, open_box: OpenBox, how: MakingTerms) -> TaskMade:
    commit, which = source.commit, language_named(source.parts.language)
    if which is not None and (why := missing_reason(which) or which.refused(source.after)):
        return TaskMade(commit.sha, refused=why)
    how.tell("installing")
    try:
        if which is None:
            return await _tried_python(source, open_box, how)
        old = which.needs(source.before)
        needs = replaced(which.needs(source.after), version=old.version, siblings=old.siblings)
        name = source.repository.name
        beside = which.beside(source.after, name).over(which.beside(source.before, name))
        installed = await install_packages(needs, unsafe=how.unsafe)
        way: Way | None = None
        # All that the lock has may be too old for today's program, and what others bring too new for the rest.
        for other in (with_lock(needs), replaced(needs, pinned=needs.free)) if needs.below else ():
            states = _states(source, which, installed, beside)
            way = way or await first_way(states, open_box, how.seconds * how.at_once)
            if way.seen.passed or way.seen.timed_out or ran_out_of_memory(way.seen):
                break
            with suppress(TaskError):
                installed, way = await install_packages(other, unsafe=how.unsafe), None
    except TaskError as error:
        return TaskMade(commit.sha, refused=f"what it needs cannot be installed: {error}"[:600])
    made = await _tried(source, which, installed, beside, open_box, how, way)
    return replaced(made, notes=(*installed.notes, *made.notes))


async def _tried_python(source: _Source, open_box: OpenBox, how: MakingTerms) -> TaskMade:
    """What becomes of a commit in Python: its project is built, what it needs is installed, and its tests say what they
    lack.
    """
    project = await python_project(
        source.before, source.after, source.version, open_box, changed=source.parts.source, unsafe=how.unsafe
    )
    lacking, older = set[str](), set[str]()
    installed = await project.install(lacking)
    way: Way | None = None
    for _ in range(_MOST_INSTALLS):
        way = await first_way(_states(source, None, installed, project.made), open_box, how.seconds * how.at_once)
        found, old = lacking_modules(way.seen), older_lines(installed, modules_too_new(way.seen))
        if found <= lacking and old <= older:
            break
        lacking, older = lacking | found, older | old
        how.tell(f"installing for {', '.join(sorted((found - {ALL}) | old)) or 'plug-ins'}")
        more = await project.install(lacking, older)
        if more.preparation == installed.preparation:
            break
        installed, way = more, None
    made = await _tried(source, None, installed, project.made, open_box, how, way)
    if made.refused and installed.needs.python:
        made = replaced(made, refused=f"{made.refused}; {python_lack(installed.needs.python)}")
    return replaced(made, notes=(*project.notes, *installed.notes, *made.notes))


def _states(source: _Source, which: Language | None, installed: InstalledNeeds, beside: Tree) -> States:
    start = source.before.over(beside)
    after, solved = source.after.over(beside), source.reference.apply(start)
    return States(start, after, solved, source.parts.tests, installed.preparation, which)


async def _tried(
    source: _Source,
    which: Language | None,
    installed: InstalledNeeds,
    beside: Tree,
    open_box: OpenBox,
    how: MakingTerms,
    way: Way | None = None,
) -> TaskMade:
    """What becomes of a commit whose needs are installed, with the memory that it needs, by the way that tests it."""
    commit, seconds = source.commit, how.seconds * how.at_once
    installed, way = await _with_memory(source, which, installed, beside, open_box, how, way)
    for other in (
        which.others(source.after) if which is not None and not (way.seen.passed or way.seen.timed_out) else ()
    ):
        roomy, tried = await _with_memory(source, other, installed, beside, open_box, how)
        if tried.seen.passed:
            which, installed, way = other, roomy, tried
            break
    states = _states(source, which, installed, beside)
    async with limited_cpu(seconds):
        found = await measured_commit(states, open_box, how.runs, how.tell, seconds, way)
        if found.refused:
            return TaskMade(commit.sha, flaky=found.flaky, refused=found.refused)
        return await _proved_task(source, states, found, installed, open_box, how)
    return TaskMade(commit.sha, refused=f"it takes more than {how.seconds:g} s of CPU; --seconds gives it more")


async def _with_memory(
    source: _Source,
    which: Language | None,
    installed: InstalledNeeds,
    beside: Tree,
    open_box: OpenBox,
    how: MakingTerms,
    way: Way | None = None,
) -> tuple[InstalledNeeds, Way]:
    """What is installed, and the first run of its tests; with more memory, if it ran out and more tests pass then."""
    seconds = how.seconds * how.at_once
    way = way or await first_way(_states(source, which, installed, beside), open_box, seconds)
    best, best_way = installed, way
    for memory in _MORE_MB:
        asked = Task(id="x", instruction="", preparation=Preparation(memory_mb=memory * how.at_once))
        if not ran_out_of_memory(way.seen) or missing_programs(asked):
            break
        how.tell(f"with {memory} MiB of memory")
        more = replaced(installed, preparation=replace(installed.preparation, memory_mb=memory))
        way = await first_way(_states(source, which, more, beside), open_box, seconds)
        if len(way.seen.passed) > len(best_way.seen.passed):
            best, best_way = more, way
    return best, best_way


async def _proved_task(
    source: _Source,
    states: States,
    found: MeasuredCommit,
    installed: InstalledNeeds,
    open_box: OpenBox,
    how: MakingTerms,
) -> TaskMade:
    repository, commit, parts, reference = source.repository, source.commit, source.parts, source.reference
    assert found.hidden is not None
    parent, which = commit.parents[0], states.language
    git = repository.history_until(parent, whole=not _holds(repository, parent, reference))
    own = {path.partition("/")[0] for path in source.before.files}
    given = states.before.files.keys() | (found.visible.files.files.keys() if found.visible else set())
    added = {path.partition("/") for path in given - source.before.files.keys()}
    beside = {"".join(parts) if parts[0] in own else parts[0] for parts in added}
    excluded = Tree.of({".git/info/exclude": "".join(f"/{name}\n" for name in sorted(beside))} if beside else {})
    told = task_instruction(how.issue or commit.message, repository.name, source.before, reference,
    source.after.only(parts.tests),
                _seen_by_agents(found.visible, which))  # fmt: skip
    if (told.vague and not how.issue) or (told.thin and not told.told):
        why = "its message says hardly a word of what is to be done; --issue FILE gives it another"
        return TaskMade(commit.sha, flaky=found.flaky, refused=why)
    untold = untold_tests(
        found.fail_to_pass, told.text, source.before, reference, source.after.only(parts.tests), which
    )
    kept = tuple(name for name in found.fail_to_pass if name not in untold)
    if not kept:
        name, word = next(iter(untold.items()))
        why = f"it cannot be done from its text: {name} wants {word!r}, which neither that nor the repository says"
        return TaskMade(commit.sha, flaky=found.flaky, refused=why)
    expected = tuple(name for name in found.hidden.expected if name not in untold)
    found = replaced(found, fail_to_pass=kept, hidden=replace(found.hidden, expected=expected), untold=tuple(untold))
    assert found.hidden is not None
    task = Task(
        id=source.folder.name,
        instruction=told.text,
        workspace=git.over(excluded).over(states.before),
        visible=found.visible,
        hidden=Hidden(checks=found.hidden, reference=reference),
        tags=Tags(
            category="repair" if "fix" in commit.message.lower() else "feature",
            language=parts.task_language,
            cluster=repository.name,
            date=commit.day,
            made=KIND,
        ),
        timeout_s=1800.0,
        requires=(which.program,) if which else (),
        preparation=replace(installed.preparation, installed=(), prepared=False),
    )
    how.tell("proving")
    if why := await unproved_reason(task, open_box, unsafe=how.unsafe):
        return TaskMade(commit.sha, flaky=found.flaky, refused=why)
    record = MadeFrom(
        kind=KIND, repository=repository.name, revision=commit.sha, parent=parent,
        fail_to_pass=found.fail_to_pass, pass_to_pass=found.pass_to_pass, flaky=found.flaky, runs=found.rounds,
        tests=parts.tests, source=parts.source, other=parts.other,
        history="the parent alone" if ".git/shallow" in git.files else "whole",
        left_out=(*found.left_out, *found.offline, *found.untold), instruction=told,
        read=installed.needs.files, installed=installed.preparation.installed,
        versions={"honestly": program_version(), "python": platform.python_version(), **_version(which)},
        notes=(*installed.notes, *_commit_notes(told, found)),
    )  # fmt: skip
    write_made(source.folder, task, record)
    return TaskMade(
        commit.sha, source.folder.name, found.fail_to_pass, found.pass_to_pass, found.flaky, notes=found.left_notes
    )


def _seen_by_agents(visible: Checks | None, which: Language | None) -> Iterator[str]:
    """The files whose tests are shown."""
    if visible is not None and which is None:
        yield from visible.files.only(name.partition("::")[0] for name in visible.expected).files
    elif visible is not None and which is not None:
        yield from filter(which.runs, visible.files.files)


def _version(which: Language | None) -> dict[str, str]:
    if which is None:
        return {}
    command = [which.program, which.says_version]
    said = run_owned(command).stdout.decode("utf-8", "replace")
    return {which.program: said.strip()[:60]}


def _commit_notes(told: Told, found: MeasuredCommit) -> Iterator[str]:
    yield from found.left_notes
    if found.visible is None:
        yield "no visible tests: none passes before and after"
    if told.thin:
        yield "the instruction says hardly a word: the tests ask for more than it does"


async def unproved_reason(task: Task, open_box: OpenBox, *, unsafe: bool) -> str:
    """Why it is not proved that a task is fair; empty if it is.

    Raises:
        TaskError, SandboxError: it cannot be prepared, a sandbox broke.
    """
    proof = await check_task(await prepare_task(task, unsafe=unsafe), open_box)
    broken = [claim for claim in proof.claims if not claim.holds]
    return f"it is not proved that {broken[0].text}: {broken[0].detail}"[:600] if broken else ""


def write_made(folder: Path, task: Task, record: MadeFrom) -> None:
    """Writes a task and how it was made, both or nothing.

    Raises:
        TaskError: it cannot be written.
    """
    part = folder.with_name(f".{folder.name}.{token_hex(4)}")
    for left in folder.parent.glob(f".{folder.name}.????????"):  # by a run that was killed
        shutil.rmtree(left, ignore_errors=True)
    record = replace(record, given_away=given_away(task, record.instruction, record.repository))
    try:
        write_task(part, task)
        (part / MADE).write_bytes(msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n")
        part.rename(folder)
    except OSError as error:
        raise TaskError(f"cannot write {folder}: {error.strerror or error}") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def made_before(folder: Path) -> TaskMade | None:
    """A task that a run has written which was killed before it could say so; None where there is none.

    Raises:
        TaskError: something else lies there.
    """
    if not folder.exists():
        return None
    try:
        made = msgspec.json.decode((folder / MADE).read_bytes(), type=MadeFrom)
    except (OSError, msgspec.DecodeError) as error:
        raise TaskError(f"{folder} is in the way: no program made it; remove it, or give another --out") from error
    return TaskMade(made.revision, folder.name, made.fail_to_pass, made.pass_to_pass, made.flaky)


def _holds(repository: Repository, parent: str, reference: Edit) -> bool:
    """Whether the history up to the parent holds a file of the reference as it is."""
    names = {
        sha1(b"blob %d\0" % len(file.data) + file.data, usedforsecurity=False).hexdigest()
        for path, file in reference.write.files.items()
        if file.data.strip() and language_of(path)
    }
    return bool(names & repository.object_names(parent))
