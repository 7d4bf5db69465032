"""One promise of a pre-registration, and what became of it."""

from dataclasses import dataclass
from typing import Literal

Status = Literal["kept", "broken", "undecided", "not yet", "not measurable"]
"""`undecided` is for the claim alone: the study is complete, and the data do not tell."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A promise held against a study."""

    topic: str
    """What it is about: `claim`, `size`, `policy`, a health metric, ..."""
    status: Status
    """For the claim, `kept` means shown and `broken` refuted."""
    promised: str
    """In words."""
    found: str
    """What happened, in words."""

    @property
    def outcome(self) -> str:
        """The status as it is shown."""
        claim = {"kept": "shown", "broken": "refuted"}
        return claim.get(self.status, self.status) if self.topic == "claim" else self.status
