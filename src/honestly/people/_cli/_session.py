"""One person's way through the trials that they are asked about: which is next, and what is saved at once.

The study is open for reading all the time, and for writing only while a label or a rating is saved, so that several
people, an audit and a run can work on one file. Nothing is overwritten: undoing a label is one more review.
"""

from pathlib import Path
from typing import NamedTuple

from honestly.people import Place, Queue, labels_of, ratings_of, to_label, to_settle, undo_review
from honestly.records import Review
from honestly.store import Store, add_reviews
from honestly.trials import TrialText


class ReviewQuestion(NamedTuple):
    """A trial that somebody is asked about."""

    trial: str
    blind: bool
    opinions: tuple[Review, ...] = ()
    """What others said, where this person is to settle it."""


class ReviewSession:
    """One sitting of one person."""

    def __init__(self, study: Store, path: Path, queue: Queue | None, reviewer: str) -> None:
        """A sitting.

        Args:
            study: open for reading.
            path: where it is.
            queue: what to ask about; None to settle what others differ about.
            reviewer: who sits there.
        """
        self.study, self.queue, self.reviewer = study, queue, reviewer
        self._path = path
        self._own: list[Review] = []
        self.given = 0
        """Labels given in this sitting that stand."""
        self._skipped: list[str] = []
        self._past: list[tuple[ReviewQuestion, Review]] = []
        self._again: ReviewQuestion | None = None
        self._waiting = self._open_questions()

    @property
    def current_question(self) -> ReviewQuestion | None:
        """The current question; None when there is nothing more."""
        return self._again or (self._waiting[0] if self._waiting else None)

    def trial_text(self, width: int) -> TrialText:
        """The trial that is asked about now, in lines of this many cells; there must be one."""
        asked = self.current_question
        if asked is None:
            raise RuntimeError("there is no trial to show")
        return TrialText(self.study, asked.trial, width, blind=asked.blind, opinions=asked.opinions)

    @property
    def left(self) -> int:
        """Trials that are still to be asked about, with the current one."""
        return len(self._waiting) + (self._again is not None)

    @property
    def rating(self) -> int | None:
        """This person's present rating of the current trial."""
        trial = self.current_question.trial if self.current_question else ""
        said = ratings_of([*self.study.reviews(trial), *self._own]).get(trial, ())
        return next((int(one.rating) for one in said if one.reviewer == self.reviewer and one.rating), None)

    def give_label(self, label: str, note: str = "") -> None:
        """Label the current trial, and go on.

        Raises:
            StudyBusyError: other processes wrote the study all the time; nothing was saved.
            StoreError: it cannot be saved.
        """
        asked = self.current_question
        if asked is None:
            return
        self._save(asked, self._review_place(asked).label(label, note))
        self.given += 1
        self._again = None
        self._waiting = self._open_questions()

    def rate(self, rating: int | None, note: str = "") -> None:
        """Rate the current trial, 1 to 5, and stay with it; None takes the rating back.

        Raises:
            FormatError: it is not a rating.
            StoreError: as `give_label`.
        """
        if (asked := self.current_question) is not None:
            self._save(asked, self._review_place(asked).rate(rating, note))

    def skip(self) -> None:
        """Ask about the current trial last."""
        if (asked := self.current_question) is not None:
            self._skipped = [trial for trial in self._skipped if trial != asked.trial] + [asked.trial]
            self._again = None
            self._waiting = self._open_questions()

    def undo(self) -> bool:
        """Take back the last label or rating of this sitting, and ask about its trial again; whether there was one.

        Raises:
            StoreError: as `give_label`.
        """
        if not self._past:
            return False
        asked, last = self._past[-1]
        self._save(asked, undo_review([*self.study.reviews(asked.trial), *self._own], last))
        del self._past[-2:]
        self.given -= bool(last.label)
        self._again = asked
        self._waiting = self._open_questions()
        return True

    def _review_place(self, asked: ReviewQuestion) -> Place:
        queue = self.queue.name if self.queue is not None else ""
        return Place(asked.trial, self.reviewer, queue, blind=asked.blind, settles=self.queue is None)

    def _save(self, asked: ReviewQuestion, review: Review) -> None:
        add_reviews(self._path, [review])
        self._own.append(review)
        self._past.append((asked, review))

    def _open_questions(self) -> list[ReviewQuestion]:
        labels = labels_of([*self.study.reviews(), *self._own])
        if self.queue is None:
            disputes = to_settle(labels.values(), self.reviewer)
            found = [ReviewQuestion(each.trial, blind=False, opinions=each.opinions) for each in disputes]
        else:
            found = [ReviewQuestion(item.trial, item.blind) for item in to_label(self.queue, labels, self.reviewer)]
        found = [asked for asked in found if self._again is None or asked.trial != self._again.trial]
        order = {trial: place for place, trial in enumerate(self._skipped, 1)}
        return sorted(found, key=lambda asked: order.get(asked.trial, 0))
