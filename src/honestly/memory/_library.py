"""The knowledge of an agent: workflows, skills, and the events by which they came and went.

A library is a value. Each lesson makes another one, with the next version, so that a study can keep the state after
every trial and go on from it exactly.
"""

from typing import Literal

from msgspec.structs import replace

from honestly.records import Record, Usage, digest


class LearntWorkflow(Record, frozen=True, kw_only=True):
    """A way of working that succeeded: steps without the literals of their tasks."""

    title: str
    steps: tuple[str, ...]
    """Each one line: a tool, and what it was called with."""
    when: str = ""
    """When it applies, in a few words; empty where rules made it."""
    tasks: tuple[str, ...] = ()
    """Tasks that taught it."""
    by: str = "rules"
    """Who made it: `rules`, or a model's name."""

    @property
    def key(self) -> str:
        """The name by which it can be revoked: eight characters of the hash of its steps."""
        return digest("workflow", self.steps)[:8]

    @property
    def text(self) -> str:
        """Title and numbered steps, as agents are shown them."""
        when = f" ({self.when})" if self.when else ""
        return "\n".join((f"{self.title}{when}", *(f"  {n}. {step}" for n, step in enumerate(self.steps, 1))))


class Skill(Record, frozen=True, kw_only=True):
    """A Python program that saves steps; only its executed parts are kept."""

    name: str
    doc: str
    """What it does and how it is called, in a line."""
    code: str
    test: str
    """Python that imports it and asserts something of it."""
    tasks: tuple[str, ...] = ()
    """The task that it was written from, and the one on which it proved itself."""
    by: str = ""
    state: Literal["candidate", "admitted"] = "candidate"
    """A candidate has worked where it comes from, and nobody is told of it before it works on another task."""
    tries: int = 0
    """Runs of other tasks that it was tried on, without success."""

    @property
    def key(self) -> str:
        """The name by which it can be revoked."""
        return self.name


class Event(Record, frozen=True, kw_only=True):
    """One change of a library, or one refusal."""

    what: Literal["added", "merged", "dropped", "refused", "candidate", "admitted", "revoked", "nothing"]
    key: str = ""
    why: str = ""
    text: str = ""
    """Of something that was refused: what it was, shortened."""


class MemoryLibrary(Record, frozen=True, kw_only=True):
    """Everything that an agent has learned so far."""

    kind: Literal["workflows", "skills"] = "workflows"
    version: int = 0
    """Grows by one with each change."""
    workflows: tuple[LearntWorkflow, ...] = ()
    skills: tuple[Skill, ...] = ()
    revoked: tuple[str, ...] = ()
    """Keys that somebody took out; they do not come back."""

    @property
    def hash(self) -> str:
        """Of what it holds."""
        return digest("library", self.kind, self.workflows, self.skills, self.revoked)[:16]

    @property
    def admitted_skills(self) -> tuple[Skill, ...]:
        """The skills that agents are told of."""
        return tuple(skill for skill in self.skills if skill.state == "admitted")

    def next_version(self, **what: object) -> "MemoryLibrary":
        """The next version, where something is different; else itself."""
        now = replace(self, **what)
        return self if now.hash == self.hash else replace(now, version=self.version + 1)

    def without(self, key: str) -> "MemoryLibrary":
        """The library less one entry, which does not come back; itself where there is none."""
        workflows = tuple(each for each in self.workflows if each.key != key)
        skills = tuple(each for each in self.skills if each.key != key)
        if (workflows, skills) == (self.workflows, self.skills):
            return self
        return self.next_version(workflows=workflows, skills=skills, revoked=(*self.revoked, key))


class TrialLesson(Record, frozen=True, kw_only=True):
    """The lesson of one trial, and the library after it: the artifact `memory.json` of the trial."""

    step: int
    """Number of the lesson, from 1: the order in which the agent learnt."""
    task: str
    judged: bool | None
    """Whether it took itself to have succeeded; None where nobody could say."""
    passed: bool | None = None
    """Whether the hidden checks say so."""
    events: tuple[Event, ...] = ()
    before: str = ""
    """Hash of the library before."""
    library: MemoryLibrary = MemoryLibrary()
    usage: Usage = Usage()
    """What learning itself consumed, beside the trial."""
