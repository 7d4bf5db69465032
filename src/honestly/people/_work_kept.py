"""What became of what sessions wrote: committed, kept, reworked or reverted, as a repository's history shows it.

A session's work are the lines that its edits put into files, as far as the transcript shows them. A line is committed
if a commit of its file after the session's start has it and the parent has not; kept if the newest commit still has
it; else reverted, if a commit that calls itself a revert took it out, or reworked. Lines of fewer than six characters
say nothing and are left out; so are lines that stood in the file before. Not covered: lines that moved to another file,
squashed histories, edits by programs whose text the transcript does not show.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import ClassVar

from rich.console import Console, ConsoleOptions, RenderableType

from honestly.audit import read_table
from honestly.errors import GitError, StatisticsError
from honestly.git import run_git, settings_shut
from honestly.people._effort import group_of
from honestly.people._session_effort import is_session
from honestly.records import Step
from honestly.show import Shown, dim_line, numbers_table, percent_text, plural_text
from honestly.store import Store

_SHORTEST, _MOST_COMMITS = 6, 200
_PLAIN_LOG = ("--no-renames", "--no-show-signature", "--no-ext-diff", "--no-textconv")
_REVERT = re.compile(r"(?i)^revert\b|\bthis reverts commit\b|\broll(?:ed)? ?back\b")


@dataclass(frozen=True, slots=True)
class WorkKept:
    """How many lines of one group's sessions were committed, kept, reworked or reverted."""

    agent: str
    sessions: int
    """Those that wrote something, as far as it can be read."""
    days: float
    """From the first of them to the last."""
    written: int
    committed: int
    kept: int
    reworked: int
    reverted: int


