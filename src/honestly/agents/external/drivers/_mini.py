"""mini-swe-agent, without a person: `mini -y --exit-immediately`. It saves its trajectory after every step."""

from collections.abc import Mapping
from typing import Any

from honestly._loose import nested_dict, objects_of
from honestly.agents.external._driver import (
    HOME,
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

_SETTINGS = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "MSWEA_CONFIGURED": "true",
    "MSWEA_COST_TRACKING": "ignore_errors",
    "MSWEA_GLOBAL_CONFIG_DIR": f"{HOME}/mini",
    "MSWEA_MODEL_RETRY_STOP_AFTER_ATTEMPT": "3",
    "MSWEA_SILENT_STARTUP": "1",
}
SAVED = "mini/trajectory.json"
"""Where it lies below the program's home."""

Object = dict[str, Any]


def read_own_record(_stdout: bytes, files: Mapping[str, bytes]) -> OwnRecord | None:
    """Read the trajectory."""
    saved = json_object(files.get(SAVED, b""))
    if saved is None or not isinstance(saved.get("messages"), list):
        return None
    messages = objects_of(saved["messages"])
    answers = {str(message.get("tool_call_id")): message for message in messages if message.get("role") == "tool"}
    calls = [call for message in messages for call in objects_of(message.get("tool_calls"))]
    replies = [message for message in messages if message.get("role") == "assistant"]
    usages = [nested_dict(message, "extra", "response", "usage") for message in replies]
    return OwnRecord(
        calls=tuple(_own_call(call, answers.get(str(call.get("id")))) for call in calls),
        usage=summed_usage([counted_usage(used, read="prompt_tokens", written="completion_tokens") for used in usages]),
        stop=str(nested_dict(saved, "info").get("exit_status", "")),
    )


def _own_call(call: Object, answer: Object | None) -> OwnCall:
    code = nested_dict(answer, "extra").get("returncode")
    return OwnCall(
        id=str(call.get("id")),
        name=str(nested_dict(call, "function").get("name", "")),
        result=text_of(answer.get("content")) if answer else None,
        code=code if isinstance(code, int) else None,
    )


def _launch_mini(start: Start) -> Launch:
    url = f"{start.url}/v1"
    env = {"OPENAI_API_KEY": start.token, "OPENAI_API_BASE": url, "OPENAI_BASE_URL": url, **_SETTINGS}
    flags = ("-y", "--exit-immediately", "-o", f"{HOME}/{SAVED}", "-m", f"openai/{start.model}", "-t")
    effort = ("-c", "mini.yaml", "-c", f"model.model_kwargs.reasoning_effort={start.effort}") if start.effort else ()
    return Launch(argv=(*start.program, *effort, *start.flags, *flags, start.instruction), env=env)


MINI = Driver(
    name="mini-swe-agent", program="mini", distribution="mini-swe-agent", launch=_launch_mini, read=read_own_record,
    kept=(SAVED,),
    takes=frozenset(("effort",)),
)  # fmt: skip
