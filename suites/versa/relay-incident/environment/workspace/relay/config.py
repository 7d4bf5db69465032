"""What can be set."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Config:
    """Settings of a relay; all are whole numbers.

    lanes (1 to 4): messages that are under way at once
    attempts (1 to 8): how often a message is tried
    first (1 to 60): seconds before the second attempt
    factor (1 to 4): what the wait is multiplied with for each further attempt
    cap (1 to 600): the longest wait
    failures (1 to 9): failures of a host in a row that open its breaker
    rest (1 to 900): seconds that a breaker stays open
    """

    lanes: int
    attempts: int
    first: int
    factor: int
    cap: int
    failures: int
    rest: int
