"""A proposer's view of a project: its declaration, which lies in the workspace, and the files that may change."""

from typing import Any

from honestly._toml import toml_table
from honestly.errors import AgentError
from honestly.improve._declare import DECLARATION, matches_patterns
from honestly.records import Tree

TEXTS = (".md", ".txt")
"""Endings of files whose lines are read by people and models."""


def workspace_declaration(workspace: Tree) -> dict[str, Any]:
    """The declaration as the workspace has it."""
    if DECLARATION not in workspace.files:
        raise AgentError(f"this agent works in loops only: the workspace has no {DECLARATION}")
    return toml_table(workspace.text(DECLARATION))


def changeable_files(workspace: Tree) -> list[str]:
    """The files that may change and that a proposer can read."""
    patterns = tuple(map(str, workspace_declaration(workspace).get("change", ())))
    readable = (".py", ".json", ".c", *TEXTS)
    found = [path for path in sorted(workspace.files) if matches_patterns(path, patterns) and path.endswith(readable)]
    if not found:
        raise AgentError(
            "this agent changes Python, JSON, C and text files, and none of those may change; name one in `change`"
        )
    return found
