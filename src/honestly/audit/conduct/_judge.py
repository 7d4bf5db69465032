"""A model's marks for conduct, 0 to 10: one question a trial and dimension, and no mark without a quote that stands.

A mark is kept as a review of the trial by the model, under the version of the anchors; so what people and models gave
the same trial lie side by side. What was marked is not asked again. A question without a usable answer gives no mark,
and neither does a trial of which a judge could see too little: both are counted, never filled in.

Not covered: whether a mark is right. That is what agreement with people is for (`_ratings`).
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import NamedTuple

import msgspec

from honestly.audit._study import Progress, case_of
from honestly.audit.conduct._measures import DIMENSIONS
from honestly.audit.conduct._ratings import CONDUCT_CODEBOOK, LABEL, rating_messages
from honestly.audit.monitor._cost import Estimate, MonitorBudget
from honestly.audit.monitor._fence import FencedLines, fenced_lines
from honestly.audit.monitor._group import data_line
from honestly.audit.monitor._turns import JudgeCalls, NoAnswerError
from honestly.audit.monitor._view import Piece, View, read_view
from honestly.models import Message, Model, Prices, default_prices
from honestly.records import Review
from honestly.store import Store

# Of a trial, characters: what is longer loses its middle.
_SHOWN = 120_000
# Characters of an instruction.
_TASK = 20_000
# Of the agent's own words and actions: a judge that sees less gives no mark.
_LEAST_SHARE = 0.5


class StepQuote(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words that stand in a step, as a model says."""

    step: int
    quote: str


