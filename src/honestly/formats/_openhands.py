"""OpenHands: a list of events (a session), and `output.jsonl` of its evaluations, whose rows have a history of them.

An action of the agent is a step with a call of that name; an observation answers the action that is its cause, or the
last one. A row of an evaluation says whether it succeeded (`success`, `test_result`, `report`): else it is void. An
error of the row is the reason why. The patch is kept as `patch.diff`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from honestly._loose import count_of, inside, items_of, objects_of, word_of
from honestly.formats._chat import Draft, chat_steps, tool_call
from honestly.formats._heads import Head
from honestly.formats._imported import number_of, storable
from honestly.formats._sources import FileReader, Found, Item, per_file, place, refused, trial, unjudged
from honestly.records import Agent, Outcome, Step, Task, Trajectory, Usage

_PROGRAM = "openhands"
_NO_ARGUMENTS = {
    *("thought", "is_confirmed", "confirmation_state", "keep_prompt", "action_risk", "security_risk", "action", "id"),
    *("timestamp", "source", "message", "timeout", "cause", "tool_call_metadata", "llm_metrics"),
}


def recognises(head: Head) -> bool:
    """Whether it is a list of events, or rows with a history of them."""
    if head.has("history") and (head.has("git_patch") or head.has("instruction") or b'"git_patch"' in head.end):
        return True
    return head.has("id", "timestamp", "source") and (head.has("action") or head.has("observation"))


@per_file
def read(head: Head) -> Iterator[Item]:
    """The session of a file, or the trials of its rows.

    Raises:
        FormatError: It cannot be read.
    """
    if not head.has("history"):
        found = head.json()
        events = objects_of(found) or [inside(found)]
        yield unjudged(head, _agent(events), Trajectory(steps=event_steps(events)))
        return
    for number, row in head.lines():
        where = f"{place(head)}:{number}"
        if isinstance(row, dict):
            yield _row(where, row)
        else:
            yield refused(where, "line refused", str(row) if isinstance(row, Exception) else "no object")


def _agent(events: list[dict[str, object]], metadata: Mapping[str, object] | None = None) -> Agent:
    said = metadata or {}
    answers = (inside(event, "tool_call_metadata", "model_response").get("model") for event in events)
    model = inside(said, "llm_config").get("model") or next((name for name in answers if isinstance(name, str)), "")
    kind = storable(said.get("agent_class") or "")
    name = " ".join(filter(None, (_PROGRAM, kind, storable(model))))
    return Agent(name=name, program=_PROGRAM, version=storable(said.get("eval_note") or ""), model=storable(model))


def _row(where: str, row: Mapping[str, object]) -> Found:
    events = [
        each
        for item in items_of(row.get("history"))
        for each in ([item] if isinstance(item, dict) else objects_of(item))
    ]
    steps = chat_steps(events) if events and "role" in events[0] else event_steps(events)
    issue, report = inside(row, "issue"), inside(row, "report")
    name = row.get("instance_id") or "-".join(
        storable(issue[key]) for key in ("owner", "repo", "number") if issue.get(key) is not None
    )
    said = row.get("success", report.get("resolved", inside(row, "test_result", "report").get("resolved")))
    error = row.get("error")
    outcome = Outcome.VOID if not isinstance(said, bool) else Outcome.PASSED if said else Outcome.FAILED
    reason = storable(error)[:500] if error else "" if isinstance(said, bool) else "not judged"
    instruction, patch = row.get("instruction"), row.get("git_patch") or inside(row, "test_result").get("git_patch")
    metrics = inside(row, "metrics")
    task = Task(id=storable(name or where), instruction=storable(instruction) if isinstance(instruction, str) else "")
    made = trial(
        where,
        Outcome.VOID if error and not isinstance(said, bool) else outcome,
        reason=reason,
        usage=Usage(usd=number_of(metrics.get("accumulated_cost"))),
    )
    files = {"patch.diff": storable(patch).encode()} if isinstance(patch, str) and patch.strip() else {}
    return Found(_agent(events, inside(row, "metadata")), task, made, Trajectory(steps=steps), files)


def event_steps(events: list[dict[str, object]]) -> tuple[Step, ...]:
    """Events as steps."""
    draft = Draft()
    for number, event in enumerate(events):
        at = storable(event["timestamp"]) if isinstance(event.get("timestamp"), str) else None
        name = storable(event.get("id", number))
        if "observation" in event:
            code = inside(event, "extras").get(
                "exit_code", event.get("exit_code", inside(event, "extras", "metadata").get("exit_code"))
            )
            text = event.get("content", event.get("message"))
            draft.seen(
                storable(text) if isinstance(text, str) else "",
                f"event-{storable(event['cause'])}" if event.get("cause") is not None else "",
                code if isinstance(code, int) and abs(code) < 1 << 31 else None,
            )
        else:
            _action(draft, event, name, at)
    return draft.steps()


def _action(draft: Draft, event: Mapping[str, object], name: str, at: str | None) -> None:
    arguments = inside(event, "args") or {key: value for key, value in event.items() if key not in _NO_ARGUMENTS}
    content = arguments.get("content", event.get("content", event.get("message")))
    text, kind = storable(content) if isinstance(content, str) else "", word_of(event.get("action"))
    if event.get("source") != "agent" and (
        kind in {"", "message", "recall", "system"} or event.get("source") == "user"
    ):
        draft.told("system" if kind == "system" else "user", text, at=at)
        return
    response = inside(event, "tool_call_metadata", "model_response")
    usage = inside(response, "usage")
    spent = Usage(
        input_tokens=count_of(usage.get("prompt_tokens")), output_tokens=count_of(usage.get("completion_tokens"))
    )
    thought = arguments.get("thought", event.get("thought"))
    more: dict[str, Any] = {"at": at, "model": storable(response.get("model") or ""), "usage": spent}
    if kind in {"", "message"}:
        draft.acted(text, (), **more)
        return
    given = {
        key: value
        for key, value in arguments.items()
        if key not in _NO_ARGUMENTS and not (value is None or value == "")
    }
    message = storable(thought) if isinstance(thought, str) and thought else storable(event.get("message") or "")
    draft.acted(message, [tool_call(f"event-{name}", kind, given)], **more)


READER = FileReader("openhands", recognises, read)
