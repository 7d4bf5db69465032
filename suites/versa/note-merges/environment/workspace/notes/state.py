"""What a device knows: notes, each made of registers and a set of tags."""

from dataclasses import dataclass, field

from notes.clock import Stamp

NEVER = Stamp(0, "")


@dataclass
class Note:
    """One note. A register is a value and the stamp of its last change."""

    title: str = ""
    titled: Stamp = NEVER
    pinned: bool = False
    pinned_at: Stamp = NEVER
    deleted: Stamp = NEVER
    tags: dict[str, Stamp] = field(default_factory=dict)
    dropped: dict[str, Stamp] = field(default_factory=dict)

    def touched(self) -> Stamp:
        """When the note was last changed, but for its end."""
        return max(self.titled, self.pinned_at, *self.tags.values(), *self.dropped.values())

    def alive(self) -> bool:
        """A note that was changed after its end lives again."""
        return self.touched() > self.deleted

    def shown_tags(self) -> list[str]:
        """Tags that were put after they were last dropped; of equal stamps, the putting wins."""
        return sorted(tag for tag, put in self.tags.items() if put >= self.dropped.get(tag, NEVER))


State = dict[str, Note]


def view(state: State) -> dict[str, tuple[str, bool, list[str]]]:
    """What is shown: title, pin and tags of each living note."""
    return {name: (note.title, note.pinned, note.shown_tags()) for name, note in sorted(state.items()) if note.alive()}


def newest(state: State) -> Stamp:
    """The newest stamp in a state."""
    return max((max(note.touched(), note.deleted) for note in state.values()), default=NEVER)
