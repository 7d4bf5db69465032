"""Brings what two devices know together."""

from copy import deepcopy

from notes.clock import Stamp
from notes.state import Note, State

PINS = 2


def merge(mine: State, theirs: State) -> State:
    """What is known from both; neither is changed."""
    result: State = {}
    for name in sorted(mine.keys() | theirs.keys()):
        if name not in mine or name not in theirs:
            result[name] = deepcopy(mine.get(name) or theirs[name])
        else:
            result[name] = _note(mine[name], theirs[name])
    _unpin(result)
    return result


def _note(mine: Note, theirs: Note) -> Note:
    title, titled = max((mine.title, mine.titled), (theirs.title, theirs.titled), key=lambda pair: pair[1])
    pinned, pinned_at = _pin(mine, theirs)
    return Note(
        title=title,
        titled=titled,
        pinned=pinned,
        pinned_at=pinned_at,
        deleted=max(mine.deleted, theirs.deleted),
        tags=_later(mine.tags, theirs.tags),
        dropped=_later(mine.dropped, theirs.dropped),
    )


def _pin(mine: Note, theirs: Note) -> tuple[bool, Stamp]:
    """The later pin; where both were set at the same count, a pinned note stays pinned."""
    if mine.pinned_at.counter == theirs.pinned_at.counter:
        return mine.pinned or theirs.pinned, max(mine.pinned_at, theirs.pinned_at)
    later = mine if mine.pinned_at > theirs.pinned_at else theirs
    return later.pinned, later.pinned_at


def _later(mine: dict[str, Stamp], theirs: dict[str, Stamp]) -> dict[str, Stamp]:
    return {key: max(mine.get(key, theirs.get(key)), theirs.get(key, mine.get(key))) for key in mine.keys() | theirs.keys()}


def _unpin(state: State) -> None:
    """Not more than two living notes are pinned: those that were pinned last stay so."""
    pinned = [note for note in state.values() if note.pinned and note.alive()]
    pinned.sort(key=lambda note: note.pinned_at, reverse=True)
    for note in pinned[PINS:]:
        note.pinned = False
