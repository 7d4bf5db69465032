"""Who runs what: the claims of runners on trials of a study in a database.

A claim is a lease. Its runner says every `_BEAT_S` seconds, over a connection of its own, that it is at work
(`Heartbeat`), and sees who else said so since it last did. A runner that said nothing while another one said something
`_MISSED` times is given up by that one: so no clock of any machine is compared with another, a database that stood
still or was away gives up nobody, and a connection that was closed is no end. One whose process is known to be dead,
since it was on the same machine, is given up at once. What a runner that was given up stores all the same is on record
as another attempt (`Store.note_lost`). A runner gives a claim up when the trial is stored for good; not before it has
another one, so that it is seen to be at work.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from honestly.errors import StoreError
from honestly.scratch import boot_id
from honestly.store._live import process_lives, process_name
from honestly.store._postgres_link import connect, database_errors_told
from honestly.store._types import RULE

if TYPE_CHECKING:
    from honestly.store._address import StudyAddress
    from honestly.store._postgres_link import PostgresDatabase

_BEAT_S, _MISSED = 5.0, 6
_BEAT = """INSERT INTO runners VALUES (?, 1, ?, now()) ON CONFLICT (runner) DO UPDATE
    SET beat = runners.beat + 1, seen = now()"""

_GONE = """(NOT EXISTS (SELECT 1 FROM runners WHERE runner = claims.runner) OR EXISTS (SELECT 1 FROM runners
    JOIN unnest(?::bigint[], ?::bigint[]) AS gone (runner, beat) USING (runner, beat)
    WHERE runners.runner = claims.runner))"""
"""Of a claim: whether its runner was given up, and has said nothing since."""

_CLAIM = f"""INSERT INTO claims SELECT unnest(?::text[]), ? ON CONFLICT (trial) DO UPDATE SET runner = excluded.runner
    WHERE claims.runner = excluded.runner OR {_GONE} RETURNING trial"""
"""Takes trials in the order of their ids, so that no two runners wait for each other."""

_LEAVE = """DELETE FROM claims WHERE trial IN (SELECT trial FROM claims WHERE runner = ? AND trial = ANY(?)
    FOR UPDATE SKIP LOCKED) AND EXISTS (SELECT 1 FROM claims WHERE runner = ? AND trial = ANY(?)) RETURNING trial"""
"""Leaves trials, less those that others ask for just now."""

_LOCK = "LOCK TABLE claims IN SHARE ROW EXCLUSIVE MODE"
"""Who has it counts and claims before anybody else does."""

_BEGUN = f"""SELECT count(*), (SELECT coalesce(max(number), 0) FROM trials) FROM claims
    WHERE trial NOT IN (?, '{RULE}') AND NOT EXISTS (SELECT 1 FROM trials WHERE id = claims.trial)
    AND NOT {_GONE}"""  # noqa: S608 (ours)
"""Trials that are claimed and not stored, and no fewer than are stored, without counting them."""

_BUSY = """SELECT DISTINCT process, seen > now() - interval '30 s' FROM claims JOIN runners USING (runner)"""


class Claims:
    """Those of one runner."""

    def __init__(self, address: StudyAddress) -> None:
        self._address = address
        self._runner = 0
        """Its number; 0: it has claimed nothing."""
        self.held: dict[str, int] = {}
        """Trials that it has, and attempts at each that the study held."""
        self._over: list[str] = []
        self._heard: dict[int, tuple[int, int]] = {}
        """Of each other runner its last beat, and at how many of ours it was the same."""
        self._gone: dict[int, int] = {}
        self.others = False
        """Whether other runners were seen: they may be at work, or have stored what this one has not read."""
        self.heard_at = 0.0
        """When the database was last heard of."""
        self._end = threading.Event()
        self._thread: threading.Thread | None = None

    def enlist_runner(self, db: PostgresDatabase) -> None:
        """Begin, once."""
        if not self._runner:
            self._runner = secrets.randbelow(1 << 31) or 1
            db.execute("DELETE FROM runners WHERE seen < now() - interval '1 day'")
            self._beat(db)
            self._thread = threading.Thread(target=self._go_on_beating, name="heartbeat", daemon=True)
            self._thread.start()

    def take_trials(self, db: PostgresDatabase, trials: Collection[str]) -> tuple[set[str], list[tuple[Any, ...]]]:
        """Take trials that no other runner has: which, and the rows of those that are stored; one round trip."""
        wanted, over = sorted(trials), [each for each in self._over if each not in trials]
        with db.pipelined():
            claims = db.execute(_CLAIM, (wanted, self._runner, *self._given_up()))
            left = db.execute(_LEAVE, (self._runner, over, self._runner, wanted)) if over else None
            rows = db.execute("SELECT * FROM trials WHERE id = ANY(?)", (wanted,))
        taken, found = {trial for (trial,) in claims}, rows.fetchall()  # all of them have come by now
        gone = taken.union(trial for (trial,) in left or ())
        self._over = [each for each in self._over if each not in gone]
        # A runner that was killed since the last beat: this may be the last time that its trials are asked for.
        return (taken, found) if taken or not self._sees_dead(db) else self.take_trials(db, trials)

    def full(self, db: PostgresDatabase, trial: str, most: int) -> bool:
        """Whether so many trials beside this one have begun; no other runner begins one before the transaction ends."""
        db.execute(_LOCK)
        claimed, stored = db.execute(_BEGUN, (trial, *self._given_up())).fetchone() or (0, 0)
        if claimed + stored >= most:  # of those stored there may be fewer than the last one's number
            (stored,) = db.execute("SELECT count(*) FROM trials WHERE id <> ?", (trial,)).fetchone() or (0,)
        return bool(claimed + stored >= most)

    def give_up(self, trial: str) -> None:
        """Leave a trial, with the next one that is taken."""
        if self.held.pop(trial, None) is not None:
            self._over.append(trial)

    def end(self, db: PostgresDatabase) -> None:
        """Leave all."""
        if self._runner:
            self.stop_beating()
            db.execute("DELETE FROM claims WHERE runner = ?", (self._runner,))
            db.execute("DELETE FROM runners WHERE runner = ?", (self._runner,))

    def stop_beating(self) -> None:
        """Say nothing more."""
        self._end.set()
        if self._thread is not None:
            self._thread.join(_BEAT_S)

    def _sees_dead(self, db: PostgresDatabase) -> bool:
        """Whether runners have died that were not given up yet; they are now."""
        rows = db.execute("SELECT runner, beat, process FROM runners WHERE runner <> ?", (self._runner,)).fetchall()
        dead = {runner: beat for runner, beat, process in rows if runner not in self._gone and is_dead_here(process)}
        self._gone = {**self._gone, **dead}
        return bool(dead)

    def _given_up(self) -> tuple[list[int], list[int]]:
        gone = dict(self._gone)
        return list(gone), list(gone.values())

    def _beat(self, db: PostgresDatabase) -> None:
        """Say that this runner is at work, and look who else is."""
        db.execute(_BEAT, (self._runner, f"{process_name()} {_pid_namespace()}"))
        rows = db.execute("SELECT runner, beat, process FROM runners WHERE runner <> ?", (self._runner,)).fetchall()
        heard: dict[int, tuple[int, int]] = {}
        for runner, beat, _ in rows:
            last, same = self._heard.get(runner, (beat, -1))
            heard[runner] = (beat, same + 1 if last == beat else 0)
        self._heard = heard
        self.others |= bool(rows)
        dead = {runner for runner, _, process in rows if is_dead_here(process)}
        self._gone = {runner: beat for runner, (beat, same) in heard.items() if same >= _MISSED or runner in dead}

    def _go_on_beating(self) -> None:
        db: PostgresDatabase | None = None
        while not self._end.wait(_BEAT_S):
            with suppress(StoreError):  # it is away: so it is for the others
                if db is None or db.link.closed:
                    db = connect(self._address, silence_s=2 * _BEAT_S)
                with database_errors_told(self._address, db):
                    self._beat(db)
                self.heard_at = time.monotonic()
        if db is not None:
            db.link.close()


def is_dead_here(process: str) -> bool:
    """Whether a runner's process was one that could be seen from here, and has ended."""
    name, _, namespace = process.rpartition(" ")
    seen = bool(namespace) and namespace == _pid_namespace() and name.startswith(f"{boot_id()} ")
    return seen and not process_lives(name)


def _pid_namespace() -> str:
    """Where numbers of processes mean the same as here; empty where that is not known."""
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return ""


def runner_is_at_work(db: PostgresDatabase) -> bool:
    """Whether a runner of the study has claims, and was heard of lately."""
    return any(seen and not is_dead_here(process) for process, seen in db.execute(_BUSY).fetchall())