@dataclass(frozen=True, slots=True, repr=False)
class WorkKeptReport(Shown):
    """How much of the sessions' work was committed, kept, reworked or reverted, by agent."""

    main_table: ClassVar[str] = "agents"

    repository: str
    agents: tuple[WorkKept, ...]
    unread: int
    """Sessions that show no line which they wrote into a file of the repository."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        yield numbers_table(
            "what became of the lines that sessions wrote (shares of those committed)",
            dict.fromkeys(("agent", "sessions", "a day", "lines", "committed", "kept", "reworked", "reverted"), 8),
            [
                (
                    each.agent, f"{each.sessions}", f"{each.sessions / max(each.days, 1):.1f}", f"{each.written}",
                    _share_text(each.committed, each.written), _share_text(each.kept, each.committed),
                    _share_text(each.reworked, each.committed), _share_text(each.reverted, each.committed),
                )
                for each in self.agents
            ],
            options.max_width,
        )  # fmt: skip
        if self.unread:
            yield dim_line(f"Left out, because no line of theirs was read: {plural_text(self.unread, 'session')}.")


def _share_text(part: int, whole: int) -> str:
    return f"{percent_text(part / whole, 0)}%" if whole else "–"


def work_kept(store: Store, repository: Path, by: str = "agent") -> WorkKeptReport:
    """How much of the sessions' work was committed, kept, reworked or reverted.

    Args:
        store: the study.
        repository: the checkout that they worked in.
        by: what stands in the place of agents.

    Raises:
        GitError: there is no repository, or git cannot read it.
        StatisticsError: no session of the study wrote into it.
    """
    agents = {agent.name: agent for agent in store.agents()}
    history = History(repository)
    counts: dict[str, list[int]] = defaultdict(lambda: [0] * 6)
    starts: dict[str, list[float]] = defaultdict(list)
    unread = 0
    for trial in store.trials():
        steps = list(store.steps(trial.id))
        if not is_session(trial, agents[trial.agent], steps):
            continue
        began = _began(trial.started_at, steps)
        fates = history.all_fates(written_lines(steps), began)
        if not fates or math.isnan(began):
            unread += 1
            continue
        label = group_of(by, trial, agents[trial.agent])
        starts[label].append(began)
        for at, fate in enumerate(("", "kept", "reworked", "reverted", "lost")):
            counts[label][at] += len(fates) if not fate else fates.count(fate)
    if not counts:
        raise StatisticsError(f"no session of this study shows a line that it wrote into a file of {repository}")
    rows = [
        WorkKept(
            label, len(starts[label]), (max(starts[label]) - min(starts[label])) / 86400, written,
            kept + reworked + reverted, kept, reworked, reverted,
        )
        for label, (written, kept, reworked, reverted, *_) in sorted(counts.items())
    ]  # fmt: skip
    return WorkKeptReport(str(repository), tuple(rows), unread)


def written_lines(steps: Iterable[Step]) -> Mapping[str, set[str]]:
    """The lines that edits put into each file, without those that they took out or that stood there."""
    found: dict[str, set[str]] = defaultdict(set)
    for row in read_table(steps).rows:
        for write in row.writes if not row.known_failed else ():
            if write.how in {"text", "edit"}:
                before = write.before if write.before is not None else write.source if write.how == "edit" else ""
                found[write.path] |= _distinct_lines(write.text) - _distinct_lines(before)
    return {path: lines for path, lines in found.items() if lines}


def _distinct_lines(text: str) -> set[str]:
    return {line.strip() for line in text.splitlines() if len(line.strip()) >= _SHORTEST}


def _began(at: str | None, steps: Iterable[Step]) -> float:
    for each in (at, *(step.at for step in steps)):
        try:
            return datetime.fromisoformat(each or "").timestamp()
        except ValueError:
            continue
    return math.nan


class History:
    """The commits of a repository, by file."""

    def __init__(self, repository: Path) -> None:
        self._place, self._env = repository.resolve(), settings_shut(repository.resolve())
        self._top = self._said("rev-parse", "--show-toplevel").strip()
        self._place = Path(self._top)
        names = self._said("log", *_PLAIN_LOG, "--format=", "--name-only", "-z", "HEAD")
        self._names = {name for name in names.split("\0") if name}

    def _said(self, *words: str) -> str:
        return run_git("-C", str(self._place), *words, env=self._env).decode("utf-8", "surrogateescape")

    def name_of(self, path: str) -> str | None:
        """A file's name in the repository: relative to it, or the longest end of the path that it ever had."""
        parts = path.removeprefix(f"{self._top}/").lstrip("/").split("/")
        ends = ("/".join(parts[at:]) for at in range(len(parts)))
        return next((end for end in ends if end in self._names), None)

    def all_fates(self, written: Mapping[str, set[str]], began: float) -> list[str]:
        """What became of each line; those of a file that was never committed are lost, if it lies beside others."""
        names = {path: self.name_of(path) for path in written}
        roots = [f"{self._top}/", *(path.removesuffix(name) for path, name in names.items() if name)]
        found = []
        for path, lines in written.items():
            name = names[path]
            if name is not None:
                found += self.fates(name, lines, began)
            elif any(path.startswith(root) if root else not path.startswith("/") for root in roots):
                found += ["lost"] * len(lines)
        return found

    def fates(self, name: str, lines: set[str], began: float) -> list[str]:
        """What became of each line of a file: kept, reworked, reverted, or lost where it was never committed."""
        if math.isnan(began):
            return []
        log = self._said("log", *_PLAIN_LOG, "--reverse", "--format=%H %ct %s", "HEAD", "--", f":(literal,top){name}")
        commits = [row.split(" ", 2) for row in log.splitlines()]
        before: set[str] = set()
        fate: dict[str, str] = dict.fromkeys(lines, "lost")
        for commit, at, subject in [(*row, "")[:3] for row in commits if len(row) >= 2][-_MOST_COMMITS:]:
            here = self._lines_at(commit, name)
            if float(at) >= began:
                for line in lines & here - before:
                    fate[line] = "kept"
                for line in lines & before - here:
                    if fate[line] == "kept":
                        fate[line] = "reverted" if _REVERT.search(subject) else "reworked"
            else:
                lines = lines - here  # they stood there before
            before = here
        return [fate[line] for line in lines]

    def _lines_at(self, commit: str, name: str) -> set[str]:
        try:
            return _distinct_lines(self._said("cat-file", "blob", f"{commit}:{name}"))
        except GitError:
            return set()
