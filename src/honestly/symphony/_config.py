"""The content of WORKFLOW.md: settings in its head, the prompt of every ticket in its body; read again when it changes.

The head is the part of YAML that people write there: mappings, lists, texts in quotes, blocks. Unknown keys are left
alone. `$NAME` is a variable of the environment and `~` the home folder in paths only; commands of hooks and the agent
stay as they are written. A changed file that cannot be read leaves the last good settings in force.
"""

import os
import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from honestly.errors import TaskError, WorkflowError
from honestly.tasks import read_mapping

HOOKS = ("after_create", "before_run", "after_run", "before_remove")
KINDS = ("markdown", "jsonl")
_ACTIVE = ("Todo", "In Progress")
_TERMINAL = ("Closed", "Cancelled", "Canceled", "Duplicate", "Done")
_DEFAULT_PROMPT = "You are working on the ticket {{ issue.identifier }}: {{ issue.title }}\n\n{{ issue.description }}"
_HOOK_MS = 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The settings of a workflow, with defaults."""

    file: Path
    template: str
    kind: str
    tracker: Path
    active: tuple[str, ...]
    terminal: tuple[str, ...]
    labels: tuple[str, ...]
    """A ticket must have all of them."""
    interval_ms: int
    root: Path
    repository: Path | None
    base: str
    packages: tuple[str, ...]
    """Installed Python packages that sandboxes show."""
    hooks: Mapping[str, str]
    hook_timeout_ms: int
    agent: str
    model: str
    max_agents: int
    max_turns: int
    max_attempts: int
    max_backoff_ms: int
    by_state: Mapping[str, int]
    turn_timeout_ms: int
    stall_timeout_ms: int

    def is_active(self, state: str) -> bool:
        """Whether tickets in this state are worked on."""
        return normal_state(state) in map(normal_state, self.active) and not self.is_terminal(state)

    def is_terminal(self, state: str) -> bool:
        """Whether tickets in this state are over."""
        return normal_state(state) in map(normal_state, self.terminal)


def normal_state(state: str) -> str:
    """A state's name as names are compared."""
    return state.strip().lower()


def list_value(value: str) -> tuple[str, ...]:
    """A list: with dashes, in brackets, or with commas."""
    lines = [line.strip() for line in value.split("\n") if line.strip()]
    if lines and all(line.startswith("-") for line in lines):
        parts = [line[1:] for line in lines]
    else:
        parts = value.strip().removeprefix("[").removesuffix("]").split(",")
    return tuple(part for part in (part.strip().strip("\"'") for part in parts) if part)


