"""One channel: Python that writes a value, and Python that reads one.

The text of a channel defines `send(value)`, which one side calls, and `look()`, which the other side calls after it and
which returns a number, from which the meter guesses the value. With `CONTENTION`, both are called at once, and work
until the point in time `until`. `turn` is a number that both sides share, and changes
from one value to the next; `hold` are seconds until the next value is sent. What is refused raises.

Several resources are counters of the whole machine, of which a receiver does not know where they stood. So senders
count on until a digit of the counter is what they want to say, and receivers read that digit.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CovertChannel:
    """One way to pass a value from one sandbox, or sample, to another."""

    name: str
    code: str
    """Python that defines `send(value)` and `look()`."""
    levels: int = 2
    """Values that can be sent. What is read is the value itself where there are more than two."""
    timing: bool = False
    """What is read is a duration or a point in time, which no wall can hide."""
    later_only: bool = False
    """What is read is there only once the sender has ended."""
    apart: str = ""
    """Channels that disturb others are tried apart from them, together with those of the same word."""
    harmful: bool = False
    """It would change this machine if it ran without a sandbox, so it does not."""
    open: str = ""
    """Why it carries something between sandboxes that are no cells; empty if it is closed."""
    open_to_users: str = ""
    """The same, where an ordinary user builds the sandboxes."""
    uncontrolled: str = ""
    """Why nothing here shows that the attack works: neither two forks of one sandbox, nor two processes of none."""


DEVICES = "an ordinary user can make no devices, so those of the machine are shown"
NUMBERED = "the kernel has one counter for the whole machine, and programs cannot do without what it numbers"
DROWNED = "what else this machine does moves it, too: only a quiet one shows the attack"
CLOSE = "os.close(one)"
"""How the sender of `held_channel` lets go of a descriptor."""


def held_channel(hold: str, level: str, release: str = "pass") -> str:
    """Something of which the sender holds many, and a number in which the receiver sees how many there are."""
    return f"""
kept = []
def send(bit):
    while kept:
        one = kept.pop()
        {release}
    if bit:
        {hold}
def look():
    {level}
"""
