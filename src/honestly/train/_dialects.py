"""Chats as the agents of others are trained on them: OpenHands, SWE-agent, AgentLab.

The three write calls of tools as text. The layouts are those of the training sets of ADP (agent-data-protocol,
`agents/*/std_to_sft.py`): turns of `from` and `value`, with the system's text beside; of AgentLab a row for each action
in a browser. Our tools `bash`, `python`, `edit` and `finish` get the names and arguments of theirs; others keep their
own. The system's text is the trial's, not the one of their agent.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import msgspec

from honestly.train._training_rows import Message, UnusableError

_Call = tuple[str, Mapping[str, Any]]
_EDITS = {"view": "view", "create": "create", "replace": "str_replace", "insert": "insert", "undo": "undo_edit"}
_OBSERVED = "[ref="
"""What a snapshot of a page holds."""


def _edit(given: Mapping[str, Any]) -> dict[str, Any]:
    named = {
        "command": _EDITS.get(str(given.get("action", "")), given.get("action")),
        "path": given.get("path"),
        "file_text": given.get("text") if given.get("action") == "create" else None,
        "new_str": given.get("text") if given.get("action") == "insert" else given.get("new"),
        "old_str": given.get("old"),
        "insert_line": given.get("line"),
        "view_range": [given["start"], given.get("end", -1)] if given.get("start") else None,
    }
    return {name: value for name, value in named.items() if value not in (None, "")}


def _openhands_call(name: str, given: Mapping[str, Any]) -> _Call:
    if name == "bash":
        return "execute_bash", given
    if name == "python":
        return "execute_ipython_cell", given
    if name == "edit":
        return "str_replace_editor", _edit(given)
    if name == "finish":
        done = {"message": given.get("summary", ""), "task_completed": str(given.get("outcome") == "done").lower()}
        return "finish", done
    return name, given


def _swe_agent_call(name: str, given: Mapping[str, Any]) -> _Call:
    if name == "edit":
        return "str_replace_editor", _edit(given)
    return ("submit", {}) if name == "finish" else (name, given)


def _call_text(name: str, given: Mapping[str, Any]) -> str:
    values = (value if isinstance(value, str) else msgspec.json.encode(value).decode() for value in given.values())
    inside = "".join(f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in zip(given, values, strict=True))
    return f"<function={name}>\n{inside}</function>"


def _message_calls(message: Message) -> list[_Call]:
    found: list[_Call] = []
    for call in message.get("tool_calls", ()):
        function = call["function"]
        given = msgspec.json.decode(function["arguments"])
        found.append((function["name"], given if isinstance(given, dict) else {"value": given}))
    return found


def _turns(
    messages: Iterable[Message],
    renamed: Callable[[str, Mapping[str, Any]], _Call],
    result: Callable[[str, str], str],
    roles: Mapping[str, str],
) -> tuple[str, list[dict[str, str]]]:
    """The system's text, and the turns; a step with several calls is left out, since theirs have one."""
    system: list[str] = []
    turns: list[dict[str, str]] = []
    last = ""
    for message in messages:
        text = message["content"]
        if message["role"] == "system":
            system.append(text)
        elif message["role"] == "user":
            turns.append({"from": "human", "value": text})
        elif message["role"] == "tool":
            turns.append({"from": roles["observation"], "value": result(last, text)})
        else:
            calls = [renamed(*each) for each in _message_calls(message)]
            if len(calls) > 1:
                raise UnusableError("a step has several calls, which this form has no place for")
            last = calls[0][0] if calls else ""
            said = [message.get("reasoning_content", ""), text, *(_call_text(*each) for each in calls)]
            role = roles["function_call"] if calls else "gpt"
            turns.append({"from": role, "value": "\n\n".join(filter(None, said))})
    return "\n\n".join(system), turns


def _openhands_rows(messages: list[Message], name: str) -> Iterator[dict[str, Any]]:
    def result(call: str, text: str) -> str:
        return f"EXECUTION RESULT of [{call}]:\n{text}" if call else text

    roles = {"function_call": "function_call", "observation": "observation"}
    system, turns = _turns(messages, _openhands_call, result, roles)
    yield {"id": name, "conversations": turns, "system": system}


def _swe_agent_rows(messages: list[Message], name: str) -> Iterator[dict[str, Any]]:
    roles = {"function_call": "gpt", "observation": "human"}
    system, turns = _turns(messages, _swe_agent_call, lambda _, text: f"OBSERVATION:\n{text}", roles)
    yield {"id": name, "conversations": turns, "system": system}


def _browser_action(given: Mapping[str, Any]) -> str:
    """An action of BrowserGym; empty where it has none for it."""

    def said(*values: object) -> str:
        return ", ".join(msgspec.json.encode(value).decode() for value in values)

    action, target, text = given.get("action"), given.get("target", ""), given.get("text", "")
    match action:
        case "goto":
            return f"goto({said(given.get('url', ''))})"
        case "back" | "new_tab":
            return {"back": "go_back()", "new_tab": "new_tab()"}[action]
        case "close_tab":
            return "tab_close()"
        case "tab":
            return f"tab_focus({said(int(given.get('tab', 1)) - 1)})"
        case "click" | "hover":
            return f"{action}({said(target)})"
        case "type":
            return f"fill({said(target, text)})"
        case "press":
            return f"press({said(target, text)})" if target else f"keyboard_press({said(text)})"
        case "select":
            return f"select_option({said(target, given.get('values') or text)})"
        case "scroll" if not target:
            return {"down": "scroll(0, 500)", "up": "scroll(0, -500)"}.get(given.get("direction", "down"), "")
        case "snapshot" | "wait":
            return "noop()"
    return ""


def _agentlab_rows(messages: list[Message], name: str) -> Iterator[dict[str, Any]]:
    goal = next(message["content"] for message in messages if message["role"] == "user")
    system = "\n\n".join(message["content"] for message in messages if message["role"] == "system")
    tree, past, count = "", list[str](), 0
    for message in messages:
        if message["role"] == "tool":
            tree = message["content"] if _OBSERVED in message["content"] else tree
        if message["role"] != "assistant":
            continue
        calls = _message_calls(message)
        if len(calls) > 1:
            raise UnusableError("a step has several calls, which this form has no place for")
        action = f"send_msg_to_user({msgspec.json.encode(message['content']).decode()})"
        for used, given in calls:
            if used == "browser":
                action = _browser_action(given)
            elif used == "finish":
                action = f"send_msg_to_user({msgspec.json.encode(given.get('summary', '')).decode()})"
            else:
                raise UnusableError("it used other tools than a browser, which this form has no place for")
        if not action:
            raise UnusableError("an action in the browser is none of BrowserGym's")
        thought = "\n\n".join(filter(None, (message.get("reasoning_content", ""), message["content"])))
        said = msgspec.json.encode({"thought": thought, "action": action}).decode()
        parts = [f"# Goal\n{goal}", tree and f"# Current page Accessibility Tree\n{tree}"]
        parts.append("# History of past actions\n" + "\n".join(past))
        asked = {"role": "user", "content": "\n\n".join(filter(None, parts))}
        yield {
            "id": f"{name}-{count}",
            "conversations": [asked, {"role": "assistant", "content": said}],
            "system": system,
        }
        past.append(said)
        count += 1


DIALECTS: Mapping[str, Callable[[list[Message], str], Iterator[dict[str, Any]]]] = {
    "openhands": _openhands_rows,
    "swe-agent": _swe_agent_rows,
    "agentlab": _agentlab_rows,
}
"""Rows of a chat as other agents are trained on them, by the name of `--as`: of the messages and the trial's id."""
