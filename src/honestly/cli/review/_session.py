"""One person's way through the trials that they are asked about: which is next, and labels that are saved at once.

The study is open for reading all the time, and for writing only while a label is saved, so that several people, and an
audit, can work on one file. Nothing is overwritten: undoing a label is one more review, that takes it back.
"""

from pathlib import Path
from typing import NamedTuple

from honestly.people import (
    CODEBOOK_VERSION,
    Queue,
    labels_of,
    now,
    to_label,
    to_settle,
)
from honestly.records import Review
from honestly.report import TrialText
from honestly.store import Store, open_study


class Asked(NamedTuple):
    """A trial that somebody is asked about."""

    trial: str
    blind: bool
    opinions: tuple[Review, ...] = ()
    """What others said, where this person is to settle it."""


class ReviewSession:
    """What one person does in one sitting."""

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
        self._past: list[Asked] = []
        self._again: Asked | None = None
        self._waiting = self._ask()

    @property
    def current(self) -> Asked | None:
        """What is asked now; None when there is nothing more."""
        return self._again or (self._waiting[0] if self._waiting else None)

    def text(self, width: int) -> TrialText:
        """The trial that is asked about now, in lines of this many cells; there must be one."""
        asked = self.current
        if asked is None:
            raise RuntimeError("there is no trial to show")
        return TrialText(self.study, asked.trial, width, blind=asked.blind, opinions=asked.opinions)

    @property
    def left(self) -> int:
        """Trials that are still to be asked about, with the current one."""
        return len(self._waiting) + (self._again is not None)

    def give(self, label: str, note: str = "") -> None:
        """Label the current trial, and go on.

        Raises:
            StudyBusyError: another process is writing the study at this moment; nothing was saved.
            StoreError: it cannot be saved.
        """
        asked = self.current
        if asked is None:
            return
        self._save(asked, label, note)
        self.given += 1
        self._past.append(asked)
        self._again = None
        self._waiting = self._ask()

    def skip(self) -> None:
        """Ask about the current trial last."""
        asked = self.current
        if asked is not None:
            self._skipped = [trial for trial in self._skipped if trial != asked.trial] + [asked.trial]
            self._again = None
            self._waiting = self._ask()

    def undo(self) -> bool:
        """Take back the last label of this sitting, and ask about its trial again; whether there was one.

        Raises:
            StoreError: as `give`.
        """
        if not self._past:
            return False
        self._save(self._past[-1], "", "taken back")
        self._again = self._past.pop()
        self.given -= 1
        self._waiting = self._ask()
        return True

    def _save(self, asked: Asked, label: str, note: str) -> None:
        review = Review(
            trial=asked.trial,
            reviewer=self.reviewer,
            at=now(),
            label=label,
            note=note,
            codebook=CODEBOOK_VERSION,
            queue=self.queue.name if self.queue is not None else "",
            blind=asked.blind,
            settles=self.queue is None,
        )
        with open_study(self._path, "write", checked=True) as writing:
            writing.add([review])
        self._own.append(review)

    def _ask(self) -> list[Asked]:
        labels = labels_of([*self.study.reviews(), *self._own])
        if self.queue is None:
            disputes = to_settle(labels.values(), self.reviewer)
            found = [Asked(each.trial, blind=False, opinions=each.opinions) for each in disputes]
        else:
            found = [Asked(item.trial, item.blind) for item in to_label(self.queue, labels, self.reviewer)]
        found = [asked for asked in found if self._again is None or asked.trial != self._again.trial]
        order = {trial: place for place, trial in enumerate(self._skipped, 1)}
        return sorted(found, key=lambda asked: order.get(asked.trial, 0))
