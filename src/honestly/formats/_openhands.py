"""OpenHands: a list of events (a session), and `output.jsonl` of its evaluations, whose rows have a history of them.

A session may be a folder `events` with a file for each event. Events of the newer SDK have a `kind`, and an action or
an observation that is an object. An action of the agent is a step with a call of that name; an observation answers the
action that is its cause, or the last one. A row of an evaluation says whether it succeeded (`test_result`, `report`):
else it is void, also where the resolver's own model thinks that it did (`success`). An error of the row is the reason
why. The patch is kept as `patch.diff`.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from msgspec import structs

from honestly._loose import count_of, items_of, nested_dict, objects_of, word_of
from honestly.errors import FormatError
from honestly.formats._agent_names import renamed, runs_apart
from honestly.formats._chat import Draft, chat_steps, text_of, tool_call
from honestly.formats._heads import Head
from honestly.formats._imported import exit_status_of, number_of, storable_text, time_said
from honestly.formats._sources import (
    FileReader,
    FoundTrial,
    Item,
    Source,
    UsedFile,
    imported_trial,
    noted_defect,
    patch_file,
    per_file,
    recorded_place,
    refused_defect,
    refused_line,
    unjudged_session,
)
from honestly.formats._swe_bench import with_summary
from honestly.records import Agent, Outcome, Step, Task, Trajectory, Usage

_PROGRAM = "openhands"
_EVALUATED = ".swebench_eval.jsonl"
_ATTEMPT = re.compile(r"output\.\w*attempt_?(\d{1,6})\.jsonl")
_ROW_OF = re.compile(rb'"instance_id": ?"([^"\\]{1,300})"')
_LARGEST = 256 << 20
_EVENT = re.compile(r"(?:.*/)?events/(?:event-)?(\d{1,9})(?:-[^/]*)?\.json")
_NO_ARGUMENTS = {
    *("thought", "is_confirmed", "confirmation_state", "keep_prompt", "action_risk", "security_risk", "action", "id"),
    *("timestamp", "source", "message", "timeout", "cause", "tool_call_metadata", "llm_metrics"),
}


def recognises(head: Head) -> bool:
    """Whether it is a list of events, or rows with a history of them."""
    if head.has_keys("history") and (
        head.has_keys("git_patch") or head.has_keys("instruction") or b'"git_patch"' in head.last_bytes
    ):
        return True
    return head.has_keys("id", "timestamp", "source") and bool(head.keys & {"action", "observation", "kind"})


def read(source: Source) -> Iterator[Item]:
    """The session of each file or folder of events, and the trials of rows."""
    folders: dict[str, list[Head]] = defaultdict(list)
    for head in source.heads:
        if _EVENT.fullmatch(head.name) and not head.has_keys("history"):
            folders[head.name.rpartition("/")[0]].append(head)
    apart = [head for head in source.heads if head not in folders[head.name.rpartition("/")[0]]]
    beside: dict[str, list[Head]] = defaultdict(list)
    for head in apart:
        beside[head.name.rpartition("/")[0]].append(head)
    runs = {home: _PROGRAM if len(beside) > 1 and _is_nameless(heads[0]) else home for home, heads in beside.items()}
    names, odd = runs_apart(runs, lambda home: _instances(beside[home]), unnamed=_PROGRAM)
    for home, heads in beside.items():
        found = _read_rows(replace(source, heads=tuple(heads)))
        yield from with_summary(source, home, renamed(found, runs[home], names[home], odd))
    for folder, heads in folders.items():
        if heads:
            yield from per_file(partial(_read_folder, heads=heads))(replace(source, heads=(heads[0],)))
            more = {f"{folder.rpartition('/')[0]}/{name}".lstrip("/") for name in ("metadata.json", "base_state.json")}
            yield from map(UsedFile, sorted(more & set(source.names)))


def _is_nameless(head: Head) -> bool:
    """Whether the first row of a file names neither the agent's kind nor its model."""
    found = next(per_file(_read_one)(Source(head.root, (head,), ())), None)
    return isinstance(found, FoundTrial) and found.agent.name == _PROGRAM


def _instances(heads: list[Head]) -> set[str]:
    """The instances of files whose rows begin with theirs."""
    found: set[str] = set()
    for head in heads:
        try:
            found.update(map(bytes.decode, _ROW_OF.findall(head.whole_file(_LARGEST))))
        except (FormatError, UnicodeDecodeError):
            continue
    return found


