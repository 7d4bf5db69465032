"""Sessions of Claude Code: a line for each message, answers in pieces that have one id, helpers as side chains.

The tokens of an answer stand in each of its pieces, which may lie apart, and count once. A helper's file
(`SESSION/subagents/agent-ID.jsonl`, or `agent-ID.jsonl` beside the session) is a thread of its session. A session that
was resumed or forked is a new file that starts with a copy of the old one's lines: an old one that is whole within a
new one is part of it; of a fork, the copied steps are context, and their tokens are the first one's.

What `claude -p --output-format stream-json` prints is read, too: its last line has the cost and the tokens of all.
What compacted the context stands as the user's message that it is; summaries are notes.
"""

import heapq
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace as replace_field
from functools import partial
from typing import Any

from msgspec.structs import replace

from honestly._loose import count_of, items_of, nested_dict, objects_of, word_of
from honestly.errors import FormatError
from honestly.formats._chat import Draft, calls_of, pictures_of, reasoning_of, status_said, text_of
from honestly.formats._heads import Head
from honestly.formats._imported import cached_usage, number_of, storable_text, time_said
from honestly.formats._sources import (
    FileReader,
    Item,
    Source,
    UsedFile,
    noted_defect,
    per_file,
    recorded_place,
    refused_defect,
    refused_line,
    unjudged_session,
)
from honestly.records import Agent, Trajectory, Usage

# Looked for in the first bytes, so that no file is read whole for it.
_FIRST_UUID = re.compile(rb'"uuid": ?"([^"]{1,100})"')
_HELPER = re.compile(r"(?:^|/)agent-[^/]+\.jsonl\Z")
_SYSTEM = re.compile(rb'"type": ?"system"')
_SESSION = re.compile(rb'"sessionId": ?"([^"]{1,100})"')


def recognises(head: Head) -> bool:
    """Whether its lines are those of a session."""
    ours = head.has_keys("sessionId", "type") and (
        head.has_keys("uuid") or head.has_keys("operation") or head.has_keys("leafUuid")
    )
    if ours or head.has_keys("type", "summary", "leafUuid") or _is_printed(head):
        return True
    # Newer ones begin with a snapshot of files, a mode or a title, which have little in common.
    around = head.start + head.last_bytes
    return head.has_keys("type") and b'"parentUuid"' in around and b'"sessionId"' in around


def _is_printed(head: Head) -> bool:
    """Whether it is what `claude -p` printed as JSON."""
    if not head.has_keys("type", "session_id"):
        return False
    # Before its first line of its own, `init`, a hook may have printed much.
    return (
        head.has_keys("subtype", "total_cost_usd")
        or (head.has_keys("subtype") and _SYSTEM.search(head.start) is not None)
        or (b'"subtype"' in head.start and b'"init"' in head.start)
    )


def read(source: Source) -> Iterator[Item]:
    """The sessions below a place, each with the files of its helpers and without what it repeats of another."""
    helpers, families = _helper_files(source.heads), defaultdict[bytes, list[Head]](list)
    beside = {head.name for heads in helpers.values() for head in heads}
    for head in source.heads:
        if head.name not in beside:
            first = _FIRST_UUID.search(head.start)
            families[first[1] if first else head.name.encode()].append(head)
    for family in families.values():
        yield from _read_family(source, family, helpers)


def _helper_files(heads: Iterable[Head]) -> dict[str, list[Head]]:
    """The files of helpers by the name of their session's file, where that is there."""
    names, found = {head.name for head in heads}, defaultdict[str, list[Head]](list)
    for head in heads:
        if not _HELPER.search(head.name):
            continue
        folder, _, inner = head.name.rpartition("/")[0].rpartition("/")
        said = _SESSION.search(head.start)
        beside = head.sibling_name(f"{said[1].decode('utf-8', 'replace')}.jsonl") if said else ""
        for owner in ((f"{folder}.jsonl",) if inner == "subagents" else ()) + (beside,):
            if owner in names and owner != head.name:
                found[owner].append(head)
                break
    return found


