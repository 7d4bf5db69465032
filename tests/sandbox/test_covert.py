"""Senders and receivers, really run: what one sample writes is not there for the next to read.

The way of all samples before there were cells, from one fork of an ordinary sandbox to the next, shows that the same
senders and receivers work where something persists.
"""

from __future__ import annotations

import pytest

from honestly.sandbox.covert import CHANNELS, CovertChannel, Way, measure_channels

pytestmark = pytest.mark.anyio
STATE = [channel for channel in CHANNELS if not channel.timing]
OPEN_BETWEEN_BOXES = {"numbers of pipes and sockets", "numbers of process descriptors"}
"""Counters of the whole machine that a program which makes pipes and processes can read: docs/memory.md."""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def named(word: str) -> list[CovertChannel]:
    return [channel for channel in CHANNELS if word in channel.name]


@pytest.mark.slow  # `honestly doctor` does the same in fewer turns, in the tests of the command line
async def test_nothing_persists_from_one_sample_to_the_next() -> None:
    leaks = await measure_channels(Way.SAMPLES, STATE, turns=60)
    assert {leak.channel.name: leak.bits for leak in leaks if leak.bits} == {}


async def test_names_that_were_looked_up_are_forgotten() -> None:
    (leak,) = await measure_channels(Way.SAMPLES, named("looked up"))
    assert leak.bits == 0.0


@pytest.mark.parametrize("word", ["processes and threads", "numbers of files", "network"])
async def test_the_meter_sees_what_persists(word: str) -> None:
    (leak,) = await measure_channels(Way.FORKS, named(word), turns=40)
    assert leak.bits > 0.5


@pytest.mark.slow
async def test_only_known_counters_persist_between_sandboxes() -> None:
    leaks = await measure_channels(Way.BOXES)
    carried = {leak.channel.name for leak in leaks if leak.bits and not leak.channel.timing}
    assert carried <= OPEN_BETWEEN_BOXES


async def test_too_few_turns_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 20"):
        await measure_channels(turns=4)
