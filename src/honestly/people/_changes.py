"""Saying something about a trial, and taking it back: what a terminal and a page both write.

Nothing is overwritten. Each change is a review with who and when, and undoing one is another review: what stood
before it, said again, or an empty one.
"""

from collections.abc import Iterable
from typing import NamedTuple

from msgspec.structs import replace

from honestly.errors import FormatError
from honestly.people._exchange import LONGEST_NAME, LONGEST_NOTE, time_now
from honestly.people._labels import (
    CODEBOOK_VERSION,
    RATING_CODEBOOK,
    check_label,
    check_rating,
    newest_reviews,
    review_subject,
)
from honestly.records import Review


class Place(NamedTuple):
    """Who labels which trial, and in which role."""

    trial: str
    reviewer: str
    queue: str = ""
    """Name of the queue that asked; empty where somebody chose the trial."""
    blind: bool = False
    """Whether it was shown without what detectors said."""
    settles: bool = False
    """Whether it decides between labels of others."""

    def label(self, label: str, note: str = "") -> Review:
        """A review that labels the trial; an empty label takes the person's earlier one back.

        Raises:
            FormatError: it is not a label of the codebook.
        """
        return Review(
            **self._asdict(),
            at=time_now(),
            label=label and check_label(label),
            note=note.strip()[:LONGEST_NOTE],
            codebook=CODEBOOK_VERSION,
        )

    def rate(self, rating: float | None, note: str = "") -> Review:
        """A review that rates the trial, 1 to 5; None takes the person's earlier rating back. It settles nothing.

        Raises:
            FormatError: it is not a rating.
        """
        rated = None if rating is None else check_rating(rating)
        said = Review(
            **self._asdict(), at=time_now(), rating=rated, note=note.strip()[:LONGEST_NOTE], codebook=RATING_CODEBOOK
        )
        return replace(said, settles=False)


def reviewer_name(text: str) -> str:
    """A reviewer's name as stored in reviews.

    Raises:
        FormatError: it is not one.
    """
    name = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    if not name or len(name) > LONGEST_NAME:
        raise FormatError(f"{text[:LONGEST_NAME]!r} is not a name for a reviewer; give 1 to {LONGEST_NAME} characters")
    return name


def change_history(reviews: Iterable[Review], *, trial: str = "", reviewer: str = "") -> list[Review]:
    """Every change of labels and ratings, the newest first; of one trial or one person where named."""
    found = [
        review
        for review in reviews
        if review_subject(review) and trial in {"", review.trial} and reviewer in {"", review.reviewer}
    ]
    return sorted(found, key=lambda review: review.at, reverse=True)


def undoing_review(reviews: Iterable[Review], reviewer: str, *, trial: str = "") -> Review | None:
    """A review that undoes a person's latest valid review; None where nothing does.

    It brings back what they had said before on the same subject. Where that was nothing, it is an empty review. It is
    still to be added to the study.

    Args:
        reviews: of the study.
        reviewer: whose.
        trial: the one that it is about; empty: any.
    """
    changes = change_history(reviews, trial=trial, reviewer=reviewer)
    standing = change_history(newest_reviews(changes))
    return undo_review(changes, standing[0]) if standing else None


def undo_review(reviews: Iterable[Review], last: Review) -> Review:
    """A review that undoes an earlier one that is still valid."""
    earlier = [
        other
        for other in change_history(reviews)
        if review_subject(other) == review_subject(last) and other.at < last.at
    ]
    if earlier and (earlier[0].label or earlier[0].rating is not None):
        return replace(earlier[0], at=time_now())
    return replace(last, at=time_now(), label="", rating=None, note="taken back")
