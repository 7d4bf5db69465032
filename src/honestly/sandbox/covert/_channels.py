"""All channels that are known here, and those of which docs/sandbox.md says why they are open."""

import os

from honestly.sandbox.covert._channel import CovertChannel
from honestly.sandbox.covert._counters import LEVELS, NUMBERS
from honestly.sandbox.covert._files import CACHES, FILE_SYSTEMS, KEEPERS, NAMES, PRIORITIES, TIMED
from honestly.sandbox.covert._locks import LOCKS, NOTICES, PAGES


def _busy_channel(cores: str, work: str) -> str:
    """Both sides work until a point in time; the receiver counts how far it came."""
    return f"""
cores = sorted(os.sched_getaffinity(0))
buffer = bytearray(1 << 22)
def worked():
    done = 0
    while time.time() < until:
        {work}
        done += 1
    return done
def send(bit):
    os.sched_setaffinity(0, {{cores[0]}})
    if bit: worked()
def look():
    os.sched_setaffinity(0, {{{cores}}})
    return worked()
"""


CONTENTION: tuple[CovertChannel, ...] = (
    CovertChannel("the same core", _busy_channel("cores[0]", "sum(range(300))"), timing=True),
    CovertChannel("another core", _busy_channel("cores[-1]", "sum(range(300))"), timing=True),
    CovertChannel("caches and memory, from another core", _busy_channel("cores[-1]", "bytes(buffer)"), timing=True),
    CovertChannel("the disk, by what is written back", _busy_channel("cores[-1]", "os.sync()"), timing=True),
)
"""What two that work at one time see of each other by being slowed down, which no wall can hide."""

CHANNELS: tuple[CovertChannel, ...] = (
    *LOCKS,
    *NOTICES,
    *PAGES,
    *FILE_SYSTEMS,
    *NAMES,
    *LEVELS,
    *PRIORITIES,
    *KEEPERS,
    *CACHES,
    *TIMED,
    *NUMBERS,
)
"""Every channel that the meter tries. Counters stand last, since what others do counts them on, too."""

_TELLING = {
    "record locks of a library",  # inodes of its own
    "flock of a folder",
    "notices of a folder",
    "waits on a page, by mask",  # calls that are answered by a process of ours
    "wakes on a page",
    "room on file systems",  # file systems of its own
    "files that are left",
    "abstract names of sockets",  # namespaces
    "keys of the user",  # calls that are refused
    "pages of files dropped, asked of the kernel",
    "inodes, in /proc/sys",  # texts that stand still
    "processes of a user",  # an owner of its own
    "numbers of pipes and sockets",  # no wall: it shows that the meter sees what is there
}
TELLING = tuple(channel for channel in CHANNELS if channel.name in _TELLING)
"""One or two for each kind of wall, of those that carried most before it stood."""

KNOWN_OPEN = {
    channel.name: why
    for channel in CHANNELS
    if (why := channel.open or (channel.open_to_users if os.geteuid() else ""))
}
"""What may carry something between sandboxes that are no cells, by name, and why it cannot be closed. Hidden checks and
agents at work do not live at one time where one of these reads anything (docs/sandbox.md, "Walls")."""
