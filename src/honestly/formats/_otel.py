"""OpenTelemetry's spans of agents and models (GenAI conventions), in OTLP's JSON: a trace is a trial, there and back.

A span of a model's answer (`gen_ai.operation.name` `chat` and its kin) is a step of the agent, with the messages that
its attributes or its events hold; a span of a tool (`execute_tool`) gives the result of a call. What the model was told
before its first answer stands before it. Nobody judged a trace: it is void, unless it is one that we wrote, which says
its outcome in attributes `honestly.*`. Summaries of which attributes spans have are refused: no span is in them.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from honestly._loose import count_of, items_of, nested_dict, objects_of, word_of
from honestly.errors import FormatError
from honestly.formats._chat import Draft, text_of, tool_call
from honestly.formats._files import parse_json
from honestly.formats._heads import Head
from honestly.formats._imported import beside_of, beside_text, first_request, storable_text
from honestly.formats._seams import Exported
from honestly.formats._sources import (
    FileReader,
    FoundTrial,
    Item,
    Source,
    UsedFile,
    imported_trial,
    noted_defect,
    per_file,
    recorded_place,
    refused_defect,
    share_of,
    total_usage,
)
from honestly.records import Agent, Outcome, Step, Tags, Task, Trajectory, Usage

_ANSWERS = {"chat", "generate_content", "text_completion", "inference"}
_SPEAKERS = {"system", "developer", "user"}
_TRACE = re.compile(rb'"traceId": ?"([0-9a-zA-Z+/=]{1,64})"')
# Messages as attributes, by the conventions of 2024 (OpenLLMetry).
_KNOWN = ("gen_ai.", "llm.", "honestly.")
"""How attributes begin that are read."""
_OLD = re.compile(r"gen_ai\.(prompt|completion)\.(\d{1,4})\.(role|content)")
_OLD_TOKENS = {"prompt_tokens": "input_tokens", "completion_tokens": "output_tokens"}
_NANO = 1e9
# What is larger is no time.
_MOST_NANO = 1 << 63
Span = tuple[dict[str, object], dict[str, object]]
"""A span, and its attributes as plain values."""


def recognises(head: Head) -> bool:
    """Whether it is OTLP's JSON, or a summary of scenarios of these conventions."""
    return head.has_keys("resourceSpans") or (
        head.is_json and head.keys <= {"spans", "events", "metrics"} and b'"gen_ai.' in head.start
    )


def read(source: Source) -> Iterator[Item]:
    """A trial for each trace, which may lie in several files of an exporter that starts new ones."""
    # The files of each trace, of those that lie in several.
    files: dict[str, list[Head]] = defaultdict(list)
    if len(source.heads) > 1:
        for head in source.heads:
            for name in dict.fromkeys(_trace_ids(head)):
                files[name].append(head)
    parts: dict[str, list[Span]] = defaultdict(list)
    yield from per_file(partial(_read_file, files=files, parts=parts))(source)


def _trace_ids(head: Head) -> Iterator[str]:
    try:
        return (found[1].decode() for found in _TRACE.finditer(head.whole_file()))
    except FormatError:
        return iter(())


def _read_file(head: Head, files: Mapping[str, list[Head]], parts: dict[str, list[Span]]) -> Iterator[Item]:
    """The traces of a file; of one that lies in several, all spans once the last of its files is read.

    Raises:
        FormatError: It cannot be read.
    """
    if not head.has_keys("resourceSpans"):
        yield refused_defect(
            recorded_place(head), "no results", "a summary of which attributes spans have: no span is in it"
        )
        return
    traces: dict[str, list[Span]] = defaultdict(list)
    for number, row in head.json_lines() if head.is_lines else ((1, head.json()),):
        if not isinstance(row, dict):
            yield refused_defect(f"{recorded_place(head)}:{number}", "line refused", str(row))
            continue
        for resource in objects_of(row.get("resourceSpans")):
            for scope in objects_of(resource.get("scopeSpans")):
                for span in objects_of(scope.get("spans")):
                    traces[storable_text(span.get("traceId") or "")].append(
                        (span, plain_attributes(span.get("attributes")))
                    )
    if not traces:
        yield refused_defect(recorded_place(head), "no results", "no span is in it")
    for name, spans in traces.items():
        own = files.get(name, [head])
        if len(own) > 1:
            parts[name] += spans
            if head is not own[-1]:
                yield UsedFile(head.name)
                said = f"trace {name} continues in {recorded_place(own[-1])}: one trial"
                yield noted_defect(recorded_place(head), "trace in several files", said)
                continue
            spans = parts.pop(name)
        spans.sort(
            key=lambda each: (
                _nanoseconds_of(each[0].get("startTimeUnixNano")),
                each[0].get("parentSpanId") is not None,
            )
        )
        if not any(key.startswith(_KNOWN) for _, said in spans for key in said):
            why = f"none of its {len(spans)} spans has an attribute of the conventions for models and agents (gen_ai.*)"
            yield refused_defect(f"{recorded_place(head)}#{name}", "no results", why)
            continue
        yield _found_trace(f"{recorded_place(head)}#{name}", name, spans)


