"""Trials that a study did not take: kept on this machine until it does.

`open_or_create` gives a run its study. A trial that cannot be stored, since the database is away or another program
has locked the file, becomes a file in the spool (of a database `state_folder(ADDRESS)/spool/IDENTITY`, of a file
`STUDY.unfinished/spool/IDENTITY`), written whole and on the disk before the run goes on. With the first trial after a
while, at the end of the run, and when a study is next opened so, the files are delivered in the order in which they
were written. Each says how many attempts at its trial came before it, so that it is stored once: also where the
connection was lost while the database said that it had it, and where two deliver the same files. Where somebody else
ran the same trial meanwhile, the attempt that was there first stays, and this one is on record beside it.

The identity is the study's own: what waits for one that was dropped is not delivered to another of its name, but to it
alone, should it come back. A file that is damaged or contradicts the study is kept under another name, and said.

A study in a file that is removed, renamed, replaced or overwritten while a run writes it goes on as another file beside
it, `STUDY.rescued`, which holds all that it held; the run ends with an error that says so.

Not covered: a run does not begin while the study is away, and its first writing (suite, agents, facts) is not kept.
"""

import os
import secrets
import sqlite3
import time
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from logging import getLogger
from pathlib import Path

from honestly.errors import FormatError, StoreError, StudyAwayError, StudyBusyError, StudyDamagedError, StudyMovedError
from honestly.records import Conditions, Finding, Isolation, Outcome, Record, Trajectory, Trial, decode, digest, encode
from honestly.store._address import StudyAddress, state_folder, study_path
from honestly.store._check import open_connection
from honestly.store._live import unfinished_folder
from honestly.store._open import create_study, open_writer, writing_connection
from honestly.store._payloads import unpacked_frame, zstd_frame
from honestly.store._postgres import PostgresStore
from honestly.store._postgres_link import required_psycopg
from honestly.store._sqlite import SqliteStore
from honestly.store._store import Store
from honestly.store._types import Blob, ClaimResult, Item, Steps

_PAUSE_S, _SHARE = 1.0, 10
"""Before the database is asked again: seconds, and times what it took to learn that it is away."""
_LOCKED_S = 2.0
"""For which a file that another program has locked is waited for, before a trial is kept elsewhere."""
_SILENCE_S = 30.0
"""After which a server that says nothing is away; half as long it waits for others, and says so."""
_KEPT_OPEN: list[sqlite3.Connection] = []
_ENDING, _REFUSED, _SAID = ".trial", ".refused", "said"
_LATER = (StudyAwayError, StudyBusyError)
"""What a database says that may take the same trial later."""


class Waiting(Record, frozen=True, kw_only=True):
    """A trial on its way."""

    trial: Trial
    attempts: int
    """At this trial, before this one."""
    trajectory: Trajectory | None
    artifacts: dict[str, bytes]
    findings: tuple[Finding, ...] = ()
    conditions: tuple[Conditions, ...] = ()
    """What the study did not learn of yet."""


def open_or_create(path: Path | str) -> Store:
    """Opens a study for a run, or creates it, and delivers waiting trials.

    Raises:
        StoreError: as `open_study` and `create_study`.
    """
    path = study_path(path)
    made = not path.exists()
    if made:
        try:
            create_study(path).close()
        except StoreError:
            if not path.exists():  # another runner has not just made it
                raise
    study = SpoolingDatabase(path) if isinstance(path, StudyAddress) else open_writer(path, SpoolingFile, checked=made)
    try:
        study.begin_spool()
    except BaseException:
        study.close()
        raise
    return study


def deliver_waiting(path: Path | str) -> int:
    """Deliver the trials that wait on this machine for a study; returns how many.

    Raises:
        StudyAwayError: it is away still.
        StoreError: there is no such study.
    """
    place = study_path(path)
    if not place.exists():
        raise StoreError(f"there is no study {place}; name the --out of the run whose trials wait")
    with open_or_create(place) as study:
        assert isinstance(study, Spooling)
        return study.delivered


