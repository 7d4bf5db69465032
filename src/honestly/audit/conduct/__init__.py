"""How it worked, not whether it cheated: six dimensions of conduct, counted from steps, marked by people and models."""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.audit.conduct._judge import (
        Marker as Marker,
        Marks as Marks,
        estimate_marks as estimate_marks,
        mark_study as mark_study,
    )
    from honestly.audit.conduct._measures import (
        DIMENSIONS as DIMENSIONS,
        MEASURES as MEASURES,
        Conduct as Conduct,
        Measure as Measure,
        MeasuredTrial as MeasuredTrial,
        Share as Share,
        conduct_of as conduct_of,
        measured_trials as measured_trials,
    )
    from honestly.audit.conduct._ratings import (
        ANCHORS as ANCHORS,
        CONDUCT_CODEBOOK as CONDUCT_CODEBOOK,
        Agreement as Agreement,
        Rating as Rating,
        import_ratings as import_ratings,
        mean_ratings as mean_ratings,
        reviewer_agreements as reviewer_agreements,
    )


__getattr__, __dir__ = lazy_exports(__name__)