def plain_attributes(found: object) -> dict[str, object]:
    """Attributes as plain values; a list or an object stays one. Names of 2024 (OpenLLMetry) become today's."""
    said = {storable_text(each.get("key")): _attribute_value(each.get("value")) for each in objects_of(found)}
    if "llm.request.type" in said:
        said.setdefault("gen_ai.operation.name", said["llm.request.type"])
    for old, new in _OLD_TOKENS.items():
        if f"gen_ai.usage.{old}" in said:
            said.setdefault(f"gen_ai.usage.{new}", said[f"gen_ai.usage.{old}"])
    parts: dict[str, dict[int, dict[str, object]]] = {"prompt": {}, "completion": {}}
    for name, value in said.items():
        if old_name := _OLD.fullmatch(name):
            parts[old_name[1]].setdefault(int(old_name[2]), {})[old_name[3]] = value
    for kind, name in (("prompt", "gen_ai.input.messages"), ("completion", "gen_ai.output.messages")):
        if parts[kind]:
            said.setdefault(name, [{"role": "assistant", **parts[kind][at]} for at in sorted(parts[kind])])
    return said


def _attribute_value(value: object) -> object:
    said = nested_dict(value)
    if "intValue" in said:
        text = storable_text(said["intValue"])
        return int(text) if text.lstrip("-").isdigit() and len(text) < 19 else None
    if "arrayValue" in said:
        return [_attribute_value(each) for each in items_of(nested_dict(said, "arrayValue").get("values"))]
    if "kvlistValue" in said:
        return plain_attributes(nested_dict(said, "kvlistValue").get("values"))
    return next((said[key] for key in ("stringValue", "boolValue", "doubleValue") if key in said), None)


def _nanoseconds_of(value: object) -> int:
    text = storable_text(value)
    return min(int(text), _MOST_NANO) if text.isdigit() and len(text) < 20 else 0


def _time_from_nano(value: object) -> str | None:
    nano = _nanoseconds_of(value)
    return datetime.fromtimestamp(nano / _NANO, UTC).isoformat() if 0 < nano < _MOST_NANO else None


def _found_trace(where: str, name: str, spans: list[Span]) -> FoundTrial:
    draft, before = Draft(), list[tuple[str, str]]()
    for span, said in spans:
        operation = storable_text(said.get("gen_ai.operation.name") or "")
        if operation in _ANSWERS:
            _add_answer(draft, span, said, before)
        elif operation == "execute_tool":
            result = said.get("gen_ai.tool.call.result", said.get("gen_ai.tool.result"))
            text = result if isinstance(result, str) else "" if result is None else json.dumps(result)
            draft.add_observation(storable_text(text), storable_text(said.get("gen_ai.tool.call.id") or ""))
    merged = {key: value for _, said in reversed(spans) for key, value in said.items()}
    model = storable_text(merged.get("gen_ai.request.model") or merged.get("gen_ai.response.model") or "")
    named = storable_text(merged.get("gen_ai.agent.name") or merged.get("honestly.agent") or "")
    trajectory = Trajectory(steps=draft.steps(), session=storable_text(merged.get("gen_ai.conversation.id") or ""))
    outcome, reason = storable_text(merged.get("honestly.outcome") or ""), "not judged"
    known = outcome in set(Outcome)
    sample = count_of(merged.get("honestly.sample"))
    made = imported_trial(
        where,
        Outcome(outcome) if known else Outcome.VOID,
        -1 if sample is None else sample,
        reason=storable_text(merged.get("honestly.reason") or "") if known else reason,
        score=share_of(merged.get("honestly.score")),
        usage=total_usage(step.usage for step in trajectory.steps),
        started_at=_time_from_nano(spans[0][0].get("startTimeUnixNano")),
    )
    instruction = first_request(trajectory.steps)
    tags = beside_of(merged.get("honestly.beside")).tags
    tags = Tags(variant="impossible") if merged.get("honestly.variant") == "impossible" else tags
    task = Task(id=storable_text(merged.get("honestly.task") or name), instruction=instruction, tags=tags)
    agent = Agent(
        name=named or model or "agent", program=storable_text(merged.get("gen_ai.agent.id") or ""), model=model
    )
    return FoundTrial(agent, task, made, trajectory)


