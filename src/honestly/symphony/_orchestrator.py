"""Who works on what: the one authority over claims, retries and stops; it only reads the tracker.

A tick reconciles first (stalled, terminal and vanished work is stopped), then gives free slots to tickets. A clean end
is looked at again after a second, a failure after 10, 20, 40 seconds up to a cap. Every attempt at a ticket counts
towards `max_attempts`, clean ends included, since a ticket that nobody moves on would cost money for ever; the count is
forgotten once the ticket leaves the active states, or when somebody edits its title or description. It lies in
`ROOT/.symphony/attempts.json`: all else is in memory, and a restart reads the tracker anew.
"""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

import anyio
import msgspec
from anyio.abc import TaskGroup

from honestly.errors import AttemptError, HonestlyError, StoreError, TrackerError
from honestly.symphony._config import Config, Workflow, normal_state
from honestly.symphony._tracker import Ticket, Tracker
from honestly.symphony._worker import LiveAttempt
from honestly.symphony._workspace import OWN, Workspaces
from honestly.work import write_file

CONTINUE_MS = 1_000
_FIRST_MS = 10_000
_CANCELLED = "cancelled"
_NO_SLOT = "no available orchestrator slots"


@dataclass
class Running:
    """An attempt that is under way."""

    ticket: Ticket
    attempt: int | None
    live: LiveAttempt
    started: float
    heard: float
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    ended: anyio.Event = field(default_factory=anyio.Event)
    stopped: str = ""
    """Why the orchestrator has stopped it."""


@dataclass(frozen=True)
class Retry:
    """An attempt that is to come."""

    ticket: Ticket
    attempt: int
    due: float
    error: str = ""


def backoff_ms(attempt: int, most: int) -> int:
    """The delay before a failed attempt's successor."""
    return min(_FIRST_MS << min(attempt - 1, 40), most)


class Attempts:
    """How many attempts each ticket has had: the only thing that survives the process."""

    def __init__(self, log: Callable[..., Any]) -> None:
        self._log, self._counts, self._file = log, dict[str, tuple[int, str]](), Path()

    def count(self, config: Config, ticket: Ticket) -> int:
        """How many it has had as it stands."""
        self._load(config)
        known = self._counts.get(ticket.id)
        return known[0] if known and known[1] == _ticket_mark(ticket) else 0

    def add(self, config: Config, ticket: Ticket) -> None:
        """One more, on disk before it begins."""
        self._counts[ticket.id] = (self.count(config, ticket) + 1, _ticket_mark(ticket))
        self._keep_counts()

    def forget(self, config: Config, active: Iterable[str]) -> None:
        """Forgets the tickets that are not active."""
        self._load(config)
        if gone := self._counts.keys() - set(active):
            self._counts = {name: known for name, known in self._counts.items() if name not in gone}
            self._keep_counts()

    def _load(self, config: Config) -> None:
        file = config.root / OWN / "attempts.json"
        if file == self._file:
            return
        self._file = file
        try:
            self._counts = msgspec.json.decode(file.read_bytes(), type=dict[str, tuple[int, str]])
        except FileNotFoundError:
            self._counts = {}
        except (OSError, msgspec.MsgspecError) as error:
            self._log("attempts", outcome="failed", reason=f"{file} cannot be read, counting anew: {error}")
            self._counts = {}

    def _keep_counts(self) -> None:
        try:
            write_file(self._file, msgspec.json.encode(self._counts), folders=True)
        except StoreError as error:
            self._log("attempts", outcome="failed", reason=str(error))


def _ticket_mark(ticket: Ticket) -> str:
    return blake2b(f"{ticket.title}\0{ticket.description}".encode(), digest_size=8).hexdigest()


