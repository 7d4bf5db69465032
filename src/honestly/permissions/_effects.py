"""What a command would do: programs, files, hosts, packages, and what of it cannot be read."""

from dataclasses import dataclass, field
from typing import NamedTuple


class Ran(NamedTuple):
    """A program that would be run."""

    words: tuple[str, ...]
    certain: bool = True
    through: bool = False
    """Whether all that it does is to run another, which stands here, too."""
    place: str = ""
    """The path by which it is called, where that leads out of the folders of the system."""
    by: int = -1
    """Which of the programs runs it whose words stand before it; -1 for the shell."""
    as_script: bool = False
    """Whether it stands here once more, as a script by its path from the workspace's root, for rules that forbid."""


class Touched(NamedTuple):
    """A file that would be read or written."""

    path: str
    """From the workspace's root; absolute, or `~/...`, where it lies outside."""
    certain: bool = True
    tree: bool = False
    """Whether everything below it is, too."""
    guess: bool = False
    """Whether it may name no file at all, as the value of an option may, or a revision."""
    fresh: bool = False
    """Whether what is below it is made by the program itself, under names of its own."""


@dataclass
class Effects:
    """Everything that a command would do, as far as it can be parsed."""

    runs: list[Ran] = field(default_factory=list)
    reads: list[Touched] = field(default_factory=list)
    writes: list[Touched] = field(default_factory=list)
    hosts: list[str] = field(default_factory=list)
    packages: list[tuple[str, str]] = field(default_factory=list)
    """Ecosystem and what was written, version and all."""
    shifts: list[str] = field(default_factory=list)
    """What may make a program look elsewhere, or be another one: variables that are set."""
    doubts: list[str] = field(default_factory=list)
    """What could not be read: anything might be done there."""
