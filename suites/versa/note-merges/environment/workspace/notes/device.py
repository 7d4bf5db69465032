"""A device: what somebody does with notes, and how two devices meet."""

from notes.clock import Clock
from notes.merge import merge
from notes.state import Note, State, newest, view


class Device:
    """One of several devices, each with a name of its own."""

    def __init__(self, name: str) -> None:
        self.state: State = {}
        self.clock = Clock(name)

    def title(self, note: str, text: str) -> None:
        """Gives a note a title; a note begins so, or with any other change."""
        entry = self._entry(note)
        if entry.title != text:
            entry.title, entry.titled = text, self.clock.next()

    def pin(self, note: str, on: bool = True) -> None:
        """Pins a note, or takes the pin away."""
        entry = self._entry(note)
        entry.pinned, entry.pinned_at = on, self.clock.next()

    def tag(self, note: str, tag: str) -> None:
        """Puts a tag on a note."""
        self._entry(note).tags[tag] = self.clock.next()

    def untag(self, note: str, tag: str) -> None:
        """Drops a tag, if it is there."""
        entry = self._entry(note)
        if tag in entry.shown_tags():
            entry.dropped[tag] = self.clock.next()

    def delete(self, note: str) -> None:
        """Deletes a note, if it is there."""
        if note in self.state and self.state[note].alive():
            self.state[note].deleted = self.clock.next()

    def receive(self, other: "Device") -> None:
        """Takes over what another device knows; the other learns nothing."""
        self.state = merge(self.state, other.state)
        self.clock.saw(newest(other.state))

    def shown(self) -> dict[str, tuple[str, bool, list[str]]]:
        """What is shown on this device."""
        return view(self.state)

    def _entry(self, note: str) -> Note:
        return self.state.setdefault(note, Note())
