"""Arms with a user: the same agent on the same task, told everything, told less, able to ask, or told turn by turn.

    full        the full instruction
    hidden      the instruction without the facts of the task's table, and nobody to ask
    interact    the same, and a user who answers questions
    session     the same; and whenever the agent has ended, the user looks at the workspace, corrects, or says more

An agent under an arm is another agent, `AGENT+ARM`, on the same tasks with the same seeds, so that all that compares
agents compares arms. What passed between the two is the artifact `user.json`. The workspace as it was at the end of
each turn is judged after the agent is gone; nobody learns during the work what its hidden checks say.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Protocol, runtime_checkable

import msgspec
from msgspec.structs import replace

from honestly.agents import Actor, AgentAround, Person, Run
from honestly.errors import AgentError, FormatError
from honestly.models import Model
from honestly.people._facts import FactTable, Requirement
from honestly.people._preferences import PREFERENCES
from honestly.people._user import USUAL, MakeUser, Manner, ModelUser, RuleUser, Seen, SimulatedUser, UserEvent
from honestly.records import Agent, Record, Step, Tree, decode, digest, encode
from honestly.sandbox import Sandbox
from honestly.seams import parse_list

USER_ARMS = {
    "full": "The full instruction.",
    "hidden": "The instruction without the facts of the task's table.",
    "interact": "The instruction without the facts of the task's table, and a user who answers questions about them.",
    "session": "The instruction without the facts of the task's table; a user tells them turn by turn, and corrects.",
}
"""What each arm is, by its name."""

USER_RECORD = "user.json"
"""Name of the artifact that holds what a user said, and why."""

USER_VERSION = "1"

_LOOK_S, _TESTS_S = 20.0, 60.0


class UserRecord(Record, frozen=True, kw_only=True):
    """The conversation of an agent and a user in one trial."""

    arm: str
    facts: tuple[str, ...]
    """Names of the facts that the task has a table of."""
    hidden: tuple[str, ...]
    """Of these, the ones that the instruction did not tell."""
    checks: dict[str, tuple[str, ...]]
    """The hidden checks that are each fact's own."""
    manner: Manner = USUAL
    events: tuple[UserEvent, ...] = ()
    turns: int = 0
    """How often the agent ended, and the user looked."""
    rework: int = 0
    """Lines that were written in one turn and gone at the end of a later one."""
    told: tuple[tuple[str, ...], ...] = ()
    """Facts that had been told when each turn ended."""


@runtime_checkable
class TakesPerson(Actor, Protocol):
    """An agent that can ask a user, and can be told what comes next."""

    def attended(self, person: Person, then: Callable[[Run], Awaitable[str]] | None) -> Actor:
        """Gives the agent a person; `then` says what it is told when it has ended, nothing where that was all."""
        ...


@dataclass
class _Conversation:
    """One trial's user at the agent's side: an agent's `Person`."""

    user: SimulatedUser
    run: Run
    box: Sandbox
    table: FactTable
    there: bool
    told: set[str]
    looks: Mapping[str, str]
    states: list[Tree] = field(default_factory=list)
    heard: list[tuple[str, ...]] = field(default_factory=list)

    def shows(self, step: Step) -> None:
        """Do nothing: the user looks when a turn has ended."""

    def said(self) -> Sequence[str]:
        """Return no lines: the user does not interrupt."""
        return ()

    def stopping(self) -> bool:
        """Return False: the user lets it end by itself."""
        return False

    async def answer(self, question: str) -> str:
        """The user's answer."""
        return await self.user.answer(question)

    async def next_words(self, run: Run) -> str:
        """What the user says when the agent has ended a turn, having looked at the workspace."""
        await self.keep_state()
        before = self.states[-2] if len(self.states) > 1 else run.task.workspace
        last = next((step for step in reversed(run.steps) if step.source == "agent"), None)
        ends = next((call for call in last.calls if call.name == "finish"), None) if last else None
        words = str(ends.argument("summary")) if ends and "summary" in ends.arguments else last.message if last else ""
        asks = run.stop == "asks" or words.rstrip().endswith("?")
        unmet = {name for name, look in self.looks.items() if name in self.told and not await self._holds(look)}
        seen = Seen(self.states[-1] != before, await self._tests_pass(), frozenset(unmet), words if asks else "")
        return await self.user.next_words(seen)

    async def keep_state(self) -> None:
        """Keep the workspace as it is now, to be judged when the agent is gone."""
        self.states.append(self.run.judged_files(await self.box.snapshot()))
        self.heard.append(tuple(sorted(self.told)))

    async def _holds(self, look: str) -> bool:
        return (await self.box.exec(look, timeout=_LOOK_S)).code == 0

    async def _tests_pass(self) -> bool:
        """Whether the visible tests pass, as the agent has left them; of other kinds than unittest nobody looks."""
        visible = self.run.task.visible
        if visible is None or visible.runner != "unittest":
            return True
        return (await self.box.exec("python3 -m unittest", timeout=_TESTS_S)).code == 0


