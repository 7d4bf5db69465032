"""Chats without a verdict: documents of messages, sessions of pi and Antigravity, Copilot's export, aider's history.

A document has `messages` as APIs have them (`_chat.py`). pi keeps a line for each message and names the one before it,
so that what was taken back is no part of the chat. Antigravity keeps a line for each answer and each result; Copilot's
`chat.json` has requests, with rounds of calls and their results. aider's history is Markdown: `####` before the user's
lines, `>` before the program's own; what it says it applied is an edit, read from the answer where that shows it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress

from msgspec.structs import replace

from honestly._loose import count_of, nested_dict, objects_of
from honestly.errors import FormatError
from honestly.formats._chat import Draft, chat_steps, tool_call
from honestly.formats._files import parse_json
from honestly.formats._heads import Head
from honestly.formats._imported import cached_usage, number_of, storable_text
from honestly.formats._sources import (
    FileReader,
    FoundTrial,
    Item,
    UsedFile,
    noted_defect,
    per_file,
    recorded_place,
    refused_line,
    stem_of,
    total_usage,
    unjudged_session,
)
from honestly.records import Agent, Step, Trajectory, Usage

_PI = re.compile(rb'\A\s*\{"type": ?"session"')
_AIDER = re.compile(r"^# aider chat started at (\S+ \S+)[ \t]*\r?$", re.MULTILINE)
# The user's lines and the program's own, which end in two blanks.
_LINE = re.compile(r"(?P<mark>####|>) (?P<text>.*?) {2}\r?")
_MODEL = re.compile(r"(?:Main m|M)odel: (\S+)")
_HEADED = r"^[*#` \t]*{path}[*`: \t]*\r?\n```[^\n]*\n(?P<text>[\s\S]*?)^```[ \t]*\r?$"
_ENDED = re.compile(r"The command (?P<how>failed|completed)")
_CUT = re.compile(r"<truncated \d+ bytes>\"?\Z")
# Depth to which texts are looked for in a result of Copilot's.
_DEPTH = 40


def recognises(head: Head) -> bool:
    """Whether it is a chat of one of these."""
    if head.start.lstrip().startswith(b"# aider chat started at "):
        return True
    if head.has_keys("type", "id", "cwd") and _PI.match(head.start):
        return True
    if head.has_keys("requests") and b'"message"' in head.start:
        return True
    if head.has_keys("step_index", "source", "type", "created_at"):
        return True
    lines = head.name.endswith(".jsonl") or b"\n{" in head.start
    return not lines and head.start.lstrip()[:1] == b"{" and head.has_keys("messages") and b'"role"' in head.start


@per_file
def read(head: Head) -> Iterator[Item]:
    """The chats of a file.

    Raises:
        FormatError: It cannot be read.
    """
    if not head.is_json:
        yield from _aider_chats(head)
    elif head.has_keys("messages"):
        found = nested_dict(head.json())
        model = storable_text(found.get("model") or "")
        yield _session(head, model or stem_of(head), "", model, chat_steps(objects_of(found.get("messages"))))
    elif head.has_keys("requests"):
        asked = objects_of(nested_dict(head.json()).get("requests"))
        model = next((storable_text(each["modelId"]) for each in asked if each.get("modelId")), "")
        steps = chat_steps(message for request in asked for message in _copilot_messages(request))
        yield _session(head, "copilot", "copilot", model.removeprefix("copilot/"), steps)
    elif head.has_keys("step_index"):
        whole = head.sibling_name(stem_of(head) + "_full.jsonl")
        if (head.root / whole).is_file():
            yield UsedFile(head.name)
            yield noted_defect(whole, "session twice", f"{recorded_place(head)} has the same, cut short")
            return
        rows = list(head.json_lines())
        yield from (refused_line(f"{recorded_place(head)}:{n}", row) for n, row in rows if not isinstance(row, dict))
        steps = chat_steps(_antigravity_messages([row for _, row in rows if isinstance(row, dict)]))
        cut = sum(key.startswith("cut ") for step in steps for call in step.calls for key in call.arguments)
        if cut:
            yield noted_defect(recorded_place(head), "cut short", "arguments of calls, which are not understood", cut)
        yield _session(head, "antigravity", "antigravity", "", steps)
    else:
        yield from _pi_session(head)


def _session(head: Head, name: str, program: str, model: str, steps: tuple[Step, ...], **more: object) -> FoundTrial:
    agent = Agent(name=f"{name} {model}".strip() if program else name, program=program, model=model)
    return unjudged_session(head, agent, Trajectory(steps=steps), **more)


def _pi_session(head: Head) -> Iterator[Item]:
    rows: dict[str, Mapping[str, object]] = {}
    last = ""
    for number, row in head.json_lines():
        if not isinstance(row, dict):
            yield refused_line(f"{recorded_place(head)}:{number}", row)
        elif row.get("type") != "session":
            last = storable_text(row.get("id") or number)
            rows[last] = row
    told: dict[str, Mapping[str, object]] = {}
    while last in rows and last not in told:
        told[last] = rows[last]
        last = storable_text(rows[last].get("parentId") or "")
    linked = all("parentId" in row for row in rows.values())
    kept = list(reversed(told.values())) if linked else list(rows.values())
    if len(kept) < len(rows):
        yield noted_defect(recorded_place(head), "taken back", "messages before a rewind are left out")
    messages = [{**nested_dict(row, "message"), "timestamp": row.get("timestamp")} for row in kept if "message" in row]
    model = next((storable_text(each["model"]) for each in messages if each.get("model")), "")
    usage = total_usage(_pi_usage(nested_dict(each, "usage")) for each in messages)
    yield _session(head, "pi", "pi", model, chat_steps(messages), usage=usage)


def _pi_usage(said: Mapping[str, object]) -> Usage:
    fresh, read, written, output = (count_of(said.get(key)) for key in ("input", "cacheRead", "cacheWrite", "output"))
    return cached_usage(
        fresh, read, written, output_tokens=output, usd=number_of(nested_dict(said, "cost").get("total"))
    )


def _copilot_messages(request: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    yield {"role": "user", "content": nested_dict(request, "message").get("text")}
    around = nested_dict(request, "result", "metadata")
    results, rounds = nested_dict(around, "toolCallResults"), objects_of(around.get("toolCallRounds"))
    for each in rounds:
        calls = objects_of(each.get("toolCalls"))
        yield {"role": "assistant", "content": each.get("response"), "tool_calls": calls}
        for call in calls:
            came = nested_dict(results.get(str(call.get("id")))).get("content")
            yield {"role": "tool", "tool_call_id": call.get("id"), "content": "".join(_texts_in(came, _DEPTH))}
    if not rounds:
        said = (part["value"] for part in objects_of(request.get("response")) if isinstance(part.get("value"), str))
        yield {"role": "assistant", "content": "".join(said)}


def _antigravity_messages(rows: Iterable[Mapping[str, object]]) -> Iterator[Mapping[str, object]]:
    """Each line as a message; what the model's tools gave follows the calls, in their order."""
    asked: list[str] = []
    for number, said in enumerate(rows):
        text, at = storable_text(said.get("content") or ""), {"timestamp": said.get("created_at")}
        if said.get("type") == "PLANNER_RESPONSE":
            calls = [
                {**call, "id": f"{number}-{n}", "arguments": _plain_arguments(nested_dict(call, "args"))}
                for n, call in enumerate(objects_of(said.get("tool_calls")))
            ]
            asked += [str(call["id"]) for call in calls]
            thought = said.get("thinking")
            yield {"role": "assistant", "content": text, "reasoning": thought, "tool_calls": calls, **at}
        elif said.get("source") == "MODEL" or said.get("type") == "ERROR_MESSAGE":
            ended = _ENDED.search(text[:400])
            failed = ended["how"] == "failed" if ended else None
            yield {"role": "tool", "content": text, "tool_call_id": asked.pop(0) if asked else "", "isError": failed}
        else:
            request, closed, _ = text.partition("<USER_REQUEST>")[2].partition("</USER_REQUEST>")
            role = "user" if said.get("source") == "USER_EXPLICIT" else "system"
            yield {"role": role, "content": request.strip() if closed else text, **at}


