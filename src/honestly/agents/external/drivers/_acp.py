"""Any program that speaks the Agent Client Protocol: `acp:gemini --acp`, `acp:claude-agent-acp`, `acp:codex-acp`.

Its record is what it said on the wire, which it cannot change afterwards. The protocol tells less than models hear: a
call may have no name and no result, and an id of the program's own making. Tokens are those of the reply to the
instruction, where it has them; what the protocol calls input leaves out the cache.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from honestly._loose import items_of, nested_dict
from honestly.agents.external._acp import RECORD, acp_conversation
from honestly.agents.external._driver import (
    Driver,
    Launch,
    OwnCall,
    OwnRecord,
    Start,
    counted_usage,
    first_value,
    json_lines,
)
from honestly.agents.external.drivers._claude_code import CLAUDE_CODE
from honestly.agents.external.drivers._codex import CODEX
from honestly.agents.external.drivers._command import INSTRUCTION, client_variables, filled_arguments, words_of
from honestly.agents.external.drivers._gemini import GEMINI
from honestly.records import Usage

_KNOWN = {"claude-agent-acp": CLAUDE_CODE, "claude-code-acp": CLAUDE_CODE, "codex-acp": CODEX, "gemini": GEMINI}
"""Programs whose variables and files a driver knows; others find their model by the usual variables."""


_FAILED = re.compile(r"Exit code:? (\d{1,9})\b")
Object = dict[str, Any]


def read_own_record(_stdout: bytes, files: Mapping[str, bytes]) -> OwnRecord | None:
    """Read the calls, put together from all that was said of each; the session, the tokens and the end."""
    lines = list(json_lines(files.get(RECORD, b"")))
    said = [nested_dict(line, "message") for line in lines if line.get("by") == "program"]
    if not any(said):
        return None
    calls: dict[str, Object] = {}
    for message in said:
        asked, update = nested_dict(message, "params", "toolCall"), nested_dict(message, "params", "update")
        if message.get("method") == "session/request_permission":
            _add_update(calls.setdefault(str(asked.get("toolCallId")), {}), asked)
        elif update.get("sessionUpdate") in ("tool_call", "tool_call_update"):
            _add_update(calls.setdefault(str(update.get("toolCallId")), {}), update)
    replies = [nested_dict(message, "result") for message in said]
    ends = [reply for reply in replies if "stopReason" in reply]
    errors = [str(nested_dict(message, "error").get("message")) for message in said if "error" in message]
    last = ends[-1] if ends else {}
    return OwnRecord(
        calls=tuple(_own_call(key, call) for key, call in calls.items()),
        usage=_acp_usage(last),
        helpers=False,
        session=first_value(replies, "sessionId"),
        stop=str(last.get("stopReason", "")) or (f"error: {errors[-1]}"[:500] if errors else ""),
        failed=bool(errors) and not ends,
    )


def _add_update(call: Object, update: Object) -> None:
    call |= {key: value for key, value in update.items() if value is not None and key != "_meta"}
    meta = nested_dict(update, "_meta")
    call["printed"] = call.get("printed", "") + str(nested_dict(meta, "terminal_output_delta").get("data", ""))
    call["code"] = nested_dict(meta, "terminal_exit").get("exit_code", call.get("code"))


def _own_call(key: str, call: Object) -> OwnCall:
    ended = call.get("status") in ("completed", "failed")
    raw = call.get("rawOutput")
    text = raw if isinstance(raw, str) else "\n".join(_texts(call.get("content"))) or str(call.get("printed", ""))
    told = [call.get("code"), *(nested_dict(call, "rawOutput").get(name) for name in ("exit_code", "exitCode"))]
    code = next((number for number in told if isinstance(number, int)), None)
    failed = _FAILED.match(text)
    if code is None and failed:
        code = int(failed[1])
    return OwnCall(id=key, name=str(call.get("name", "")), result=text if ended else None, code=code)


def _texts(content: object) -> Iterator[str]:
    for part in items_of(content):
        text = nested_dict(part, "content").get("text")
        if isinstance(text, str):
            yield text


def _acp_usage(reply: Object) -> Usage:
    """The usage in the reply; Gemini CLI does it in words of its own."""
    known = {key: value for key, value in nested_dict(reply, "usage").items() if isinstance(value, int)}
    if "inputTokens" not in known:
        return counted_usage(
            nested_dict(reply, "_meta", "quota", "token_count"), read="input_tokens", written="output_tokens"
        )
    cached, written = known.get("cachedReadTokens", 0), known.get("cachedWriteTokens", 0)
    return Usage(
        input_tokens=known["inputTokens"] + cached + written,
        output_tokens=known.get("outputTokens"),
        cached_tokens=cached,
    )


def acp_driver(line: str) -> Driver:
    """The driver of a command line whose program speaks ACP.

    Raises:
        AgentError: It makes no sense.
    """
    program, *rest = words_of(line, "acp:my-agent --acp")
    known = _KNOWN.get(Path(program).name)

    def launch(start: Start) -> Launch:
        usual = known.launch(start) if known else Launch(argv=())
        return Launch(
            argv=(*start.program, *filled_arguments(tuple(rest), start)),
            env={
                **client_variables(start),
                **usual.env,
                "INITIAL_AGENT_MODE": "agent-full-access",
            },  # of Codex' adapter
            files={**usual.files, INSTRUCTION: start.instruction},
            stdin=start.instruction,
        )

    kept = known.kept if known else ()
    return Driver(
        name="acp", program=program, launch=launch, read=read_own_record, converse=acp_conversation, kept=kept
    )
