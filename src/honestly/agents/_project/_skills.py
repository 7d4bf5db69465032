"""Skills of a project: folders in `.claude/skills` with a SKILL.md, told by name and read on demand.

The prompt holds each skill's name and description only; the tool `skill` gives the body, and says which other files the
skill brings along.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from honestly.agents._project._reading import Described, Reader, described, named
from honestly.sandbox import Sandbox
from honestly.tools import Tool, tool

_FOLDER = ".claude/skills"
_MOST = 100
_LONGEST = 1024


@dataclass(frozen=True, slots=True)
class Skill(Described):
    """One skill."""

    body: str
    files: tuple[str, ...] = ()
    """Other files of its folder, as paths of the workspace."""


def read_skills(reader: Reader) -> tuple[Skill, ...]:
    """The skills of a project, by name."""
    found: dict[str, Skill] = {}
    for path in reader.below(_FOLDER, "/SKILL.md")[:_MOST]:
        headed = reader.headed(path)
        folder = path.removesuffix("/SKILL.md")
        name = headed.head.get("name") or folder.rpartition("/")[2]
        description = headed.head.get("description", "")[:_LONGEST]
        if not description:
            reader.note(path, "has no description, so that nobody knows when to use it")
            continue
        others = tuple(p for p in reader.below(folder, "") if p != path)[:_MOST]
        found.setdefault(name[:100], Skill(name[:100], description, headed.body, others))
    return tuple(found[name] for name in sorted(found))


def told_skills(skills: Sequence[Skill]) -> str:
    """What the prompt says of them."""
    head = "Skills of this project. When one fits what you are about to do, read it first with the tool `skill`:"
    return described(head, skills)


def skill_tool(skills: Sequence[Skill]) -> Tool:
    """The tool that gives a skill's body."""

    @tool
    async def skill(box: Sandbox, name: str) -> str:  # noqa: ARG001
        """Read one of the project's skills: instructions for a kind of work."""
        found = named("skill", name, skills)
        files = f"\n\nFiles of this skill: {', '.join(found.files)}" if found.files else ""
        return found.body + files

    return skill
