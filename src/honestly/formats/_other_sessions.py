"""Sessions of Gemini CLI, Cursor and OpenCode, and a chat that is nothing but its messages.

Gemini CLI keeps a document with `messages`, or, newer, lines that add messages, write them anew or take some back, and
prints events (`--output-format stream-json`);
Cursor keeps lines of `role` and `message`, without the tools that were called; OpenCode keeps its database as JSON
values one after the other: messages, and their parts.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from honestly._loose import count_of, nested_dict, objects_of
from honestly.errors import FormatError
from honestly.formats._chat import Draft, chat_steps, text_of, tool_call
from honestly.formats._heads import Head
from honestly.formats._imported import exit_status_of, number_of, storable_text, time_of_seconds, time_said
from honestly.formats._sources import (
    FileReader,
    Item,
    noted_defect,
    per_file,
    recorded_place,
    refused_defect,
    refused_line,
    stem_of,
    total_usage,
    unjudged_session,
)
from honestly.records import Agent, Trajectory, Usage

_STREAM = re.compile(rb'"type": ?"init"')
# Bytes of a database's dump that is read.
_MOST = 256 << 20


def recognises(head: Head) -> bool:
    """Whether it is a session of one of the three."""
    if head.has_keys("sessionId") and any(map(head.has_keys, ("messages", "projectHash", "startTime"))):
        return True
    if _is_cursor(head) or _is_chat(head) or _is_stream(head):
        return True
    if head.has_keys("info", "messages") and b'"projectID"' in head.start:
        return True
    return (b'"sandboxes"' in head.start and b'"worktree"' in head.start) or head.has_keys("sessionID", "messageID")


@per_file
def read(head: Head) -> Iterator[Item]:
    """The session of a file.

    Raises:
        FormatError: It cannot be read.
    """
    if head.has_keys("sessionId"):
        yield from _gemini_sessions(head)
    elif _is_stream(head):
        yield from _gemini_stream(head)
    elif _is_cursor(head):
        said: list[Mapping[str, object]] = []
        for number, row in head.json_lines():
            if isinstance(row, dict):
                said.append({**nested_dict(row, "message"), "role": row.get("role")})
            else:
                yield refused_line(f"{recorded_place(head)}:{number}", row)
        steps = chat_steps(said)
        if not any(step.calls for step in steps):
            yield noted_defect(recorded_place(head), "no tool calls", "Cursor's transcript has the texts alone")
        yield unjudged_session(head, Agent(name="cursor", program="cursor"), Trajectory(steps=steps))
    elif _is_chat(head):
        yield unjudged_session(head, Agent(name=stem_of(head)), Trajectory(steps=chat_steps(objects_of(head.json()))))
    else:
        yield from _opencode_sessions(head)


def _is_cursor(head: Head) -> bool:
    return head.has_keys("role", "message") and not head.has_keys("content")


def _is_chat(head: Head) -> bool:
    return head.has_keys("role", "content") and head.start.lstrip().startswith(b"[")


def _is_stream(head: Head) -> bool:
    return head.is_json and bool(_STREAM.search(head.start)) and b'"session_id"' in head.start


def _gemini_stream(head: Head) -> Iterator[Item]:
    draft, texts, spent = Draft(), list[str](), list[Usage]()
    model = session = ""
    for number, row in head.json_lines():
        if not isinstance(row, dict):
            yield refused_line(f"{recorded_place(head)}:{number}", row)
            continue
        kind, at = row.get("type"), time_said(row.get("timestamp"))
        if kind == "message" and row.get("role") == "assistant":
            texts.append(text_of(row.get("content")))  # of one message, where it is a delta
            continue
        if texts:
            draft.add_answer("".join(texts), [], at=at, model=model)
            texts.clear()
        if kind == "init":
            model, session = storable_text(row.get("model") or ""), storable_text(row.get("session_id") or "")
        elif kind == "message":
            draft.add_prompt("user", text_of(row.get("content")), at=at)
        elif kind == "tool_use":
            call = tool_call(storable_text(row.get("tool_id") or ""), row.get("tool_name"), row.get("parameters"))
            draft.add_answer("", [call], at=at, model=model)
        elif kind == "tool_result":
            said = row.get("output") or nested_dict(row, "error").get("message")
            draft.add_observation(text_of(said), storable_text(row.get("tool_id") or ""))
        elif kind == "result":
            stats = nested_dict(row, "stats")
            counts = [count_of(stats.get(name)) for name in ("input_tokens", "output_tokens", "cached")]
            spent.append(Usage(input_tokens=counts[0], output_tokens=counts[1], cached_tokens=counts[2]))
    if texts:
        draft.add_answer("".join(texts), [], model=model)
    agent = Agent(name=f"gemini-cli {model}".strip(), program="gemini-cli", model=model)
    trajectory = Trajectory(steps=draft.steps(), session=session)
    yield unjudged_session(head, agent, trajectory, usage=total_usage(spent) if spent else Usage())


def _gemini_sessions(head: Head) -> Iterator[Item]:
    messages: Iterable[Mapping[str, object]]
    if not head.has_keys("messages") and b"\n{" in head.start:
        session, log = "", _Log(recorded_place(head))
        for number, row in head.json_lines():
            session = session or storable_text(nested_dict(row).get("sessionId") or "")
            yield from log.take_line(number, row)
        messages = log.messages.values()
    else:
        found = nested_dict(head.json())
        session, messages = storable_text(found.get("sessionId") or ""), objects_of(found.get("messages"))
    draft, model = Draft(), ""
    for message in messages:
        text = text_of(message.get("content"))
        at = time_said(message.get("timestamp"))
        if message.get("type") != "gemini":
            draft.add_prompt("user" if message.get("type") == "user" else "system", text, at=at)
            continue
        model = model or storable_text(message.get("model") or "")
        tokens, asked = nested_dict(message, "tokens"), objects_of(message.get("toolCalls"))
        thoughts = [
            f"{each.get('subject', '')}: {each.get('description', '')}" for each in objects_of(message.get("thoughts"))
        ]
        output, thinking = count_of(tokens.get("output")), count_of(tokens.get("thoughts"))
        draft.add_answer(
            text,
            [
                tool_call(storable_text(each.get("id") or f"call-{n}"), each.get("name"), each.get("args"))
                for n, each in enumerate(asked)
            ],
            reasoning=storable_text("\n".join(thoughts)),
            at=at,
            model=storable_text(message.get("model") or ""),
            usage=Usage(
                input_tokens=count_of(tokens.get("input")),
                output_tokens=None if output is None else output + (thinking or 0),
                cached_tokens=count_of(tokens.get("cached")),
            ),
        )
        for n, each in enumerate(asked):
            draft.add_observation(_gemini_result(each), storable_text(each.get("id") or f"call-{n}"))
    agent = Agent(name=f"gemini-cli {model}".strip(), program="gemini-cli", model=model)
    yield unjudged_session(head, agent, Trajectory(steps=draft.steps(), session=session))


class _Log:
    """The newer form of Gemini CLI's sessions: lines that add a message, write it anew, or take some back."""

    def __init__(self, where: str) -> None:
        self.messages: dict[str, Mapping[str, object]] = {}
        self._where = where

    def take_line(self, number: int, row: object) -> Iterator[Item]:
        """Takes a line in."""
        if not isinstance(row, dict):
            yield refused_line(f"{self._where}:{number}", row)
        elif "$rewindTo" in row:
            names = list(self.messages)
            target = storable_text(row["$rewindTo"])
            gone = names[names.index(target) :] if target in names else names
            yield noted_defect(self._where, "taken back", "messages before a rewind are left out", len(gone))
            for name in gone:
                del self.messages[name]
        elif "id" in row:
            self.messages[storable_text(row["id"])] = row
        else:
            # What is set anew after the context was made smaller does not undo what was said before.
            for message in objects_of(nested_dict(row, "$set").get("messages")) or objects_of(row.get("messages")):
                self.messages.setdefault(storable_text(message.get("id") or len(self.messages)), message)