def _span_messages(found: object) -> list[dict[str, object]]:
    if isinstance(found, str):
        try:
            found = parse_json(found.encode("utf-8", "replace"))
        except FormatError:
            return []
    return objects_of(found)


def _add_answer(
    draft: Draft, span: Mapping[str, object], said: Mapping[str, object], before: list[tuple[str, str]]
) -> None:
    """Adds the answer of a model, and before it what it was told that it was not told before."""
    events = [plain_attributes(event.get("attributes")) for event in objects_of(span.get("events"))]
    told = {key: value for event in events for key, value in event.items()} | dict(said)
    system: list[dict[str, object]] = [
        {"role": "system", "parts": [part]} for part in _span_messages(told.get("gen_ai.system_instructions"))
    ]
    asked = [*system, *_span_messages(told.get("gen_ai.input.messages"))]
    spoken = [
        (storable_text(each.get("role")), _message_text(each))
        for each in asked
        if word_of(each.get("role")) in _SPEAKERS
    ]
    # Most inputs hold all that was said so far; some only what is new.
    known = spoken[: len(before)] == before
    for role, text in spoken[len(before) if known else 0 :]:
        draft.add_prompt("user" if role == "user" else "system", text)
    before[:] = spoken if known else [*before, *spoken]
    calls, texts, thoughts = [], [], []
    for message in _span_messages(told.get("gen_ai.output.messages")):
        texts.append(_message_text(message))
        for part in objects_of(message.get("parts")):
            if part.get("type") == "tool_call":
                calls.append(
                    tool_call(storable_text(part.get("id") or "call"), part.get("name"), part.get("arguments"))
                )
            elif word_of(part.get("type")) in {"reasoning", "thinking"}:
                thoughts.append(text_of(part.get("content")))
    draft.add_answer(
        "\n".join(filter(None, texts)),
        calls,
        reasoning="\n".join(filter(None, thoughts)),
        at=_time_from_nano(span.get("startTimeUnixNano")),
        model=storable_text(said.get("gen_ai.response.model") or said.get("gen_ai.request.model") or ""),
        usage=Usage(
            input_tokens=count_of(said.get("gen_ai.usage.input_tokens")),
            output_tokens=count_of(said.get("gen_ai.usage.output_tokens")),
            cached_tokens=count_of(said.get("gen_ai.usage.cache_read.input_tokens")),
        ),
    )


def _message_text(message: Mapping[str, object]) -> str:
    parts = [part for part in objects_of(message.get("parts")) if part.get("type", "text") == "text"]
    return "\n".join(text_of(part.get("content")) for part in parts) or text_of(message.get("content"))


