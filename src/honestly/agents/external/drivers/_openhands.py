"""OpenHands' command line, without a person: `openhands --headless`.

Its record is its event files, and the state of the conversation beside them, which holds the tokens; its standard
output is prose mixed with JSON, and lacks the system prompt.
"""

from collections.abc import Mapping
from typing import Any

from honestly._loose import nested_dict
from honestly.agents.external._driver import (
    Driver,
    Launch,
    OwnCall,
    OwnRecord,
    Start,
    counted_usage,
    json_object,
    summed_usage,
    text_of,
)
from honestly.records import Usage

_FLAGS = ("--headless", "--json", "--override-with-envs", "-t")
KEPT = (".openhands/conversations/*/events/*.json", ".openhands/conversations/*/base_state.json")
"""Where its record lies below the program's home."""


def read_own_record(_stdout: bytes, files: Mapping[str, bytes]) -> OwnRecord | None:
    """Read the events, one in each file, and the state."""
    if not files:
        return None
    names: dict[str, str] = {}
    answers: dict[str, dict[str, Any]] = {}
    state: dict[str, Any] = {}
    for path in sorted(files):
        found = json_object(files[path]) or {}
        if path.endswith("/base_state.json"):
            state = found
        elif "tool_call_id" in found and found.get("kind") == "ActionEvent":
            names[str(found["tool_call_id"])] = str(found.get("tool_name"))
        elif "tool_call_id" in found:
            answers[str(found["tool_call_id"])] = found
    ended = str(state.get("execution_status", ""))
    return OwnRecord(
        calls=tuple(_own_call(key, name, answers.get(key)) for key, name in names.items()),
        usage=_openhands_usage(state.get("stats")),
        session=str(state.get("id", "")),
        stop=ended,
        failed=ended == "error",  # the exit status is 0 whatever happened
    )


def _own_call(key: str, name: str, answer: dict[str, Any] | None) -> OwnCall:
    if answer is None:
        return OwnCall(id=key, name=name)
    seen = answer.get("observation")
    if not isinstance(seen, dict):
        return OwnCall(id=key, name=name, result=str(answer.get("error", "")))
    code = seen.get("exit_code")
    return OwnCall(
        id=key,
        name=name,
        result=text_of(seen.get("content")),
        code=code if isinstance(code, int) and code >= 0 else None,
    )


def _openhands_usage(stats: object) -> Usage:
    """All models together: the agent's, and the one that condenses."""
    totals = [nested_dict(one, "accumulated_token_usage") for one in nested_dict(stats, "usage_to_metrics").values()]
    names = {"read": "prompt_tokens", "written": "completion_tokens", "cached": "cache_read_tokens"}
    return summed_usage([counted_usage(total, **names) for total in totals])


def _launch_openhands(start: Start) -> Launch:
    env = {
        "LLM_BASE_URL": f"{start.url}/v1",
        "LLM_API_KEY": start.token,
        "LLM_MODEL": f"openai/{start.model}",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "OPENHANDS_SUPPRESS_BANNER": "1",
        "NO_COLOR": "1",
    }
    return Launch(argv=(*start.program, *_FLAGS, start.instruction), env=env)


OPENHANDS = Driver(
    name="openhands", program="openhands", distribution="openhands", launch=_launch_openhands, read=read_own_record,
    kept=KEPT,
    lasting_shell=True,
)  # fmt: skip
