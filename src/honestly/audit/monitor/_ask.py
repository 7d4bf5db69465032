"""One question to a judge: constrained by a schema where the server takes one, and read strictly in any case.

A reply that cannot be used is told so once, and asked again. What is refused, cut off or wrong twice has no answer:
that is `NoAnswerError`, with the judge's words, and the trials become errors. A server that answers nothing at all is
another matter: its error goes up, since the question may be asked again another day.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TypeVar

from honestly.audit.monitor._prompts import Reply, again, read_reply, schema_of
from honestly.errors import ModelError
from honestly.models import Message, Model, Settings

R = TypeVar("R", bound=Reply)

_UNSUITABLE = frozenset({None, 400, 404, 415, 422, 501})
"""Statuses with which servers turn down a schema that they do not know."""
_TOO_MUCH = frozenset({400, 413, 422})
"""Statuses with which servers turn down a question that is too long for them."""
_MAX_TOKENS = 16_000


class NoAnswerError(Exception):
    """The judge was asked, and gave nothing that can be used."""


class Judge:
    """A model with the way to ask it."""

    def __init__(self, model: Model, *, timeout_s: float = 600.0) -> None:
        """A judge.

        Args:
            model: who answers.
            timeout_s: seconds that one answer may take.
        """
        self.name = model.name
        self.constrained: bool | None = None
        """Whether its server takes a schema; None before the first answer."""
        self._model = model
        self._settings = Settings(temperature=0.0, max_tokens=_MAX_TOKENS, timeout_s=timeout_s)

    async def ask(self, messages: Sequence[Message], kind: type[R], labels: Collection[str]) -> R:
        """A valid reply of that kind about these labels.

        Raises:
            NoAnswerError: it was refused, or wrong twice.
            ModelError: the server gives no answer.
            BudgetError: nothing more may be spent.
        """
        conversation = list(messages)
        for attempt in (1, 2):
            answer = await self._answer(conversation, kind)
            if answer.stop in {"refusal", "filter"}:
                raise NoAnswerError(f"the judge refused: {answer.text[:200]!r}")
            try:
                return read_reply(answer.text, kind, labels)
            except ModelError as error:
                if attempt == 2:
                    cut = " (cut off at its limit)" if answer.stop == "length" else ""
                    raise NoAnswerError(f"the judge's reply is invalid{cut}: {error}: {answer.text[:120]!r}") from None
                conversation += [Message(role="assistant", text=answer.text), again(str(error))]
        raise AssertionError("the second attempt returns or raises")

    async def _answer(self, conversation: Sequence[Message], kind: type[Reply]) -> Message:
        plain, bound = self._settings, replace(self._settings, schema=schema_of(kind))
        if self.constrained is False:
            return await self._asked(conversation, plain)
        try:
            answer = await self._model(conversation, (), bound)
        except ModelError as error:
            if self.constrained or error.transient or error.status not in _UNSUITABLE:
                raise _too_much(error) from None
            answer = await self._asked(conversation, plain)
            self.constrained = False
            return answer
        self.constrained = answer.sent is None or "schema" not in answer.sent.dropped
        return answer

    async def _asked(self, conversation: Sequence[Message], settings: Settings) -> Message:
        try:
            return await self._model(conversation, (), settings)
        except ModelError as error:
            raise _too_much(error) from None


def _too_much(error: ModelError) -> Exception:
    return (
        NoAnswerError(f"the judge's server turned the question down: {error}") if error.status in _TOO_MUCH else error
    )
