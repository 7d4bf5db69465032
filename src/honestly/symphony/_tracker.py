"""The tracker as the daemon sees it: tickets in a folder of Markdown files or in one JSONL file, and two reads.

A Markdown ticket is a file `ID.md`: `title`, `state` and what else is known in its head, its description below. A line
of a JSONL file is an object with the same names and an `id`. What people are just writing may be torn: a malformed
ticket is left out of a list and named in `troubles`, and is an error where just this ticket is asked for. So a ticket
that is gone and one that cannot be read are told apart. Nothing here writes.
"""

import json
import re
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from honestly.errors import HonestlyError, TaskError, TrackerError
from honestly.symphony._config import Config, head_and_body, list_value, normal_state
from honestly.tasks import read_mapping

NOTED = re.compile(r"\n*<!-- symphony (\w+) -->\n.*?<!-- /symphony \1 -->\n?", re.DOTALL)
"""What the host-side tool has written below a Markdown ticket."""

_LARGEST = 1 << 20
_SECOND_LOOK_S = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocker:
    """A ticket that stands in another's way; its state is None where nobody knows it."""

    id: str
    identifier: str
    state: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """A ticket, as every tracker gives it."""

    id: str
    identifier: str
    title: str
    state: str
    description: str = ""
    priority: int | None = None
    branch_name: str | None = None
    url: str | None = None
    labels: tuple[str, ...] = ()
    blocked_by: tuple[Blocker, ...] = ()
    created_at: datetime | None = None
    updated_at: datetime | None = None

    def fields(self) -> dict[str, Any]:
        """Everything by name, for the prompt."""
        return asdict(self)

    @property
    def rank(self) -> tuple[int, datetime, str]:
        """Where it stands in the order of dispatch."""
        urgent = self.priority if self.priority is not None and 1 <= self.priority <= 4 else 5
        return urgent, self.created_at or datetime.max.replace(tzinfo=UTC), self.identifier


class Tracker:
    """A tracker, which can be read in two ways."""

    def __init__(self, config: Config) -> None:
        self._path, self._read = config.tracker, _READERS[config.kind]
        self.troubles: dict[str, str] = {}
        """What was wrong with tickets at the last read, by id."""

    def by_states(self, states: Collection[str]) -> list[Ticket]:
        """The tickets in these states, in the tracker's order; malformed ones are left out.

        Raises:
            TrackerError: The tracker cannot be read.
        """
        if not states:
            return []
        wanted = set(map(normal_state, states))
        return [ticket for ticket in self._all_tickets().values() if normal_state(ticket.state) in wanted]

    def by_ids(self, ids: Collection[str]) -> dict[str, Ticket]:
        """The tickets with these ids; one that is left out is gone.

        Raises:
            TrackerError: The tracker or one of these tickets cannot be read.
        """
        if not ids:
            return {}
        found = self._all_tickets()
        if any(each not in found for each in ids):
            time.sleep(_SECOND_LOOK_S)  # an editor that saves may take a file away for a moment
            found = self._all_tickets()
        for each in ids:
            unknown = each not in found and next((name for name in self.troubles if name.startswith("line ")), "")
            if trouble := self.troubles.get(each) or (unknown and f"{unknown} {self.troubles[unknown]}"):
                raise TrackerError(f"ticket {each} cannot be read: {trouble}")
        return {each: found[each] for each in ids if each in found}

    def _all_tickets(self) -> dict[str, Ticket]:
        found: dict[str, Ticket] = {}
        troubles: dict[str, str] = {}
        try:
            for name, ticket in self._read(self._path):
                if isinstance(ticket, str):
                    troubles[name] = ticket
                elif name in found:
                    troubles[name] = "is there twice"
                else:
                    found[name] = ticket
        except (OSError, UnicodeError) as error:
            raise TrackerError(f"the tracker {self._path} cannot be read: {error}") from error
        self.troubles = troubles
        return {name: _resolved(each, found) for name, each in found.items() if name not in troubles}


def _resolved(ticket: Ticket, found: Mapping[str, Ticket]) -> Ticket:
    """The ticket with the states of what blocks it."""
    blockers = (replace(each, state=found[each.id].state if each.id in found else None) for each in ticket.blocked_by)
    return replace(ticket, blocked_by=tuple(blockers))


def _folder_tickets(path: Path) -> Iterable[tuple[str, Ticket | str]]:
    for file in sorted(path.iterdir()):
        if file.suffix != ".md" or file.name.startswith("."):
            continue
        try:
            if file.is_symlink() or not file.is_file() or file.stat().st_size > _LARGEST:
                yield file.stem, "is a link, no file, or longer than 1 MiB"
                continue
            yield file.stem, read_ticket(file.stem, file.read_bytes().decode())
        except FileNotFoundError:
            continue  # taken away meanwhile
        except (HonestlyError, OSError, ValueError) as error:
            yield file.stem, str(error)


def read_ticket(name: str, text: str) -> Ticket:
    """A ticket from a Markdown file's text.

    Raises:
        HonestlyError: It is malformed.
    """
    head, body = head_and_body(text)
    given = read_mapping(head, name)
    many: dict[str, Any] = {key: list_value(given.get(key, "")) for key in ("labels", "blocked_by")}
    return _parsed_ticket({**given, **many, "id": name, "description": NOTED.sub("", body).strip()})


def _line_tickets(path: Path) -> Iterable[tuple[str, Ticket | str]]:
    for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            given = json.loads(line)
            if not isinstance(given, dict) or not isinstance(given.get("id"), str) or not given["id"].strip():
                raise TaskError("is not an object with an `id` that is text")
        except (ValueError, HonestlyError, RecursionError) as error:
            yield f"line {number}", str(error)
            continue
        try:
            yield given["id"], _parsed_ticket(given)
        except (HonestlyError, ValueError, TypeError) as error:
            yield given["id"], str(error)


_READERS: Mapping[str, Callable[[Path], Iterable[tuple[str, Ticket | str]]]] = {
    "markdown": _folder_tickets,
    "jsonl": _line_tickets,
}


def _parsed_ticket(given: Mapping[str, Any]) -> Ticket:
    for key in ("title", "state"):
        if not isinstance(given.get(key), str) or not given[key].strip():
            raise TaskError(f"{given['id']} has no {key}; expected a line of text")
    name = str(given.get("identifier") or given["id"])
    priority = str(given.get("priority") if given.get("priority") is not None else "").strip()
    return Ticket(
        id=given["id"],
        identifier=name,
        title=given["title"].strip(),
        state=given["state"].strip(),
        description=str(given.get("description") or ""),
        priority=int(priority) if re.fullmatch(r"-?\d{1,9}", priority) else None,
        branch_name=given.get("branch_name") or None,
        url=given.get("url") or None,
        labels=tuple(normal_state(str(label)) for label in given.get("labels") or ()),
        blocked_by=tuple(Blocker(id=str(each), identifier=str(each)) for each in given.get("blocked_by") or ()),
        created_at=_parsed_time(given.get("created_at")),
        updated_at=_parsed_time(given.get("updated_at")),
    )


def _parsed_time(value: object) -> datetime | None:
    try:
        found = datetime.fromisoformat(str(value).strip())
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
