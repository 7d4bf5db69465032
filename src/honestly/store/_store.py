"""A study in a database that speaks SQL: what the stores of SQLite and PostgreSQL have in common, which is nearly all.

Creating and opening are `_open.py`, tables `_schema.py`, rows `_rows.py`, trajectories and artifacts `_payloads.py`.
A trial is written with all that belongs to it in one transaction; a writer that is killed leaves whole trials only. One
connection serves all threads, one at a time. Iterators read page by page, so that they neither keep other threads
waiting nor hold a snapshot: what another process adds meanwhile may appear in them, what was there never vanishes.
Nothing of a row is served but after its check sum, except numbers of rows (`tally`, `flags`, `isolations`).
"""

from abc import abstractmethod
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from honestly.errors import StoreError, StudyBusyError, StudyDamagedError
from honestly.records import (
    Agent,
    Conditions,
    Defect,
    Finding,
    Isolation,
    Outcome,
    Record,
    Review,
    Step,
    StudyFacts,
    Task,
    Trajectory,
    Trial,
)
from honestly.store._find import read_runs, search_chunks
from honestly.store._needle import Needle
from honestly.store._payloads import read_artifact, read_head, read_info, read_steps
from honestly.store._redo import is_on_record, put_again, put_beside
from honestly.store._rows import (
    ENDED,
    FACTS,
    as_kind,
    insert_item,
    insert_together,
    put_fact,
    read_cell,
    read_record,
    read_task,
    read_trial,
    write_facts,
)
from honestly.store._schema import CHECKS, FINDINGS, intact_columns, told_apart, typed_finding
from honestly.store._session import Session
from honestly.store._types import (
    Blob,
    Cell,
    ClaimResult,
    EndedCounts,
    Hits,
    Item,
    OutcomeCount,
    StepPlace,
    Steps,
    TrajectoryInfo,
)

R = TypeVar("R", bound=Record)
T = TypeVar("T")

_PAGE = 256
"""Rows that an iterator reads at once."""

_LONG_PAGE = 4096
"""Rows of trials, where no more than their cells is kept."""


