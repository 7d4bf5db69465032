"""Starting git with nobody's settings: no user's, no machine's, no hooks, monitors, helpers or servers."""

import os
import subprocess
from collections.abc import Collection, Mapping
from pathlib import Path

from honestly.errors import GitError
from honestly.scratch import run_owned

GIT_VARIABLES = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",  # a missing object is fetched by the repository's command; old git knows only this
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PROTOCOL_FROM_USER": "0",
    "GIT_EDITOR": "true",
    "LC_ALL": "C",
}
"""Git's environment variables, except the home folder and the search path; also used inside sandboxes."""
GIT_OPTIONS = (
    *("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "safe.bareRepository=explicit"),
    *("-c", "commit.gpgSign=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false"),
    *("-c", "submodule.recurse=false", "-c", "diff.ignoreSubmodules=all", "-c", "safe.directory=*"),
)
"""Settings that go before a repository's own."""
_SECONDS = 60.0


def run_git(
    *words: str,
    at: Path | None = None,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    allow: str = "none",
    accepted: Collection[int] = (0,),
    seconds: float = _SECONDS,
) -> bytes:
    """Standard output of a git command, which no Ctrl-C ends.

    Args:
        words: the command, after options of ours.
        at: where it starts; it must name its repository, or `at` be the top of one that is yours.
        stdin: what it reads.
        env: variables beside ours.
        allow: protocols that it may fetch by; `file` reads a bundle.
        accepted: exit codes that are no failure.
        seconds: that it may take.

    Raises:
        GitError: git is not installed, fails, or takes longer; the message is one line.
    """
    command = ["git", *GIT_OPTIONS, *words]
    of_options = [word in {"-c", "-C"} for word in words]
    name = next(word for word, value in zip(words, [False, *of_options], strict=False) if word[0] != "-" and not value)
    if at is not None and not at.is_dir():
        raise GitError(f"git {name} failed: {at} is not a folder")
    variables = {"PATH": os.environ.get("PATH", os.defpath), "HOME": "/nonexistent", **GIT_VARIABLES}
    try:
        done = run_owned(
            command,
            cwd=at or "/",
            stdin=stdin,
            timeout=seconds,
            env={**variables, "GIT_ALLOW_PROTOCOL": allow, **(env or {})},
        )
    except subprocess.TimeoutExpired as error:
        raise GitError(f"git {name} took more than {seconds:.0f} s") from error
    except OSError as error:
        raise GitError(f"git cannot be run: {error.strerror}; install git") from error
    if done.returncode not in accepted:
        said = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0][:300]
        raise GitError(f"git {name} failed: {said or f'exit code {done.returncode}'}")
    return done.stdout
