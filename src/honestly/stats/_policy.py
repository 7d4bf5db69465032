"""How trials without a plain pass or fail enter the statistics: declared, never silent.

A trial can end in `limit` (the agent ran out of time, turns or budget), in `void` (the harness broke, not the agent's
doing), or be missing altogether. Counting them as failures, leaving them out, or bounding them can change who leads, so
each choice is written down and printed with the result. The default of every field is to refuse.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from honestly.errors import StatisticsError


class Estimand(StrEnum):
    """The population that an estimate and its standard error speak about.

    The two differ by a factor of 2.4 to 5.7 in standard error on real agents, so every result says which one it means.
    """

    NEW_QUESTIONS = "new questions of this kind"
    """Questions are a sample; the standard error contains the luck of the draw of questions and of the samples."""

    THESE_QUESTIONS = "exactly these questions"
    """Questions are fixed; the standard error contains only the noise of running the agent again."""


_WORDS = {"error": "is refused", "fail": "counts as failed", "drop": "is left out", "pass": "counts as passed"}
_CHOICES = {
    "limit": ("error", "fail", "drop"),
    "void": ("error", "fail", "drop", "pass"),
    "missing": ("error", "fail", "drop", "pass"),
}


@dataclass(frozen=True, slots=True)
class Policy:
    """How limit, void and missing trials count. `"error"`, the default, refuses data that contain such trials.

    Leaving out (`"drop"`) works on single samples: a question keeps its other samples, and only a question with none
    left is dropped, from that agent's score and from every pair the agent is in. `"pass"` exists to compute bounds.

    Raises:
        StatisticsError: A choice is not one of those listed for its field.
    """

    limit: Literal["error", "fail", "drop"] = "error"
    """The agent ran out of time, turns or budget."""

    void: Literal["error", "fail", "drop", "pass"] = "error"
    """The harness or the infrastructure failed."""

    missing: Literal["error", "fail", "drop", "pass"] = "error"
    """The sample was planned but there is no trial."""

    def __post_init__(self) -> None:
        for name, choices in _CHOICES.items():
            found = getattr(self, name)
            if found not in choices:
                raise StatisticsError(f"policy {name}={found!r} is unknown; choose one of {', '.join(choices)}")

    def __str__(self) -> str:
        return "; ".join(f"{name} {_WORDS[getattr(self, name)]}" for name in _CHOICES)
