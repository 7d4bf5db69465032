"""Bugs planted in a repository whose tests pass, each as a task: find it, repair it (SWE-smith, arXiv 2504.21798).

The bugs are the mutants by which hidden checks are measured, one to a function as long as there are others. With each
only those tests are run that call the function that it is in, as one run under a profiler has shown. A mutant becomes
a task if steady tests fail with it, in every run, and not all of them do. Those tests are hidden, and taken out of the
workspace; so is the repository's history, which holds the answer.
"""

import builtins
import keyword
import random
import re
from collections.abc import Sequence
from pathlib import Path

from honestly.errors import SandboxError, SandboxUnavailableError, TaskError, VerifierError
from honestly.records import Checks, Edit, Hidden, Tags, Task, Tree, digest
from honestly.taskgen._from_commit import MakingTerms, TaskMade, made_before, unproved_reason, write_made
from honestly.taskgen._from_tests import traced_calls
from honestly.taskgen._given_away import given_away
from honestly.taskgen._journal import MinedTask, MiningJournal, Progress, WantedTasks, until_enough
from honestly.taskgen._measured import listed_names
from honestly.taskgen._tested import TestedTree, function_at, visible_of, without_tests
from honestly.taskgen._told import Told, tell_bug
from honestly.tasks import Mutant, task_id, task_mutants
from honestly.verify import OpenBox, SeenTests

KIND = "from-mutants"
_SHOWN = 4
_FEW_TESTS = 200
_LONGEST = 160


def bugs_in(files: Tree, seed: int) -> list[Mutant]:
    """All bugs that can be planted in files, in the order in which they are tried: drawn, and one to a function."""
    nothing = Checks(runner="pytest", files=Tree(), expected=())
    drawn = task_mutants(Task(id="x", instruction="", hidden=Hidden(checks=nothing, reference=Edit(write=files))))
    random.Random(seed).shuffle(drawn)  # noqa: S311 - a sample, no secret
    turns: dict[str, int] = {}
    order = []
    for mutant in drawn:
        owner = ":".join(mutant.key.split(":")[:2])
        turns[owner] = turns.get(owner, -1) + 1
        order.append(turns[owner])
    return [drawn[at] for at in sorted(range(len(drawn)), key=lambda at: order[at])]


def bug_name(found: TestedTree, mutant: Mutant) -> str:
    """The id that a bug's task has; it says nothing of the bug."""
    return task_id(f"{found.repository.name}-bug-{digest(found.commit.sha, mutant.key)[:8]}", found.repository.name)


async def from_mutant(
    found: TestedTree, mutant: Mutant, into: Path, open_box: OpenBox, how: MakingTerms, tests: Sequence[str]
) -> TaskMade:
    """Makes a task of one bug, in a new folder below `into`, or says why not.

    Raises:
        TaskError: the folder cannot be written.
        SandboxUnavailableError: this machine does not let us build a sandbox.
    """
    try:
        made = made_before(into / bug_name(found, mutant))
        return made or await _mutant_task(found, mutant, into, open_box, how, tests)
    except SandboxUnavailableError:
        raise
    except (SandboxError, VerifierError) as error:
        return TaskMade(mutant.key, refused=f"its tests cannot be run here: {str(error)[:400]}")


