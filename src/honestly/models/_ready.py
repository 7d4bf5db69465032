"""Can a model be asked? One short question before a study says so, and what its answer costs."""

from collections.abc import Sequence
from dataclasses import replace

import anyio

from honestly.errors import BudgetError, ModelError
from honestly.models._api import NO_SETTINGS, Message, Model, Settings, ToolSpec
from honestly.models._retry import RetryModel

_QUESTION = Message(role="user", text="This only tests the connection. Answer with the one word: ready.")


async def trouble_with(
    model: Model,
    settings: Settings = NO_SETTINGS,
    tools: Sequence[ToolSpec] = (),
    *,
    priced: bool = False,
    seconds: float = 30.0,
) -> list[str]:
    """Asks a model one question, and returns why it cannot answer; empty if it can.

    Args:
        model: Who is asked.
        settings: As the agent samples: what the server refuses of them is found now.
        tools: Likewise.
        priced: Whether the cost of an answer must be known.
        seconds: That the answer may take.
    """
    try:
        with anyio.fail_after(seconds):
            answer = await (model.with_short_retry if isinstance(model, RetryModel) else model)(
                (_QUESTION,), tools, replace(settings, timeout_s=min(seconds, settings.timeout_s))
            )
    except TimeoutError:
        return [f"{model.name} did not answer within {seconds:g} s; is the server well? ask it by other means"]
    except (ModelError, BudgetError) as error:
        return [str(error)]
    if not priced or answer.usage.usd is not None:
        return []
    if answer.usage.input_tokens is None or answer.usage.output_tokens is None:
        return [f"{model.name} does not say how many tokens it used, so no limit in dollars can be kept; leave it out"]
    advice = "give it in US dollars per million tokens: --price IN/OUT, or IN/OUT/CACHED; or limit tokens"
    return [f"the price of {model.name} is not known, so no limit in dollars can be kept; {advice}"]