@dataclass(frozen=True)
class AgentWithUser(AgentAround):
    """An agent under an arm with a user."""

    actor: Actor
    arm: str
    tables: Mapping[str, FactTable]
    manner: Manner = USUAL
    make_user: MakeUser | None = None
    """Makes the user; one by rules where there is none."""
    player: str = "rule"
    """Who plays the user, for the agent's record."""

    @property
    def record(self) -> Agent:
        """Its identity: that of the agent, with the arm, the user and the facts."""
        record = self.actor.record
        facts = digest(
            [
                (table.task, table.full, [_identity(each) for each in table.requirements])
                for table in self.tables.values()
            ]
        )
        user = f" User: {self.player}, {encode(self.manner).decode()}." if self.arm in ("interact", "session") else ""
        said = {
            "arm": self.arm,
            "arm_version": f"user-{USER_VERSION}",
            "arm_prompt": f"{USER_ARMS[self.arm]}{user} Facts: {facts[:12]}.",
        }
        return replace(record, name=f"{record.name}+{self.arm}", settings={**record.settings, **said})

    async def __call__(self, run: Run, box: Sandbox) -> None:
        """Lets the agent work, with the user at its side."""
        table = self.tables[run.task.id]
        names = tuple(fact.name for fact in table.facts)
        hidden = () if self.arm == "full" else names
        manner = self.manner if self.arm in ("interact", "session") else USUAL
        likes = " ".join(PREFERENCES[name].says for name in manner.preferences)
        text = table.instruction(hidden) + (f"\n\nIf you have questions: {likes}\n" if likes else "")
        run.task = replace(run.task, instruction=text)
        told = set(names) - set(hidden)
        user = (self.make_user or RuleUser)(table.facts, told, manner)
        looks = {each.fact.name: each.look for each in table.requirements if each.look}
        talk = _Conversation(user, run, box, table, self.arm in ("interact", "session"), told, looks)
        actor = self.actor
        if talk.there:
            assert isinstance(actor, TakesPerson)  # `with_users` has seen to it
            actor = actor.attended(talk, talk.next_words if self.arm == "session" else None)
        try:
            await actor(run, box)
        finally:
            run.turns = talk.states
            run.artifacts[USER_RECORD] = encode(
                UserRecord(
                    arm=self.arm, facts=names, hidden=hidden, manner=manner, events=tuple(user.events),
                    checks={each.fact.name: each.checks for each in table.requirements},
                    turns=len(talk.states), rework=_rework([run.task.workspace, *talk.states]), told=tuple(talk.heard),
                )
            )  # fmt: skip


def _identity(each: Requirement) -> tuple[object, ...]:
    return each.fact.name, each.spans, each.fact.about, each.look


def with_users(
    actors: Sequence[Actor],
    arms: Sequence[str],
    tables: Mapping[str, FactTable],
    manner: Manner,
    make_user: MakeUser | None = None,
    player: str = "rule",
) -> list[Actor]:
    """Put every agent under every arm with a user.

    Raises:
        AgentError: an agent can be given nobody to ask, and the arm has somebody.
    """
    _check_preferences(manner.preferences)
    for arm in arms:
        for actor in actors:
            if arm in ("interact", "session") and not isinstance(actor, TakesPerson):
                raise AgentError(
                    f"the arm {arm!r} has a user, and {actor.record.name!r} can ask nobody; expected the agent "
                    "`honest` with a --model, or an object with `attended` (docs/vague.md)"
                )
    return [AgentWithUser(actor, arm, tables, manner, make_user, player) for arm in arms for actor in actors]


def read_manner(text: str) -> tuple[Manner, str]:
    """How a user is, and who plays it, from `patience=3,level=plain,preferences=short+please,model=SPEC`.

    Raises:
        AgentError: a setting is unknown, or has no such value.
    """
    given = dict(part.partition("=")[::2] for part in text.split(",") if part)
    model = given.pop("model", "")
    values: dict[str, object] = dict(given)
    if "preferences" in given:
        values["preferences"] = parse_list(given["preferences"])
        _check_preferences(parse_list(given["preferences"]))
    try:
        return msgspec.convert(values, Manner, strict=False), model
    except msgspec.ValidationError as error:
        raise AgentError(
            f"--user {text!r}: {error}; expected patience=N, mood=friendly|neutral|terse, "
            "level=expert|developer|plain, preferences=NAME+NAME, model=SPEC"
        ) from error


def _check_preferences(names: Iterable[str]) -> None:
    if unknown := sorted(set(names) - PREFERENCES.keys()):
        raise AgentError(f"no preference {unknown[0]!r}; there are: {', '.join(PREFERENCES)}")


def model_plays(model: Model) -> MakeUser:
    """Makes users that a model plays."""
    return lambda facts, told, manner: ModelUser(model, tuple(facts), told, manner)


def read_user_record(data: bytes) -> UserRecord:
    """The record of an artifact.

    Raises:
        FormatError: it is none.
    """
    try:
        return decode(data, UserRecord)
    except FormatError as error:
        raise FormatError(f"{USER_RECORD} is damaged: {error}") from error


def _rework(states: Sequence[Tree]) -> int:
    """Lines that one state has more of than the one before it, and a later one less."""
    lines = [
        Counter(
            (path, line)
            for path, file in state.files.items()
            if file.mode != "link"
            for line in file.data.splitlines()
            if line.strip()
        )
        for state in states
    ]
    return sum(sum((now - before - lines[-1]).values()) for before, now in pairwise(lines[:-1]))
