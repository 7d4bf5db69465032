"""Gemini CLI's own record: its stream of JSON.

Gemini's API gives calls no ids, so that the program makes its own; calls are compared by name.
"""

from collections.abc import Mapping

from honestly.agents.external.transcripts._transcript import OwnCall, OwnRecord, counted, first, json_lines, text_of


def read(stdout: bytes, _files: Mapping[str, bytes]) -> OwnRecord | None:
    """The stream."""
    lines = list(json_lines(stdout))
    if not lines:
        return None
    results = {
        str(line.get("tool_id")): text_of(line.get("output", "")) for line in lines if line.get("type") == "tool_result"
    }
    used = [(str(line.get("tool_name")), str(line.get("tool_id"))) for line in lines if line.get("type") == "tool_use"]
    ends = [line for line in lines if line.get("type") == "result"]
    last = ends[-1] if ends else {}
    return OwnRecord(
        calls=tuple(OwnCall(id="", name=name, result=results.get(key)) for name, key in used),
        usage=counted(last.get("stats"), read="input_tokens", written="output_tokens", cached="cached"),
        session=first(lines, "session_id"),
        stop=str(last.get("status", "")),
    )
