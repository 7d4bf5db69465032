"""The words of a shell that ran for us in a container or a pod: its exit codes, and what it wrote last.

Both come from inside, and are believed about the command alone.
"""

from honestly.errors import SandboxError, SandboxLimitError

NOT_THERE, NO_FILE = 41, 42
"""What our scripts end with if there is no file, and if it is not a regular one."""

_WHY = {NOT_THERE: "No such file or directory", NO_FILE: "not a regular file"}
_FULL = ("No space left", "File too large", "File size limit")
_TOO_LARGE = 128 + 25  # SIGXFSZ


def exit_code(code: int) -> int:
    """An exit code as `Result` has it: minus the signal's number, where a shell adds 128 to it."""
    return code if code <= 128 or code > 128 + 64 else 128 - code


def require_file_work(code: int, stderr: str | bytes, path: str) -> None:
    """See that a script about a file has done its work.

    Raises:
        SandboxLimitError: There was no room.
        SandboxError: Something else was wrong.
    """
    if code:
        text = stderr if isinstance(stderr, str) else stderr.decode(errors="replace")
        why = _WHY.get(code) or last_line(text) or f"it ended with {code}"
        full = any(reason in text for reason in _FULL) or code == _TOO_LARGE
        raise (SandboxLimitError if full else SandboxError)(f"{path}: {why}")


def last_line(stderr: str | bytes) -> str:
    """The last line of what was written, fit to be shown; empty if there is none."""
    text = stderr if isinstance(stderr, str) else stderr.decode(errors="replace")
    lines = text.strip().splitlines()
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in lines[-1]) if lines else ""
