"""What a command, or code in another language, would do."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from honestly.permissions._builtins import BUILTINS
from honestly.permissions._effects import Effects
from honestly.permissions._reading import Reading
from honestly.permissions._tools import TOOLS

_HANDLERS = BUILTINS | TOOLS
_ON_DISK = ("files", "edited", "drafts", "links")
_LONGEST_TEXT = 20_000


@dataclass
class ShellState:
    """The state of a persistent shell: directory, variables, functions, aliases, written files."""

    known: dict[str, object] = field(default_factory=dict)
    after: dict[str, object] = field(default_factory=dict)
    """The same after the command that was read last."""
    lasting: bool = True
    """Whether it is more than the files that lasts."""

    def commit(self) -> None:
        """The command that was read last is run."""
        kept = self.after or self.known
        self.known = kept if self.lasting else {name: kept[name] for name in _ON_DISK if name in kept}

    def wrote(self, path: str, arguments: Mapping[str, object]) -> None:
        """Another tool writes a file: the whole of it, or a text in the place of one that stands there."""
        files, edited = (_texts(self.known.get(name)) for name in ("files", "edited"))
        given = {name: value for name, value in arguments.items() if isinstance(value, str)}
        whole = next((given[name] for name in ("content", "file_text", "text") if given.get(name)), "")
        old = next((given[name] for name in ("old", "old_str", "old_string") if given.get(name)), "")
        new = next((given[name] for name in ("new", "new_str", "new_string") if name in given), "")
        text = files.get(path, "").replace(old, new) if old else whole
        self.after = {**self.known, "files": {**files, path: text[:_LONGEST_TEXT]}, "edited": {**edited, path: ""}}


def _texts(known: object) -> dict[str, str]:
    return known if isinstance(known, dict) else {}


def effects_of(text: str, root: str = "/workspace", state: ShellState | None = None) -> Effects:
    """What a shell command would do if it started in `root`, or in the directory of a persistent shell."""
    reading = Reading(root, _HANDLERS)
    if state is not None:
        reading.restore(state.known)
    try:
        reading.script(text, marked=False)
    except RecursionError:
        reading.doubt("it is nested too deeply to be read")
    if state is not None:
        state.after = reading.saved()
    return reading.found


def code_effects(text: str, language: str, root: str = "/workspace") -> Effects:
    """What a program in another language would do, as far as its literals say."""
    reading = Reading(root, _HANDLERS)
    try:
        reading.code(text, language)
    except RecursionError:
        reading.doubt("it is nested too deeply to be read")
    return reading.found