def _gemini_result(call: Mapping[str, object]) -> str:
    answers = [nested_dict(each, "functionResponse", "response") for each in objects_of(call.get("result"))]
    texts = [str(each.get("output", each.get("error", ""))) for each in answers]
    shown = call.get("resultDisplay")
    return storable_text("\n".join(filter(None, texts)) or (shown if isinstance(shown, str) else ""))


def _json_values(head: Head) -> Iterator[object]:
    text, at = head.whole_file(_MOST).decode("utf-8", "replace"), 0
    decoder = json.JSONDecoder()
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            raise FormatError(f"not JSON: {error}") from error
        yield value


def _opencode_rows(head: Head) -> Iterator[Mapping[str, object]]:
    """Sessions, messages and parts, each alone as in the database; `opencode export` writes them into each other."""
    for value in _json_values(head):
        row = nested_dict(value)
        yield row if "messages" not in row else nested_dict(row, "info")
        for message in objects_of(row.get("messages")):
            yield nested_dict(message, "info")
            yield from objects_of(message.get("parts"))


def _opencode_sessions(head: Head) -> Iterator[Item]:
    messages: dict[str, Mapping[str, object]] = {}
    parts: dict[str, list[Mapping[str, object]]] = defaultdict(list)
    version = ""
    for row in _opencode_rows(head):
        name, message = row.get("id"), row.get("messageID")
        if isinstance(row.get("role"), str) and isinstance(name, str):
            messages[name] = row
        elif isinstance(message, str):
            parts[message].append(row)
        elif isinstance(row.get("version"), str):
            version = version or storable_text(row["version"])
    sessions: dict[str, list[str]] = defaultdict(list)
    for name in sorted(
        messages, key=lambda name: (number_of(nested_dict(messages[name], "time").get("created")) or 0.0, name)
    ):
        sessions[storable_text(messages[name].get("sessionID") or "")].append(name)
    if not sessions:
        yield refused_defect(recorded_place(head), "no results", "no message of a session")
    for session, names in sessions.items():
        draft, model = Draft(), ""
        for name in names:
            model = model or storable_text(messages[name].get("modelID") or "")
            _opencode_message(draft, messages[name], parts[name])
        agent = Agent(name=f"opencode {model}".strip(), program="opencode", version=version, model=model)
        found = unjudged_session(head, agent, Trajectory(steps=draft.steps(), session=session))
        if len(sessions) > 1:
            task = replace(found.task, id=f"{found.task.id}.{session}")
            found = found._replace(task=task, trial=replace(found.trial, source=f"{found.trial.source}#{session}"))
        yield found