def _plain_arguments(given: Mapping[str, object]) -> dict[str, object]:
    """Arguments, of which older programs quote each text once more; one that was cut short is known by nothing else."""
    found: dict[str, object] = {}
    for key, value in given.items():
        cut = isinstance(value, str) and _CUT.search(value) is not None
        found[f"cut {key}" if cut else key] = value
        if isinstance(value, str) and value[:1] == '"' and not cut:
            with suppress(FormatError):
                found[key] = parse_json(value.encode("utf-8", "replace"))
    return found


def _texts_in(found: object, depth: int) -> Iterator[str]:
    """The texts of a result, which may be a tree of what a page shows."""
    if depth and isinstance(found, list):
        for each in found:
            yield from _texts_in(each, depth - 1)
    elif depth and isinstance(found, dict):
        for key in ("value", "text", "node", "children"):
            yield from [found[key]] if isinstance(found.get(key), str) else _texts_in(found.get(key), depth - 1)


def _aider_chats(head: Head) -> Iterator[Item]:
    parts = _AIDER.split(head.whole_file().decode("utf-8", "replace"))
    for number, (started, text) in enumerate(zip(parts[1::2], parts[2::2], strict=True), 1):
        model, steps = _aider_steps(text.split("\n"))
        if any(step.source == "agent" for step in steps):
            found = _session(head, "aider", "aider", model, steps)
            task = replace(found.task, id=f"{found.task.id}.{number}")
            trial = replace(found.trial, source=f"{found.trial.source}#{number}", started_at=started.replace(" ", "T"))
            yield found._replace(task=task, trial=trial)
    if len(parts) > 1:
        yield noted_defect(
            recorded_place(head), "sessions", f"{len(parts) // 2} chats; those without an answer are left out"
        )


