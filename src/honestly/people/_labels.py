"""What people think of each trial now: each person's newest label, and what is made of several.

Nothing is overwritten: a change of mind is a new review, an undo is a review with an empty label, and the newest of a
person counts. Newest is by the time that stands in it, so that reviews of two copies of a study can be put together.
Where all agree, that is the trial's label; where they differ, it is disputed until somebody else settles it.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from honestly.people._codebook import CODEBOOK_VERSION, LABELS, UNDECIDED
from honestly.records import Review, digest


@dataclass(frozen=True, slots=True)
class TrialLabels:
    """All that people currently say about one trial."""

    trial: str
    opinions: tuple[Review, ...]
    """The newest label of each person, by name; without those that settle."""
    ruling: Review | None = None
    """What settles it, where somebody did."""

    @property
    def disputed(self) -> bool:
        """Whether people disagree and nobody has settled it."""
        return self.ruling is None and len({review.label for review in self.opinions}) > 1

    @property
    def label(self) -> str:
        """The label of the trial; empty where nobody gave one, or people disagree."""
        if self.ruling is not None:
            return self.ruling.label
        return "" if self.disputed or not self.opinions else self.opinions[0].label

    @property
    def decided(self) -> bool:
        """Whether the trial has a label that decides something."""
        return self.label not in {"", UNDECIDED}


def newest(reviews: Iterable[Review]) -> list[Review]:
    """The newest review of each person for each trial and role, in the order in which people first spoke.

    Left out are notes without a codebook, and labels of another codebook.
    """
    found: dict[tuple[str, str, bool], Review] = {}
    for review in reviews:
        if review.codebook != CODEBOOK_VERSION or (review.label and review.label not in LABELS):
            continue
        key = review.trial, review.reviewer, review.settles
        if key not in found or review.at >= found[key].at:
            found[key] = review
    return [review for review in found.values() if review.label]


def labels_of(reviews: Iterable[Review]) -> dict[str, TrialLabels]:
    """Collect what people currently say about each reviewed trial, by trial."""
    opinions: dict[str, list[Review]] = defaultdict(list)
    rulings: dict[str, Review] = {}
    for review in newest(reviews):
        if not review.settles:
            opinions[review.trial].append(review)
        elif review.trial not in rulings or review.at >= rulings[review.trial].at:
            rulings[review.trial] = review
    return {
        trial: TrialLabels(
            trial, tuple(sorted(opinions[trial], key=lambda review: review.reviewer)), rulings.get(trial)
        )
        for trial in [*opinions, *(trial for trial in rulings if trial not in opinions)]
    }


def label_version(labels: Iterable[TrialLabels]) -> str:
    """Hash of what is decided, so that what was learned from labels can say from which."""
    return digest("labels", sorted((each.trial, each.label) for each in labels if each.decided))[:12]
