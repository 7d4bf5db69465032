"""A record behind the proxy: the answers that were given once are given again, byte for byte.

A request gets the answer to the same request; where there is none, since programs write times, paths and identifiers
into what they send, the answer to the one whose conversation begins most like it. Where the two differ is noted, by the
first place in the body; the order of JSON's keys is no difference, that in the arguments of calls included. Each answer
is given once.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from honestly._loose import canonical_json
from honestly.http import Refusal, Reply
from honestly.models.chat._http import loads, printable_line
from honestly.models.dialects._dialect import Object, json_bytes
from honestly.models.proxy._question import Question, token_of
from honestly.models.proxy._record import Exchange, json_or_text

_CONVERSATION = ("messages", "input", "contents")
_SHOWN = 200
_DEEPEST = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """A request that a recording does not hold, and where it differs."""

    n: int | None
    """The recorded request whose answer it got; None where none was left."""
    path: str
    """The first place in the body where the two differ: `messages[3].content`."""
    recorded: str
    """What stood there, shortened."""
    found: str
    """What stands there now, shortened."""


class Recorded:
    """Answers from a recording: `Proxy(Recorded(read_exchanges(path)), token=...)`."""

    def __init__(self, exchanges: Iterable[Exchange]) -> None:
        self._left = [
            exchange
            for exchange in exchanges
            if exchange.reply and exchange.reply.status not in {0, 401} and exchange.request.operation != "other"
        ]
        self.divergences: list[Divergence] = []
        """Where what was asked is not what was asked then, in the order in which it happened."""

    @property
    def left(self) -> int:
        """How many recorded answers nobody has asked for yet."""
        return len(self._left)

    async def answer(self, question: Question, reply: Reply) -> None:
        """Give a recorded reply; see `Answers.answer`."""
        body = question.body
        for token in token_of(question.head):
            body = body.replace(token.encode("utf-8", "replace"), b"[secret]")
        exchange = self._take_recorded(question, body)
        recorded = exchange.reply
        assert recorded
        data = recorded.text.encode() if recorded.text else bytes(recorded.body)
        await reply.send_head(recorded.status, recorded.type)
        await reply.send(data)
        await reply.end_body()

    def _take_recorded(self, question: Question, body: bytes) -> Exchange:
        route = question.route
        raw, _ = json_or_text(body) if body else (b"null", "")
        alike = [
            (at, exchange)
            for at, exchange in enumerate(self._left)
            if (exchange.request.dialect, exchange.request.operation) == (route.dialect.name, route.operation)
            and exchange.request.stream == question.stream
        ]
        for at, exchange in alike:
            if bytes(exchange.request.body) == bytes(raw):
                return self._left.pop(at)
        if not alike:
            self.divergences.append(Divergence(n=None, path="", recorded="", found=_value_excerpt(question.found)))
            raise Refusal(410, "the record contains no answer to this request, nor to one like it")
        now = _comparable_body(body)
        at, exchange = max(
            alike, key=lambda pair: (_shared(_comparable_body(bytes(pair[1].request.body)), now), -pair[0])
        )
        before = _comparable_body(bytes(exchange.request.body))
        path, then, found = next(_body_differences(before, now, ""), ("", None, None))
        if path or then is not found or now is None or before != now:
            number = exchange.request.n
            self.divergences.append(
                Divergence(n=number, path=path, recorded=_value_excerpt(then), found=_value_excerpt(found))
            )
        return self._left.pop(at)


def _comparable_body(body: bytes) -> Any:  # noqa: ANN401 - somebody else's JSON
    try:
        return _normal_arguments(loads(body))
    except (ValueError, RecursionError):
        return None


def _normal_arguments(found: Any) -> Any:  # noqa: ANN401 - somebody else's JSON
    """The body with the arguments of calls, which some dialects write as JSON in a text, in one spelling."""
    if isinstance(found, list):
        return [_normal_arguments(value) for value in found]
    if not isinstance(found, dict):
        return found
    whole = {name: _normal_arguments(value) for name, value in found.items()}
    text = whole.get("arguments") if "name" in whole else None
    return whole | {"arguments": canonical_json(text)} if isinstance(text, str) else whole


def _conversation_turns(found: object) -> list[Any]:
    turns = next((found[key] for key in _CONVERSATION if found.get(key)), None) if isinstance(found, dict) else None
    return turns if isinstance(turns, list) else [turns]


def _shared(then: Object, now: Object) -> int:
    """How many turns at their beginning two conversations have in common."""
    count = 0
    for one, other in zip(_conversation_turns(then), _conversation_turns(now), strict=False):
        if one != other:
            break
        count += 1
    return count


def _body_differences(then: object, now: object, path: str, depth: int = 0) -> Iterator[tuple[str, object, object]]:
    if type(then) is not type(now) or depth > _DEEPEST:
        yield path, then, now
    elif isinstance(then, dict) and isinstance(now, dict):
        for key in [*then, *(key for key in now if key not in then)]:
            inner = f"{path}.{key}" if path else str(key)
            yield from _body_differences(then.get(key), now.get(key), inner, depth + 1)
    elif isinstance(then, list) and isinstance(now, list):
        for at in range(max(len(then), len(now))):
            one, other = (each[at] if at < len(each) else None for each in (then, now))
            yield from _body_differences(one, other, f"{path}[{at}]", depth + 1)
    elif then != now:
        yield path, then, now


def _value_excerpt(value: object) -> str:
    return printable_line(value if isinstance(value, str) else json_bytes(value).decode(), _SHOWN)
