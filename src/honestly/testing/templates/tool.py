"""A tool that counts the words of a file."""

from honestly.errors import SandboxError, ToolError
from honestly.sandbox import Sandbox
from honestly.tools import tool

__all__ = ["count_words"]


@tool
async def count_words(box: Sandbox, path: str) -> str:
    """Counts the words of a file of the workspace."""
    try:
        return f"{len((await box.read(path)).split())} words"
    except SandboxError as error:
        raise ToolError(f"cannot read {path}: {error}") from error