def _whole_trajectory(steps: Steps) -> Trajectory | None:
    return steps if steps is None or isinstance(steps, Trajectory) else Trajectory(steps=tuple(steps))


def _whole_blobs(artifacts: Mapping[str, Blob]) -> dict[str, bytes]:
    return {name: blob if isinstance(blob, bytes) else b"".join(blob) for name, blob in artifacts.items()}


def _waiting_files(spool: Path) -> list[Path]:
    """The trials that wait, without those that are being written, in order."""
    return sorted(each for each in spool.glob(f"[!.]*{_ENDING}") if each.is_file())


def _refuse_waiting(path: Path, error: Exception) -> None:
    kept = path.with_suffix(_REFUSED)
    with suppress(OSError):
        path.rename(kept)
    getLogger("honestly").warning("a trial that waited cannot be delivered, and is kept as %s: %s", kept, error)


class Spooling(Store):
    """A study that may be away for a while."""

    _patience_s = 60.0
    """At the end of a run."""

    def begin_spool(self) -> None:
        """Deliver what waits for the study."""
        self.spool = self._spool_place()
        self.delivered = 0
        self._untold: list[Conditions] = []
        self._ask_again = self._away_at = 0.0
        self._last_ns = 0
        self._waits = True
        # Says once where trials wait for another study, which had the address of this one.
        spool = self.spool
        for folder in (spool.parent, *spool.parent.glob("*")):
            if folder == spool or not (waiting := len(_waiting_files(folder))) or (folder / _SAID).exists():
                continue
            getLogger("honestly").warning(
                "%d trials wait in %s for another study, which was called as this one is; they are kept, and delivered "
                "when it is restored. To deliver them to this one, move them to %s",
                *(waiting, folder, spool),
            )
            with suppress(OSError):
                (folder / _SAID).touch()
        self.flush()

    @property
    @abstractmethod
    def _held(self) -> dict[str, int]:
        """Trials of this runner, and how many attempts at each the study holds, or will hold."""

    @abstractmethod
    def _spool_place(self) -> Path:
        """Where trials wait for this study, and no other."""

    @abstractmethod
    def _count_attempt(self, trial: Trial, attempts: int) -> None:
        """Note that a trial is stored, or will be, after so many other attempts at it."""

    def _is_its_own_doing(self, error: StoreError) -> bool:  # noqa: ARG002 - where nothing else can be the matter
        """Whether a trial cannot be stored for what it holds."""
        return True

    @property
    def waiting(self) -> int:
        """How many trials wait on this machine."""
        return len(_waiting_files(self.spool))

    def flush(self) -> None:
        """Deliver what waits here; see `Store.flush`."""
        until = time.monotonic() + self._patience_s
        while self._waits:
            try:
                self._deliver_waiting()
            except _LATER as error:
                if time.monotonic() > until:
                    raise StudyAwayError(
                        f"{self.waiting} trials are kept in {self.spool}, because their study accepts none ({error}). "
                        f"The same run delivers them when it does, and so does `honestly study deliver {self.path}`"
                    ) from error
                time.sleep(_PAUSE_S / 2)

    @contextmanager
    def _unless_away(self) -> Iterator[None]:
        """Asks a study that is away no more often than it should be asked."""
        began = time.monotonic()
        if began < self._ask_again:
            raise StudyAwayError(f"{self.path} was away a moment ago")
        try:
            yield
        except _LATER:
            now = self._away_at = time.monotonic()
            if now >= self._ask_again:
                self._ask_again = now + max(_PAUSE_S, _SHARE * (now - began))
            raise

    def learn(self, isolation: Isolation, conditions: Conditions) -> None:
        """Take down under which conditions a trial ran, now or with the next trial."""
        try:
            with self._unless_away():
                super().learn(isolation, conditions)
        except _LATER:
            self._untold.append(conditions)

    def add(self, items: Iterable[Item], every: int = 200) -> int:
        """Add records; trials with their findings wait, if need be."""
        given = [
            (item[0], _whole_trajectory(item[1]), _whole_blobs(item[2])) if isinstance(item, tuple) else item
            for item in items
        ]
        trials = [item for item in given if isinstance(item, tuple)]
        ids = {trial.id for trial, *_ in trials}
        findings = [item for item in given if isinstance(item, Finding) and item.trial in ids]
        if not trials or len(given) > len(trials) + len(findings):
            return super().add(given, every)
        if len(trials) > 1 and not self._waits and time.monotonic() >= self._ask_again:
            try:
                added = super().add(given, every)
            except _LATER:
                pass  # each by itself, now or later
            except StoreError:
                if not ids <= self._held.keys():
                    raise
            else:
                for trial, *_ in trials:
                    self._count_attempt(trial, 0)
                return added
        for trial, steps, blobs in trials:
            self._keep_for_later(trial, steps, blobs, [each for each in findings if each.trial == trial.id], 0)
        return len(given)

    def add_trial(self, trial: Trial, trajectory: Steps = None, artifacts: Mapping[str, Blob] | None = None) -> None:
        """Add one trial, now or later."""
        self._keep_for_later(trial, trajectory, artifacts or {}, (), 0)

    def redo_trial(
        self,
        trial: Trial,
        trajectory: Steps = None,
        artifacts: Mapping[str, Blob] | None = None,
        findings: Iterable[Finding] = (),
    ) -> None:
        """Put a new attempt in the place of the one held, now or later."""
        attempts = self._held.get(trial.id) or self.attempts(trial.id)
        if not attempts:
            raise StoreError(f"trial {trial.id} cannot be rerun: the study does not contain it; add it")
        self._keep_for_later(trial, trajectory, artifacts or {}, findings, attempts)

    def _keep_for_later(
        self, trial: Trial, steps: Steps, artifacts: Mapping[str, Blob], findings: Iterable[Finding], attempts: int
    ) -> None:
        waiting = Waiting(
            trial=trial,
            attempts=attempts,
            trajectory=_whole_trajectory(steps),
            artifacts=_whole_blobs(artifacts),
            findings=tuple(findings),
            conditions=tuple(self._untold),
        )
        try:
            with self._unless_away():
                self._deliver_waiting()
                self._store_waiting(waiting, strict=trial.id not in self._held, fresh=True)
        except _LATER:
            self._put_in_spool(waiting)
        self._count_attempt(trial, attempts)
        self._untold.clear()

    def _store_waiting(self, waiting: Waiting, *, strict: bool = False, fresh: bool = False) -> None:
        """Store a trial, or put it on record beside somebody else's.

        Args:
            waiting: which.
            strict: whether it is an error that there is another one.
            fresh: whether it has just ended: then it is told when it is added, without another question.
        """
        trial = waiting.trial
        if waiting.attempts or not fresh:
            held = self.attempts(trial.id)
            if held > waiting.attempts and not strict:
                self._note_lost(waiting)
                return
            if held < waiting.attempts:
                raise StoreError(
                    f"attempt {waiting.attempts + 1} at trial {trial.id} waits for one that {self.path} lacks"
                )
        for conditions in waiting.conditions:
            super().learn(trial.isolation, conditions)
        try:
            if waiting.attempts:
                super().redo_trial(trial, waiting.trajectory, waiting.artifacts, waiting.findings)
            else:
                items: list[Item] = [(trial, waiting.trajectory, waiting.artifacts), *waiting.findings]
                super().add(items, len(items) + 1)
        except _LATER:
            raise
        except StoreError:
            if strict or self.attempts(trial.id) <= waiting.attempts:
                raise
            self._note_lost(waiting)

    def _note_lost(self, waiting: Waiting) -> None:
        """Put on record that somebody else's attempt was stored first."""
        if self.note_lost(waiting.trial, waiting.trajectory, waiting.artifacts):
            self.lost += 1
            getLogger("honestly").warning(
                "trial %s was done by another runner of the study, too, whose attempt was stored first; what this one "
                "cost is on record",
                waiting.trial.id,
            )

    def _deliver_waiting(self) -> None:
        if not self._waits:
            return
        for path in _waiting_files(self.spool):
            try:
                size, _, packed = path.read_bytes().partition(b"\n")
                if not size.isdigit():
                    raise FormatError("it does not begin with a size")
                waiting = decode(unpacked_frame(packed, int(size)), Waiting)
            except FileNotFoundError:
                continue  # another runner of this machine has delivered it
            except (OSError, FormatError, StudyDamagedError, ValueError) as error:
                _refuse_waiting(path, error)
                continue
            try:
                self._store_waiting(waiting)
            except (*_LATER, StudyDamagedError):
                raise
            except StoreError as error:
                if not self._is_its_own_doing(error):
                    raise
                _refuse_waiting(path, error)
                continue
            path.unlink(missing_ok=True)
            self.delivered += 1
        self._waits = False

    def _put_in_spool(self, waiting: Waiting) -> None:
        data = encode(waiting)
        self._last_ns = max(time.time_ns(), self._last_ns + 1)  # a clock that is set back changes no order
        name = f"{self._last_ns:020d}-{secrets.token_hex(4)}{_ENDING}"
        part = self.spool / f".{name}"
        try:
            self.spool.mkdir(parents=True, exist_ok=True, mode=0o700)
            with part.open("wb") as file:
                file.write(b"%d\n" % len(data) + zstd_frame(data))
                file.flush()
                os.fsync(file.fileno())
            part.rename(self.spool / name)
            # Only this puts the new name on the disk.
            folder = os.open(self.spool, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        except OSError as error:
            with suppress(OSError):
                part.unlink(missing_ok=True)
            raise StoreError(
                f"{self.path} is away, and a trial cannot be kept in {self.spool} either: {error.strerror}"
            ) from error
        self._waits = True

    def _give_back(self) -> None:
        try:
            self._deliver_waiting()
        except StoreError:
            self._waits = True  # it stays where it is
        super()._give_back()  # type: ignore[safe-super]  # of the kind of study


class SpoolingDatabase(Spooling, PostgresStore):
    """A study in a database that may be away for a while."""

    _silence_s = _SILENCE_S

    def __init__(self, address: StudyAddress) -> None:
        """Open the study."""
        super().__init__(address, writable=True)

    @property
    def _held(self) -> dict[str, int]:
        return self._claims.held

    def _spool_place(self) -> Path:
        return state_folder(self.path) / "spool" / self.identity

    def _count_attempt(self, trial: Trial, attempts: int) -> None:
        if trial.outcome is Outcome.VOID and trial.id in self._held:
            self._held[trial.id] = attempts + 1
        else:
            self._claims.give_up(trial.id)

    def claim_all(self, attempts: Mapping[str, int], most: int | None = None) -> list[ClaimResult]:
        """Take trials for this runner; while the database is away, each runner does as if it were alone."""
        try:
            with self._unless_away():
                if most is not None:
                    self._deliver_waiting()  # what waits is neither claimed nor stored, and counts
                return super().claim_all(attempts, most)
        except _LATER:
            if most is not None or self._claims.others:
                return [ClaimResult.LATER] * len(attempts)  # another may have taken the same trial, or stored it
            self._held.update(attempts)
            return [ClaimResult.OURS] * len(attempts)

    def generation(self) -> int:
        """As of every store; StudyAwayError at once where it is known to be away."""
        with self._unless_away():
            return super().generation()

    @contextmanager
    def _unless_away(self) -> Iterator[None]:
        if self._claims.heard_at > self._away_at:
            self._ask_again = 0.0  # it is back
        with super()._unless_away():
            yield

    def _is_its_own_doing(self, error: StoreError) -> bool:
        psycopg = required_psycopg()
        theirs = (psycopg.DataError, psycopg.IntegrityError, psycopg.errors.ProgramLimitExceeded)
        return not isinstance(error.__cause__, psycopg.Error) or isinstance(error.__cause__, theirs)


class SpoolingFile(Spooling, SqliteStore):
    """A study in a file that others may lock for a while, and that goes on elsewhere if somebody takes it away."""

    @property
    def _held(self) -> dict[str, int]:
        return self._tried

    def begin_spool(self) -> None:
        self._tried: dict[str, int] = {}
        self.rescued: Path | None = None
        """Where the study went on."""
        self._why = ""
        super().begin_spool()

    def _spool_place(self) -> Path:
        facts = self.facts()
        return unfinished_folder(self.path) / "spool" / digest("study", facts.created, facts.program)

    def _count_attempt(self, trial: Trial, attempts: int) -> None:
        if trial.outcome is Outcome.VOID:
            self._tried[trial.id] = attempts + 1
        else:
            self._tried.pop(trial.id, None)

    @contextmanager
    def _unless_away(self) -> Iterator[None]:
        with self._impatient(), super()._unless_away():
            yield

    def _deliver_waiting(self) -> None:
        with self._impatient():
            super()._deliver_waiting()

    @contextmanager
    def _impatient(self) -> Iterator[None]:
        """Waits for others who hold the file only so long as trials may."""
        with self._lock:
            (before,) = self._connection.execute("PRAGMA busy_timeout").fetchone()
            self._connection.execute(f"PRAGMA busy_timeout = {_LOCKED_S * 1000:.0f}")
            try:
                yield
            finally:
                self._connection.execute(f"PRAGMA busy_timeout = {before}")

    def flush(self) -> None:
        """Deliver what waits here; StoreError where the study is not where it was."""
        super().flush()
        if self.rescued is None:
            try:
                self.demand_place()
            except StudyMovedError as error:
                self._rescue(error)
        if self.rescued is not None:
            raise StoreError(
                f"{self._why}: all that it held, and all trials since, are in {self.rescued}; rename that, and the "
                "same command continues it"
            )

    def _give_back(self) -> None:
        super()._give_back()
        with suppress(OSError):  # what still holds something stays
            for folder in (self.spool, self.spool.parent, self.spool.parent.parent):
                folder.rmdir()

    def _begin_transaction(self) -> None:
        try:
            super()._begin_transaction()
        except StudyMovedError as error:
            self._rescue(error)
            super()._begin_transaction()

    def _rescue(self, moved: StudyMovedError) -> None:
        """Go on in another file, which holds all that the study held."""
        place = next(
            place
            for number in range(1000)
            if not (place := self.path.with_name(f"{self.path.name}.rescued{f'-{number}' if number else ''}")).exists()
        )
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            with closing(open_connection(place, "mode=rwc")) as copy:
                self._connection.backup(copy)
                if copy.execute("PRAGMA quick_check").fetchone() != ("ok",):
                    raise sqlite3.DatabaseError("its content is no longer whole")
            connection = writing_connection(place)
        except (sqlite3.Error, OSError, StoreError) as error:
            place.unlink(missing_ok=True)
            raise StudyAwayError(f"{moved}, and could not be rescued: {error}") from moved
        # Let go of the file that was opened, which may have another name by now, or none.
        there: tuple[int, ...] = ()
        with suppress(OSError):
            found = self.path.stat()
            there = found.st_dev, found.st_ino
        if there != self._file:  # else somebody has written another study into it
            with suppress(sqlite3.Error):
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        if there:  # to close it would remove the log of whatever has the study's name by now
            _KEPT_OPEN.append(self._connection)
        else:
            self._connection.close()
        self._connection, self.rescued, self._why = connection, place, str(moved)
        self._place = place
        self.note_place()
        getLogger("honestly").warning("%s; what it held, and what follows, is in %s", moved, place)
