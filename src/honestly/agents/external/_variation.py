"""What people vary of a program: its skills, its tool servers, its flags, its effort, its variables, its log-in.

`skill=DIR` is a folder with a `SKILL.md`, `mcp=FILE` a JSON file of `mcpServers`; `+` joins several skills. They are
copied into the program's home, and are part of the agent's record. `{folder}` in the JSON file stands for the folder
of the file, which is then copied, too. `flags` are words of the command line, `effort` is what the program calls so.

`env` holds variables, joined by `+`: `NAME=VALUE`, which is on record, or `NAME`, whose value is taken from the
environment of whoever runs the study. Such a value, and one that the JSON file names as `${NAME}`, is in the sandbox
while the program runs, and nowhere else: from what is kept it is taken out, as long as it has eight characters or more.
"""

import os
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from honestly.agents._overlay import read_files
from honestly.agents.external._driver import HOME, Driver
from honestly.errors import AgentError, ModelError
from honestly.models import NO_SETTINGS, VENDORS, Message, Settings, Upstream
from honestly.records import File, ToolServer, Tree, decode, encode
from honestly.seams import parse_list

VARIED: Mapping[str, Any] = {"skill": str, "mcp": Path, "flags": str, "effort": str, "env": str, "login": str}
"""The settings, and their types."""
CONTENT = ("skill", "mcp")
"""Those that name files of somebody's own."""

_PLACE, _FILE = "mcp", "mcp.json"
_FOLDER = "{folder}"
_HEAD = re.compile(rb"---\s*\n(?=.*?^name:)(?=.*?^description:).*?^---", re.DOTALL | re.MULTILINE)
_NAMED = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_VARIABLE = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?:=(.*))?", re.DOTALL)
_BEARER = frozenset(("CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_AUTH_TOKEN"))
"""Variables of subscriptions, whose tokens go out as `Authorization: Bearer`."""


class _Entry(msgspec.Struct, frozen=True):
    command: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}


class _Servers(msgspec.Struct, frozen=True):
    servers: dict[str, _Entry] = msgspec.field(name="mcpServers")


@dataclass(frozen=True, slots=True, kw_only=True)
class Variation:
    """What is varied of one program."""

    skills: Tree = field(default_factory=Tree)
    """Folders of skills, by their names."""
    servers: Tree = field(default_factory=Tree)
    """`mcp.json`, and the files beside it where it names their folder."""
    flags: str = ""
    effort: str = ""
    env: str = ""

    @staticmethod
    def of(driver: Driver, given: Mapping[str, Any]) -> "Variation":
        """The variation that settings name.

        Raises:
            AgentError: The program has no such thing, what is named is not there, or a variable is not set.
        """
        who = f"agent {driver.name!r}"
        for key in sorted({"skill", "mcp", "effort", "login"} & given.keys() - driver.takes):
            has = ", ".join(sorted({"flags", "env"} | driver.takes))
            raise AgentError(f"{who} has no setting {key}=; it has: {has}")
        made = Variation(
            skills=_skills(parse_list(given["skill"]), who) if "skill" in given else Tree(),
            servers=_servers(given["mcp"], who) if "mcp" in given else Tree(),
            **{key: given[key] for key in ("flags", "effort", "env") if key in given},
        )
        try:
            made.words  # noqa: B018
        except ValueError as error:
            raise AgentError(f"flags of {who}: {made.flags!r} cannot be split into words: {error}") from error
        try:
            made.tool_servers(os.environ)
        except AgentError as error:
            raise AgentError(f"{given['mcp']}: {error}") from error
        absent = [name for name in made.asked_names if name not in os.environ]
        if absent:
            raise AgentError(f"{who} needs {', '.join(absent)}, which is not set in the environment; export it")
        return made

    @staticmethod
    def of_record(settings: Mapping[str, object]) -> "Variation":
        """The variation that an agent's record holds."""
        trees = {
            key: decode(str(settings[f"{key}_files"]).encode(), Tree) for key in CONTENT if f"{key}_files" in settings
        }
        texts = {key: str(settings.get(key, "")) for key in ("flags", "effort", "env")}
        return Variation(skills=trees.get("skill", Tree()), servers=trees.get("mcp", Tree()), **texts)

    def settings(self) -> dict[str, str]:
        """What of it identifies an agent; no value of a variable that is taken from the environment."""
        trees = {"skill_files": self.skills, "mcp_files": self.servers}
        texts = {"flags": self.flags, "effort": self.effort, "env": self.env}
        named = {key: encode(tree).decode() for key, tree in trees.items() if tree.files}
        return named | {key: text for key, text in texts.items() if text}

    @property
    def words(self) -> tuple[str, ...]:
        """The flags, one by one."""
        return tuple(shlex.split(self.flags))

    def files(self, driver: Driver) -> Mapping[str, File]:
        """What is put into the program's home, by absolute path."""
        skills = {f"{HOME}/{driver.skills}/{path}": file for path, file in self.skills.files.items()}
        beside = {f"{HOME}/{_PLACE}/{path}": file for path, file in self.servers.files.items() if path != _FILE}
        return skills | beside

    def variables(self, environ: Mapping[str, str]) -> dict[str, str]:
        """The variables of the program; those that an environment lacks are left out."""
        found = {}
        for name, value in self._variables():
            if value is not None:
                found[name] = value
            elif name in environ:
                found[name] = environ[name]
        return found

    def tool_servers(self, environ: Mapping[str, str]) -> dict[str, ToolServer]:
        """The tool servers by name, with the values of variables.

        Raises:
            AgentError: The file holds something else.
        """
        if not self.servers.files:
            return {}
        try:
            found = msgspec.json.decode(self.servers.files[_FILE].data, type=_Servers).servers
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise AgentError(f'mcp: {error}; expected {{"mcpServers": {{NAME: {{"command": ...}}}}}}') from error
        for name, entry in found.items():
            if not entry.command:
                raise AgentError(
                    f"mcp: the server {name!r} has no command; expected a local program, because a sandbox has no "
                    "network"
                )

        def filled(text: str) -> str:
            text = text.replace(_FOLDER, f"{HOME}/{_PLACE}")
            return _NAMED.sub(lambda match: environ.get(match[1], ""), text)

        return {
            name: ToolServer(
                name=name,
                command=tuple(map(filled, (entry.command, *entry.args))),
                env={key: filled(value) for key, value in entry.env.items()},
            )
            for name, entry in found.items()
        }

    def secrets(self, environ: Mapping[str, str]) -> tuple[str, ...]:
        """The values that are taken from an environment."""
        return tuple(environ[name] for name in self.asked_names if environ.get(name))

    def _variables(self) -> Iterator[tuple[str, str | None]]:
        for text in parse_list(self.env) if self.env else ():
            if (match := _VARIABLE.fullmatch(text)) is None:
                raise AgentError(f"env: {text!r} is not a variable; expected NAME, or NAME=VALUE, joined by +")
            yield match[1], match[2]

    @property
    def asked_names(self) -> list[str]:
        """The variables whose values are taken from the environment."""
        named = [name for name, value in self._variables() if value is None]
        listed = self.servers.files.get(_FILE, File()).data.decode("utf-8", "replace")
        return list(dict.fromkeys([*named, *_NAMED.findall(listed)]))


