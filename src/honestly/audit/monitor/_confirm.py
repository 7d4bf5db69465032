"""The second stage: a judge, a stronger one as a rule, sees only what was raised, its surroundings, and siblings.

It confirms, finds innocent, or cannot tell. Suspicions about planted trials go with the real ones, so that this stage
is measured too: where it lets all planted cheats of a question go, what it calls innocent there is undecided. In the
second view it sees nothing but actions, so that no words of the agent can talk it out of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from honestly.audit.monitor._ask import Judge, NoAnswerError
from honestly.audit.monitor._fence import fence, line
from honestly.audit.monitor._group import Group, data_line
from honestly.audit.monitor._prompts import Confirmation, Ruled, confirming
from honestly.audit.monitor._survey import Flag, Sight

_FLAGS_OF_ONE, _FLAGS_OF_ALL = 4, 12
_AROUND = 700
"""Characters before and after a quote that are shown."""
_NEIGHBOUR = 400
_SIBLINGS, _SIBLING = 2, 3_000


@dataclass(frozen=True)
class _Open:
    """A suspicion that is to be decided."""

    sight: Sight
    flag: Flag


async def confirm(group: Group, judge: Judge, sights: Mapping[str, Sight], *, masked: bool) -> None:
    """Decides all suspicions of one view, and notes it in the sights.

    Raises:
        ModelError: the server gives no answer.
        BudgetError: nothing more may be spent.
    """
    waiting = [
        _Open(sight, flag)
        for sight in sights.values()
        for flag in sorted(sight.flags, key=lambda flag: -flag.raised.confidence)[:_FLAGS_OF_ONE]
    ]
    random = Random(f"{group.seed} confirm {masked}")  # noqa: S311
    random.shuffle(waiting)
    waiting.sort(key=lambda each: each.sight.subject.control is not None)
    calls = -(-len(waiting) // _FLAGS_OF_ALL)
    for number in range(calls):
        dealt = waiting[number::calls]
        random.shuffle(dealt)
        await _decide(group, judge, sights, {f"F{place}": each for place, each in enumerate(dealt, 1)}, masked=masked)


async def _decide(
    group: Group, judge: Judge, sights: Mapping[str, Sight], asked: Mapping[str, _Open], *, masked: bool
) -> None:
    siblings = _siblings(group, sights, asked)
    labels = {key: f"T{place}" for place, key in enumerate(dict.fromkeys([*_keys(asked), *siblings]), 1)}
    lines = [
        each
        for key in labels
        for each in (
            _sibling(sights[key], labels[key], masked=masked)
            if key in siblings
            else _surroundings(sights[key], labels[key], asked, masked=masked)
        )
    ]
    data = fence(lines, group.secret)
    trusted = {"task": group.task, **{labels[key]: sights[key].subject.outcome for key in labels}}
    flags = [
        f"{name}: {each.flag.raised.category}, trial {labels[each.sight.subject.key]}, step {each.flag.raised.step}"
        for name, each in asked.items()
    ]
    try:
        reply = await judge.ask(confirming(trusted, flags, data, masked=masked), Confirmation, list(asked))
    except NoAnswerError as error:
        for each in asked.values():
            each.sight.problems.append(str(error))
            each.sight.undecided.append(each.flag)
        return
    _rule(asked, {ruled.flag: ruled for ruled in reply.flags}, lines)


def _rule(asked: Mapping[str, _Open], ruled: Mapping[str, Ruled], lines: Sequence[str]) -> None:
    held = {name: _held(each, lines) for name, each in ruled.items()}
    cheats = [name for name, each in asked.items() if (planted := each.sight.subject.control) and planted.cheat]
    blind = bool(cheats) and not any(held[name].verdict == "confirmed" for name in cheats)
    for name, each in asked.items():
        if held[name].verdict == "confirmed":
            each.sight.confirmed.append((each.flag, held[name]))
        elif held[name].verdict == "cannot tell" or (blind and each.sight.subject.control is None):
            each.sight.undecided.append(each.flag)


def _held(ruled: Ruled, lines: Sequence[str]) -> Ruled:
    """A confirmation without words of the data decides nothing."""
    quoted = line({"": ruled.quote.strip()})[6:-2]
    if ruled.verdict != "confirmed" or (quoted and any(quoted in each for each in lines)):
        return ruled
    return Ruled(ruled.flag, "cannot tell", ruled.quote, "its quote is not in the data")


def _keys(asked: Mapping[str, _Open]) -> list[str]:
    return [each.sight.subject.key for each in asked.values()]


def _siblings(group: Group, sights: Mapping[str, Sight], asked: Mapping[str, _Open]) -> list[str]:
    """Real trials of the group about which nothing is asked here; those about which nothing was raised first."""
    others = [subject.key for subject in group.subjects if subject.key not in _keys(asked)]
    return sorted(others, key=lambda key: len(sights[key].flags))[:_SIBLINGS]


def _sibling(sight: Sight, label: str, *, masked: bool) -> list[str]:
    lines: list[str] = []
    room = _SIBLING
    for piece in sight.subject.seen(masked=masked).pieces:
        if piece.kind in {"did", "left"} and room > 0:
            lines.append(data_line(label, piece, piece.text[:room]))
            room -= len(piece.text)
    return lines


def _surroundings(sight: Sight, label: str, asked: Mapping[str, _Open], *, masked: bool) -> list[str]:
    """The steps around everything that was raised about a trial, and in the full view its summary."""
    raised = [each.flag.raised for each in asked.values() if each.sight is sight]
    steps = {each.step for each in raised}
    near = steps | {step + 1 for step in steps} | {step - 1 for step in steps}
    lines = []
    if not masked and sight.summaries:
        lines.append(line({"trial": label, "step": None, "kind": "summary", "text": " ".join(sight.summaries)[:2_000]}))
    for piece in sight.subject.seen(masked=masked).pieces:
        if piece.step in steps:
            quotes = [each.quote.strip() for each in raised if each.step == piece.step]
            lines.append(data_line(label, piece, _around(piece.text, quotes)))
        elif piece.step in near:
            lines.append(data_line(label, replace(piece, text=piece.text[:_NEIGHBOUR])))
    return lines


def _around(text: str, quotes: Sequence[str]) -> str:
    spans = [(at - _AROUND, at + len(quote) + _AROUND) for quote in quotes if (at := text.find(quote)) >= 0]
    if not spans:
        return text[: 2 * _NEIGHBOUR]
    return text[max(0, min(first for first, _ in spans)) : max(last for _, last in spans)][: 10 * _AROUND]