def export_otel(trials: Iterable[Exported], folder: Path) -> Iterator[str]:
    """Writes `traces.jsonl`: a line of OTLP's JSON for each trial."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "traces.jsonl").open("w", encoding="utf-8") as file:
        for each in trials:
            if each.trajectory is None or not each.trajectory.steps:
                yield "it has no trajectory"
                continue
            file.write(json.dumps({"resourceSpans": [_resource_spans(each)]}) + "\n")
            yield ""


class MadeSpan(NamedTuple):
    """A span made from a trial, without names and times."""

    name: str
    said: Mapping[str, object]
    """Attributes; None where there is nothing to say."""
    parent: int
    """Number of the span above it; -1 for the first."""
    step: Step | None = None
    """The step that it is of."""


def spans_of(each: Exported, *, contents: bool = True) -> list[MadeSpan]:
    """The agent's part of a trial as spans, in the order of the steps: `invoke_agent`, and below it all others.

    Args:
        each: the trial.
        contents: whether messages, arguments and results are in them.
    """
    trial, steps = each.trial, each.trajectory.steps if each.trajectory else ()
    root = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": each.agent.name,
        "gen_ai.agent.id": each.agent.program or None,
        "gen_ai.request.model": each.agent.model or None,
        "honestly.task": trial.task,
        "honestly.sample": trial.sample,
        "honestly.outcome": str(trial.outcome),
        "honestly.reason": trial.reason or None,
        "honestly.score": trial.score,
        "honestly.beside": beside_text(trial, each.task.tags) or None,
    }
    spans = [MadeSpan(f"invoke_agent {each.agent.name}", root, -1)]
    told: list[dict[str, object]] = []
    for step in steps:
        if step.source != "agent":
            told.append({"role": step.source, "parts": [{"type": "text", "content": step.message}]})
            continue
        spans += _step_spans(step, told, contents=contents)
        told = []
    return spans


def _step_spans(step: Step, told: list[dict[str, object]], *, contents: bool) -> Iterator[MadeSpan]:
    parts: list[dict[str, object]] = [{"type": "reasoning", "content": step.reasoning}] if step.reasoning else []
    parts += [{"type": "text", "content": step.message}] if step.message else []
    for call in step.calls:
        arguments = {name: call.argument(name) for name in call.arguments}
        parts.append({"type": "tool_call", "id": call.id, "name": call.name, "arguments": arguments})
    messages = {
        "gen_ai.input.messages": json.dumps(told) if told else None,
        "gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": parts}]),
    }
    said = {
        "gen_ai.operation.name": "chat",
        "gen_ai.response.model": step.model or None,
        **(messages if contents else {}),
        "gen_ai.usage.input_tokens": step.usage.input_tokens,
        "gen_ai.usage.output_tokens": step.usage.output_tokens,
        "gen_ai.usage.cache_read.input_tokens": step.usage.cached_tokens,
    }
    yield MadeSpan("chat", said, 0, step)
    names = {call.id: call.name for call in step.calls}
    for seen in step.observations:
        tool = names.get(seen.call_id or "", "tool")
        result = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": tool,
            "gen_ai.tool.call.id": seen.call_id,
            "gen_ai.tool.call.result": seen.text if contents else None,
        }
        yield MadeSpan(f"execute_tool {tool}", result, 0, step)


def _resource_spans(each: Exported) -> dict[str, object]:
    trial = each.trial
    trace = blake2b(trial.id.encode(), digest_size=16).hexdigest()
    start = int(datetime.fromisoformat(trial.started_at).timestamp() * _NANO) if trial.started_at else 1
    spans = []
    for number, span in enumerate(spans_of(each)):
        # In order: times of steps are often unknown.
        at = str(start + number)
        kept = [_attribute_pair(name, value) for name, value in span.said.items() if value is not None]
        times = {"startTimeUnixNano": at, "endTimeUnixNano": at}
        parent = "" if span.parent < 0 else _span_id(trial.id, span.parent)
        names = {"traceId": trace, "spanId": _span_id(trial.id, number), "parentSpanId": parent, "name": span.name}
        spans.append({**names, "kind": 1, **times, "attributes": kept})
    return {"resource": {"attributes": [_attribute_pair("service.name", "honestly")]}, "scopeSpans": [{"spans": spans}]}


def _span_id(trial: str, number: int) -> str:
    return blake2b(f"{trial}.{number}".encode(), digest_size=8).hexdigest()


def _attribute_pair(key: str, value: object) -> dict[str, object]:
    kinds = {bool: "boolValue", int: "intValue", float: "doubleValue"}
    kind = kinds.get(type(value), "stringValue")
    return {"key": key, "value": {kind: str(value) if kind in {"intValue", "stringValue"} else value}}


READER = FileReader("otel", recognises, read)
