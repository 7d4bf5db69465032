"""What was wrong with a file that somebody else wrote: counted and shown by importers, never silently dropped."""

from honestly.records._base import Record


class Defect(Record, frozen=True, kw_only=True):
    """One kind of defect at one place of an import."""

    kind: str
    """A short name that reports group by: `trial file missing`, `duplicate run`, ..."""
    where: str
    """The file or directory, relative to what was imported."""
    detail: str = ""
    """What exactly was found, and what was done about it."""
    count: int = 1
    """How many things (files, trials, values: the kind says which) are affected."""