def _read_family(source: Source, heads: list[Head], helpers: Mapping[str, list[Head]]) -> Iterator[Item]:
    """The sessions of files that start with the same message: all but those that go on in another."""
    lines = {head.name: _uuids(head) for head in heads} if len(heads) > 1 else {}
    heads = sorted(heads, key=lambda head: (len(lines.get(head.name, ())), head.name))
    told, parts = set[str](), defaultdict[str, list[Head]](list)
    for number, head in enumerate(heads):
        beside = [*parts[head.name], *helpers.get(head.name, ())]
        mine = lines.get(head.name, set())
        longer = next((other for other in heads[number + 1 :] if mine and mine <= lines[other.name]), None)
        if longer is None:
            read_one = per_file(partial(_read_session, beside=beside, told=frozenset(told)))
            yield from read_one(replace_field(source, heads=(head,)))
            told |= mine
            continue
        parts[longer.name] += beside
        yield UsedFile(head.name)
        said = f"all of {recorded_place(head)} stands in it, too: they are one session"
        yield noted_defect(recorded_place(longer), "session continues", said)


def _uuids(head: Head) -> set[str]:
    """The names of a file's messages; none of one that cannot be read."""
    try:
        rows = [row for _, row in head.json_lines() if isinstance(row, dict)]
    except FormatError:
        return set()
    return {storable_text(row["uuid"]) for row in rows if row.get("uuid") and nested_dict(row, "message")}


def _read_session(head: Head, beside: list[Head], told: frozenset[str]) -> Iterator[Item]:
    """The session of a file and of those of its helpers.

    Args:
        head: The session's file.
        beside: Files of its helpers.
        told: Names of messages that another session has; here they are context.

    Raises:
        FormatError: It cannot be read.
    """
    session = _Session(told)
    threads = []
    for each in (head, *beside):
        session.draft, where = Draft(), recorded_place(each)
        if each is not head:
            yield UsedFile(each.name)
        try:
            for number, row in each.json_lines():
                if isinstance(row, dict):
                    for kind, said in session.take_line(number, row):
                        yield noted_defect(where, kind, said)
                else:
                    yield refused_line(f"{where}:{number}", row)
        except FormatError as error:
            if each is head:
                raise
            yield refused_defect(where, "unreadable file", str(error))
        threads.append(session.draft.steps())
    steps = tuple(heapq.merge(*threads, key=lambda step: step.at or "")) if len(threads) > 1 else threads[0]
    if not steps:
        yield refused_defect(recorded_place(head), "no results", "a session without messages")
        return
    trajectory = Trajectory(steps=steps, session=session.name, notes="\n".join(session.notes), stop=session.stop)
    found = unjudged_session(head, session.agent, trajectory)
    yield found._replace(trial=replace(found.trial, usage=session.usage_beside(found.trial.usage)))


