"""The agent: asks a model, does what it calls for, shows it what came of it, until it ends or something ends it.

Each message, call, result, cost and time is on record as it happens, so whatever ends the attempt, what was done and
spent until then is kept. Limits are looked at before each call of the model. A malformed call, an unknown tool, an
empty, cut-off or refused reply is told to the model; three of them in a row end the attempt. It ends well when the
model says how: done, cannot, or asks.

The parts stand in files of their own: the conversation (`_talk`), what may be spent (`_limits`), how replies are read
(`_replies`), what comes of a call (`_toolbox`), how it ends (`_finish`), what the model is told (`_prompt`), and the
project's own set-up (`_project`). A loop of one's own takes the place of this one: `_scaffold`.
"""

from collections.abc import Iterable

import anyio

from honestly.agents._autonomy import InControl
from honestly.agents._finish import Ending, read_ending
from honestly.agents._person import NOBODY
from honestly.agents._replies import unusable_reply_reason
from honestly.agents._run import Run
from honestly.agents._talk import Conversation, Guidance, ModelTurn
from honestly.agents._toolbox import Toolbox
from honestly.errors import BudgetError
from honestly.sandbox import Sandbox, unpaused_limit
from honestly.tools import Tool

_STRIKES = 3
_UNSAID = "If you have ended, say how: call `finish`. Otherwise go on with the task by calling a tool."


class Work:
    """One conversation with a model about one task, in one sandbox."""

    def __init__(self, by: Guidance, run: Run, box: Sandbox, tools: Iterable[Tool], thread: str = "") -> None:
        self._by, self._run, self._box, self._tools = by, run, box, Toolbox(by, box, tools)
        self._talk = Conversation(by, run, self._tools.specs, thread)
        self._strikes, self._asked_how = 0, False

    async def do(self, system: str, task: str) -> Ending | None:
        """Work until the conversation ends; `run.stop` says why.

        The ending is None where the model did not say how it ended.
        """
        self._talk.set_head(system, task)
        return await self._until_it_ends()

    async def go_on(self, told: str) -> Ending | None:
        """Say something more in the conversation that has ended, and work until it ends again."""
        self._tools.forget_ending()
        self._strikes, self._asked_how = 0, False
        self._talk.tell_model(told)
        return await self._until_it_ends()

    async def _until_it_ends(self) -> Ending | None:
        try:
            if self._by.limits.seconds is None:
                return await self._work_loop()
            with unpaused_limit(self._box, self._by.limits.seconds) as clock:
                ending = await self._work_loop()
        except BudgetError as error:
            return self._stop_run(f"budget: {error}", "budget")
        return self._stop_run("limit: seconds", "seconds") if clock.cancelled_caught else ending

    async def _work_loop(self) -> Ending | None:
        while self._strikes < _STRIKES:
            await self._let_person_work()
            if self._must_stop():
                return None
            said = await self._talk.next_reply()
            if said is None:
                if not await self._talk.make_room():
                    return self._stop_run("limit: context", "context")
            elif trouble := unusable_reply_reason(said.reply):
                self._strikes += 1
                self._talk.tell_model(trouble, "system")
            elif ended := await (self._use_tools(said) if said.wanted else self._listen(said.reply.text)):
                if not (await self._let_person_work() or self._pass_typed_lines()):
                    return self._after_ending(*ended)
                self._tools.forget_ending()
        return self._stop_run(f"{_STRIKES} malformed replies in a row")

    async def _let_person_work(self) -> bool:
        """Lets a person who wants to take over do so; whether they did."""
        person = self._by.person
        if person is NOBODY or not isinstance(person, InControl):
            return False
        if told := await person.takes_over(self._run, self._box):
            self._talk.tell_model(told)
        return bool(told)

    def _pass_typed_lines(self) -> bool:
        """Tells the model what the person has typed; whether there was anything."""
        lines = self._by.person.said()
        for line in lines:
            self._talk.tell_model(line)
        return bool(lines)

    def _must_stop(self) -> bool:
        """Whether the person, or a limit, ends it here."""
        self._pass_typed_lines()
        if self._by.person.stopping():
            self._stop_run("stopped by the person")
        elif limit := self._by.limits.limit_reached(self._run.steps):
            self._stop_run(f"limit: {limit}", limit)
        else:
            return False
        return True

    async def _listen(self, text: str) -> tuple[Ending | None] | None:
        """The ending that a plain text is, if it is one; one that does not say how is asked about once."""
        ending = read_ending(text)
        if told := await self._tools.answer(ending):
            self._talk.tell_model(told)
        elif ending or self._asked_how:
            return (ending,)
        else:
            self._asked_how = True
            self._talk.tell_model(_UNSAID, "system")
        return None

    async def _use_tools(self, said: ModelTurn) -> tuple[Ending] | None:
        troubled, self._asked_how = 0, False
        for want in said.wanted:
            clock = anyio.current_time()
            out, trouble = await self._tools.use_tool(want, alone=len(said.wanted) == 1)
            troubled += trouble
            self._talk.show(want, out, said.step, anyio.current_time() - clock)
        self._strikes = self._strikes + 1 if troubled == len(said.wanted) else 0
        return (self._tools.ending,) if self._tools.ending else None

    def _after_ending(self, ending: Ending | None) -> Ending | None:
        self._run.stop = ending.outcome if ending else "ended without saying how"
        self._run.claimed = ending.outcome == "done" if ending else None
        return ending

    def _stop_run(self, why: str, limit: str = "") -> Ending | None:
        self._run.stop, self._run.limit = why, limit
        return None