def head_and_body(text: str) -> tuple[str, str]:
    """The head between two lines `---`, and the rest; no head where it does not begin with one.

    Raises:
        WorkflowError: The head is never closed.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if text.split("\n", 1)[0].rstrip() != "---":
        return "", text.strip()
    found = re.match(r"---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", text, re.DOTALL | re.MULTILINE)
    if not found:
        raise WorkflowError("workflow_parse_error", "the head that begins with `---` is never closed by another `---`")
    return found[1], text[found.end() :].strip()


def read_workflow(path: Path, typed: Mapping[str, str] | None = None) -> Config:
    """Read a workflow.

    Args:
        path: The file.
        typed: `agent` and `model`, where the command line names them.

    Raises:
        WorkflowError: It is not there, cannot be read, or says what makes no sense.
    """
    try:
        text = path.read_bytes().decode()
    except OSError as error:
        raise WorkflowError(
            "missing_workflow_file", f"{path} cannot be read: {error.strerror}; docs/symphony.md shows one"
        ) from error
    except UnicodeDecodeError as error:
        raise WorkflowError("workflow_parse_error", f"{path} is not UTF-8 text: {error}") from error
    head, body = head_and_body(text)
    return _build_config(path.resolve(), _Section(_read_section(head, str(path)), str(path)), body, typed or {})


def _read_section(text: str, place: str) -> dict[str, str]:
    first = next((line for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")), "")
    if first and (first.startswith(("- ", "[", "{")) or ":" not in first):
        raise WorkflowError(
            "workflow_front_matter_not_a_map", f"{place}: the head is {first[:40]!r}; expected `key: value`"
        )
    try:
        return read_mapping(text, place)
    except (TaskError, ValueError) as error:
        raise WorkflowError("workflow_parse_error", str(error)) from error


@dataclass(frozen=True)
class _Section:
    """One mapping of the head."""

    values: Mapping[str, str]
    place: str

    def sub_section(self, name: str) -> "_Section":
        return _Section(_read_section(self.values.get(name, ""), f"{self.place}, {name}"), f"{self.place}, {name}")

    def text(self, key: str, default: str = "") -> str:
        value = self.values.get(key, "").strip()
        return default if value in {"", "null", "~"} else value

    def name_values(self, key: str, default: tuple[str, ...] = ()) -> tuple[str, ...]:
        return list_value(self.values[key]) if self.values.get(key, "").strip() else default

    def number(self, key: str, default: int, *, least: int = 1) -> int:
        text = self.text(key, str(default)).strip("\"'")
        if not re.fullmatch(r"-?\d{1,12}", text) or int(text) < least:
            raise WorkflowError(
                "invalid_config", f"{self.place}: {key} is {text!r}; expected a whole number, {least} or more"
            )
        return int(text)

    def resolved_path(self, key: str, beside: Path, default: str = "") -> Path | None:
        if not (text := self.text(key, default)):
            return None
        if (name := re.fullmatch(r"\$(\w+)", text)) and not (text := os.environ.get(name[1], "")):
            raise WorkflowError("invalid_config", f"{self.place}: {key} is ${name[1]}, which is not set")
        return (beside / Path(text).expanduser()).resolve()


def _build_config(path: Path, top: _Section, body: str, typed: Mapping[str, str]) -> Config:
    tracker, space, hooks, agent, codex = map(top.sub_section, ("tracker", "workspace", "hooks", "agent", "codex"))
    kind = tracker.text("kind")
    if kind not in KINDS:
        raise WorkflowError(
            "unsupported_tracker_kind", f"{path}: tracker.kind is {kind!r}; expected one of {', '.join(KINDS)}"
        )
    if (place := tracker.resolved_path("path", path.parent)) is None:
        raise WorkflowError("invalid_config", f"{path}: tracker.path is missing; expected the folder or the file")
    root = space.resolved_path("root", path.parent, str(Path(tempfile.gettempdir(), "symphony_workspaces")))
    assert root is not None
    # The agent and its model.
    name = typed.get("agent") or agent.text("use", "honest")
    model = typed.get("model") or agent.text("model")
    if name == "honest" and not model:
        raise WorkflowError(
            "invalid_config", f"{path}: the agent honest works with a model; say agent.model, or --model"
        )
    return Config(
        file=path,
        template=body or _DEFAULT_PROMPT,
        kind=kind,
        tracker=place,
        active=tracker.name_values("active_states", _ACTIVE),
        terminal=tracker.name_values("terminal_states", _TERMINAL),
        labels=tuple(map(normal_state, tracker.name_values("required_labels"))),
        interval_ms=top.sub_section("polling").number("interval_ms", 30_000),
        root=root,
        repository=space.resolved_path("repository", path.parent),
        base=space.text("base", "HEAD"),
        packages=space.name_values("packages"),
        hooks={hook: hooks.values[hook] for hook in HOOKS if hooks.text(hook)},
        hook_timeout_ms=_positive_or(hooks.text("timeout_ms"), _HOOK_MS),
        agent=name,
        model=model,
        max_agents=agent.number("max_concurrent_agents", 10),
        max_turns=agent.number("max_turns", 20),
        max_attempts=agent.number("max_attempts", 5),
        max_backoff_ms=agent.number("max_retry_backoff_ms", 300_000),
        by_state=_by_state(agent.sub_section("max_concurrent_agents_by_state").values),
        turn_timeout_ms=codex.number("turn_timeout_ms", 3_600_000),
        stall_timeout_ms=codex.number("stall_timeout_ms", 300_000, least=-(10**12)),
    )


def _positive_or(text: str, default: int) -> int:
    return int(text) if text.isdecimal() and int(text) > 0 else default


def _by_state(given: Mapping[str, str]) -> dict[str, int]:
    limits = {normal_state(state): _positive_or(value.strip(), 0) for state, value in given.items()}
    return {state: limit for state, limit in limits.items() if limit}


class Workflow:
    """A workflow that is read again whenever its file has changed."""

    def __init__(
        self, path: Path, typed: Mapping[str, str] | None = None, log: Callable[..., Any] | None = None
    ) -> None:
        """The workflow at `path`, which must be good now.

        Raises:
            WorkflowError: It is not.
        """
        self.path, self.trouble = path, ""
        self._typed = typed
        self._log = log if log is not None else lambda *_, **__: None
        self.config = read_workflow(path, typed)
        self._seen = self._read_content()

    def refresh(self) -> Config:
        """The settings in force; `trouble` says why the file's newest are not."""
        now = self._read_content()
        if now == self._seen and not (now is None and not self.trouble):
            return self.config
        self._seen = now
        try:
            self.config, self.trouble = read_workflow(self.path, self._typed), ""
            self._log("workflow_reload", outcome="completed")
        except WorkflowError as error:
            self.trouble = str(error)
            self._log("workflow_reload", outcome="failed", reason=self.trouble)
        return self.config

    def _read_content(self) -> bytes | None:
        try:
            return self.path.read_bytes()
        except OSError:
            return None
