"""A meter of covert channels: what one sandbox can write that another can read, later or at the same time, in bits.

`measure_channels` lets senders and receivers, really run, try every way that is known here (`CHANNELS`, and for being
slowed down `CONTENTION`), and counts how many bits arrive; `TELLING` are a few of them, for a quick look.
What each row of the model is, and what closes it, is written down in tests/sandbox/channels.md.
"""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.sandbox.covert._channel import CovertChannel as CovertChannel
    from honestly.sandbox.covert._channels import (
        CHANNELS as CHANNELS,
        CONTENTION as CONTENTION,
        KNOWN_OPEN as KNOWN_OPEN,
        TELLING as TELLING,
    )
    from honestly.sandbox.covert._meter import (
        ChannelLeak as ChannelLeak,
        Way as Way,
        When as When,
        measure_channels as measure_channels,
    )

__getattr__, __dir__ = lazy_exports(__name__)