def _skills(folders: tuple[str, ...], who: str) -> Tree:
    files: dict[str, File] = {}
    for text in folders:
        folder = Path(text).expanduser()
        found = read_files(folder, f"skill of {who}")
        if "SKILL.md" not in found.files:
            raise AgentError(f"skill of {who}: {folder} contains no SKILL.md; expected the folder of one skill")
        if not _HEAD.match(found.files["SKILL.md"].data):
            raise AgentError(
                f"skill of {who}: {folder}/SKILL.md has no head with `name:` and `description:` between lines ---, so "
                "programs do not load it"
            )
        files |= found.under(folder.resolve().name).files
    return Tree(files=files)


def _servers(path: Path, who: str) -> Tree:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise AgentError(f"mcp of {who}: {path} cannot be read: {error.strerror}") from error
    beside = read_files(path.parent, f"mcp of {who}").without([path.name]) if _FOLDER.encode() in data else Tree()
    return Tree(files={**beside.files, _FILE: File(data=data)})


@dataclass(frozen=True)
class LoggedIn:
    """A vendor's model that a program asks with a key or a subscription of a variable: requests go on as they came."""

    name: str
    vendor: str
    variable: str

    async def __call__(self, messages: object, tools: object = (), settings: Settings = NO_SETTINGS) -> Message:
        """Never answers: only the program can ask it.

        Raises:
            ModelError: Always.
        """
        del messages, tools, settings
        raise ModelError(f"{self.name} can be used only through the login of a program (login=)")

    def upstream(self) -> Upstream:
        """Who answers, with the key.

        Raises:
            AgentError: The variable is not set.
        """
        if not (key := os.environ.get(self.variable, "")):
            raise AgentError(f"login: {self.variable} is not set in the environment; export it, or leave login= out")
        known = VENDORS[self.vendor]
        url = os.environ.get(known.url_variable) or known.url
        return Upstream(url=url, key=key, header="authorization" if self.variable in _BEARER else "")

    @property
    def subscribed(self) -> bool:
        """Whether it is a subscription, and no key."""
        return self.variable in _BEARER
