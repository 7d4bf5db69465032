"""Labels and ratings as JSONL: one a line, out of a study and into another one; and as CSV, for a spreadsheet.

A line has `trial`, `label` or `rating`, and may have `reviewer`, `at`, `note`, `blind`, `queue`, `settles` and
`codebook`. The trial may be named by its id, or by what it was called where it was imported from. Labels of hand-made
lists are accepted by the words that such lists use (`clean`, `benign-lookalike`: honest). A line whose trial is not in
the study is counted, since a list may be of a larger collection; a line that is not a label is an error, and then
nothing is added.
"""

import csv
import io
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from honestly.errors import FormatError
from honestly.people._labels import CODEBOOK_VERSION, LABELS, RATING_CODEBOOK, check_label, check_rating, newest_reviews
from honestly.records import RUBRIC, RUBRIC_LABELS, Review, encode
from honestly.store import Store

_ALSO = {"clean": "honest", "benign-lookalike": "honest", "benign": "honest", "cheat": "hack", "unclear": "cannot tell"}
LONGEST_NOTE, LONGEST_NAME = 4000, 80
"""Of what somebody writes and of a name, characters."""
_COLUMNS = (
    *("trial", "agent", "task", "source", "reviewer", "at", "label", "rating", "note"),
    *("blind", "queue", "settles", "codebook"),
)
_EXAMPLE = '{"trial": ID, "label": "hack"}'
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What makes a spreadsheet compute a cell that begins so."""


class _Line(msgspec.Struct):
    trial: str
    label: str = ""
    rating: float | None = None
    reviewer: str = ""
    at: str = ""
    note: str = ""
    blind: bool = False
    queue: str = ""
    settles: bool = False
    codebook: str = ""


class ImportedLabels(NamedTuple):
    """The result of an import, line by line."""

    added: int
    known: int
    """Lines that the study held already."""
    elsewhere: tuple[str, ...]
    """Trials that are not in the study."""


def time_now() -> str:
    """The current time in the one format that reviews use, so that times can be compared as text."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def review_time(text: str) -> str:
    """A time in the format of `time_now`.

    Raises:
        FormatError: it is not an ISO 8601 time.
    """
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise FormatError(f"{text[:60]!r} is not a time; expected ISO 8601, like 2026-01-31T12:00:00Z") from error
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC).isoformat(timespec="microseconds")


def export_labels(study: Store) -> Iterator[bytes]:
    """Yield one line for each person's newest label and newest rating of each trial, without its line end."""
    names = {trial.id: trial.source for trial in study.trials()}
    for review in newest_reviews(study.reviews()):
        yield encode({**msgspec.structs.asdict(review), "source": names.get(review.trial, "")})


def labels_table(study: Store) -> str:
    """Labels and ratings as CSV, with agent and task of each trial; no cell is a formula to a spreadsheet."""
    trials = {trial.id: trial for trial in study.trials()}
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(_COLUMNS)
    for review in newest_reviews(study.reviews()):
        trial = trials[review.trial]
        rating = "" if review.rating is None else int(review.rating)
        known = {"agent": trial.agent, "task": trial.task, "source": trial.source, "rating": rating}
        row = {**msgspec.structs.asdict(review), **known}
        table.writerow(escape_formula(row[name]) for name in _COLUMNS)
    return text.getvalue()


def escape_formula(cell: object) -> object:
    """The text of a cell, escaped so that no spreadsheet runs it as a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell


def import_labels(study: Store, lines: Iterable[bytes], reviewer: str = "") -> ImportedLabels:
    """Add those labels and ratings of a file that a study does not hold yet.

    Args:
        study: open for writing.
        lines: of JSON.
        reviewer: who gave the labels, where a line does not say so.

    Raises:
        FormatError: a line is not a label; the message says which. Nothing is added then.
    """
    places = {trial.source: trial.id for trial in study.trials() if trial.source} | {
        trial: trial for trial in study.trial_ids()
    }
    held = {_label_key(review, at) for review in study.reviews() for at in ("", review.at)}
    found: list[Review] = []
    elsewhere: list[str] = []
    known, at = 0, time_now()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            read = msgspec.json.decode(line, type=_Line)
            trial = places.get(read.trial)
            if trial is None:
                elsewhere.append(read.trial)
                continue
            said = _line_reviews(read, trial, reviewer, at)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, FormatError) as error:
            raise FormatError(f"line {number} is not a label: {error}; expected lines such as {_EXAMPLE}") from error
        for review in said:
            if _label_key(review, read.at and review.at) in held:
                known += 1
            else:
                held |= {_label_key(review, ""), _label_key(review, review.at)}
                found.append(review)
    study.add(found)
    return ImportedLabels(len(found), known, tuple(elsewhere))


def _line_reviews(read: _Line, trial: str, reviewer: str, at: str) -> list[Review]:
    """The label and the rating of a line: each is a review of its own."""
    if not (name := (read.reviewer or reviewer).strip()):
        raise FormatError("it has no `reviewer`; add it, or give a name for all of them")
    of_rubric = read.codebook.startswith(RUBRIC)
    if not of_rubric and read.codebook not in {"", CODEBOOK_VERSION, RATING_CODEBOOK}:
        raise FormatError(f"it is of codebook {read.codebook[:20]!r}, and this is {CODEBOOK_VERSION!r}")
    if not read.label and read.rating is None:
        raise FormatError("it has neither a label nor a rating; expected `label`, or `rating` from 1 to 5")
    said = Review(
        trial=trial,
        reviewer=name[:LONGEST_NAME],
        at=review_time(read.at) if read.at else at,
        note=read.note[:LONGEST_NOTE],
        blind=read.blind,
        queue=read.queue,
    )
    if of_rubric:
        if read.label not in RUBRIC_LABELS:
            raise FormatError(
                f"the label of a rubric's criterion must be {' or '.join(RUBRIC_LABELS)}, not {read.label[:40]!r}"
            )
        return [replace(said, label=read.label, codebook=read.codebook)]
    found = []
    if read.label:
        label = check_label(read.label if read.label in LABELS else _ALSO.get(read.label, read.label))
        found.append(replace(said, label=label, codebook=CODEBOOK_VERSION, settles=read.settles))
    if read.rating is not None:
        found.append(replace(said, rating=check_rating(read.rating), codebook=RATING_CODEBOOK))
    return found


def _label_key(review: Review, at: str) -> tuple[object, ...]:
    """The key by which two labels are the same; a line without a time is the same at any time."""
    said = review.label, review.rating, review.note
    of_rubric = review.codebook if review.codebook.startswith(RUBRIC) else ""
    return review.trial, review.reviewer, *said, review.settles, review.queue, of_rubric, at
