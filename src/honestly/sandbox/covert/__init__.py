"""A meter of covert channels: what one sample can write that a later one can read, in bits.

`measure_channels` lets senders and receivers, really run, try every way that is known here (`CHANNELS`) to pass a bit
from one sample to the next, and counts how many arrive. What each row of the model is, and what closes it, is written
down in docs/memory.md.
"""

from __future__ import annotations

from honestly.sandbox.covert._channels import CHANNELS, CovertChannel
from honestly.sandbox.covert._meter import ChannelLeak, Way, measure_channels

__all__ = ["CHANNELS", "ChannelLeak", "CovertChannel", "Way", "measure_channels"]
