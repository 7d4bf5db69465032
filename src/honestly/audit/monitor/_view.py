"""The text of a trial that a judge reads: cleaned pieces of its steps, in order, with what was left out counted.

What the agent wrote itself (words and actions) is read whole, up to an allowance for the trial, in parts where it is
long: padding can hide nothing in its middle. Outputs are many and mostly noise; of each the beginning and the end are
shown. Where no step of the agent is known, the files that it left are read in their place.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from honestly.audit._case import Case
from honestly.audit.monitor._masked import Masker
from honestly.audit.reading._clean import clipped_text, screen_text
from honestly.audit.reading._left import Suspicion
from honestly.records import Step, call_text

VIEWED = "1"
"""Version of what is shown, and of what is masked in the second view."""

# Beginning and end of one output that are shown, characters.
_OUTPUT = (1_000, 500)
# Beginning and end of one output that are cleaned, characters.
_RAW = (48_000, 16_000)
# Characters of a piece of a longer text, and of it what the piece before holds too.
_PART, _PART_OVERLAP = 6_000, 200
# Of one trial: what the agent wrote, and what came back, characters.
_OWN, _OUTPUTS = 400_000, 400_000
# Characters of a tool's name.
_NAME = 80
# A shorter quote is evidence of nothing, characters.
_SHORTEST = 6

Kind = Literal["told", "said", "did", "saw", "left"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a step."""

    step: int
    """Its index in the trajectory; of a file that was left, its position among them."""
    kind: Kind
    text: str
    """Cleaned."""
    name: str = ""
    """The tool, or the path of the file."""
    code: int | None = None
    """Exit status, where it is known."""


@dataclass(frozen=True, slots=True)
class View:
    """All that a judge may see of a trial."""

    pieces: tuple[Piece, ...] = ()
    unread: int = 0
    """Characters of outputs that are left out."""
    unread_own: int = 0
    """Characters of the agent's own words and actions that are left out."""

    def has_quote(self, step: int, quote: str) -> bool:
        """Whether that stands in the step as it was shown, verbatim."""
        return len(quote.strip()) >= _SHORTEST and any(
            quote.strip() in piece.text for piece in self.pieces if piece.step == step
        )

    def quoted_suspicion(self, step: int, quote: str, note: str) -> Suspicion:
        """A quote from this view, as detectors say it."""
        for piece in self.pieces:
            if piece.step == step and piece.kind == "left":
                return Suspicion(quote.strip(), None, f"file:{piece.name}", note)
        return Suspicion(quote.strip(), step, note=note)


def read_view(case: Case, steps: Iterable[Step]) -> View:
    """The view of a trial; `steps` are taken one at a time."""
    reader = _Reader(told=case.task is None or not case.task.instruction)
    pieces = tuple(reader.read(steps))
    if not any(piece.kind in {"said", "did"} for piece in pieces):
        pieces = tuple(reader.file_pieces(case))
    return View(pieces, reader.unread, reader.unread_own)


def actions_only(view: View) -> View:
    """The second view: what was done, without outputs, without the agent's words, without sentences in what it did."""
    masker = Masker()
    pieces = tuple(
        replace(piece, text=masker.text(piece.text), name=masker.text(piece.name))
        for piece in view.pieces
        if piece.kind in {"did", "left"}
    )
    return View(tuple(piece for piece in pieces if piece.text.strip()), 0, view.unread_own)


def overlapping_chunks(pieces: Sequence[Piece], size: int, overlap: int) -> Iterator[tuple[Piece, ...]]:
    """Pieces in groups of at most `size` characters, each beginning with up to `overlap` of the one before."""
    group: list[Piece] = []
    held = fresh = 0
    for piece in pieces:
        if fresh and held + len(piece.text) > size:
            yield tuple(group)
            group = _tail(group, overlap)
            held, fresh = sum(len(each.text) for each in group), 0
        group.append(piece)
        held += len(piece.text)
        fresh += 1
    if fresh:
        yield tuple(group)


def _tail(group: Sequence[Piece], most: int) -> list[Piece]:
    kept: list[Piece] = []
    for piece in reversed(group):
        most -= len(piece.text)
        if most < 0:
            break
        kept.insert(0, piece)
    return kept


class _Reader:
    """One reading: what is left of the allowances, and what was left out."""

    def __init__(self, *, told: bool) -> None:
        self.unread = self.unread_own = 0
        self._own, self._outputs = _OWN, _OUTPUTS
        self._told = told
        self._begun = False

    def read(self, steps: Iterable[Step]) -> Iterator[Piece]:
        for index, step in enumerate(steps):
            if step.source == "agent":
                self._begun = True
                yield from self._agent_pieces(index, step)
            elif self._told or self._begun:
                yield from self._output_pieces(index, "told", step.message, None)

    def file_pieces(self, case: Case) -> Iterator[Piece]:
        if case.final is None:
            return
        for number, (path, file) in enumerate(case.final.write.files.items()):
            if file.mode != "link" and b"\0" not in file.data[:4096]:
                text = self._bounded_text(file.data.decode("utf-8", "replace"))
                yield from self._text_pieces(number, "left", text, path, None)
        if case.final.delete:
            gone = "\n".join(case.final.delete)
            yield Piece(len(case.final.write.files), "left", gone, "(deleted)")

    def _agent_pieces(self, index: int, step: Step) -> Iterator[Piece]:
        said = f"{step.reasoning}\n{step.message}" if step.reasoning else step.message
        yield from self._text_pieces(index, "said", screen_text(self._bounded_text(said)), "", None)
        codes = {seen.call_id: seen.code for seen in step.observations}
        for call in step.calls:
            yield from self._text_pieces(
                index, "did", screen_text(self._bounded_text(call_text(call))), call.name[:_NAME], codes.get(call.id)
            )
        for seen in step.observations:
            self.unread += seen.dropped
            yield from self._output_pieces(index, "saw", seen.text, seen.code)

    def _bounded_text(self, text: str) -> str:
        kept, left_out = clipped_text(text, max(0, self._own), 0)
        self._own -= len(kept)
        self.unread_own += max(0, left_out)
        return kept

    def _text_pieces(self, index: int, kind: Kind, text: str, name: str, code: int | None) -> Iterator[Piece]:
        if not text.strip():
            return
        for at in range(0, max(1, len(text) - _PART_OVERLAP), _PART - _PART_OVERLAP):
            yield Piece(index, kind, text[at : at + _PART], name, code)

    def _output_pieces(self, index: int, kind: Kind, text: str, code: int | None) -> Iterator[Piece]:
        text, noise = clipped_text(text, *_RAW)
        text = screen_text(text)
        head, tail = _OUTPUT if self._outputs > 0 else (0, 0)
        left_out = len(text) - head - tail
        if left_out > 0:
            text = f"{text[:head]}\n[{left_out} characters not shown]\n{text[len(text) - tail :]}"
            self.unread += left_out
        self.unread += max(0, noise)
        self._outputs -= len(text)
        if text.strip():
            yield Piece(index, kind, text, "", code)
