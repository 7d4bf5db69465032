"""The settings of `open`: settings of `honestly.open`, options of every command that reads."""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path

from honestly._settings import Settings, setting, tell_nobody

_OTHERS = "Results of other tools"
"""The heading of these options."""


@dataclass(frozen=True, slots=True)
class OpenSettings(Settings):
    """The settings of `open`."""

    source: str | Path | Sequence[str | Path]
    """A study: its file, or its address in a database; results of others; or several of these, which become one."""
    _: KW_ONLY
    kind: str = setting(
        "",
        "The format of the file (docs/import.md lists them), or your own MODULE:OBJECT.  [default: detected]",
        "--from",
        metavar="FORMAT",
        heading=_OTHERS,
    )
    columns: str = setting(
        "",
        "What the columns of a table are: agent=llm,task=qid,outcome=acc. agent=* or task=*: every other column is an "
        "agent (or a task); none=id: leave it out. Without agent, the file names it.",
        metavar="WHAT=NAME,…",
        heading=_OTHERS,
    )
    scale: str = setting(
        "",
        "The worst and the best score of a table: 0:100, or 100:0 if less is better.",
        metavar="WORST:BEST",
        heading=_OTHERS,
    )
    outcome: str | Sequence[str] = setting(
        (), "What a word in a table means. Repeatable.", metavar="WORD=OUTCOME", heading=_OTHERS
    )
    allow_refused: bool = setting(False, "Continue although much is refused or cannot be read.", heading=_OTHERS)
    allow_difference: bool = setting(
        False, "Continue although a figure that the other tool printed is not what its trials give.", heading=_OTHERS
    )
    tell: Callable[[str], object] = tell_nobody
    """Gets a line where something is imported, and for what was refused."""
    progress: Callable[[str, int], None] = tell_nobody
    """Told where an import reads, and how many trials it has read."""