def _aider_steps(lines: Iterable[str]) -> tuple[str, tuple[Step, ...]]:
    """The model of a chat, and its steps."""
    draft, model, answer, mark, said = Draft(), "", "", "", list[str]()

    def take() -> None:
        nonlocal model, answer
        text = storable_text("\n".join(said).strip("\n"))
        if mark == "####" and text:
            answer = ""
            draft.add_prompt("user", text)
        elif mark == ">":
            model = next((match[1] for match in map(_MODEL.match, said) if match), model)
            _add_program(draft, answer, said)
        elif text:
            answer = f"{answer}\n{text}"
            draft.add_answer(text)

    for line in [*lines, "#### end  "]:
        match = _LINE.fullmatch(line)
        now = match["mark"] if match else ""
        if now != mark and (match or line.strip()):
            take()
            mark, said = now, []
        said.append(match["text"] if match else line.rstrip("\r"))
    return storable_text(model), draft.steps()


def _add_program(draft: Draft, answer: str, lines: list[str]) -> None:
    """What the program did after an answer: edits that the answer does not show as blocks, and commands."""
    for number, line in enumerate(lines):
        verb, _, rest = line.partition(" ")
        path = rest.removeprefix("edit to ")
        if verb == "Running" and rest:
            draft.add_answer("", [tool_call(f"run-{number}", "bash", {"command": rest})])
            draft.add_observation("\n".join(lines[number + 1 :]), f"run-{number}")
        elif verb == "Applied" and path != rest and "<<<<<<< SEARCH" not in answer:
            whole = re.search(_HEADED.format(path=re.escape(path)), answer, re.MULTILINE)
            given = {"path": path} | ({"content": whole["text"]} if whole else {})
            draft.add_answer("", [tool_call(f"edit-{number}", "write_file", given)])
            draft.add_observation(line, f"edit-{number}")


READER = FileReader("chats", recognises, read)
