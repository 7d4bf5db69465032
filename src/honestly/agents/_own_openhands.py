"""OpenHands' own record: the event files. Its standard output is prose mixed with JSON, and lacks the system prompt."""

from __future__ import annotations

from collections.abc import Mapping

from honestly.agents._own import OwnCall, OwnRecord, json_object, text_of

__all__ = ["read"]


def read(_stdout: bytes, files: Mapping[str, bytes]) -> OwnRecord | None:
    """The events, one in each file."""
    if not files:
        return None
    names: dict[str, str] = {}
    results: dict[str, str] = {}
    for path in sorted(files):
        event = json_object(files[path]) or {}
        key, seen = str(event.get("tool_call_id", "")), event.get("observation")
        if not key:
            continue
        if event.get("kind") == "ActionEvent":
            names[key] = str(event.get("tool_name"))
        elif event.get("kind") == "ObservationEvent":
            results[key] = text_of(seen.get("content")) if isinstance(seen, dict) else ""
        elif event.get("kind") == "AgentErrorEvent":
            results[key] = str(event.get("error", ""))
    return OwnRecord(calls=tuple(OwnCall(id=key, name=name, result=results.get(key)) for key, name in names.items()))
