"""Stars: what a person thought of a piece of an agent's work, from 1 to 5, kept on this machine.

`honestly agent do` asks for one key after each piece of work, and appends a line to `ratings.jsonl` in the user's state
folder: who, when, on what, which model. Pieces of work of one person with one model in one folder on one day are a
session, whose rating is the mean of its pieces. `honestly effect FILE` reads the lines as they are.
"""

import getpass
import os
from pathlib import Path

from honestly.people._exchange import review_time, time_now
from honestly.people._labels import check_rating
from honestly.records import Record, digest, encode
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
