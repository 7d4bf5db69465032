"""Many commits of a repository as tasks: which are tried, what became of each, and going on where it was stopped.

What can be told from a commit alone is told first, in one reading of the history. The rest is run, some commits at
once, and each result is kept at once in a file beside the tasks: the same command goes on where it was stopped.
"""

from __future__ import annotations

import random
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio

from honestly._group import flat_group
from honestly.errors import TaskError
from honestly.taskgen._content import refused_by_content
from honestly.taskgen._from_commit import KIND, MakingTerms, TaskMade, commit_name, from_commit, made_before
from honestly.taskgen._journal import MinedTask, MiningJournal, mined_row
from honestly.taskgen._repository import Commit, Repository
from honestly.taskgen._split import refused_by_diff
from honestly.verify import OpenBox, open_phases

USUAL_S = 30.0
"""Seconds that a commit takes, as long as none was run here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which commits are tried, among those that pass the static filter."""

    since: str = ""
    """A day, as 2026-01-31: older ones are left out."""
    grep: str = ""
    """A regular expression that the message must have in it, whatever the case."""
    sample: int | None = None
    """How many are drawn."""
    seed: int = 0
    limit: int | None = None
    """How many at most, newest first."""


@dataclass(frozen=True, slots=True)
class MiningPlan:
    """The commits to be run, and those left out."""

    todo: tuple[Commit, ...]
    """Newest first."""
    done: dict[str, MinedTask]
    """What was run before, by revision."""
    left_out: tuple[MinedTask, ...]
    """Each with its reason."""

    def seconds(self, at_once: int = 1) -> float:
        """The estimated seconds of what is left to run, so many commits at once."""
        known = [each.seconds for each in self.done.values() if each.seconds is not None]
        return len(self.todo) * (sum(known) / len(known) if known else USUAL_S) / at_once

    @property
    def reasons(self) -> Counter[str]:
        """How many were left out for each kind of reason."""
        return Counter(kind_of(str(each.refused)) for each in self.left_out)


def mining_plan(repository: Repository, commits: Sequence[Commit], into: Path, wanted: Filter) -> MiningPlan:
    """Chooses among the commits of a repository; nothing is run.

    Raises:
        TaskError: an object is missing, or what is kept of earlier runs cannot be read; no regular expression.
    """
    left_out: list[MinedTask] = []
    able: list[Commit] = []
    for commit in commits:
        if why := refused_by_diff(commit) or _filtered(commit, wanted) or refused_by_content(repository, commit):
            left_out.append(mined_row(commit, TaskMade(commit.sha, refused=why), None))
        else:
            able.append(commit)
    if wanted.sample is None:
        chosen = able
    else:
        # Some commits at random, in the order that they had.
        drawn = random.Random(wanted.seed).sample(range(len(able)), min(wanted.sample, len(able)))  # noqa: S311 - a sample, no secret
        chosen = [able[at] for at in sorted(drawn)]
    chosen = chosen[: wanted.limit]
    kept = {commit.sha for commit in chosen}
    why = f"it was not chosen: {len(chosen)} of {len(able)} were"
    left_out += [
        mined_row(commit, TaskMade(commit.sha, refused=why), None) for commit in able if commit.sha not in kept
    ]
    done = {each.revision: each for each in MiningJournal(into, repository.name, KIND).rows() if each.revision in kept}
    return MiningPlan(tuple(commit for commit in chosen if commit.sha not in done), done, tuple(left_out))


async def from_repo(
    repository: Repository, chosen: MiningPlan, into: Path, open_box: OpenBox, how: MakingTerms,
    progress: Callable[[int, int, MinedTask], None] = lambda _done, _total, _mined: None,
) -> list[MinedTask]:  # fmt: skip
    """Makes the remaining tasks of a plan, stores each result, and returns all results.

    Raises:
        SandboxUnavailableError: this machine does not let us build a sandbox.
        TaskError: nothing can be written.
    """
    found, limiter = dict[str, MinedTask](), anyio.CapacityLimiter(how.at_once)
    total = len(chosen.done) + len(chosen.todo)
    with MiningJournal(into, repository.name, KIND) as journal:
        meanwhile = {row.revision: row for row in journal.rows()}  # another run may have ended since the plan was made

        async def mine(commit: Commit) -> None:
            async with limiter:
                start, row = time.monotonic(), meanwhile.get(commit.sha)
                if row is None:
                    try:
                        made = made_before(into / commit_name(repository, commit))
                        made = made or await from_commit(repository, commit, into, open_box, how)
                    except TaskError as error:
                        made = TaskMade(commit.sha, refused=f"it could not be tried: {str(error)[:400]}")
                    row = mined_row(commit, made, time.monotonic() - start)
                    journal.keep(row)
                found[commit.sha] = row
                progress(len(chosen.done) + len(found), total, row)

        async with open_phases(shared=True), flat_group() as group:
            for commit in chosen.todo:
                group.start_soon(mine, commit)
    return [*chosen.done.values(), *(found[commit.sha] for commit in chosen.todo)]


def kind_of(reason: str) -> str:
    """A reason without what is particular to one commit."""
    return re.sub(r"\d[\d.]*", "N", reason.partition(":")[0]).partition(";")[0][:100]


def _filtered(commit: Commit, wanted: Filter) -> str:
    if wanted.since and commit.day < wanted.since:
        return f"it is older than {wanted.since}"
    try:
        if wanted.grep and not re.search(wanted.grep, commit.message, re.IGNORECASE):
            return f"its message has no {wanted.grep!r} in it"
    except re.error as error:
        raise TaskError(f"{wanted.grep!r} is not a regular expression: {error}") from error
    return ""
