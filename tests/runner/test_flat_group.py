"""Errors come out of a task group as they were raised, whoever raised them."""

import traceback

import anyio
import pytest
from anyio.lowlevel import checkpoint

from honestly._group import flat_group

pytestmark = pytest.mark.anyio


async def fail(error):
    raise error


async def in_a_group(error, ended, *, by_child):
    async def linger():
        try:
            await anyio.sleep_forever()
        finally:
            ended.append(True)

    async with flat_group() as group:
        group.start_soon(linger)
        if by_child:
            group.start_soon(fail, error)
            await anyio.sleep_forever()
        await checkpoint()
        raise error


@pytest.mark.parametrize("by_child", [False, True])
async def test_an_error_comes_out_as_it_is_and_ends_the_others(by_child):
    error, ended = OSError("gone"), []
    with pytest.raises(OSError, match="gone") as caught:
        await in_a_group(error, ended, by_child=by_child)
    assert caught.value is error
    assert ended == [True]
    assert "Group" not in "".join(traceback.format_exception(error))


async def test_of_several_errors_the_first_comes_out():
    async def work():
        async with flat_group() as group:
            group.start_soon(fail, ValueError("1"))
            group.start_soon(fail, OSError("2"))

    with pytest.raises(ValueError, match="1"):
        await work()


async def test_cancellation_goes_through():
    with anyio.move_on_after(0.01) as scope:
        async with flat_group():
            await anyio.sleep_forever()
    assert scope.cancelled_caught
