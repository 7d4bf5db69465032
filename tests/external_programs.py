"""Other people's agents, really installed: on demand, once, into a directory of their own outside of the repository.

`HONESTLY_AGENTS` names the directory; by default it is `honestly/agents` in the user's cache. What is there already is
used. What is missing is installed only if `HONESTLY_INSTALL_AGENTS` names it, since it takes minutes and more than a
gigabyte; otherwise, or if the registry refuses, the test is skipped with the reason. `make test` needs one program,
`make test-all` three and `make test-agents` all.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

__all__ = ["installed"]

# mini-swe-agent's dependency litellm imports `mcp` without asking for it.
_PYTHON = {
    "mini-swe-agent": ("mini", ("mini-swe-agent==2.4.6", "mcp")),
    "openhands": ("openhands", ("openhands==1.16.0",)),
}
_INTERPRETER = {"openhands": "3.12"}
"""Programs that run on no other Python."""
_NODE = {
    "claude-code": ("claude", ("@anthropic-ai/claude-code@2.1.197",)),
    "codex": ("codex", ("@openai/codex@0.169.0",)),
    "gemini": ("gemini", ("@google/gemini-cli@0.61.0",)),
    "opencode": ("opencode", ("opencode-ai@1.18.33",)),
    "claude-agent-acp": ("claude-agent-acp", ("@agentclientprotocol/claude-agent-acp@0.100.0",)),
    "codex-acp": ("codex-acp", ("@agentclientprotocol/codex-acp@2.6.0",)),
}
_PATIENCE_S = 900


def installed(name: str) -> Path:
    """Where the program of this driver is installed; skips the test where it cannot be."""
    folder = _cache() / name
    program, packages = (_PYTHON | _NODE)[name]
    if not _is_there(folder, program):
        if name not in os.environ.get("HONESTLY_INSTALL_AGENTS", "").split():
            pytest.skip(f"{name} is not in {folder}; `make test-agents` installs it there")
        folder.parent.mkdir(parents=True, exist_ok=True)
        with folder.with_suffix(".lock").open("w") as lock:  # tests of another process may ask for it, too
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not _is_there(folder, program):
                _install(name, folder, packages)
    assert _is_there(folder, program)
    return folder


def _install(name: str, folder: Path, packages: Sequence[str]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    if name in _PYTHON:
        _do([_interpreter(name), "-m", "venv", str(folder)], folder)
        _do([str(folder / "bin" / "pip"), "install", "--quiet", *packages], folder)
    else:
        _do(["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", *packages], folder)


def _cache() -> Path:
    told = os.environ.get("HONESTLY_AGENTS")
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(told) if told else Path(base) / "honestly" / "agents"


def _interpreter(name: str) -> str:
    """The Python that a program's environment is made of; skips the test where this machine has none that will do."""
    wanted = _INTERPRETER.get(name)
    if wanted is None or sys.version.startswith(f"{wanted}."):
        return sys.executable
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = sorted(pyenv.glob(f"{wanted}.*/bin/python{wanted}"))
    python = str(found[-1]) if found else shutil.which(f"python{wanted}")
    if python is None:
        pytest.skip(f"{name} needs Python {wanted}, which is not installed here")
    return python


def _is_there(folder: Path, program: str) -> bool:
    places = (folder / "bin" / program, folder / "node_modules" / ".bin" / program)
    return any(place.exists() for place in places)


def _do(command: Sequence[str], folder: Path) -> None:
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not on the search path")
    done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE_S)
    if done.returncode:
        shutil.rmtree(folder, ignore_errors=True)
        pytest.skip(f"{' '.join(command)} failed: {done.stderr[-500:]}")
