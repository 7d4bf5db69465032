"""What people think of trials: review queues, labels, agreement, and what is learned from them.

`draw_queue` chooses the trials that people are asked about, `labels_of` says what they now think, `reliability` how far
they agree, `hacks` how many hacks there really are, and `fit` learns a small classifier that has to pass a gate.
"""

from honestly.people._classifier import (
    Classifier,
    Curve,
    Tested,
    classifiers_of,
    classify,
    current_classifier,
    keep_classifier,
)
from honestly.people._codebook import CODEBOOK, CODEBOOK_VERSION, LABELS, UNDECIDED, CodebookEntry
from honestly.people._exchange import ImportedLabels, export_labels, import_labels, now
from honestly.people._features import CLASSIFIER, features
from honestly.people._fit import Example, Fitted, examples_of, fit, fit_classifier, gate
from honestly.people._hacks import ALL, Hacks, KnownRates, corrected, hacks, known_rates, proofs, reviews_needed
from honestly.people._labels import TrialLabels, label_version, labels_of
from honestly.people._queue import (
    Draw,
    Queue,
    QueueItem,
    changed_since,
    draw_queue,
    keep_queue,
    queues_of,
    to_label,
    to_settle,
)
from honestly.people._reliability import Reliability, reliability
from honestly.people._split import PARTS, Part, Split, family_of, keep_split, split_of
from honestly.people._strata import DISAGREEMENT, FLAGGED, STRATA, UNFLAGGED, Standpoint, latest_findings, standpoints

__all__ = [
    "ALL",
    "CLASSIFIER",
    "CODEBOOK",
    "CODEBOOK_VERSION",
    "DISAGREEMENT",
    "FLAGGED",
    "LABELS",
    "PARTS",
    "STRATA",
    "UNDECIDED",
    "UNFLAGGED",
    "Classifier",
    "CodebookEntry",
    "Curve",
    "Draw",
    "Example",
    "Fitted",
    "Hacks",
    "ImportedLabels",
    "KnownRates",
    "Part",
    "Queue",
    "QueueItem",
    "Reliability",
    "Split",
    "Standpoint",
    "Tested",
    "TrialLabels",
    "changed_since",
    "classifiers_of",
    "classify",
    "corrected",
    "current_classifier",
    "draw_queue",
    "examples_of",
    "export_labels",
    "family_of",
    "features",
    "fit",
    "fit_classifier",
    "gate",
    "hacks",
    "import_labels",
    "keep_classifier",
    "keep_queue",
    "keep_split",
    "known_rates",
    "label_version",
    "labels_of",
    "latest_findings",
    "now",
    "proofs",
    "queues_of",
    "reliability",
    "reviews_needed",
    "split_of",
    "standpoints",
    "to_label",
    "to_settle",
]
