"""Stars: what a person thought of a piece of an agent's work, from 1 to 5, kept on this machine.

`honestly agent do` asks for one key after each piece of work, and appends a line to `ratings.jsonl` in the user's state
folder: who, when, on what, which model. Pieces of work of one person with one model in one folder on one day are a
session, whose rating is the mean of its pieces. `honestly effect FILE` reads the lines as they are.
"""

import getpass
import os
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import msgspec

from honestly.errors import FormatError
from honestly.people._changes import reviewer_name
from honestly.people._exchange import review_time, time_now
from honestly.people._labels import RATING_CODEBOOK, check_rating
from honestly.records import Record, Review, digest, encode
from honestly.store import Store
from honestly.work import user_folder

_MOST_ON = 200


class Stars(Record, frozen=True, kw_only=True, omit_defaults=False):
    """One rating: a line of the file."""

    session: str
    user: str
    arm: str
    """The model that worked."""
    rating: float
    at: str
    """ISO 8601, UTC."""
    folder: str
    on: str
    """The task, shortened."""


def stars_path() -> Path:
    """Where ratings are kept: `honestly/ratings.jsonl` below `$XDG_STATE_HOME`, or `~/.local/state`."""
    return user_folder("state") / "ratings.jsonl"


def stars_for(rating: float, *, arm: str, folder: Path, on: str, user: str = "", at: str = "") -> Stars:
    """A rating of a piece of work, by default by the current user and now.

    Raises:
        FormatError: it is not a whole number from 1 to 5, or the time is none.
    """
    at, user = review_time(at) if at else time_now(), user or getpass.getuser()
    session = digest("session", user, arm, str(folder), at[:10])[:12]
    return Stars(
        session=session, user=user, arm=arm, rating=check_rating(rating), at=at, folder=str(folder), on=on[:_MOST_ON]
    )


def keep_stars(stars: Stars, path: Path | None = None) -> Path:
    """Append a rating to the file, and return its path."""
    path = path or stars_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, encode(stars) + b"\n")  # one write: lines of two programs do not mix
    finally:
        os.close(descriptor)
    return path


def read_stars(lines: Iterable[bytes]) -> list[Stars]:
    """The ratings of a file.

    Raises:
        FormatError: a line is none; the message says which.
    """
    found = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                found.append(msgspec.json.decode(line, type=Stars))
                check_rating(found[-1].rating)
                review_time(found[-1].at)
            except (msgspec.DecodeError, UnicodeDecodeError, FormatError) as error:
                raise FormatError(f"line {number} is not a rating: {error}") from error
    return found


def session_ratings(stars: Iterable[Stars]) -> dict[str, float]:
    """The rating of each session: the mean of its pieces of work."""
    found: dict[str, list[float]] = defaultdict(list)
    for each in stars:
        found[each.session].append(each.rating)
    return {session: sum(given) / len(given) for session, given in found.items()}


def rate_trial(study: Store, trial: str, rating: float, reviewer: str, *, note: str = "") -> Review:
    """Give a trial of a study 1 to 5 stars, as in the viewer; a later rating of the same person takes its place.

    Raises:
        FormatError: it is not a whole number from 1 to 5, or the name is none.
        StoreError: the study has no such trial, or is open for reading only.
    """
    review = Review(
        trial=study.trial(trial).id,
        reviewer=reviewer_name(reviewer),
        at=time_now(),
        rating=check_rating(rating),
        note=note,
        codebook=RATING_CODEBOOK,
    )
    study.add([review])
    return review