def _opencode_message(draft: Draft, message: Mapping[str, object], parts: list[Mapping[str, object]]) -> None:
    milliseconds = number_of(nested_dict(message, "time").get("created"))
    at = time_of_seconds(milliseconds / 1000) if milliseconds is not None else None
    texts = storable_text("\n".join(str(part.get("text", "")) for part in parts if part.get("type") == "text"))
    if message.get("role") != "assistant":
        draft.add_prompt("user", texts, at=at)
        return
    tools = [part for part in parts if part.get("type") == "tool"]
    tokens = nested_dict(message, "tokens")
    cached, fresh = count_of(nested_dict(tokens, "cache").get("read")), count_of(tokens.get("input"))
    output, thinking = count_of(tokens.get("output")), count_of(tokens.get("reasoning"))
    draft.add_answer(
        texts,
        [
            tool_call(
                storable_text(part.get("callID") or "call"), part.get("tool"), nested_dict(part, "state").get("input")
            )
            for part in tools
        ],
        reasoning=storable_text(
            "\n".join(str(part.get("text", "")) for part in parts if part.get("type") == "reasoning")
        ),
        at=at,
        model=storable_text(message.get("modelID") or ""),
        usage=Usage(
            input_tokens=None if fresh is None else fresh + (cached or 0),
            output_tokens=None if output is None else output + (thinking or 0),
            cached_tokens=cached,
            cache_write_tokens=count_of(nested_dict(tokens, "cache").get("write")),
            usd=number_of(message.get("cost")),
        ),
    )
    for part in tools:
        state = nested_dict(part, "state")
        text, call = storable_text(state.get("output") or state.get("error") or ""), part.get("callID") or "call"
        draft.add_observation(text, storable_text(call), exit_status_of(nested_dict(state, "metadata").get("exit")))


READER = FileReader("other-sessions", recognises, read)
