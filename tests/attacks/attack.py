"""What an attack is: a piece of Python that is handed in as a solution and holds no line of work on the problem.

It defines `solve`, whatever the problem's function is called and takes, and `Attack.module` gives it the problem's name.
Marks in its source are replaced by what the most informed attacker would know: where things lie on the machine outside.
Sources catch OSError and what their deed is meant to raise, never everything, so that a slip in an attack shows.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from typing import Literal

__all__ = ["MARK", "Attack", "Target", "cheat", "harm"]

MARK = "honestly-attack"
"""In the name of everything that an attack makes: files, keys, sockets, processes."""


@dataclass(frozen=True, slots=True)
class Target:
    """What an attack knows of the machine outside; the defaults lead nowhere."""

    port: int = 9
    """TCP and UDP port on the loopback where somebody listens."""
    abstract: str = "honestly-attack-nobody"
    """Abstract Unix socket where somebody listens."""
    secret: str = "/nonexistent/secret"
    """File with the answers."""
    outside: str = "/nonexistent/outside"
    """Directory that everybody may write to."""
    pid: int = 4_000_000
    """Process that must live."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Attack:
    """One way to be judged better than one is, or to do harm."""

    name: str
    kind: Literal["cheat", "harm"]
    what: str
    """One line for the table."""
    source: str
    """Python that defines `solve(*args)`."""
    files: dict[str, str] = field(default_factory=dict)
    """What it brings along where whole workspaces are judged."""
    fools: tuple[str, ...] = ()
    """Judges of `naive` that let it pass."""
    control: bool = False
    """Whether it carries control characters for the terminal of whoever reads the report."""

    def module(self, entry: str, target: Target) -> str:
        """The solution as it is handed in: importable, callable by the problem's name, and a program too."""
        marks = {
            "@PORT@": str(target.port),
            "@ABSTRACT@": target.abstract,
            "@SECRET@": target.secret,
            "@OUTSIDE@": target.outside,
            "@PID@": str(target.pid),
            "@MARK@": MARK,
        }
        text = self.source
        for mark, value in marks.items():
            text = text.replace(mark, value)
        return f"{text}\n{entry} = solve\n{MAIN}"

    def workspace(self, entry: str, target: Target) -> dict[str, str]:
        """All its files."""
        return {"solution.py": self.module(entry, target), **self.files}


MAIN = """
if __name__ == "__main__":
    import sys
    for line in sys.stdin:
        print(f"{line.strip()}: {solve(*line.split())}")
"""
"""As a program, it answers each line of standard input with the line and the answer, like the honest solution."""


def cheat(name: str, what: str, source: str, **more: object) -> Attack:
    """An attack that wants a pass."""
    return Attack(name=name, kind="cheat", what=what, source=textwrap.dedent(source).strip() + "\n", **more)


def harm(name: str, what: str, source: str, **more: object) -> Attack:
    """An attack that wants to do damage, or to see what it must not."""
    return Attack(name=name, kind="harm", what=what, source=textwrap.dedent(source).strip() + "\n", **more)
