"""Questions asked at the same time out of one purse, until all are asked or asking cannot help any more.

What a server does not answer is left for the next run. After some failures in a row, where asking again cannot help (a
wrong key, a model that is not there), and where the budget is spent, no further question is begun.
"""

import os
import secrets
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import anyio

from honestly.audit.monitor._cost import Meter, MonitorBudget
from honestly.audit.monitor._prompts import Reply, read_reply, retry_message, schema_of
from honestly.errors import BudgetError, ModelError, StoreError
from honestly.models import CacheModel, Message, Model, RetryModel, Settings

R = TypeVar("R", bound=Reply)

# Statuses with which servers turn down a schema that they do not know.
_UNSUITABLE = frozenset({None, 400, 404, 415, 422, 501})
# Statuses with which servers turn down a question that is too long for them.
_TOO_MUCH = frozenset({400, 413, 422})
_MAX_TOKENS = 16_000


class NoAnswerError(Exception):
    """The judge was asked, and gave nothing that can be used."""


class Judge:
    """A model with the way to ask it.

    Replies are constrained by a schema where the server takes one, and read strictly in any case. A reply that cannot
    be used is told so once, and asked again. What is refused, cut off or wrong twice has no answer, and the trials
    become errors. A server that answers nothing at all is another matter: its error goes up, since the question may be
    asked again another day.
    """

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

    async def valid_reply(self, messages: Sequence[Message], kind: type[R], labels: Collection[str]) -> R:
        """A valid reply of that kind about these labels.

        Raises:
            NoAnswerError: it was refused, or wrong twice.
            ModelError: the server gives no answer.
            BudgetError: nothing more may be spent.
        """
        conversation = list(messages)
        for attempt in (1, 2):
            answer = await self._send_question(conversation, kind)
            if answer.stop in {"refusal", "filter"}:
                raise NoAnswerError(f"the judge refused: {answer.text[:200]!r}")
            try:
                return read_reply(answer.text, kind, labels)
            except ModelError as error:
                if attempt == 2:
                    cut = " (cut off at its limit)" if answer.stop == "length" else ""
                    raise NoAnswerError(f"the judge's reply is invalid{cut}: {error}: {answer.text[:120]!r}") from None
                conversation += [Message(role="assistant", text=answer.text), retry_message(str(error))]
        raise AssertionError("the second attempt returns or raises")

    async def _send_question(self, conversation: Sequence[Message], kind: type[Reply]) -> Message:
        plain, bound = self._settings, replace(self._settings, schema=schema_of(kind))
        if self.constrained is False:
            return await self._ask_model(conversation, plain)
        try:
            answer = await self._model(conversation, (), bound)
        except ModelError as error:
            if self.constrained or error.transient or error.status not in _UNSUITABLE:
                raise _too_much(error) from None
            answer = await self._ask_model(conversation, plain)
            self.constrained = False
            return answer
        self.constrained = answer.sent is None or "schema" not in answer.sent.dropped
        return answer

    async def _ask_model(self, conversation: Sequence[Message], settings: Settings) -> Message:
        try:
            return await self._model(conversation, (), settings)
        except ModelError as error:
            raise _too_much(error) from None


def _too_much(error: ModelError) -> Exception:
    return (
        NoAnswerError(f"the judge's server turned the question down: {error}") if error.status in _TOO_MUCH else error
    )


T = TypeVar("T")

# Failures after which a run ends.
_IN_A_ROW = 4
# Statuses where asking again cannot help: a wrong key, no credit, a model that is not there.
_HOPELESS = frozenset({401, 402, 403, 404})


class JudgeCalls:
    """One run of questions."""

    def __init__(self, purse: MonitorBudget, folder: Path | None) -> None:
        """Answers are kept in `folder`, in memory where that is None."""
        self.purse, self.secret = purse, kept_secret(folder)
        self.stopped = ""
        """Why no more is asked; empty while that goes on."""
        self.failures: list[str] = []
        """What servers said instead of an answer, each reason once."""
        self._folder = folder
        self._in_a_row = 0

    def judge(self, model: Model, timeout_s: float = 600.0) -> Judge:
        """A judge whose answers are kept, tried again, and paid from the purse."""
        return Judge(CacheModel(RetryModel(Meter(model, self.purse)), self._folder), timeout_s=timeout_s)

    async def ask_waiting(self, waiting: Iterable[T], ask: Callable[[T], Awaitable[bool]], jobs: int) -> None:
        """Asks about each of `waiting`, `jobs` at a time; `ask` returns whether a judge's answer could be used."""
        room = anyio.Semaphore(jobs)

        async def one(each: T) -> None:
            try:
                if await ask(each):
                    self._in_a_row = 0
            except BudgetError as error:
                self._stop(error)
            except ModelError as error:
                self._in_a_row += 1
                if str(error) not in self.failures:
                    self.failures.append(str(error))
                if error.status in _HOPELESS or self._in_a_row >= _IN_A_ROW:
                    self._stop(error)
            finally:
                room.release()

        async with anyio.create_task_group() as group:
            for each in waiting:
                await room.acquire()
                if self.stopped:
                    break
                group.start_soon(one, each)

    def _stop(self, error: Exception) -> None:
        self.stopped = self.stopped or str(error)


def kept_secret(folder: Path | None) -> bytes:
    """A secret that no author of a trajectory knows: made once for a folder of answers, so that
    questions stay the same.
    """
    if folder is None:
        return secrets.token_bytes(32)
    path = folder / "secret"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(secrets.token_bytes(32))
        except FileExistsError:
            pass
        kept = path.read_bytes()
    except OSError as error:
        raise StoreError(f"the folder of answers {str(folder)!r} cannot be used: {error}; give another one") from None
    if len(kept) != 32:
        raise StoreError(f"{str(path)!r} is damaged; delete the folder, and the model is asked again")
    return kept
