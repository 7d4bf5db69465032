"""Permissions of a project: the allow, ask and deny rules of `.claude/settings.json` and `.claude/settings.local.json`.

They are read as a policy (`honestly.permissions`): what a command would run, read and write is worked out. What no rule
names is allowed, since the sandbox is the wall, and asked about in the mode `dontAsk`; the rules say what is wanted,
and are not what keeps anything in.
"""

from typing import Literal

from honestly.agents._project._reading import Reader
from honestly.errors import SettingsError
from honestly.permissions import Rule, ToolPolicy, settings_default, settings_rules

_FILES = (".claude/settings.json", ".claude/settings.local.json")


def read_permissions(reader: Reader) -> ToolPolicy:
    """Read the rules of both settings files."""
    rules: list[Rule] = []
    default: Literal["allow", "ask"] = "allow"
    for path in _FILES:
        if path not in reader.tree.files:
            continue
        try:
            found, notes = settings_rules(reader.text(path))
        except SettingsError as error:
            reader.note(path, str(error))
            continue
        rules += found
        default = "ask" if settings_default(reader.text(path)) == "ask" else default
        for note in notes:
            reader.note(path, note)
    return ToolPolicy(tuple(rules), default)