def _read_rows(source: Source) -> Iterator[Item]:
    """The trials of the files of a folder. Of an instance in several files of one run, the row counts that was judged
    (`output.swebench_eval.jsonl`), then that of `output.jsonl`, then that of the last attempt.
    """
    seen: set[str] = set()
    for head in sorted(source.heads, key=_rank):
        mine, earlier = set(), 0
        is_output = head.name.rpartition("/")[2].startswith("output.")
        for item in per_file(_read_one)(replace(source, heads=(head,))):
            if isinstance(item, FoundTrial) and is_output and item.task.id in seen:
                earlier += 1
                continue
            if isinstance(item, FoundTrial):
                mine.add(item.task.id)
            yield item
        if is_output:
            seen |= mine
        if earlier:
            yield UsedFile(head.name)
            yield noted_defect(
                recorded_place(head), "rows of one run", f"{earlier} stand in another file, which counts"
            )


def _rank(head: Head) -> tuple[int, int]:
    """Files of a run by how much they count."""
    name = head.name.rpartition("/")[2]
    attempt = _ATTEMPT.fullmatch(name)
    if name.endswith(_EVALUATED):
        return 0, 0
    return (2, -int(attempt[1])) if attempt else (1, 0)


def _read_folder(first: Head, heads: list[Head]) -> Iterator[Item]:
    """The session of a folder with a file for each event.

    Raises:
        FormatError: None can be read.
    """
    events = []
    for head in sorted(heads, key=lambda head: int(_EVENT.fullmatch(head.name)[1])):  # type: ignore[index]
        try:
            events.append(nested_dict(head.json()))
        except FormatError as error:
            yield refused_defect(recorded_place(head), "unreadable file", str(error))
            continue
        if head is not first:
            yield UsedFile(head.name)
    found = unjudged_session(first, _hands_agent(events), Trajectory(steps=event_steps(events)))
    session = recorded_place(first).split("/")[-3:][0]
    yield found._replace(task=structs.replace(found.task, id=session))


def _read_one(head: Head) -> Iterator[Item]:
    """The session of a file, or the trials of its rows.

    Raises:
        FormatError: It cannot be read.
    """
    if not head.has_keys("history"):
        found = head.json()
        events = objects_of(found) or [nested_dict(found)]
        yield unjudged_session(head, _hands_agent(events), Trajectory(steps=event_steps(events)))
        return
    for number, row in head.json_lines():
        where = f"{recorded_place(head)}:{number}"
        if isinstance(row, dict):
            if isinstance(row.get("success"), bool):
                said = "success is what a model thinks of the work; no test was run: void"
                yield noted_defect(recorded_place(head), "judged by a model", said)
            yield _found_row(where, row)
        else:
            yield refused_line(where, row)


def _hands_agent(events: list[dict[str, object]], metadata: Mapping[str, object] | None = None) -> Agent:
    said = metadata or {}
    answers = (nested_dict(event, "tool_call_metadata", "model_response").get("model") for event in events)
    model = nested_dict(said, "llm_config").get("model") or nested_dict(said, "llm").get("model")
    model = model or next((name for name in answers if isinstance(name, str)), "")
    kind = storable_text(said.get("agent_class") or "")
    name = " ".join(filter(None, (_PROGRAM, kind, storable_text(model))))
    return Agent(
        name=name, program=_PROGRAM, version=storable_text(said.get("eval_note") or ""), model=storable_text(model)
    )


def _found_row(where: str, row: Mapping[str, object]) -> FoundTrial:
    events = [
        each
        for item in items_of(row.get("history"))
        for each in ([item] if isinstance(item, dict) else objects_of(item))
    ]
    steps = chat_steps(events) if events and "role" in events[0] else event_steps(events)
    issue, report = nested_dict(row, "issue"), nested_dict(row, "report")
    name = row.get("instance_id") or "-".join(
        storable_text(issue[key]) for key in ("owner", "repo", "number") if issue.get(key) is not None
    )
    said = report.get("resolved", nested_dict(row, "test_result", "report").get("resolved"))
    guess = row.get("success")
    error = row.get("error")
    outcome = Outcome.VOID if not isinstance(said, bool) else Outcome.PASSED if said else Outcome.FAILED
    reason = storable_text(error)[:500] if error else "not judged" if outcome is Outcome.VOID else ""
    if isinstance(guess, bool) and outcome is Outcome.VOID and not error:
        reason = f"not judged: a model thinks that it {'succeeded' if guess else 'failed'}"
    asked, patch = row.get("instruction"), row.get("git_patch") or nested_dict(row, "test_result").get("git_patch")
    metrics, tokens = nested_dict(row, "metrics"), nested_dict(row, "metrics", "accumulated_token_usage")
    task = Task(id=storable_text(name or where), instruction=storable_text(asked) if isinstance(asked, str) else "")
    made = imported_trial(
        where,
        outcome,
        reason=reason,
        usage=Usage(
            input_tokens=count_of(tokens.get("prompt_tokens")),
            output_tokens=count_of(tokens.get("completion_tokens")),
            cached_tokens=count_of(tokens.get("cache_read_tokens")),
            usd=number_of(metrics.get("accumulated_cost")),
        ),
    )
    agent = _hands_agent(events, nested_dict(row, "metadata"))
    return FoundTrial(agent, task, made, Trajectory(steps=steps), patch_file(patch))