class Store(Session):
    """A study; made by `create_study` and `open_study`. A context manager that closes itself.

    Methods may be called from any thread. Each raises StudyDamagedError where what it reads is not intact, and
    StoreError where the study is closed, the disk is full, or the study was opened for reading and the method writes.
    """

    strict = False
    """Whether undecided passes count as failed, as `StudyFacts.strict` says it, in a study that was not run so."""

    def facts(self) -> StudyFacts:
        """The facts known of the study as a whole."""
        known = {name: value for name, value in self._named_facts().items() if name in FACTS}
        known |= {"strict": True} if self.strict else {}
        try:
            return msgspec.convert(known, StudyFacts)
        except msgspec.ValidationError as error:
            raise StudyDamagedError(f"the facts of {self.path} are not those of a study: {error}") from error

    def set_facts(self, facts: StudyFacts, was: StudyFacts | None = None) -> None:
        """Replace what is known of the study as a whole; StudyBusyError where it is no longer what it `was`."""
        with self._own_transaction() as db:
            if was is not None and self.facts() != was:
                raise StudyBusyError(f"another run has just started with {self.path}; give the same command again")
            write_facts(db, facts)

    def learn(self, isolation: Isolation, conditions: Conditions) -> None:
        """Take down in the facts under which conditions a trial ran, beside what others take down there."""
        with self._own_transaction() as db:
            write_facts(db, self.facts().after(isolation, conditions))

    def kept(self, name: str, kind: type[T]) -> T | None:
        """The value kept under this name, as a `kind`; None where nothing was.

        Raises:
            StoreError: It is something else.
        """
        found = self._named_facts()
        return as_kind(kind, found[name], name) if name in found else None

    def all_kept(self, kind: type[T], prefix: str = "") -> dict[str, T]:
        """Everything that was kept under names that begin so, by name, each as a `kind`."""
        found = {name: value for name, value in self._named_facts().items() if name.startswith(prefix)}
        return {name: as_kind(kind, value, name) for name, value in found.items() if name not in FACTS}

    def keep(self, name: str, value: object) -> None:
        """Keep a record of another room, under a name that the room owns, in place of what was there."""
        if name in FACTS:
            raise StoreError(f"{name!r} is the name of a fact of the study; set it with set_facts")
        with self._own_transaction() as db:
            put_fact(db, name, value)

    def _named_facts(self) -> dict[str, object]:
        """Facts and what is kept, by name: plain JSON data."""
        pairs = (intact_columns("a fact", row) for row in self._all("SELECT name, value, sum FROM facts ORDER BY name"))
        return {str(name): msgspec.json.decode(str(value)) for name, value in pairs}

    def agents(self) -> list[Agent]:
        """All agents, by name."""
        rows = self._all("SELECT name, hash, record, sum FROM agents ORDER BY name")
        return [read_record(intact_columns("an agent", row)[-1], Agent) for row in rows]

    def tasks(self) -> Iterator[Task]:
        """All tasks, by id."""
        ids = self._all("SELECT id FROM tasks ORDER BY id")
        return (self.task(str(row[0])) for row in ids)

    def task(self, task_id: str) -> Task:
        """One task; StoreError where there is none."""
        if not (rows := self._all("SELECT * FROM tasks WHERE id = ?", task_id)):
            raise StoreError(f"{self.path} has no task {task_id!r}")
        return read_task(rows[0])

    def add(self, items: Iterable[Item], every: int = 200) -> int:
        """Add records of any kind in the order given, committing after each `every`; returns how many were new.

        An agent or a task that is there already, with the same content, is skipped, and so are findings, reviews and
        defects; a trial must be new. `items` may be longer than memory.

        Raises:
            StoreError: a trial is there already or names an unknown agent or task; an agent's name or a task's id is
                taken by another one. What was committed before stays.
        """
        new, pending = 0, iter(items)
        while True:
            with self._own_transaction() as db:
                some = islice(pending, every)
                # What is in memory anyway can be asked about all at once, over whatever distance.
                at_once = self.shared and isinstance(items, Sequence)
                added = insert_together(db, list(some)) if at_once else [insert_item(db, item) for item in some]
            new += sum(added)
            if len(added) < every:
                return new

    def add_trial(self, trial: Trial, trajectory: Steps = None, artifacts: Mapping[str, Blob] | None = None) -> None:
        """Add one trial with all that belongs to it, or nothing.

        Raises:
            StoreError: the trial, or its cell's sample, is there already; its agent or task is not in the study.
        """
        with self._own_transaction() as db:
            insert_item(db, (trial, trajectory, artifacts or {}))

    def redo_trial(
        self,
        trial: Trial,
        trajectory: Steps = None,
        artifacts: Mapping[str, Blob] | None = None,
        findings: Iterable[Finding] = (),
    ) -> None:
        """Put a new attempt in the place of the one held, which becomes the last of `earlier`; all of it, or nothing.

        What was noted of the old attempt is not said of the new one: its trajectory, artifacts, findings and reviews
        are artifacts from then on, named `earlier/N/...` by the number of the attempt, from 1.

        Raises:
            StoreError: there is no such trial, or it is one of another cell.
        """
        with self._own_transaction() as db:
            put_again(db, trial, trajectory, artifacts or {}, findings)

    def note_lost(self, trial: Trial, trajectory: Steps = None, artifacts: Mapping[str, Blob] | None = None) -> bool:
        """Put on record an attempt at a trial that came after another runner's: what it cost, and what it left.

        Returns whether it was new: neither the attempt that the study holds nor one that it has on record.
        """
        if is_on_record(self.trial(trial.id), trial):
            return False
        with self._own_transaction() as db:
            return put_beside(db, trial, trajectory, artifacts or {})

    shared = False
    """Whether others may write it meanwhile."""
    lost = 0
    """Attempts of this runner that came after another one's."""

    def claim(self, trial_id: str, attempts: int, most: int | None = None) -> ClaimResult:
        """Take a trial for this runner, until it is stored with a verdict, or the store is closed.

        Args:
            trial_id: which.
            attempts: at it that the study holds, as far as the caller knows.
            most: trials that may have begun, this one included: stored, or taken by a runner that lives. A file has one
                writer, who counts for itself.
        """
        return self.claim_all({trial_id: attempts}, most)[0]

    def claim_all(self, attempts: Mapping[str, int], most: int | None = None) -> list[ClaimResult]:  # noqa: ARG002
        """Take trials with so many attempts each, in one round trip; one only where there is a `most`. See `claim`."""
        return [ClaimResult.OURS] * len(attempts)

    def flush(self) -> None:
        """Deliver what waits on this machine, since the study was away; StudyAwayError where it still is."""

    @abstractmethod
    def vacuum(self) -> None:
        """Give back the room that is no longer needed."""

    def trial(self, trial_id: str) -> Trial:
        """One trial; StoreError where there is none."""
        if not (rows := self._all("SELECT * FROM trials WHERE id = ?", trial_id)):
            raise StoreError(f"{self.path} has no trial {trial_id!r}")
        return self._trial_of_row(rows[0])

    def attempts(self, trial_id: str) -> int:
        """Attempts at a trial that the study holds."""
        rows = self._all("SELECT * FROM trials WHERE id = ?", trial_id)
        return read_trial(rows[0]).attempts if rows else 0

    def trial_ids(self) -> frozenset[str]:
        """Ids of all trials."""
        return frozenset(str(row[0]) for row in self._all("SELECT id FROM trials"))

    def trials(self, agent: str | None = None, task: str | None = None) -> Iterator[Trial]:
        """Trials by agent, task, sample; of one agent or one task where named."""
        return map(self._trial_of_row, self._rows_of_trials(_PAGE, agent=agent, task=task))

    def new_trials(self, seen: dict[str, int]) -> Iterator[Trial]:
        """Trials that are new, or done again, since this was last asked with the same `seen`, at first an empty one."""
        rows = self._all("SELECT id, sum FROM trials")
        new = [trial for trial, total in rows if seen.get(str(trial)) != total]
        for at in range(0, len(new), _PAGE):
            page = new[at : at + _PAGE]
            marks = ", ".join("?" * len(page))
            for row in self._all(f"SELECT * FROM trials WHERE id IN ({marks})", *page):  # noqa: S608
                yield self._trial_of_row(row)
                seen[str(row[1])] = int(str(row[-1]))

    def cells(self) -> list[Cell]:
        """One row for each trial, by agent, task, sample; with outcomes as the policy for undecided ones has them."""
        cells = [read_cell(row) for row in self._rows_of_trials(_LONG_PAGE)]
        if not self.facts().strict:
            return cells
        undecided = {at for at, cell in enumerate(cells) if cell.doubt and cell.outcome is Outcome.PASSED}
        return [
            cell._replace(outcome=Outcome.FAILED, reason=f"undecided: {cell.doubt}") if at in undecided else cell
            for at, cell in enumerate(cells)
        ]

    def _rows_of_trials(self, page: int, **wanted: str | None) -> Iterator[tuple[object, ...]]:
        query = "SELECT * FROM trials WHERE (agent, task, sample) > (?, ?, ?)"
        query += "".join(f" AND {column} = ?" for column, value in wanted.items() if value is not None)
        values = [value for value in wanted.values() if value is not None]
        last: tuple[object, ...] = ("", "", -1)
        while True:
            rows = self._all(f"{query} ORDER BY agent, task, sample LIMIT {page}", *last, *values)
            yield from rows
            if len(rows) < page:
                return
            last = rows[-1][2:5]

    def tally(self) -> dict[Outcome, int]:
        """How many trials ended how, without reading them, unless the policy is strict."""
        if self.facts().strict:
            return Counter(cell.outcome for cell in self.cells())
        rows = self._all("SELECT outcome, count(*) FROM trials GROUP BY 1")
        return {self._trial_outcome(outcome): int(str(count)) for outcome, count in rows}

    def ended(self) -> EndedCounts:
        """How many tasks there are, and how many trials of each agent ended how, without reading any of them."""
        counts = [OutcomeCount(self._trial_outcome(outcome), *rest) for outcome, *rest in self._all(ENDED)]  # type: ignore[arg-type]
        if self.facts().strict:
            # How many trials of each agent ended how, by their cells.
            cells = self.cells()
            found: dict[tuple[Outcome, str, str], list[float | None]] = {}
            for cell in cells:
                why = cell.reason if cell.outcome is Outcome.VOID else ""
                found.setdefault((cell.outcome, cell.agent, why), []).append(cell.usd)
            counts = [
                OutcomeCount(
                    *alike, len(spent), sum(filter(None, spent)) if any(usd is not None for usd in spent) else None
                )
                for alike, spent in found.items()
            ]
        return EndedCounts(int(str(self._all("SELECT count(*) FROM tasks")[0][0])), tuple(counts))

    def _trial_outcome(self, text: object) -> Outcome:
        """An outcome as it stands in the table of trials."""
        try:
            return Outcome(str(text))
        except ValueError as error:
            raise StudyDamagedError(
                f"{self.path} is damaged: no trial ends as {text!r}; restore it from a copy"
            ) from error

    def isolations(self) -> dict[Isolation, int]:
        """The isolations of the trials, with how many had each."""
        rows = self._all("SELECT CAST(record -> 'isolation' AS TEXT), count(*) FROM trials GROUP BY 1 ORDER BY 1")
        return {
            read_record(what, Isolation) if what is not None else Isolation(): int(str(count)) for what, count in rows
        }

    def trajectory(self, trial_id: str) -> Trajectory | None:
        """The whole trajectory of a trial, if it has one."""
        if (info := self.trajectory_info(trial_id)) is None:
            return None
        with self._locked_session() as db:
            head = read_head(db, self._trial_number(trial_id))
        return replace(head, steps=tuple(self.steps(trial_id)), stop=info.stop)

    def trajectory_info(self, trial_id: str) -> TrajectoryInfo | None:
        """Length, size and end of a trajectory, without reading it."""
        with self._locked_session() as db:
            return read_info(db, self._trial_number(trial_id))

    def steps(self, trial_id: str, start: int = 0, stop: int | None = None) -> Iterator[Step]:
        """Steps from `start` up to, not including, `stop`; only the chunks that hold them are read."""
        number = self._trial_number(trial_id)
        return self._guarded_rows(lambda db: read_steps(db, number, max(start, 0), stop))

    def artifacts(self, trial_id: str) -> dict[str, int]:
        """Names of a trial's artifacts and their sizes in bytes."""
        rows = self._all("SELECT * FROM artifacts WHERE trial = ? ORDER BY name", self._trial_number(trial_id))
        found = (intact_columns("an artifact", row) for row in rows)
        return {str(name): int(str(size)) for _, _, name, size in found}

    def artifact(self, trial_id: str, name: str) -> bytes:
        """Content of one artifact; StoreError where there is none."""
        return b"".join(self.artifact_pieces(trial_id, name))

    def artifact_pieces(self, trial_id: str, name: str) -> Iterator[bytes]:
        """Yield the content of one artifact in pieces of about a megabyte, for what is too large to hold."""
        rows = self._all(
            "SELECT number FROM artifacts WHERE trial = ? AND name = ?", self._trial_number(trial_id), name
        )
        if not rows:
            raise StoreError(f"trial {trial_id} has no artifact {name!r}")
        number = int(str(rows[0][0]))
        return self._guarded_rows(lambda db: read_artifact(db, number))

    def find(
        self,
        text: str,
        among: Container[str] | None = None,
        after: StepPlace | None = None,
        most: int = 50,
        size: int = 0,
    ) -> Hits:
        """The texts of steps that hold `text`, upper and lower case alike, in the order in which trials were added.

        Args:
            text: what to look for; at most 1000 characters.
            among: ids of the trials to look in; None for all.
            after: the step after which to begin: the `rest` of the part before.
            most: hits after which to stop; those of one step stay together.
            size: bytes of steps, uncompressed, after which to stop; 0 for no bound.
        """
        place = after or StepPlace(-1, -1)
        return search_chunks(
            self._guarded_rows(lambda db: read_runs(db, among, place)), Needle(text), place, most, size
        )

    def findings(self, trial_id: str | None = None, state: str | None = None) -> Iterator[Finding]:
        """Findings in the order in which they were added; of one trial, or in one state, where named."""
        found = self._added_notes("findings", Finding, trial=trial_id, state=state)
        return map(typed_finding, found) if self.version < FINDINGS else found

    def flags(self) -> dict[str, int]:
        """How many findings flag each trial; a trial without any is absent."""
        rows = self._all("SELECT trial, count(*) FROM findings WHERE state = 'flagged' GROUP BY trial")
        return {str(trial): int(str(count)) for trial, count in rows}

    def reviews(self, trial_id: str | None = None) -> Iterator[Review]:
        """Reviews in the order in which they were added; of one trial where named."""
        return self._added_notes("reviews", Review, trial=trial_id)

    def defects(self) -> Iterator[Defect]:
        """Defects of what was imported, in the order in which they were added."""
        return self._added_notes("defects", Defect)

    def _added_notes(self, table: str, kind: type[R], **wanted: str | None) -> Iterator[R]:
        known = {column: value for column, value in wanted.items() if value is not None}
        query = f"SELECT * FROM {table} WHERE number > ?" + "".join(f" AND {column} = ?" for column in known)  # noqa: S608 (names are ours)
        last: object = 0
        while True:
            rows = self._all(f"{query} ORDER BY number LIMIT {_PAGE}", last, *known.values())
            for row in rows:
                yield read_record(intact_columns(f"a {kind.__name__}", row)[-1], kind)
            if len(rows) < _PAGE:
                return
            last = rows[-1][0]

    def _trial_of_row(self, row: tuple[object, ...]) -> Trial:
        return read_trial(row) if self.version >= CHECKS else told_apart(read_trial(row))

    def _trial_number(self, trial_id: str) -> int:
        if not (rows := self._all("SELECT number FROM trials WHERE id = ?", trial_id)):
            raise StoreError(f"{self.path} has no trial {trial_id!r}")
        return int(str(rows[0][0]))
