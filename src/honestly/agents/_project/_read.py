"""The whole set-up of a project, as people write it for agents, read from its workspace."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from honestly.agents._project._commands import expanded, read_commands
from honestly.agents._project._helpers import Helper, read_helpers, told_helpers
from honestly.agents._project._permissions import NO_RULES, Permissions, read_permissions
from honestly.agents._project._reading import Reader
from honestly.agents._project._rules import read_rules
from honestly.agents._project._servers import Server, read_servers
from honestly.agents._project._skills import Skill, read_skills, told_skills
from honestly.records import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """What a project says to agents."""

    rules: str = ""
    """AGENTS.md, CLAUDE.md and `.claude/rules`, imports included."""
    commands: Mapping[str, str] = field(default_factory=dict)
    skills: tuple[Skill, ...] = ()
    helpers: tuple[Helper, ...] = ()
    servers: tuple[Server, ...] = ()
    permissions: Permissions = NO_RULES
    notes: tuple[str, ...] = ()
    """What could not be read, one line each."""

    def told(self, *, alone: bool = False) -> str:
        """What the prompt says of it; to a helper, `alone`, nothing of other helpers."""
        rules = f"The project's own rules:\n\n{self.rules}" if self.rules else ""
        parts = (rules, told_skills(self.skills), "" if alone else told_helpers(self.helpers))
        return "\n\n".join(filter(None, parts))

    def expanded(self, text: str) -> str:
        """What a text stands for, where it calls one of the project's commands (`/review src`)."""
        return expanded(self.commands, text)


def read_project(tree: Tree) -> Project:
    """The set-up in a workspace; what is malformed becomes a note, and nothing in it can fail."""
    reader = Reader(tree)
    return Project(
        rules=read_rules(reader),
        commands=read_commands(reader),
        skills=read_skills(reader),
        helpers=read_helpers(reader),
        servers=read_servers(reader),
        permissions=read_permissions(reader),
        notes=tuple(reader.notes),
    )
