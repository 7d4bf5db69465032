"""Tests of the issue."""

import asyncio
import unittest

from batch import Batcher


class IssueTest(unittest.IsolatedAsyncioTestCase):
    async def handler(self, items):
        await asyncio.sleep(0.1)
        return [item * 10 for item in items]

    async def run_three(self, impatient):
        batcher = Batcher(self.handler, 3, 5)
        calls = [asyncio.wait_for(batcher.submit(n), 0.02 if n == impatient else 2) for n in range(3)]
        return await asyncio.gather(*calls, return_exceptions=True)

    async def test_first(self):
        self.assertEqual((await self.run_three(0))[1:], [10, 20])

    async def test_second(self):
        self.assertEqual((await self.run_three(1))[::2], [0, 20])

    async def test_third(self):
        self.assertEqual((await self.run_three(2))[:2], [0, 10])

    async def test_nobody(self):
        self.assertEqual(await self.run_three(3), [0, 10, 20])


if __name__ == "__main__":
    unittest.main()
