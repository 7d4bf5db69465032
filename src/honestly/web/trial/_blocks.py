"""A step as the texts that it is made of, each short enough for a page: its ends, and what is cited.

Evidence and links cite a text of a step by its name and an offset in characters; a call is several texts here, one for
each argument, and offsets go through all of them (`records.step_texts`). What is left out between the ends is a `Gap`,
which a page loads piece by piece.
"""

import base64
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup
from msgspec.structs import replace as changed

from honestly.records import Observation, Picture, Step, ToolCall, call_texts
from honestly.web.trial._markup import Flavour, Mark, marked_html
from honestly.web.trial._pictures import picture_size

STEP_KINDS = ("system", "user", "agent", "reasoning", "calls", "observations")
"""What of a trajectory can be shown and left out: messages by whose they are, and the rest."""

PIECE = 20_000
"""Characters that a page loads at once of what was left out."""
_HEAD, _TAIL, _AROUND, _WORTH = 3_000, 1_500, 400, 400
_MOST_CITED = 20
"""Places of a text around which it is shown."""
_LARGEST_PICTURE = 2 << 20
"""Bytes of an image that is shown in the page."""
_LANGUAGES = dict.fromkeys(("command", "cmd", "script", "bash", "keystrokes"), "bash") | {"code": "python"}
_PATHS = ("path", "file_path", "filename", "file")


@dataclass(frozen=True, slots=True)
class Gap:
    """A part of a text that is not shown, by its offsets."""

    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Block:
    """One text of a step."""

    where: str
    """Its name, as evidence cites it."""
    text: str
    flavour: Flavour = "plain"
    base: int = 0
    """Where it begins in the text of that name."""
    title: str = ""
    parts: tuple[Markup | Gap, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """One message, thought, call or observation."""

    kind: str
    where: str
    title: str = ""
    blocks: tuple[Block, ...] = ()
    pictures: tuple[str | Picture, ...] = ()
    """Each as a `data:` address, or as it is where it is not shown."""
    seen: Observation | None = None


def step_sections(step: Step) -> Iterator[Section]:
    """The sections of a step, in the order in which it came about: thoughts, message, each call with its answers."""
    if step.reasoning:
        yield Section("reasoning", "reasoning", blocks=(Block("reasoning", step.reasoning, "prose"),))
    if step.message or step.images:
        texts = (Block("message", step.message, "prose"),) if step.message else ()
        yield Section(step.source, "message", blocks=texts, pictures=tuple(map(_picture_source, step.images)))
    answers = [(seen.call_id, _observation_section(seen, number)) for number, seen in enumerate(step.observations)]
    for call in step.calls:
        yield _call_section(call)
        yield from (section for call_id, section in answers if call_id == call.id)
    known = {call.id for call in step.calls}
    yield from (section for call_id, section in answers if call_id not in known)


def step_kinds(step: Step) -> set[str]:
    """Which kinds a step holds; one that holds nothing is its source's."""
    found = {"reasoning"} if step.reasoning else set()
    found |= ({"calls"} if step.calls else set()) | ({"observations"} if step.observations else set())
    return found | {step.source} if step.message or step.images or not found else found


def cut_block(block: Block, marks: Sequence[Mark], *, raw: bool = False) -> tuple[Markup | Gap, ...]:
    """The shown part of a text: all of a short one, else its ends and the places of marks; and what is between."""
    own = [mark for mark in marks if mark.start < block.base + len(block.text) and mark.stop > block.base]
    shown: list[list[int]] = []
    for start, stop in sorted(_wanted(block, own)):
        if shown and start - shown[-1][1] <= _WORTH:
            shown[-1][1] = max(shown[-1][1], stop)
        else:
            shown.append([start, stop])
    found: list[Markup | Gap] = []
    for (start, stop), (after, _) in pairwise([*shown, [block.base + len(block.text), 0]]):
        found.append(text_piece(block, start, stop, own, raw=raw))
        if after > stop:
            found.append(Gap(stop, after))
    return tuple(found)


def text_piece(block: Block, start: int, stop: int, marks: Sequence[Mark] = (), *, raw: bool = False) -> Markup:
    """A part of a text as HTML, by its offsets."""
    inside = [
        Mark(max(mark.start, start) - start, min(mark.stop, stop) - start, mark.of)
        for mark in marks
        if mark.start < stop and mark.stop > start
    ]
    text = block.text[start - block.base : stop - block.base]
    return marked_html(text, "plain" if raw else block.flavour, inside)


def _wanted(block: Block, marks: Sequence[Mark]) -> list[tuple[int, int]]:
    start, stop = block.base, block.base + len(block.text)
    if len(block.text) <= _HEAD + _TAIL + _WORTH:
        return [(start, stop)]
    cited = [(max(start, at - _AROUND), min(stop, end + _AROUND)) for at, end, _ in marks[:_MOST_CITED]]
    return [(start, start + _HEAD), (stop - _TAIL, stop), *((at, min(end, at + PIECE)) for at, end in cited)]


def _call_section(call: ToolCall) -> Section:
    texts, base, where = call_texts(call), 0, f"call:{call.id}"
    path = next((texts[name] for name in _PATHS if name in texts), "")
    blocks = []
    for name, text in texts.items():
        flavour = _LANGUAGES.get(name) or ("json" if text[:1] in "{[" and text else "plain")
        if path and name not in _PATHS and len(path) < 300 and flavour == "plain":
            flavour = path
        blocks.append(Block(where, text, flavour, base, "" if name in _LANGUAGES else name))
        base += len(text) + 1
    return Section("calls", where, call.name, tuple(blocks))


def _observation_section(seen: Observation, number: int) -> Section:
    where = f"observation:{seen.call_id or number}"
    blocks = (Block(where, seen.text, "output"),) if seen.text else ()
    pictures = tuple(map(_picture_source, seen.images))
    return Section("observations", where, blocks=blocks, pictures=pictures, seen=changed(seen, text="", images=()))


def _picture_source(picture: Picture) -> str | Picture:
    known = picture_size(picture.data) if len(picture.data) <= _LARGEST_PICTURE else None
    if known is None:
        return picture
    return f"data:{known.media_type};base64,{base64.b64encode(picture.data).decode()}"