class Orchestrator:
    """The state, and the only code that changes it."""

    def __init__(
        self,
        workflow: Workflow,
        work: Callable[[Ticket, int | None, LiveAttempt], Awaitable[None]],
        spaces: Workspaces,
        group: TaskGroup,
        log: Callable[..., Any],
        now: Callable[[], float] = anyio.current_time,
    ) -> None:
        """An orchestrator whose attempts `work` makes, as tasks of `group`; `now` is its clock, in seconds."""
        self.workflow, self.now = workflow, now
        self._work, self._spaces, self._group, self._log = work, spaces, group, log
        self.running: dict[str, Running] = {}
        self.retries: dict[str, Retry] = {}
        self.attempts = Attempts(log)
        self.completed: set[str] = set()
        self.given_up: dict[str, str] = {}
        """Tickets whose attempts are used up, by id, with the last error."""
        self.totals = {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0}
        self.seconds = 0.0
        self.changed = anyio.Event()
        """Set when an attempt has ended."""
        self.trouble = ""
        """Why the tracker could not be read the last time."""
        self._told: dict[str, str] = {}

    async def start(self) -> None:
        """Finishes what a killed daemon had begun, and takes away the workspaces of tickets that are over."""
        config = self.workflow.config
        await self._spaces.recover(config)
        try:
            over = Tracker(config).by_states(config.terminal)
        except TrackerError as error:
            self._log("startup_cleanup", outcome="failed", reason=str(error))
            return
        for ticket in over:
            await self._spaces.remove(config, ticket)

    async def tick(self) -> bool:
        """One tick; whether there was anything to dispatch."""
        config = self.workflow.refresh()
        await self._reconcile_running(config)
        if self.workflow.trouble:
            self._log("dispatch", outcome="skipped", reason=self.workflow.trouble)
            return False
        if (found := self._dispatch_candidates(config)) is None:
            return False
        self.attempts.forget(config, [*(each.id for each in found), *self.running, *self.retries, *self._told])
        self.given_up = {
            each.id: self.given_up.get(each.id, "") for each in found if self._attempts_spent(config, each)
        }
        begun = False
        for ticket in sorted(found, key=lambda each: each.rank):
            claimed = ticket.id in self.running or ticket.id in self.retries
            if not claimed and self._is_eligible(config, ticket) and self._has_slot(config, ticket):
                self._dispatch(config, ticket, None)
                begun = True
        return begun

    async def retry_due(self) -> None:
        """Does the retries that are due."""
        due = sorted((each for each in self.retries.values() if each.due <= self.now()), key=lambda each: each.due)
        if not due:
            return
        config = self.workflow.refresh()
        for retry in due:
            name, found = retry.ticket.id, self._dispatch_candidates(config)
            del self.retries[name]
            if found is None or self.workflow.trouble:
                self._retry_later(config, retry.ticket, retry.attempt + 1, "retry poll failed")
                continue
            ticket = next((each for each in found if each.id == name), None)
            if ticket is None or not self._is_eligible(config, ticket):
                self._log("claim", outcome="released", **_ticket_fields(retry.ticket))
            elif not self._has_slot(config, ticket):
                self._retry_later(config, ticket, retry.attempt + 1, _NO_SLOT)
            else:
                self._dispatch(config, ticket, retry.attempt)

    def next_retry(self) -> float | None:
        """When the next retry is due, by the clock."""
        return min((each.due for each in self.retries.values()), default=None)

    def snapshot(self) -> dict[str, Any]:
        """The present state: running, retrying, given up, totals."""
        totals, now = dict(self.totals), self.now()
        rows = []
        for name, each in self.running.items():
            tokens = each.live.tokens()
            totals = {key: value + tokens[key] for key, value in totals.items()}
            about = {"issue_id": name, "issue_identifier": each.ticket.identifier, "state": each.ticket.state}
            session = {"session_id": each.live.session, "turn_count": each.live.turn, "attempt": each.attempt}
            idle = {"seconds": round(now - each.started, 3), "silent_seconds": round(now - each.heard, 3)}
            rows.append(about | session | idle | {"tokens": tokens})
        seconds = self.seconds + sum(now - each.started for each in self.running.values())
        return {
            "running": rows,
            "retrying": [
                {
                    **_ticket_fields(each.ticket),
                    "attempt": each.attempt,
                    "due_in_seconds": round(each.due - now, 3),
                    "error": each.error or None,
                }
                for each in self.retries.values()
            ],
            "given_up": [{"issue_id": name, "error": error or None} for name, error in self.given_up.items()],
            "completed": sorted(self.completed),
            "malformed": self._told,
            "totals": {**totals, "seconds_running": round(seconds, 3)},
            "rate_limits": None,
            "tracker_error": self.trouble or None,
            "workflow_error": self.workflow.trouble or None,
        }

    async def _reconcile_running(self, config: Config) -> None:
        stall = config.stall_timeout_ms / 1000
        for entry in list(self.running.values()):
            if 0 < stall < self.now() - entry.heard:
                await self._stop(entry, "stalled")
        if not self.running:
            return
        try:
            found = Tracker(config).by_ids(list(self.running))
        except TrackerError as error:
            self._log("reconcile", outcome="failed", reason=f"workers are kept: {error}")
            return
        for name, entry in list(self.running.items()):
            now = found.get(name)
            if now is not None and config.is_active(now.state) and _is_routed(config, now):
                entry.ticket = now
            elif now is not None and config.is_terminal(now.state):
                await self._stop(entry, "terminal")
                await self._spaces.remove(config, now)
            else:
                await self._stop(entry, "inactive")

    async def _stop(self, entry: Running, why: str) -> None:
        entry.stopped = why
        entry.scope.cancel()
        await entry.ended.wait()

    def _dispatch_candidates(self, config: Config) -> list[Ticket] | None:
        tracker = Tracker(config)
        try:
            found = tracker.by_states(config.active)
        except TrackerError as error:
            self.trouble = str(error)
            self._log("tracker", outcome="failed", reason=self.trouble)
            return None
        self.trouble = ""
        for name, trouble in tracker.troubles.items():
            if self._told.get(name) != trouble:
                self._log("ticket", outcome="malformed", issue_id=name, reason=trouble)
        self._told = dict(tracker.troubles)
        return [each for each in found if config.is_active(each.state) and _is_routed(config, each)]

    def _attempts_spent(self, config: Config, ticket: Ticket) -> bool:
        claimed = ticket.id in self.running or ticket.id in self.retries
        spent = not claimed and self.attempts.count(config, ticket) >= config.max_attempts
        if spent and ticket.id not in self.given_up:
            reason = f"{config.max_attempts} attempts are used up; edit the ticket or move it to begin anew"
            self._log("ticket", outcome="given_up", reason=reason, **_ticket_fields(ticket))
        return spent

    def _is_eligible(self, config: Config, ticket: Ticket) -> bool:
        blocked = normal_state(ticket.state) == "todo" and any(
            each.state is None or not config.is_terminal(each.state) for each in ticket.blocked_by
        )
        return not blocked and self.attempts.count(config, ticket) < config.max_attempts

    def _has_slot(self, config: Config, ticket: Ticket) -> bool:
        state = normal_state(ticket.state)
        there = sum(normal_state(each.ticket.state) == state for each in self.running.values())
        return len(self.running) < config.max_agents and there < config.by_state.get(state, config.max_agents)

    def _dispatch(self, config: Config, ticket: Ticket, attempt: int | None) -> None:
        now = self.now()
        entry = Running(ticket, attempt, LiveAttempt(), now, now)
        entry.live.heard = lambda: setattr(entry, "heard", self.now())
        self.running[ticket.id] = entry
        self.attempts.add(config, ticket)
        self._log(
            "dispatch", outcome="started", attempt=attempt, session_id=entry.live.session, **_ticket_fields(ticket)
        )
        self._group.start_soon(self._run_attempt, entry)

    async def _run_attempt(self, entry: Running) -> None:
        error = _CANCELLED
        try:
            with entry.scope:
                await self._work(entry.ticket, entry.attempt, entry.live)
            error = ""
        except* (HonestlyError, OSError) as errors:
            error = _first_error(errors)
        except* Exception as errors:  # noqa: BLE001 - whatever breaks in an attempt, the others go on
            error = f"unexpected {_first_error(errors)}"
        finally:
            self._attempt_ended(entry, error)

    def _attempt_ended(self, entry: Running, error: str) -> None:
        config, name = self.workflow.config, entry.ticket.id
        del self.running[name]
        self.seconds += self.now() - entry.started
        self.totals = {key: value + entry.live.tokens()[key] for key, value in self.totals.items()}
        outcome = entry.stopped or {"": "completed", _CANCELLED: _CANCELLED}.get(error, "failed")
        self._log(
            "attempt",
            outcome=outcome,
            reason=error if outcome == "failed" else None,
            session_id=entry.live.session,
            **_ticket_fields(entry.ticket),
        )
        if outcome == _CANCELLED:
            pass  # the daemon ends: its next start looks at the tracker anew
        elif entry.stopped == "stalled" or (error and not entry.stopped):
            why = error or f"stalled: silent for over {config.stall_timeout_ms} ms"
            ticket = entry.ticket
            if self.attempts.count(config, ticket) >= config.max_attempts:
                self.given_up[ticket.id] = why
                self._log("ticket", outcome="given_up", reason=why, **_ticket_fields(ticket))
            else:
                self._retry_later(config, ticket, (entry.attempt or 0) + 1, why)
        elif not entry.stopped:
            self.completed.add(name)
            self.retries[name] = Retry(entry.ticket, 1, self.now() + CONTINUE_MS / 1000)
        entry.ended.set()
        self.changed.set()

    def _retry_later(self, config: Config, ticket: Ticket, attempt: int, error: str) -> None:
        wait = backoff_ms(attempt, config.max_backoff_ms)
        self.retries[ticket.id] = Retry(ticket, attempt, self.now() + wait / 1000, error)
        about = _ticket_fields(ticket)
        self._log("attempt", outcome="retrying", attempt=attempt, delay_ms=wait, reason=error, **about)


def _is_routed(config: Config, ticket: Ticket) -> bool:
    return set(config.labels) <= set(ticket.labels)


def _ticket_fields(ticket: Ticket) -> dict[str, str]:
    return {"issue_id": ticket.id, "issue_identifier": ticket.identifier}


def _first_error(group: BaseException) -> str:
    while isinstance(group, BaseExceptionGroup):
        group = group.exceptions[0]
    return str(group) if isinstance(group, AttemptError) else f"{type(group).__name__}: {group}"
