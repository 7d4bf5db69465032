"""The init of a box, its first process: nobody inside stops it or looks into it."""

from __future__ import annotations

import pytest

from honestly.records import Tree
from honestly.sandbox import open_sandbox


@pytest.mark.anyio
async def test_nobody_in_a_box_stops_its_first_process_or_looks_into_it() -> None:
    look = "cat /proc/1/mem; cat /proc/1/maps; cat /proc/1/environ; ls /proc/1/fd; kill -9 1; kill -STOP 1; true"
    async with open_sandbox(Tree()) as box:
        done = await box.exec(["sh", "-c", look])
        assert (done.code, done.stdout) == (0, b"")
        assert (await box.exec("sleep 1000", timeout=0.1)).timed_out  # the deadline's kill goes through it
        assert (await box.exec(["true"])).code == 0
