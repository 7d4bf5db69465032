"""A limit on what the sandboxes of one commit may cost counts processor time, not the clock."""

import anyio
import pytest

from honestly.records import Tree
from honestly.sandbox import open_sandbox
from honestly.taskgen._measured import limited_cpu


@pytest.mark.slow
@pytest.mark.parametrize(("code", "ends"), [("while True: pass", False), ("import time; time.sleep(2)", True)])
def test_work_that_waits_goes_on_and_work_that_computes_is_left(code, ends):
    async def go():
        async with limited_cpu(1.0):
            async with open_sandbox(Tree()) as box:
                await box.exec(["python3", "-c", code], timeout=60)
            return True
        return False

    assert anyio.run(go) is ends
