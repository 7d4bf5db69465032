"""A policy in the recording proxy: each use of a tool is judged before the program hears that its model wants it.

A turn with a use that is not permitted never reaches the program: the model is told why, and asked again, at most four
times; then the turn ends without a call. What was refused stands in the answer's text. It works for every program whose
model we ask, and for a policy's judge.

Not covered: commands that a model writes as text, not as a call; what else a program runs by itself; requests that go
on to a provider byte for byte. A program's shell is taken for a new one with each command unless it is said to last.
"""

import json
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace

from honestly.agents._permissions import Permissions
from honestly.agents._person import NOBODY
from honestly.agents._policy_judge import PolicyJudge
from honestly.models import NO_SETTINGS, Call, Message, Model, Settings, ToolSpec
from honestly.permissions import ShellState, ToolPolicy
from honestly.records import Usage

_TRIES = 4


class GuardedModel:
    """A model whose answers hold only what a policy permits."""

    def __init__(self, model: Model, policy: ToolPolicy, *, lasting: bool = False) -> None:
        """A model that asks `model`.

        Args:
            model: Who answers.
            policy: What its calls may do.
            lasting: Whether the program's shell lasts from one command to the next.
        """
        self.name = model.name
        judge = PolicyJudge.of(policy)
        self.permissions = Permissions((policy,), () if judge is None else (judge,), shell=ShellState(lasting=lasting))
        """With every decision."""
        self._model = model

    async def __call__(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec] = (), settings: Settings = NO_SETTINGS
    ) -> Message:
        """The next message whose calls are all permitted.

        Raises:
            ModelError: As the model does.
        """
        heard = list(messages)
        notes: list[str] = []
        usage = Usage()
        for _ in range(_TRIES):
            answer = await self._model(heard, tools, settings)
            usage += answer.usage
            refused = await self._refusals(answer.calls)
            if not refused:
                return replace(answer, text="\n".join([*notes, *([answer.text] if answer.text else [])]), usage=usage)
            notes += [f"[refused: {call.name}: {why}]" for call in answer.calls if (why := refused.get(call.id))]
            told = "it was not done, since another use of this turn was refused"
            heard += [
                answer,
                *(Message(role="tool", call_id=call.id, text=refused.get(call.id, told)) for call in answer.calls),
            ]
        return replace(answer, text="\n".join(notes), calls=(), stop="end", usage=usage)

    async def _refusals(self, calls: Sequence[Call]) -> dict[str, str]:
        """Why calls of one turn are not permitted, by their ids."""
        shell = self.permissions.shell
        before = deepcopy(shell)
        refused = {}
        for call in calls:
            try:
                given = json.loads(call.arguments)
            except (ValueError, RecursionError):
                given = None
            arguments = given if isinstance(given, dict) else {"text": call.arguments}
            if why := await self.permissions.refusal_reason(call.name, arguments, NOBODY):
                refused[call.id] = why
        if refused:
            shell.known, shell.after = before.known, before.after
        return refused
