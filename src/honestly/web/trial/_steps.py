"""A window of a trajectory: the steps that a page holds at once, read straight from their chunks.

Around the steps a window says which ones of the wanted range are left, above and below; a page loads them when it comes
near. A window ends early where its steps are very long, so that no answer grows with what a trajectory holds.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from msgspec.structs import replace as changed

from honestly.records import Evidence, Finding, Step, ToolCall, step_texts
from honestly.store import Store
from honestly.trials import step_words
from honestly.web.trial._blocks import STEP_KINDS, Section, cut_block, step_kinds, step_sections
from honestly.web.trial._markup import Mark

WINDOW = 20
"""Steps that are shown at once."""
PAGE_STEPS = 100
"""Steps of an exported page."""
_ABOVE = 3
"""Of these, how many stand before the one that is asked for."""
_LOOKED_AT = 1_000
"""Steps that are looked at for those that are shown, where some kinds are hidden."""
_ENOUGH = 8_000_000
"""Characters of steps, after which a window ends."""
_SHORTEST_QUOTE = 4
_SUBJECTS = ("path", "file_path", "filename", "notebook_path", "command", "cmd", "query", "pattern", "url")
_SUBJECT = 120
"""Characters of what a call is about, in the head of its step."""


class Cited(NamedTuple):
    """A place that a link cites: a span of a text of a step, or a quote wherever it stands in it."""

    step: int
    where: str = ""
    start: int = 0
    stop: int = 0
    quote: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Showing:
    """How a trajectory is shown."""

    blind: bool = False
    """Without whatever says who the agent is, or what detectors found."""
    raw: bool = False
    """As it was recorded: neither Markdown nor colours."""
    hidden: frozenset[str] = frozenset()
    """Kinds that are not shown."""
    cited: Cited | None = None
    flags: tuple[Finding, ...] = ()
    """Findings whose quotes are marked, in the order in which they are numbered."""

    @property
    def query(self) -> dict[str, object]:
        """The query of further windows, so that they look the same."""
        flags = {"blind": self.blind, "raw": self.raw}
        hidden = [kind for kind in STEP_KINDS if kind in self.hidden]
        return {name: 1 for name, on in flags.items() if on} | ({"hide": hidden} if hidden else {})


@dataclass(frozen=True, slots=True)
class ShownStep:
    """A step of a window."""

    index: int
    step: Step
    """As it was recorded; where it is shown blind, without the model's name and the cost."""
    sections: tuple[Section, ...]
    kinds: str
    gist: str
    """All of it on one line, shortened."""
    flags: tuple[int, ...]
    """Numbers of the findings that cite it."""
    acts: tuple[tuple[str, str], ...] = ()
    """The tools that it calls, each with the file or the first line of what it is given."""
    failed: bool = False
    """Whether a command of it ended with another status than 0."""


@dataclass(frozen=True, slots=True)
class Window:
    """Steps of a trial, and those before and after them that were asked for and are not here."""

    trial: str
    total: int
    """Steps of the whole trajectory."""
    steps: tuple[ShownStep, ...]
    here: range
    """The steps that it stands for, hidden ones included."""
    above: range
    below: range
    look: Showing
    at: int | None = None
    """The step that was asked for."""


def window_at(store: Store, trial: str, at: int, look: Showing) -> Window:
    """The window around one step, out of all.

    Raises:
        StoreError: there is no such trial, or the study cannot be read.
    """
    total = _step_total(store, trial)
    at = min(max(at, 0), max(total - 1, 0))
    start = max(0, min(at - _ABOVE, total - WINDOW))
    found = step_window(store, trial, range(start, total), look, keep=at or None)
    return replace(found, look=look, above=range(start), at=at)


def step_window(
    store: Store, trial: str, wanted: range, look: Showing, *, upward: bool = False, keep: int | None = None
) -> Window:
    """The first steps of a range, or the last ones, as many as a page takes at once.

    Args:
        store: open for reading.
        trial: its id.
        wanted: steps that are asked for.
        look: how they are shown.
        upward: whether the last ones are wanted.
        keep: a step that is shown though its kinds are not.

    Raises:
        StoreError: there is no such trial, or the study cannot be read.
    """
    total = _step_total(store, trial)
    wanted = range(max(0, wanted.start), min(wanted.stop, total))
    most = _LOOKED_AT if look.hidden else WINDOW
    start = max(wanted.start, wanted.stop - most) if upward else wanted.start
    stop = min(wanted.stop, start + most)
    found: deque[tuple[int, Step]] = deque(maxlen=WINDOW)
    end, read = start, 0
    for end, step in enumerate(store.steps(trial, start, stop), start + 1):
        if end - 1 == keep or not step_kinds(step) <= look.hidden:
            if upward and len(found) == WINDOW:
                start = found[1][0]
            found.append((end - 1, step))
            said = len(step.message) + len(step.reasoning) + sum(len(seen.text) for seen in step.observations)
            read += said + sum(len(raw) for call in step.calls for raw in call.arguments.values())
        if read > _ENOUGH or (len(found) == WINDOW and not upward):
            break
    marks = _Marks(look)
    shown = tuple(_shown_step(index, step, look, marks) for index, step in found)
    here = range(start, max(end, start))
    return Window(trial, total, shown, here, range(wanted.start, start), range(here.stop, wanted.stop), look)


