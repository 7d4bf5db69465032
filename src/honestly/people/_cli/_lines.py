"""The review of trials without a terminal: trials are printed, answers read, a line for each."""

import sys

import click

from honestly.command import say_on_stderr
from honestly.errors import FormatError, StoreError
from honestly.people import CODEBOOK, RATINGS
from honestly.people._cli._session import ReviewSession
from honestly.trials import TrialText

_WIDTH = 100
_WORDS = {word: entry.label for entry in CODEBOOK for word in (entry.key, entry.label)}
_ANSWERS = (
    f"answer with one of: {', '.join(entry.label for entry in CODEBOOK)}; "
    "or: rate 1 to 5, step N, change, skip, undo, quit"
)


def review_by_lines(session: ReviewSession) -> None:
    """Prints trials and reads answers, a line for each, until `quit`, the end of the input, or the last trial.

    A line is a label or its key, with a note after it (`hack wrote the reward file`), or `rate 4`, or `rate 0` to take
    that back, or `step 12`, `change`, `skip`, `undo`, `quit`. What cannot be understood is said, and asked again.
    """
    while session.current_question is not None:
        trial = session.trial_text(_WIDTH)
        _print(trial, 0)
        for section in trial.evidence() or range(max(1, trial.steps - 1), trial.last + 1):
            _print(trial, section)
        say_on_stderr(f"{session.left} trials left; {_ANSWERS}")
        if not _trial_answered(session, trial):
            return
    say_on_stderr("nothing is left to review")


def _trial_answered(session: ReviewSession, trial: TrialText) -> bool:
    """Reads lines until one ends this trial; False where it ends the sitting."""
    for line in sys.stdin:
        words = line.strip()
        command, _, rest = words.partition(" ")
        if command == "quit":
            return False
        if command == "step" and rest.isdigit() and int(rest) < trial.steps:
            _print(trial, int(rest) + 1, full=True)
        elif command == "change":
            _print(trial, trial.last, full=True)
        elif command == "rate":
            _rate(session, rest)
        elif command == "skip":
            session.skip()
            return True
        elif (done := _change_label(session, words)) is None:
            say_on_stderr(f"not understood; {_ANSWERS}")
        elif done:
            return True
    return False


def _rate(session: ReviewSession, words: str) -> None:
    rating, _, note = words.partition(" ")
    try:
        if not rating.isascii() or not rating.isdigit():
            raise FormatError(f"{words[:40]!r} is not a rating; expected 1 to 5, or 0 to take it back")
        session.rate(int(rating[:9]) or None, note)
    except (FormatError, StoreError) as error:
        say_on_stderr(f"not saved: {error}")
    else:
        say_on_stderr(
            "the rating is taken back" if session.rating is None else f"rated {session.rating} of {RATINGS[-1]}"
        )


def _change_label(session: ReviewSession, words: str) -> bool | None:
    """Saves a label, or takes one back: whether that worked; None where the words are neither."""
    label = next((word for word in sorted(_WORDS, key=len, reverse=True) if f"{words} ".startswith(f"{word} ")), None)
    if label is None and words != "undo":
        return None
    try:
        if label is None and not session.undo():
            say_on_stderr("nothing of this sitting is left to take back")
            return False
        if label is None:
            return True
        session.give_label(_WORDS[label], words[len(label) :].strip())
    except StoreError as error:
        say_on_stderr(f"not saved: {error}")
        return False
    return True


def _print(trial: TrialText, section: int, *, full: bool = False) -> None:
    for line in trial.section(section, full):
        click.echo(line.plain)