class _Session:
    """What is known of a session after some of its lines."""

    def __init__(self, told: frozenset[str]) -> None:
        self.draft = Draft()
        self.agent = Agent(name="claude-code", program="claude-code")
        self.name = self.stop = ""
        self.notes: list[str] = []
        self._told = told
        self._seen: dict[str, Mapping[str, object]] = {}
        # Where the answer of a name stands, of which more may come.
        self._answers: dict[str, tuple[Draft, int]] = {}
        # What the program printed of the whole.
        self._printed = Usage()

    def take_line(self, number: int, row: Mapping[str, object]) -> Iterator[tuple[str, str]]:
        """Take a line in; gives what is odd about it."""
        uuid, message, kind = storable_text(row.get("uuid") or ""), nested_dict(row, "message"), row.get("type")
        self.name = self.name or storable_text(row.get("sessionId") or row.get("session_id") or "")
        if uuid and self._seen.setdefault(uuid, message) is not message:
            if self._seen[uuid] == message:
                yield "line repeated", "copied from an earlier session; left out"
                return
            yield "uuid repeated", f"line {number} says something else; kept"
        if kind == "assistant" and message:
            model, version = storable_text(message.get("model") or ""), storable_text(row.get("version") or "")
            if model and not self.agent.model and model != "<synthetic>":
                name = f"claude-code {model}"
                self.agent = Agent(name=name, program="claude-code", version=version, model=model)
            self._add_answer(row, message, copied=uuid in self._told)
        elif kind == "user" and "content" in message:
            _add_prompt(self.draft, row, message, copied=uuid in self._told or row.get("isMeta") is True)
        elif kind == "summary":
            self.notes.append(storable_text(row.get("summary") or ""))
        elif kind == "result" and "session_id" in row:
            self._printed = replace(_usage_of(nested_dict(row, "usage")), usd=number_of(row.get("total_cost_usd")))
            self.stop = storable_text(row.get("subtype") or "")
            if not self._answers and isinstance(row.get("result"), str):
                self.draft.add_answer(storable_text(row["result"]))
        elif not (kind == "system" and row.get("subtype") == "init" and "session_id" in row):
            without = ", without content" if word_of(kind) in {"user", "assistant"} else ""
            part = f" {storable_text(row['subtype'])[:50]}" if kind == "system" and "subtype" in row else ""
            yield "line left out", f"of type {storable_text(kind)[:50]}{part}{without}"

    def usage_beside(self, steps: Usage) -> Usage:
        """What all took: as the program printed it, and else what the steps say."""
        said = {name: getattr(self._printed, name) for name in self._printed.__struct_fields__}
        return replace(steps, **{name: value for name, value in said.items() if value is not None})

    def _add_answer(self, row: Mapping[str, object], message: Mapping[str, object], *, copied: bool) -> None:
        thread, text = _row_thread(row), text_of(message.get("content"))
        calls, reasoning = calls_of(message), reasoning_of(message)
        more: dict[str, Any] = {} if copied else {"usage": _usage_of(nested_dict(message, "usage"))}
        name = storable_text(message.get("id") or "")
        draft, at = self._answers.get(name + thread, (None, 0))
        if name and draft is self.draft:
            draft.extend_answer(at, text, calls, reasoning, **more)
            return
        at = self.draft.add_answer(
            text,
            calls,
            reasoning=reasoning,
            model=storable_text(message.get("model") or ""),
            at=time_said(row.get("timestamp")),
            thread=thread,
            copied=copied,
            **more,
        )
        self._answers[name + thread] = self.draft, at


def _usage_of(usage: Mapping[str, object]) -> Usage:
    names = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    return cached_usage(*(count_of(usage.get(n)) for n in names), output_tokens=count_of(usage.get("output_tokens")))


def _row_thread(row: Mapping[str, object]) -> str:
    if row.get("isSidechain") is True:
        return storable_text(row.get("agentId") or "side chain")
    return storable_text(row.get("parent_tool_use_id") or "")


def _add_prompt(draft: Draft, row: Mapping[str, object], message: Mapping[str, object], *, copied: bool) -> None:
    content = message.get("content")
    for block in objects_of(content):
        if block.get("type") == "tool_result":
            found = block.get("content")
            text, call = text_of(found), storable_text(block.get("tool_use_id") or "")
            status = status_said(draft.tool_of(call), text, block.get("is_error") is True)
            draft.add_observation(text, call, status, pictures_of(found))
    rest = [block for block in items_of(content) if nested_dict(block).get("type") != "tool_result"]
    if isinstance(content, str) or rest:
        draft.add_prompt(
            "user",
            text_of(content if isinstance(content, str) else rest),
            images=pictures_of(rest),
            at=time_said(row.get("timestamp")),
            thread=_row_thread(row),
            copied=copied or row.get("isCompactSummary") is True,
        )


READER = FileReader("claude-code", recognises, read)