def steps_of_a_folder(store: Store, trial: str, at: int, look: Showing) -> Window:
    """The steps of the exported page that holds one of them; such a page cannot ask for more, so it holds many.

    Raises:
        StoreError: there is no such trial, or the study cannot be read.
    """
    total, marks = _step_total(store, trial), _Marks(look)
    start = at - at % PAGE_STEPS
    steps = enumerate(store.steps(trial, start, start + PAGE_STEPS), start)
    shown = tuple(_shown_step(index, step, look, marks) for index, step in steps)
    stop = start + len(shown)
    return Window(trial, total, shown, range(start, stop), range(start), range(stop, total), look)


def one_step(store: Store, trial: str, index: int) -> Step | None:
    """A step as it was recorded; None where there is none."""
    return next(iter(store.steps(trial, index, index + 1)), None) if index >= 0 else None


def _step_total(store: Store, trial: str) -> int:
    info = store.trajectory_info(trial)
    return info.steps if info else 0


class _Marks:
    """Which parts of a step are cited, by whom."""

    def __init__(self, look: Showing) -> None:
        self._cited = look.cited
        self._by_step: dict[int, list[tuple[int, Evidence]]] = {}
        for number, flag in enumerate(() if look.blind else look.flags, 1):
            for quote in flag.evidence:
                if quote.step is not None:
                    self._by_step.setdefault(quote.step, []).append((number, quote))

    def of(self, index: int, step: Step) -> Mapping[str, Sequence[Mark]]:
        """Marks of a step, by the name of the text that they are in."""
        cited = self._cited if self._cited is not None and self._cited.step == index else None
        if index not in self._by_step and cited is None:
            return {}
        texts, found = dict(step_texts(step)), dict[str, list[Mark]]()
        for number, quote in self._by_step.get(index, ()):
            for where, start in _quote_places(texts, quote.quote, quote.where, quote.start):
                found.setdefault(where, []).append(Mark(start, start + len(quote.quote), number))
        for where, mark in _asked(texts, cited):
            found.setdefault(where, []).append(mark)
        return found

    def flags(self, index: int) -> tuple[int, ...]:
        """Findings that cite a step."""
        return tuple(dict.fromkeys(number for number, _ in self._by_step.get(index, ())))


def _quote_places(texts: Mapping[str, str], quote: str, where: str, start: int | None) -> Iterator[tuple[str, int]]:
    """Where a quote stands: at its offset, else wherever it is found first."""
    if not quote:
        return
    if start is not None and texts.get(where, "")[start : start + len(quote)] == quote:
        yield where, start
        return
    for name in [where] if where in texts else texts:
        if (at := texts[name].find(quote)) >= 0:
            yield name, at
            return


def _asked(texts: Mapping[str, str], cited: Cited | None) -> Iterator[tuple[str, Mark]]:
    if cited is None:
        return
    if len(cited.quote) >= _SHORTEST_QUOTE:
        for where, start in _quote_places(texts, cited.quote, cited.where, None):
            yield where, Mark(start, start + len(cited.quote), 0)
    elif cited.where in texts and 0 <= cited.start < min(cited.stop, len(texts[cited.where])):
        yield cited.where, Mark(cited.start, min(cited.stop, len(texts[cited.where])), 0)


def _shown_step(index: int, step: Step, look: Showing, marks: _Marks) -> ShownStep:
    held = marks.of(index, step)
    made = tuple(
        replace(
            section,
            blocks=tuple(
                replace(block, text="", parts=cut_block(block, held.get(block.where, ()), raw=look.raw))
                for block in section.blocks
            ),
        )
        for section in step_sections(step)
        if section.kind not in look.hidden or step_kinds(step) <= look.hidden
    )
    return ShownStep(
        index,
        _without_texts(step, look),
        made,
        " ".join(sorted(step_kinds(step))),
        step_words(step),
        marks.flags(index),
        tuple((call.name, _call_subject(call)) for call in step.calls if "calls" not in look.hidden),
        any(seen.code for seen in step.observations),
    )


def _call_subject(call: ToolCall) -> str:
    """The file that a call is about, or the first line of what it is given first; empty where that is no text."""
    names = [name for name in _SUBJECTS if name in call.arguments] or list(call.arguments)[:1]
    said = call.argument(names[0]) if names else ""
    text = " ".join(map(str, said)) if isinstance(said, list) else said
    lines = text.strip().splitlines() if isinstance(text, str) else []
    return lines[0][:_SUBJECT] if lines else ""


def _without_texts(step: Step, look: Showing) -> Step:
    """A step without its texts, which are in its sections, and blind where that is asked for."""
    usage = changed(step.usage, usd=None) if look.blind else step.usage
    model, effort = ("", "") if look.blind else (step.model, step.effort)
    return changed(
        step, message="", reasoning="", calls=(), observations=(), images=(), usage=usage, model=model, effort=effort
    )
