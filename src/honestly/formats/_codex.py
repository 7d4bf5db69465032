"""Sessions of Codex: lines of `session_meta`, `turn_context`, `response_item` and `event_msg`.

Items of the model's answers are the steps; events repeat them for the screen, and give the tokens, which are a running
total: what an answer used is what the total grew by, and a total that fell has started again. Reasoning is kept as far
as it is not encrypted. A forked session starts with a copy of its parent's lines, which are context: those that are the
parent's, where its file is there, and else those that are older than the session.

Sessions of early 2025, whose items have no payload, and what `codex exec --json` prints are read, too.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace as replace_field
from functools import partial

from honestly._loose import count_of, nested_dict, objects_of, word_of
from honestly.errors import FormatError
from honestly.formats._chat import Draft, pictures_of, text_of, tool_call
from honestly.formats._files import parse_json
from honestly.formats._heads import Head
from honestly.formats._imported import Settings, exit_status_of, storable_text, time_said
from honestly.formats._sources import (
    FileReader,
    Item,
    Source,
    noted_defect,
    per_file,
    recorded_place,
    refused_defect,
    refused_line,
    unjudged_session,
)
from honestly.records import Agent, ToolCall, Trajectory, Usage

# The status of a command stands before its output, in one of two spellings.
_CODE = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d{1,9})$", re.MULTILINE)
_CALLS = {"function_call", "custom_tool_call", "local_shell_call", "web_search_call"}
_OUTPUTS = {"function_call_output", "custom_tool_call_output", "local_shell_call_output"}
# Looked for in the first bytes, so that no file is read whole for it.
_PARENT = re.compile(rb'"forked_from_id": ?"([^"]{1,100})"')
_NAME = re.compile(rb'"payload": ?\{[^{}]{0,300}"id": ?"([^"]{1,100})"')


def recognises(head: Head) -> bool:
    """Whether its first line is that of a session."""
    kinds = (b'"session_meta"', b'"response_item"', b'"turn_context"', b'"event_msg"')
    if head.has_keys("type", "payload"):
        return head.has_keys("timestamp") or any(kind in head.start for kind in kinds)
    printed = head.has_keys("type", "thread_id") and b'"thread.started"' in head.start
    # Instructions may be longer than the start.
    old = head.has_keys("id", "timestamp", "instructions")
    return printed or (old and b'"type"' in head.start + head.last_bytes)


def read(source: Source) -> Iterator[Item]:
    """The sessions of files, each without what a fork repeats of its parent."""
    named = {found[1]: head for head in source.heads if (found := _NAME.search(head.start))}
    for head in source.heads:
        fork = _PARENT.search(head.start)
        read_one = partial(_read_session, parent=named.get(fork[1]) if fork else None)
        yield from per_file(read_one)(replace_field(source, heads=(head,)))


def _read_session(head: Head, parent: Head | None) -> Iterator[Item]:
    """The session of a file.

    Raises:
        FormatError: It cannot be read.
    """
    where, session = recorded_place(head), _Session()
    lines = list(head.json_lines())
    rows = [row for _, row in lines if isinstance(row, dict)]
    copied = _copied_lines(rows, parent)
    for number, row in lines:
        if not isinstance(row, dict):
            yield refused_line(f"{where}:{number}", row)
            continue
        session.copied = copied > 0
        copied -= 1
        unknown = session.take_line(row)
        if unknown:
            yield noted_defect(where, "line left out", unknown)
    steps = session.draft.steps()
    if not steps:
        yield refused_defect(where, "no results", "a session without messages")
        return
    name = f"codex {session.model}".strip()
    agent = Agent(name=name, program="codex", version=session.version, model=session.model, settings=session.settings)
    yield unjudged_session(head, agent, Trajectory(steps=steps, session=session.name), usage=session.spent)


def _copied_lines(rows: Sequence[Mapping[str, object]], parent: Head | None) -> int:
    """How many of a session's first lines are its parent's, its own first one included; 0 where there is no parent."""
    own = nested_dict(rows[0], "payload") if rows else {}
    if not own.get("forked_from_id"):
        return 0
    if parent is None:
        began = str(rows[0].get("timestamp") or "")
        return next((at for at, row in enumerate(rows) if str(row.get("timestamp") or began) > began), len(rows))
    try:
        theirs = [row for _, row in parent.json_lines()]
    except FormatError:
        return 0
    same = next((at for at, pair in enumerate(zip(rows[1:], theirs, strict=False)) if pair[0] != pair[1]), None)
    return 1 + (min(len(rows) - 1, len(theirs)) if same is None else same)


class _Session:
    """What is known of a session after some of its lines."""

    def __init__(self) -> None:
        self.draft = Draft()
        self.model = self.version = self.name = self._thought = ""
        self.settings: Settings = {}
        self.spent = Usage()
        # Whether the present line is another session's.
        self.copied = False
        self._total = Usage()
        # The place of the latest answer whose tokens are not known yet.
        self._answer: int | None = None

    def take_line(self, row: Mapping[str, object]) -> str:
        """Take a line in; of what kind it is, if nothing was taken."""
        payload, kind = nested_dict(row, "payload"), word_of(row.get("type"))
        inner = word_of(payload.get("type"))
        at = time_said(row.get("timestamp"))
        if kind == "session_meta" or (not kind and "instructions" in row):
            said = payload or row
            self.name = self.name or storable_text(said.get("id") or "")
            self.version = self.version or storable_text(said.get("cli_version") or "")
        elif kind == "turn_context":
            self.model = self.model or storable_text(payload.get("model") or "")
            if isinstance(payload.get("effort"), str):
                self.settings["effort"] = storable_text(payload["effort"])
        elif kind == "response_item":
            return self._take_item(payload, inner, at)
        elif kind == "event_msg" and inner == "token_count":
            # Take in what all answers so far have used.
            now = _usage_of(nested_dict(payload, "info", "total_token_usage"))
            if now.tokens is not None:
                fell = (now.tokens or 0) < (self._total.tokens or 0)
                used = now if fell else _growth(self._total, now)
                self._total = now
                if used.tokens:
                    self._add_usage(used)
        elif kind == "compacted" or inner == "turn_aborted":
            aborted = inner == "turn_aborted"
            words = "[Request interrupted by user]" if aborted else storable_text(payload.get("message") or "")
            self.draft.add_prompt("user", words, at=at, copied=self.copied or not aborted)
        elif kind in {"message", "reasoning", *_CALLS, *_OUTPUTS}:
            return self._take_item(row, kind, at)
        elif "." in kind:
            return self._take_printed(row, kind)
        elif kind != "event_msg" and "record_type" not in row:
            return f"of type {kind[:50]}"
        return ""

    def _take_printed(self, row: Mapping[str, object], kind: str) -> str:
        """Take a line of `codex exec --json` in."""
        item = nested_dict(row, "item")
        inner, name = word_of(item.get("type")), storable_text(item.get("id") or "item")
        if kind == "thread.started":
            self.name = storable_text(row.get("thread_id") or "")
        elif kind == "turn.completed":
            self._add_usage(_usage_of(nested_dict(row, "usage")))
        elif kind != "item.completed":
            return "" if kind in {"turn.started", "item.started", "item.updated"} else f"of type {kind[:50]}"
        elif inner == "agent_message":
            self._add_answer(storable_text(item.get("text") or ""))
        elif inner == "reasoning":
            self._thought = "\n".join(filter(None, (self._thought, storable_text(item.get("text") or ""))))
        elif inner == "command_execution":
            self._add_answer("", tool_call(name, "exec_command", {"cmd": item.get("command")}))
            output = storable_text(item.get("aggregated_output") or "")
            self.draft.add_observation(output, name, exit_status_of(item.get("exit_code")))
        else:
            left = {key: value for key, value in item.items() if key not in {"id", "type"}}
            self._add_answer("", tool_call(name, inner, left))
        return ""

    def _add_answer(self, text: str, *calls: ToolCall, at: str | None = None) -> None:
        thought, self._thought = storable_text(self._thought), ""
        self._answer = self.draft.add_answer(
            text, calls, reasoning=thought, at=at, model=self.model, copied=self.copied
        )

    def _take_item(self, payload: Mapping[str, object], inner: str, at: str | None) -> str:
        if inner == "message":
            content, role = payload.get("content"), storable_text(payload.get("role") or "user")
            if role == "assistant":
                self._add_answer(text_of(content), at=at)
            else:
                source = "system" if role in {"system", "developer"} else "user"
                self.draft.add_prompt(source, text_of(content), images=pictures_of(content), at=at, copied=self.copied)
        elif inner == "reasoning":
            said = (each.get("text") for each in objects_of(payload.get("summary")))
            self._thought = "\n".join(filter(None, (self._thought, *(text for text in said if isinstance(text, str)))))
        elif inner in _CALLS:
            arguments = payload.get("arguments", payload.get("input", payload.get("action")))
            name = payload.get("name") or inner.removesuffix("_call")
            call = tool_call(storable_text(payload.get("call_id") or payload.get("id") or "call"), name, arguments)
            self._add_answer("", call, at=at)
        elif inner in _OUTPUTS:
            text, code = _output_of(payload.get("output"))
            self.draft.add_observation(text, storable_text(payload.get("call_id") or ""), code)
        else:
            return f"item of type {inner[:50]}"
        return ""

    def _add_usage(self, used: Usage) -> None:
        if not self.copied:
            self.spent += used
            if self._answer is not None:
                self.draft.extend_answer(self._answer, usage=used)
        self._answer = None


def _usage_of(said: Mapping[str, object]) -> Usage:
    return Usage(
        input_tokens=count_of(said.get("input_tokens")),
        output_tokens=count_of(said.get("output_tokens")),
        cached_tokens=count_of(said.get("cached_input_tokens")),
    )


def _growth(before: Usage, after: Usage) -> Usage:
    names = ("input_tokens", "output_tokens", "cached_tokens")
    known = {name: (getattr(before, name), getattr(after, name)) for name in names}
    return Usage(**{name: max(0, now - (was or 0)) for name, (was, now) in known.items() if now is not None})


def _output_of(found: object) -> tuple[str, int | None]:
    """The text of a call's output, and the exit status that stands beside it or before it, never within it."""
    if isinstance(found, str):
        try:
            whole = parse_json(found.encode("utf-8", "replace"))
        except FormatError:
            whole = None
        if isinstance(whole, dict) and "output" in whole:
            return storable_text(whole["output"]), exit_status_of(nested_dict(whole, "metadata").get("exit_code"))
    text = text_of(found) if isinstance(found, str | list) else storable_text(nested_dict(found).get("content") or "")
    said = _CODE.search(text.partition("\nOutput:")[0] if "\nOutput:" in text else text[:200])
    return text, int(said[1]) if said else None


READER = FileReader("codex", recognises, read)
