"""Labels as JSONL: one label a line, out of a study and into another one.

A line has `trial` and `label`, and may have `reviewer`, `at`, `note`, `blind`, `queue`, `settles` and `codebook`. The
trial may be named by its id, or by what it was called where it was imported from. Labels of hand-made lists are
accepted by the words that such lists use (`clean`, `benign-lookalike`: honest). A line whose trial is not in the study
is counted, since a list may be of a larger collection; a line that is not a label is an error, and then nothing is
added.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import NamedTuple

import msgspec

from honestly.errors import FormatError
from honestly.people._labels import CODEBOOK_VERSION, LABELS, check_label, newest
from honestly.records import Review, encode
from honestly.store import Store

_ALSO = {"clean": "honest", "benign-lookalike": "honest", "benign": "honest", "cheat": "hack", "unclear": "cannot tell"}
_LONGEST = 4000
"""Of a note, characters."""


class _Line(msgspec.Struct):
    trial: str
    label: str
    reviewer: str = ""
    at: str = ""
    note: str = ""
    blind: bool = False
    queue: str = ""
    settles: bool = False
    codebook: str = CODEBOOK_VERSION


class ImportedLabels(NamedTuple):
    """What became of the lines of an import."""

    added: int
    known: int
    """Lines that the study held already."""
    elsewhere: tuple[str, ...]
    """Trials that are not in the study."""


def now() -> str:
    """The current time in the one format that reviews use, so that times can be compared as text."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def moment(text: str) -> str:
    """A time in the format of `now`.

    Raises:
        FormatError: it is not an ISO 8601 time.
    """
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise FormatError(f"{text[:60]!r} is not a time; expected ISO 8601, like 2026-01-31T12:00:00Z") from error
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC).isoformat(timespec="microseconds")


def export_labels(study: Store) -> Iterator[bytes]:
    """Yield one line for each person's newest label of each trial, without its line end."""
    names = {trial.id: trial.source for trial in study.trials()}
    for review in newest(study.reviews()):
        yield encode({**msgspec.structs.asdict(review), "source": names.get(review.trial, "")})


def import_labels(study: Store, lines: Iterable[bytes], reviewer: str = "") -> ImportedLabels:
    """Add those labels of a file that a study does not hold yet.

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
    held = {_key(review, at) for review in study.reviews() for at in ("", review.at)}
    found: list[Review] = []
    elsewhere: list[str] = []
    known, at = 0, now()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            read = msgspec.json.decode(line, type=_Line)
            trial = places.get(read.trial)
            if trial is None:
                elsewhere.append(read.trial)
                continue
            review = _review(read, trial, reviewer, at)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, FormatError) as error:
            raise FormatError(f"line {number} is not a label: {error}") from error
        if _key(review, read.at and review.at) in held:
            known += 1
        else:
            held |= {_key(review, ""), _key(review, review.at)}
            found.append(review)
    study.add(found)
    return ImportedLabels(len(found), known, tuple(elsewhere))


def _review(read: _Line, trial: str, reviewer: str, at: str) -> Review:
    name = (read.reviewer or reviewer).strip()
    if not name:
        raise FormatError("it does not say whose it is; put `reviewer` into it, or give a name for all of them")
    if read.codebook != CODEBOOK_VERSION:
        raise FormatError(f"it is of codebook {read.codebook[:20]!r}, and this is {CODEBOOK_VERSION!r}")
    return Review(
        trial=trial,
        reviewer=name[:80],
        at=moment(read.at) if read.at else at,
        label=check_label(read.label if read.label in LABELS else _ALSO.get(read.label, read.label)),
        note=read.note[:_LONGEST],
        codebook=read.codebook,
        blind=read.blind,
        queue=read.queue,
        settles=read.settles,
    )


def _key(review: Review, at: str) -> tuple[object, ...]:
    """What makes two labels the same; a line without a time is the same at any time."""
    return review.trial, review.reviewer, review.label, review.note, review.settles, review.queue, at
