"""A meter of covert channels: what one sandbox can write that another can read, later or at the same time, in bits.

`measure_channels` lets senders and receivers, really run, try every way that is known here (`CHANNELS`, and for being
slowed down `CONTENTION`), and counts how many bits arrive; `TELLING` are a few of them, for a quick look.
What each row of the model is, and what closes it, is written down in tests/sandbox/channels.md.
"""

from __future__ import annotations

from honestly.sandbox.covert._channel import CovertChannel
from honestly.sandbox.covert._channels import CHANNELS, CONTENTION, KNOWN_OPEN, TELLING
from honestly.sandbox.covert._meter import ChannelLeak, Way, When, measure_channels

__all__ = [
    "CHANNELS",
    "CONTENTION",
    "KNOWN_OPEN",
    "TELLING",
    "ChannelLeak",
    "CovertChannel",
    "Way",
    "When",
    "measure_channels",
]