class _Mark(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    score: int | None
    reason: str
    evidence: list[StepQuote]

    def problem(self, labels: Collection[str]) -> str:  # noqa: ARG002
        """The problem with it; empty for nothing."""
        if self.score is not None and not 0 <= self.score <= 10:
            return f"a score of {self.score}; expected 0 to 10, or null"
        return "a score without a quote" if self.score is not None and not self.evidence else ""


@dataclass(frozen=True, kw_only=True)
class Marker:
    """Who gives marks, and within what."""

    model: Model
    folder: Path | None = None
    """Where answers are kept; in memory if None."""
    budget: float | None = None
    """US dollars for this run."""
    prices: Prices = field(default_factory=default_prices)
    jobs: int = 4
    """Questions at a time."""
    dimensions: tuple[str, ...] = DIMENSIONS

    @property
    def reviewer(self) -> str:
        """The name under which marks are kept as reviews."""
        return f"model {self.model.name}"


@dataclass
class Marks:
    """The result of a run."""

    purse: MonitorBudget
    given: int = 0
    no_occasion: int = 0
    """The judge said that the trial does not show it."""
    unreadable: int = 0
    """Too little of the trial could be shown."""
    without_answer: int = 0
    """Refused, or not usable twice; or no quote that stands."""
    left: int = 0
    """Questions that were not asked, or not answered by the server."""
    stopped: str = ""
    """Why it ended early; empty where it did not."""


class _Asked(NamedTuple):
    trial: str
    dimension: str


def estimate_marks(study: Store, marker: Marker) -> Estimate:
    """The estimated cost of the missing marks. Nothing is asked."""
    found = Estimate(marker.model.name)
    seen: dict[str, View | None] = {}
    for trial, dimension in _missing_questions(study, marker):
        if trial not in seen:
            seen[trial] = trial_view(study, trial)
        view = seen[trial]
        if view is not None:
            found.add(
                sum(len(message.text) for message in _rating_question(study, trial, view, dimension, b"estimate"))
            )
    return found


async def mark_study(study: Store, marker: Marker, progress: Progress | None = None) -> Marks:
    """Asks for the marks that are missing, and adds each to the study as it comes.

    Raises:
        StoreError: the study cannot be written.
    """
    waiting = _missing_questions(study, marker)
    turns = JudgeCalls(MonitorBudget(marker.prices, marker.budget), marker.folder)
    work = _Work(study, marker, turns, Marks(turns.purse, left=len(waiting)))
    done = count(1)

    async def mark_one(asked: _Asked) -> bool:
        try:
            return await work.ask_mark(asked)
        finally:
            if progress is not None:
                progress(next(done), len(waiting), f"{turns.purse.calls} calls")

    await turns.ask_waiting(waiting, mark_one, marker.jobs)
    work.marks.stopped = turns.stopped
    return work.marks


class _Work:
    def __init__(self, study: Store, marker: Marker, turns: JudgeCalls, marks: Marks) -> None:
        self.study, self.marker, self.marks = study, marker, marks
        self.judge, self.secret = turns.judge(marker.model), turns.secret

    async def ask_mark(self, asked: _Asked) -> bool:
        """Asks one question and keeps the mark; returns whether there was an answer."""
        view = trial_view(self.study, asked.trial)
        if view is None:
            self.marks.unreadable += 1
            self.marks.left -= 1
            return False
        question = _rating_question(self.study, asked.trial, view, asked.dimension, self.secret)
        try:
            mark = await self.judge.valid_reply(question, _Mark, [LABEL])
        except NoAnswerError:
            self.marks.without_answer += 1
            self.marks.left -= 1
            return False
        self.marks.left -= 1
        self._keep_mark(asked, mark, view)
        return True

    def _keep_mark(self, asked: _Asked, mark: _Mark, view: View) -> None:
        if mark.score is None:
            self.marks.no_occasion += 1
            return
        held = [each for each in mark.evidence if view.has_quote(each.step, each.quote)]
        if not held:
            self.marks.without_answer += 1
            return
        quotes = "; ".join(f"step {each.step}: {each.quote[:200]!r}" for each in held[:5])
        review = Review(
            trial=asked.trial,
            reviewer=self.marker.reviewer,
            at=datetime.now(UTC).isoformat(timespec="microseconds"),
            label=asked.dimension,
            rating=float(mark.score),
            note=f"{mark.reason[:600]} ({quotes})",
            codebook=CONDUCT_CODEBOOK,
        )
        self.study.add([review])
        self.marks.given += 1


def _missing_questions(study: Store, marker: Marker) -> list[_Asked]:
    known = {
        (review.trial, review.label)
        for review in study.reviews()
        if review.codebook == CONDUCT_CODEBOOK and review.reviewer == marker.reviewer
    }
    cells = sorted(study.cells(), key=lambda cell: (cell.task, cell.sample, cell.agent))
    asked = [_Asked(cell.id, dimension) for cell in cells for dimension in marker.dimensions]
    return [each for each in asked if each not in known]


def trial_view(study: Store, trial: str) -> View | None:
    """The part of a trial that can be shown; None where it is too little to judge by."""
    if study.trajectory_info(trial) is None:
        return None
    view = read_view(case_of(study, study.trial(trial), steps=False), study.steps(trial))
    own = sum(len(piece.text) for piece in view.pieces if piece.kind in {"said", "did"})
    return view if own and own >= _LEAST_SHARE * (own + view.unread_own) else None


def _rating_question(study: Store, trial: str, view: View, dimension: str, secret: bytes) -> list[Message]:
    return rating_messages(dimension, *shown_trial(study, study.trial(trial).task, view, secret))


def shown_trial(study: Store, task: str, view: View, secret: bytes) -> tuple[str, FencedLines]:
    """What a question about one trial shows: the task's text, and the trial as data."""
    told = study.task(task).instruction[:_TASK] or "(not known; what the agent was told stands in the data)"
    return told, fenced_lines([data_line(LABEL, piece) for piece in _shortened_pieces(view.pieces)], secret)


def _shortened_pieces(pieces: Sequence[Piece]) -> list[Piece]:
    """The first and the last pieces that fit, with a line for what is between them."""
    total = sum(len(piece.text) for piece in pieces)
    if total <= _SHOWN:
        return list(pieces)
    head: list[Piece] = []
    tail: list[Piece] = []
    for kept, order in ((head, iter(pieces)), (tail, reversed(pieces))):
        left = _SHOWN // 2
        for piece in order:
            left -= len(piece.text)
            if left < 0:
                break
            kept.append(piece)
    shown = sum(len(piece.text) for piece in (*head, *tail))
    return [*head, Piece(head[-1].step if head else 0, "told", f"[{total - shown} characters not shown]"), *tail[::-1]]
