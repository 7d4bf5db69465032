"""Tests of the issue that an impatient caller hangs all others, by the docstrings of Batcher."""

import asyncio
import unittest

from batch import Batcher, Closed

LONG = 60


class IssueTest(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.seen = []
        self.gate = asyncio.Event()
        self.result = lambda items: [item * 10 for item in items]

    async def handler(self, items):
        self.seen.append(list(items))
        await self.gate.wait()
        return self.result(items)

    async def start(self, batcher, *items):
        tasks = [asyncio.ensure_future(batcher.submit(item)) for item in items]
        await self.settle()
        return tasks

    async def settle(self):
        for _ in range(20):
            await asyncio.sleep(0)

    async def cancel(self, *tasks):
        for task in tasks:
            task.cancel()
        await self.settle()

    async def results(self, tasks):
        await asyncio.wait(tasks, timeout=5)
        self.assertTrue(all(task.done() for task in tasks), "some never end")
        return ["cancelled" if t.cancelled() else t.exception() or t.result() for t in tasks]

    async def test_leaving_while_it_runs(self):
        tasks = await self.start(Batcher(self.handler, 3, LONG), 1, 2, 3)
        await self.cancel(tasks[0])
        self.gate.set()
        self.assertEqual(await self.results(tasks), ["cancelled", 20, 30])
        self.assertEqual(self.seen, [[1, 2, 3]])

    async def test_all_leave_while_it_runs(self):
        batcher = Batcher(self.handler, 2, LONG)
        done = []
        self.result = lambda items: done.append(items) or items
        tasks = await self.start(batcher, 1, 2)
        await self.cancel(*tasks)
        self.gate.set()
        await self.settle()
        self.assertEqual(done, [[1, 2]])

    async def test_leaving_a_batch_that_fails(self):
        def fail(items):
            raise KeyError("x")

        self.result = fail
        tasks = await self.start(Batcher(self.handler, 3, LONG), 1, 2, 3)
        await self.cancel(tasks[1])
        self.gate.set()
        self.assertEqual([type(r) for r in await self.results(tasks)], [KeyError, str, KeyError])
        self.result = lambda items: items[1:]
        tasks = await self.start(Batcher(self.handler, 3, LONG), 1, 2, 3)
        self.assertEqual([type(r) for r in await self.results(tasks)], [ValueError] * 3)

    async def test_leaving_before_it_begins(self):
        batcher = Batcher(self.handler, 4, LONG)
        tasks = await self.start(batcher, 1, 2, 3)
        await self.cancel(tasks[0])
        tasks += await self.start(batcher, 4)
        self.assertEqual(self.seen, [])
        tasks += await self.start(batcher, 5)
        self.assertEqual(self.seen, [[2, 3, 4, 5]])
        self.gate.set()
        self.assertEqual(await self.results(tasks), ["cancelled", 20, 30, 40, 50])

    async def test_equal_items(self):
        batcher = Batcher(self.handler, 3, LONG)
        tasks = await self.start(batcher, 5, 6)
        await self.cancel(tasks[1])
        tasks += await self.start(batcher, 5)
        await self.cancel(tasks[0])
        tasks += await self.start(batcher, 7, 5)
        self.assertEqual(self.seen, [[5, 7, 5]])
        self.gate.set()
        self.assertEqual(await self.results(tasks), ["cancelled", "cancelled", 50, 70, 50])

    async def test_nobody_is_left(self):
        self.gate.set()
        batcher = Batcher(self.handler, 3, 0.3)
        tasks = await self.start(batcher, 1, 2)
        await self.cancel(*tasks)
        await asyncio.sleep(0.6)
        self.assertEqual(self.seen, [])
        later = await self.start(batcher, 4)
        self.assertEqual(await self.results(later), [40])

    async def test_close(self):
        batcher = Batcher(self.handler, 3, LONG)
        tasks = await self.start(batcher, 1, 2)
        await self.cancel(tasks[0])
        closing = [asyncio.ensure_future(batcher.close()) for _ in range(2)]
        await self.settle()
        self.assertEqual(self.seen, [[2]])
        self.assertFalse(any(task.done() for task in closing))
        with self.assertRaises(Closed):
            await asyncio.wait_for(batcher.submit(3), 10)
        self.gate.set()
        self.assertEqual(await self.results(tasks), ["cancelled", 20])
        self.assertEqual(await self.results(closing), [None, None])

    async def test_close_waits_for_what_nobody_awaits(self):
        batcher = Batcher(self.handler, 1, LONG)
        tasks = await self.start(batcher, 1)
        await self.cancel(*tasks)
        closing = asyncio.ensure_future(batcher.close())
        await self.settle()
        self.assertFalse(closing.done())
        self.gate.set()
        self.assertEqual(await self.results([closing]), [None])


if __name__ == "__main__":
    unittest.main()
