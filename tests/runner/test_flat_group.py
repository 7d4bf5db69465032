"""Errors come out of a task group as they were raised, whoever raised them."""

import traceback

import anyio
import pytest

from honestly._group import flat_group

pytestmark = pytest.mark.anyio


async def fail(error):
    raise error


async def linger(ended):
    try:
        await anyio.sleep_forever()
    finally:
        ended.append(True)


@pytest.mark.parametrize("by_child", [False, True])
async def test_an_error_comes_out_as_it_is_and_ends_the_others(by_child):
    error, ended = OSError("gone"), []
    with pytest.raises(OSError, match="gone") as caught:
        async with flat_group() as group:
            group.start_soon(linger, ended)
            if by_child:
                group.start_soon(fail, error)
                await anyio.sleep_forever()
            await anyio.sleep(0)
            raise error
    assert caught.value is error
    assert ended == [True]
    assert "Group" not in "".join(traceback.format_exception(error))


async def test_of_several_errors_the_first_comes_out_and_cancellation_goes_through():
    with pytest.raises(ValueError, match="1"):
        async with flat_group() as group:
            group.start_soon(fail, ValueError("1"))
            group.start_soon(fail, OSError("2"))
    with anyio.move_on_after(0.01) as scope:
        async with flat_group():
            await anyio.sleep_forever()
    assert scope.cancelled_caught
