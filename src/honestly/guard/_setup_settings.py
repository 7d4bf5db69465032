"""What of a project's settings means nothing to the agent that reads them: keys, modes, folders, types of hooks."""

import json
import re
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Any

_KEYS_TEXT = """permissions hooks env model apiKeyHelper cleanupPeriodDays includeCoAuthoredBy statusLine outputStyle
enableAllProjectMcpServers enabledMcpjsonServers disabledMcpjsonServers disableAllHooks sandbox enabledPlugins
extraKnownMarketplaces alwaysThinkingEnabled attribution language plansDirectory autoUpdatesChannel"""
_KEYS = _KEYS_TEXT.split()
_NO_KEYS = frozenset({"allowedTools", "disallowedTools", "allow", "deny", "ask", "defaultMode", "mcpServers"})
"""Keys of other files, or of `permissions`."""
_LISTS = ("deny", "ask", "allow", "additionalDirectories")
_PERMISSIONS = frozenset({*_LISTS, "defaultMode", "disableBypassPermissionsMode", "disableAutoMode",
    "blockReadsOutsideWorkingDirectories", "blockWritesOutsideWorkingDirectories", "denyInsteadOfPrompting",
    "skipDangerousModePermissionPrompt"})  # fmt: skip
_MODES = ("default", "acceptEdits", "plan", "bypassPermissions", "dontAsk", "auto", "manual", "delegate")
_TYPES = ("command", "prompt", "agent", "http", "mcp_tool")


def is_there(folder: Path, name: str) -> bool:
    """Whether a folder holds something of this name; a name that no file can have is not there."""
    try:
        return (folder / name).exists()
    except (OSError, ValueError):
        return False


def settings_faults(folder: Path, text: str) -> Iterator[tuple[str, str]]:
    """Keys, modes, folders, patterns and types that are none: the kind of each, and what is wrong."""
    try:
        data = _dict_or_empty(json.loads(text))
    except (ValueError, RecursionError):
        return
    for key in data:
        near = get_close_matches(key[:99], _KEYS, 1, 0.85)
        if key in _NO_KEYS or (near and key not in _KEYS):
            yield "settings", f"there is no key {key[:99]!r}"
    yield from _of_permissions(folder, data.get("permissions", {}))
    given = data.get("hooks", {})
    if not isinstance(given, dict):
        yield "settings", "hooks is no table"
    for event, many in _dict_or_empty(given).items():
        for each in map(_dict_or_empty, many if isinstance(many, list) else ()):
            matcher, hooks = each.get("matcher"), each.get("hooks")
            try:
                re.compile(matcher if isinstance(matcher, str) and matcher != "*" else "")
            except (re.error, RecursionError, OverflowError):
                yield "settings", f"hook of {event[:99]}: the matcher {str(matcher)[:60]!r} is no regular expression"
            for one in hooks if isinstance(hooks, list) else ():
                kind = _dict_or_empty(one).get("type", "command")
                if kind not in _TYPES:
                    yield "settings", f"hook of {event[:99]}: there is no type {str(kind)[:40]!r}"


def _of_permissions(folder: Path, given: object) -> Iterator[tuple[str, str]]:
    if not isinstance(given, dict):
        yield "permissions", "permissions is no table"
    for key, value in _dict_or_empty(given).items():
        if key not in _PERMISSIONS:
            yield "settings", f"permissions has no key {key[:99]!r}"
        elif key == "defaultMode" and value not in _MODES:
            yield "settings", f"there is no mode {str(value)[:99]!r}"
        elif key in _LISTS and not isinstance(value, list):
            yield "permissions", f"{key} is no list"
        for each in value if isinstance(value, list) else ():
            text = each if isinstance(each, str) else ""
            if key == "additionalDirectories" and not re.match(r"[/~$]|\w:|$", text) and not is_there(folder, text):
                yield "permissions", f"the folder {text[:99]!r} is not there"
            elif re.match(r"(?:Read|Edit|Write)\(.*(?:\s[/.*]|[/*]\s)", text):
                yield "permissions", f"{text[:99]}: with blanks next to / or * it matches no file"
            elif re.match(r"Bash\([\w-]+:(?!\*\)$)", text):
                yield "permissions", f"{text[:99]}: a colon stands only before the last *"


def _dict_or_empty(given: object) -> dict[str, Any]:
    return given if isinstance(given, dict) else {}