async def _mutant_task(
    found: TestedTree, mutant: Mutant, into: Path, open_box: OpenBox, how: MakingTerms, tests: Sequence[str]
) -> TaskMade:
    if not tests:
        return TaskMade(mutant.key, refused="no test calls the function that it is in")
    broken = mutant.put_in(found.tree)
    seen: list[SeenTests] = []
    for number in range(max(2, how.runs)):
        seen.append(await found.see_tests(broken, open_box, backwards=number % 2 == 1, only=tests))
        if seen[0].timed_out:
            return TaskMade(mutant.key, refused="the tests do not end with it")
        if seen[0].passed >= set(tests):
            return TaskMade(mutant.key, refused="no test notices it")
        if not seen[0].passed and len(tests) == len(found.steady):
            return TaskMade(mutant.key, refused="no test passes with it: it is too easy to find")
    ever = frozenset.union(*(each.passed for each in seen))
    always = frozenset.intersection(*(each.passed for each in seen))
    failing = tuple(name for name in tests if name not in ever)
    if unsteady := [name for name in tests if name in ever - always]:
        return TaskMade(mutant.key, flaky=tuple(unsteady), refused=f"tests are flaky with it: {listed_names(unsteady)}")
    files = {name.partition("::")[0] for name in failing}
    steady = tuple(name for name in tests if name in always)
    workspace, gone = without_tests(broken, failing)
    shown = tuple(name for name in steady if name.partition("::")[0] not in gone)
    hidden = (*failing, *(name for name in steady if name.partition("::")[0] in files))
    told = _told_of_mutant(found, mutant, seen[0], failing)
    task = found.task(
        bug_name(found, mutant), told, workspace, visible_of(workspace, shown, found.checks.writable),
        Hidden(checks=found.hidden(hidden), reference=Edit.between(broken, found.tree)),
        Tags(category="debug", made=KIND),
    )  # fmt: skip
    if away := given_away(task, told, found.repository.name):
        return TaskMade(mutant.key, refused=f"its instruction would give it away: {listed_names(away)}")
    if why := await unproved_reason(task, open_box, unsafe=how.unsafe):
        return TaskMade(mutant.key, refused=why)
    notes = (f"planted: {mutant.key}, line {mutant.line}: {mutant.before!r} became {mutant.after!r}",)
    write_made(into / task.id, task, found.record(task, told, failing, notes))
    return TaskMade(mutant.key, task.id, failing, tuple(name for name in hidden if name not in failing))


def _told_of_mutant(found: TestedTree, mutant: Mutant, seen: SeenTests, failing: Sequence[str]) -> Told:
    """The report of somebody who sees tests fail, and nothing of the code."""
    lines = [f"- `{name.partition('::')[2]}`: {_failure_text(seen, name)}" for name in failing[:_SHOWN]]
    more = f"\n- and {len(failing) - _SHOWN} more" if len(failing) > _SHOWN else ""
    count = f"{len(failing)} tests" if len(failing) > 1 else "a test"
    words = f"Something broke: {count} that used to pass fail now, and only the code is to blame.\n\n" + "\n".join(
        lines
    )
    owner = mutant.key.split(":")[1].split(".")
    return tell_bug(words + more, found.repository.name, [*_own_names(mutant.before), *owner, Path(mutant.path).stem],
                    _literals(mutant.before))  # fmt: skip


def _failure_text(seen: SeenTests, name: str) -> str:
    check = seen.checks.get(name)
    said = check.message.strip().splitlines() if check is not None else []
    return said[0][:_LONGEST] if said else "it fails"


def _own_names(line: str) -> set[str]:
    """The names in a line of code that are not Python's own."""
    known = {*keyword.kwlist, *keyword.softkwlist, *dir(builtins), "self", "cls"}
    return {name for name in re.findall(r"[A-Za-z_]\w+", line) if name not in known}


def _literals(line: str) -> set[str]:
    texts = re.findall(r"\"([^\"\\\n]{3,})\"|'([^'\\\n]{3,})'|(?<![\w.])(\d{2,}(?:\.\d+)?)", line)
    return {text for found in texts for text in found if text.strip()}


async def from_mutants(
    found: TestedTree, into: Path, wanted: WantedTasks, open_box: OpenBox, how: MakingTerms, progress: Progress
) -> list[MinedTask]:
    """Plants bugs until there are enough tasks; resumes from earlier results.

    Errors as above.
    """
    how.tell("seeing which functions each test calls")
    callers: dict[str, set[str]] = {}
    seen = True
    try:
        for test, places in (await traced_calls(found, open_box)).items():
            for place in places:
                callers.setdefault("::".join(place), set()).add(test)
    except TaskError:
        seen = False

    async def make(mutant: Mutant) -> TaskMade:
        place = function_at(mutant.path, found.tree.files[mutant.path].data, mutant.line)
        ran = callers.get(place, set())
        # Of few tests all can be run, for functions that run as modules are loaded, too.
        every = not ran and (len(found.steady) <= _FEW_TESTS or not seen)
        tests = [name for name in found.steady if every or name in ran]
        return await from_mutant(found, mutant, into, open_box, how, tests)

    journal = MiningJournal(into, found.repository.name, KIND)
    items = [
        (bug.key, bug)
        for bug in bugs_in(found.source, wanted.seed)
        if function_at(bug.path, found.tree.files[bug.path].data, bug.line) not in wanted.without
    ]
    return await until_enough(items, make, found.commit, journal, wanted.count, progress)
