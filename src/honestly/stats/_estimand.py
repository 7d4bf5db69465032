"""What a number is about: new questions of this kind, or exactly these questions.

The two differ by a factor of 2.4 to 5.7 in standard error on real agents, so every result says which one it means.
"""

from enum import StrEnum


class Estimand(StrEnum):
    """The population that an estimate and its standard error speak about."""

    NEW_QUESTIONS = "new questions of this kind"
    """Questions are a sample; the standard error contains the luck of the draw of questions and of the samples."""

    THESE_QUESTIONS = "exactly these questions"
    """Questions are fixed; the standard error contains only the noise of running the agent again."""
