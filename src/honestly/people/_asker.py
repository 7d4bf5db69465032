"""A known-truth agent that asks: it holds the answers, so that every measure of a user's effort can be checked.

What it has not been told it gets wrong: it applies the rival of the first fact that neither the instruction nor the
user has said, and the reference once all are known. It asks about what is missing, about everything, never, or the
wrong thing; it may forget the first requirement, do more than was asked, wait to be nudged, or leave tests broken.
"""

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Literal

from honestly.agents import NOBODY, Hands, Person, Run
from honestly.people._facts import Fact, FactTable, facts_of_suite
from honestly.records import Agent, Edit, File, Observation, Step, Suite, ToolCall, Tree, Truth
from honestly.sandbox import Sandbox

WRONG_QUESTION = "Which colour do you like?"
EXTRA_FILE, BROKEN_TEST = "EXTRA_NOTES.md", "tests/test_left_broken.py"


def question_about(fact: Fact) -> str:
    """How the agent asks about a fact."""
    return f"What about {fact.about[0]}?"


@dataclass(frozen=True, kw_only=True)
class Asker:
    """A known-truth agent that asks a user."""

    suite: Suite
    name: str
    source: str = "embedded"
    """Where the suite, and its table of facts, is from."""
    asks: Literal["missing", "always", "never", "wrong"] = "missing"
    rate: float = 1.0
    """Probability that it succeeds once it knows everything."""
    forgets: bool = False
    """Whether it undoes the first requirement when it has met the last one of several."""
    overdoes: int = 0
    """Lines that it writes beyond what was asked."""
    waits: bool = False
    """Whether it does nothing about a new requirement until it is nudged."""
    breaks: bool = False
    """Whether it leaves a broken test behind until the user says so."""
    person: Person = field(default=NOBODY, compare=False)
    then: Callable[[Run], Awaitable[str]] | None = field(default=None, compare=False)

    @property
    def record(self) -> Agent:
        """The configuration that identifies the agent."""
        names = ("asks", "rate", "forgets", "overdoes", "waits", "breaks")
        return Agent(
            name=self.name, program="asker", version="1", settings={name: getattr(self, name) for name in names}
        )

    def attended(self, person: Person, then: Callable[[Run], Awaitable[str]] | None) -> "Asker":
        """Gives the agent somebody to ask, and somebody who says what comes next."""
        return replace(self, person=person, then=then)

    async def __call__(self, run: Run, box: Sandbox) -> None:
        """Asks, works, and goes on for as long as the user says something."""
        work = _Work(self, run, box, facts_of_suite(self.source, self.suite)[run.task.id])
        await work.ask_user()
        succeeds = random.Random(run.seed).random() < self.rate  # noqa: S311
        run.truth = Truth(kind="asker", succeeded=succeeds, rate=self.rate)
        await work.do(succeeds)
        while self.then and (more := await self.then(run)):
            run.steps.append(Step(source="user", message=more))
            idle = self.waits and more.startswith("One more thing")
            work.heard += f"\n{more}"
            work.fixed = True
            if not idle:
                await work.do(succeeds)
            else:
                Hands(run, box).finish("I have read that.", claimed=True)


@dataclass
class _Work:
    asker: Asker
    run: Run
    box: Sandbox
    table: FactTable
    heard: str = ""
    files: Tree = field(default_factory=Tree)
    fixed: bool = False

    def __post_init__(self) -> None:
        self.heard, self.files = self.run.task.instruction, self.run.task.workspace

    def _knows(self, fact: Fact) -> bool:
        heard = " ".join(self.heard.split()).replace("`", "")
        return any(" ".join(text.split()).replace("`", "") in heard for text in (fact.says, self.table.full))

    async def ask_user(self) -> None:
        how = self.asker.asks
        if how == "never" or not self.asker.person.there:
            return
        for fact in self.table.facts:
            if how == "always" or not self._knows(fact):
                question = WRONG_QUESTION if how == "wrong" else question_about(fact)
                call = ToolCall.of(f"ask-{len(self.run.steps)}", "ask", question=question)
                answer = await self.asker.person.answer(question)
                seen = Observation(text=answer, call_id=call.id)
                self.run.steps.append(Step(source="agent", calls=(call,), observations=(seen,)))
                self.heard += f"\n{answer}"

    async def do(self, succeeds: bool) -> None:
        """Leave the solution that what was heard allows."""
        hidden = self.asker.suite.task(self.run.task.id).hidden
        assert hidden is not None
        wrong = {each.name: each.edit for each in hidden.wrong}
        needs = self.table.requirements
        unknown = next((each for each in needs if not self._knows(each.fact)), None if succeeds else needs[0])
        told_late = self.heard.count("One more thing: ")
        if unknown is None and self.asker.forgets and told_late > 1:
            unknown = needs[0]
        target = (hidden.reference if unknown is None else wrong[unknown.rival]).apply(self.run.task.workspace)
        more = {}
        if self.asker.overdoes:
            more[EXTRA_FILE] = File(data=b"".join(b"note %d\n" % n for n in range(self.asker.overdoes)))
        if self.asker.breaks and not self.fixed:
            more[BROKEN_TEST] = File(data=b"import no_such_module\n")
        target = Tree(files={**target.files, **more})
        hands = Hands(self.run, self.box)
        await hands.apply(Edit.between(self.files, target))
        self.files = target
        hands.finish("Done.", claimed=True)
