"""The whole set-up of a project, as people write it for agents, read from its workspace.

Rules are AGENTS.md, CLAUDE.md with its imports, and `.claude/rules`. An import is `@path` outside of code; what it
names is put in after the file, to a depth of five, each file once. Files in the home directory are not read: an
agent's set-up is the project's, not that of whoever runs it.

A command is `.claude/commands/NAME.md`, what `/NAME arguments` stands for: `$ARGUMENTS` is everything after the name,
`$1` to `$9` its words. Lines that would run a shell command while the text is put together are given to the agent as
they are: it has a shell of its own.

Tool servers are the programs that `.mcp.json` names. They are the project's code, so they are started in the sandbox,
with the variables that stand there and no others. A server at an address is left out, and noted: where an agent may go
on the network is for whoever runs it to say.

Permissions are the allow, ask and deny rules of `.claude/settings.json` and `.claude/settings.local.json`, read as a
policy (`honestly.permissions`). What no rule names is allowed, since the sandbox is the wall, and asked about in the
mode `dontAsk`; the rules say what is wanted, and are not what keeps anything in.
"""

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Literal

import msgspec

from honestly.agents._project._offered import Helper, Skill, offer_lines, read_helpers, read_skills
from honestly.agents._project._reading import LARGEST, Reader
from honestly.errors import SettingsError
from honestly.permissions import NO_POLICY, Rule, ToolPolicy, settings_default, settings_rules
from honestly.records import ToolServer, Tree

_ROOTS = ("AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md")
_NESTED = ("AGENTS.md", "CLAUDE.md")
_COMMANDS = ".claude/commands"
_SERVERS = ".mcp.json"
_SETTINGS = (".claude/settings.json", ".claude/settings.local.json")
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_IMPORT = re.compile(r"(?:^|\s)@([^\s`]+)")
_CALLED = re.compile(r"/([\w:-]+)(?:\s+(.*))?\s*", re.DOTALL)
_PLACE = re.compile(r"\$(ARGUMENTS|[1-9])")
_DEEPEST = 5
_MOST_NESTED, _MOST_IMPORTS, _MOST_COMMANDS, _MOST_SERVERS = 30, 50, 100, 10


class _Entry(msgspec.Struct, frozen=True):
    command: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}


class _File(msgspec.Struct, frozen=True):
    servers: dict[str, _Entry] = msgspec.field(name="mcpServers", default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A project's configuration for agents: rules, commands, skills, subagents, servers, permissions."""

    rules: str = ""
    """AGENTS.md, CLAUDE.md and `.claude/rules`, imports included."""
    commands: Mapping[str, str] = field(default_factory=dict)
    skills: tuple[Skill, ...] = ()
    helpers: tuple[Helper, ...] = ()
    servers: tuple[ToolServer, ...] = ()
    permissions: ToolPolicy = NO_POLICY
    notes: tuple[str, ...] = ()
    """What could not be read, one line each."""

    def told(self, *, alone: bool = False) -> str:
        """The prompt's section about the project; to a helper, `alone`, nothing of other helpers."""
        rules = [f"The project's own rules:\n\n{self.rules}"] if self.rules else []
        return "\n\n".join(rules + offer_lines(self.skills, () if alone else self.helpers))

    def expanded(self, text: str) -> str:
        """The text behind a call of one of the project's commands (`/review src`)."""
        called = _CALLED.fullmatch(text.strip())
        if called is None or called[1] not in self.commands:
            return text
        rest = (called[2] or "").strip()
        words = rest.split()
        body = self.commands[called[1]]

        def fill_argument(place: re.Match[str]) -> str:
            if place[1] == "ARGUMENTS":
                return rest
            number = int(place[1]) - 1
            return words[number] if number < len(words) else ""

        filled = _PLACE.sub(fill_argument, body)
        return (filled if filled != body or not rest else f"{filled}\n\n{rest}")[:LARGEST]


def read_project(tree: Tree) -> Project:
    """Read a project's set-up from its workspace; what is malformed becomes a note, and nothing in it can fail."""
    reader = Reader(tree)
    seen: dict[str, str] = {}
    for path in _ROOTS:
        if path in reader.tree.files:
            _import(reader, path, seen, 0)
    parts = [f"# {path}\n\n{text.strip()}" for path, text in seen.items() if text.strip()]
    parts += [_rule(reader, path) for path in reader.below(".claude/rules")[:_MOST_IMPORTS]]
    nested = [p for p in reader.tree.files if "/" in p and posixpath.basename(p) in _NESTED and p not in seen]
    nested = sorted(path for path in nested if not path.startswith(".claude/"))[:_MOST_NESTED]
    if nested:
        parts.append(f"Parts of the project have their own rules; read them before you work there: {', '.join(nested)}")
    text = "\n\n".join(filter(None, parts))
    if len(text) > LARGEST:
        reader.note("the project's rules", f"have {len(text):,} characters; the first {LARGEST:,} are told")
    return Project(
        rules=text[:LARGEST],
        commands=_read_commands(reader),
        skills=read_skills(reader),
        helpers=read_helpers(reader),
        servers=_read_servers(reader),
        permissions=_read_permissions(reader),
        notes=tuple(reader.notes),
    )


def _import(reader: Reader, path: str, seen: dict[str, str], depth: int) -> None:
    real = reader.real_path(path)
    if real in seen or len(seen) >= _MOST_IMPORTS:
        return
    text = reader.text(path)
    seen[real or path] = text
    for name in _IMPORT.findall(_CODE.sub(" ", text)):
        target = posixpath.normpath(posixpath.join(posixpath.dirname(real or path), name.rstrip(".,;:)")))
        if name.startswith(("~", "/")) or target.startswith(".."):
            reader.note(path, f"imports {name[:100]!r}, which is outside the workspace")
        elif reader.real_path(target) is not None:
            if depth < _DEEPEST:
                _import(reader, target, seen, depth + 1)
            else:
                reader.note(path, f"imports {name[:100]!r} too deep; {_DEEPEST} levels are read")


def _rule(reader: Reader, path: str) -> str:
    headed = reader.read_headed(path)
    only = f" (for files that match {headed.head['paths']})" if headed.head.get("paths") else ""
    return f"# {path}{only}\n\n{headed.body.strip()}" if headed.body.strip() else ""


def _read_commands(reader: Reader) -> dict[str, str]:
    found = {}
    for path in reader.below(_COMMANDS)[:_MOST_COMMANDS]:
        headed = reader.read_headed(path)
        if headed.body.strip():
            found[":".join(PurePosixPath(path[len(_COMMANDS) + 1 :]).with_suffix("").parts)] = headed.body
    return found


def _read_servers(reader: Reader) -> tuple[ToolServer, ...]:
    if _SERVERS not in reader.tree.files:
        return ()
    try:
        found = msgspec.json.decode(reader.text(_SERVERS) or "{}", type=_File).servers
    except (msgspec.DecodeError, RecursionError) as error:
        reader.note(_SERVERS, f"cannot be understood: {error}")
        return ()
    for name in found:
        if not found[name].command:
            reader.note(_SERVERS, f"names the server {name[:80]!r} without a command; only programs are started")
    kept = [
        ToolServer(name=name[:80], command=(one.command, *one.args), env=one.env)
        for name, one in sorted(found.items())
        if one.command
    ]
    return tuple(kept[:_MOST_SERVERS])


def _read_permissions(reader: Reader) -> ToolPolicy:
    rules: list[Rule] = []
    default: Literal["allow", "ask"] = "allow"
    for path in _SETTINGS:
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