def event_steps(events: list[dict[str, object]]) -> tuple[Step, ...]:
    """Events as steps."""
    draft = Draft()
    for number, event in enumerate(events):
        at = time_said(event.get("timestamp"))
        name = storable_text(event.get("id", number))
        if isinstance(event.get("kind"), str):
            _add_sdk_event(draft, event, at)
        elif "observation" in event:
            inner = event.get("exit_code", nested_dict(event, "extras", "metadata").get("exit_code"))
            text, cause = event.get("content", event.get("message")), event.get("cause")
            draft.add_observation(
                storable_text(text) if isinstance(text, str) else "",
                f"event-{storable_text(cause)}" if cause is not None else "",
                exit_status_of(nested_dict(event, "extras").get("exit_code", inner)),
            )
        else:
            _add_action(draft, event, name, at)
    return draft.steps()


def _add_sdk_event(draft: Draft, event: Mapping[str, object], at: str | None) -> None:
    """Adds an event of the newer SDK."""
    kind, call = event["kind"], storable_text(event.get("tool_call_id") or event.get("id") or "")
    said = nested_dict(event, "llm_message")
    if kind == "SystemPromptEvent":
        draft.add_prompt("system", text_of([nested_dict(event, "system_prompt")]), at=at)
    elif kind == "MessageEvent" and event.get("source") == "agent":
        draft.add_answer(text_of(said.get("content")), at=at)
    elif kind == "MessageEvent":
        draft.add_prompt("user", text_of(said.get("content")), at=at)
    elif kind == "ActionEvent":
        action = {name: value for name, value in nested_dict(event, "action").items() if name != "kind"}
        made = tool_call(call, event.get("tool_name") or nested_dict(event, "action").get("kind"), action)
        reasoning = storable_text(event.get("reasoning_content") or "")
        draft.add_answer(text_of(event.get("thought")), [made], reasoning=reasoning, at=at)
    elif kind in {"ObservationEvent", "AgentErrorEvent", "UserRejectObservation"}:
        seen = nested_dict(event, "observation")
        output = seen.get("output", seen.get("content", event.get("error", event.get("rejection_reason"))))
        draft.add_observation(text_of(output), call, exit_status_of(seen.get("exit_code")))


def _add_action(draft: Draft, event: Mapping[str, object], name: str, at: str | None) -> None:
    arguments = nested_dict(event, "args") or {key: value for key, value in event.items() if key not in _NO_ARGUMENTS}
    content = arguments.get("content", event.get("content", event.get("message")))
    text, kind = storable_text(content) if isinstance(content, str) else "", word_of(event.get("action"))
    if event.get("source") != "agent" and (
        kind in {"", "message", "recall", "system"} or event.get("source") == "user"
    ):
        draft.add_prompt("system" if kind == "system" else "user", text, at=at)
        return
    response = nested_dict(event, "tool_call_metadata", "model_response")
    usage = nested_dict(response, "usage")
    spent = Usage(
        input_tokens=count_of(usage.get("prompt_tokens")), output_tokens=count_of(usage.get("completion_tokens"))
    )
    thought = arguments.get("thought", event.get("thought"))
    more: dict[str, Any] = {"at": at, "model": storable_text(response.get("model") or ""), "usage": spent}
    if kind in {"", "message"}:
        draft.add_answer(text, (), **more)
        return
    given = {
        key: value
        for key, value in arguments.items()
        if key not in _NO_ARGUMENTS and not (value is None or value == "")
    }
    message = (
        storable_text(thought) if isinstance(thought, str) and thought else storable_text(event.get("message") or "")
    )
    draft.add_answer(message, [tool_call(f"event-{name}", kind, given)], **more)


READER = FileReader("openhands", recognises, read, patches="left")
