"""One impatient caller must not disturb the others: what the docstrings of `Batcher` promise when callers leave.

Each scenario is a coroutine that runs in an event loop and a thread of its own; all are started together and have one deadline, so that neither a
version that hangs nor one that spins can hold up the run. Scenarios rely on the order of events, not on the speed of the machine.
"""

import asyncio
import threading
import time
import unittest
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from batch import Batcher, Closed

NEVER = 60.0  # a delay that no scenario lives to see
SCENARIO_LIMIT = 5.5
TOTAL_LIMIT = 7.0


class Desk:
    """A handler that keeps what it was given, and holds each batch until its gate is open.

    The result of an item is a pair of its place in the batch and the item itself.
    """

    def __init__(self, *, is_open: bool = True, answer: Callable[[list[Any]], Sequence[Any]] | None = None) -> None:
        self.batches: list[list[Any]] = []
        self.finished: list[list[Any]] = []
        self.times: list[float] = []
        self.cancelled = 0
        self.gate = asyncio.Event()
        if is_open:
            self.gate.set()
        self._answer = answer or (lambda items: list(enumerate(items)))

    async def __call__(self, items: list[Any]) -> Sequence[Any]:
        self.times.append(time.monotonic())
        self.batches.append(list(items))
        try:
            await self.gate.wait()
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        self.finished.append(list(items))
        return self._answer(items)


async def settle() -> None:
    """Lets everything run that is ready to."""
    for _ in range(30):
        await asyncio.sleep(0)


async def until(condition: Callable[[], bool]) -> None:
    """Waits for a condition, which a limit around it ends."""
    while not condition():
        await asyncio.sleep(0.01)


async def enter(batcher: Batcher, *items: Any) -> list["asyncio.Task[Any]"]:
    """One caller for each item, who come one after the other."""
    callers = []
    for item in items:
        callers.append(asyncio.ensure_future(batcher.submit(item)))
        await settle()
    return callers


async def leave(*callers: "asyncio.Task[Any]") -> None:
    """These callers are cancelled, and are gone before anything else happens."""
    for caller in callers:
        caller.cancel()
    await asyncio.wait(callers, timeout=2)
    assert all(caller.cancelled() for caller in callers), "who is cancelled leaves at once"
    await settle()


async def answers(callers: Sequence[Awaitable[Any]]) -> list[Any]:
    return await asyncio.wait_for(asyncio.gather(*callers, return_exceptions=True), 3)


class Scenario:
    """A scenario under way in a thread of its own."""

    def __init__(self, story: Callable[[], Awaitable[None]]) -> None:
        self.error: BaseException | None = None
        self.thread = threading.Thread(target=self._run, args=(story,), daemon=True)

    def _run(self, story: Callable[[], Awaitable[None]]) -> None:
        async def limited() -> None:
            await asyncio.wait_for(story(), SCENARIO_LIMIT)

        try:
            asyncio.run(limited())
        except BaseException as error:
            self.error = error


class IssueTest(unittest.TestCase):
    """Each test looks at the end of its scenario, `_tell_NAME` for `test_NAME`."""

    @classmethod
    def setUpClass(cls) -> None:
        teller = cls("run_all")
        cls.scenarios = {name: Scenario(getattr(teller, name)) for name in dir(cls) if name.startswith("_tell_")}
        cls.deadline = time.monotonic() + TOTAL_LIMIT
        for scenario in cls.scenarios.values():
            scenario.thread.start()

    def run_all(self) -> None:
        """Stands for the object on which the scenarios are told."""

    def _check(self) -> None:
        scenario = self.scenarios[self._testMethodName.replace("test_", "_tell_", 1)]
        scenario.thread.join(max(self.deadline - time.monotonic(), 0))
        if scenario.thread.is_alive():
            self.fail("it does not come to an end")
        if scenario.error is not None:
            raise self.failureException(repr(scenario.error)) from scenario.error

    # Callers who leave while their batch is being worked on

    async def _tell_others_get_results_whoever_leaves(self) -> None:
        for gone in ([0], [1], [2], [0, 2], [0, 1]):
            desk = Desk(is_open=False)
            callers = await enter(Batcher(desk, 3, NEVER), "a", "b", "c")
            self.assertEqual(desk.batches, [["a", "b", "c"]])
            await leave(*(callers[place] for place in gone))
            desk.gate.set()
            stay = [place for place in range(3) if place not in gone]
            self.assertEqual(await answers([callers[place] for place in stay]), [(place, "abc"[place]) for place in stay])

    async def _tell_timeout_of_wait_for(self) -> None:
        desk = Desk(is_open=False)
        batcher = Batcher(desk, 2, NEVER)
        hasty = asyncio.ensure_future(asyncio.wait_for(batcher.submit("hasty"), 0.8))
        await settle()
        patient = asyncio.ensure_future(batcher.submit("patient"))
        await asyncio.wait([hasty], timeout=2)
        self.assertTrue(hasty.done(), "the hasty one has to wait")
        self.assertIsInstance(hasty.exception(), asyncio.TimeoutError)
        await settle()
        self.assertFalse(patient.done())
        desk.gate.set()
        self.assertEqual(await answers([patient]), [(1, "patient")])

    async def _tell_batch_goes_on_without_callers(self) -> None:
        desk = Desk(is_open=False)
        batcher = Batcher(desk, 2, NEVER)
        await leave(*await enter(batcher, 1, 2))
        await asyncio.sleep(0.05)
        self.assertEqual((desk.cancelled, desk.finished), (0, []))
        desk.gate.set()
        await asyncio.wait_for(until(lambda: bool(desk.finished)), 2)
        self.assertEqual((desk.cancelled, desk.finished), (0, [[1, 2]]))
        self.assertEqual(await answers(await enter(batcher, 3, 4)), [(0, 3), (1, 4)])

    async def _tell_begun_items_stay_until_the_end(self) -> None:
        desk = Desk(is_open=False)
        callers = await enter(Batcher(desk, 4, NEVER), *"abcd")
        await leave(callers[1], callers[2])
        desk.gate.set()
        self.assertEqual(await answers([callers[0], callers[3]]), [(0, "a"), (3, "d")])
        self.assertEqual(desk.finished, [list("abcd")])

    # Failures

    async def _tell_failure_reaches_all_who_stayed(self) -> None:
        for error in (OSError("down"), asyncio.InvalidStateError("mine"), asyncio.TimeoutError("late")):

            def fail(_items: list[Any], error: Exception = error) -> Sequence[Any]:
                raise error

            for gone in (0, 1, 2):
                desk = Desk(is_open=False, answer=fail)
                callers = await enter(Batcher(desk, 3, NEVER), "a", "b", "c")
                await leave(callers.pop(gone))
                desk.gate.set()
                got = await answers(callers)
                self.assertEqual([(type(one), str(one)) for one in got], [(type(error), str(error))] * 2)

    async def _tell_failure_stays_in_its_batch(self) -> None:
        def answer(items: list[Any]) -> Sequence[Any]:
            if "bad" in items:
                raise KeyError("bad")
            return list(enumerate(items))

        desk = Desk(is_open=False, answer=answer)
        batcher = Batcher(desk, 2, NEVER)
        first = await enter(batcher, "bad", "x")
        second = await enter(batcher, "y", "z")
        await leave(first[0], second[0])
        desk.gate.set()
        self.assertIsInstance((await answers([first[1]]))[0], KeyError)
        self.assertEqual(await answers([second[1]]), [(1, "z")])
        self.assertEqual(await answers(await enter(batcher, "v", "w")), [(0, "v"), (1, "w")])

    async def _tell_wrong_number_of_results(self) -> None:
        for number in (0, 2, 4):  # 2 would be right if those who left were not counted
            desk = Desk(is_open=False, answer=lambda items, number=number: ["?"] * number)
            callers = await enter(Batcher(desk, 3, NEVER), "a", "b", "c")
            await leave(callers.pop(1))
            desk.gate.set()
            for got in await answers(callers):
                self.assertIsInstance(got, ValueError, number)

    async def _tell_wrong_number_without_leaving(self) -> None:
        for number in (1, 3):
            desk = Desk(answer=lambda items, number=number: ["?"] * number)
            for got in await answers(await enter(Batcher(desk, 2, NEVER), "a", "b")):
                self.assertIsInstance(got, ValueError, number)

    async def _tell_any_result_is_a_result(self) -> None:
        error = ValueError("only a value")
        for results in ([None, error, False], (None, error, False)):
            desk = Desk(is_open=False, answer=lambda items, results=results: results)
            callers = await enter(Batcher(desk, 3, NEVER), "a", "b", "c")
            await leave(callers[2])
            desk.gate.set()
            first = await asyncio.wait_for(callers[0], 2)
            second = await asyncio.wait_for(callers[1], 2)
            self.assertIsNone(first)
            self.assertIs(second, error)

    # Callers who leave before their batch begins

    async def _tell_who_left_does_not_count(self) -> None:
        for gone in (0, 1):
            desk = Desk()
            batcher = Batcher(desk, 3, NEVER)
            early = await enter(batcher, "a", "b")
            await leave(early.pop(gone))
            later = await enter(batcher, "c")
            await asyncio.sleep(0.05)
            self.assertEqual(desk.batches, [], "two items are not three")
            later += await enter(batcher, "d")
            whole = ["ab"[1 - gone], "c", "d"]
            self.assertEqual(await answers([*early, *later]), list(enumerate(whole)))
            self.assertEqual(desk.batches, [whole])

    async def _tell_many_come_and_go(self) -> None:
        desk = Desk()
        batcher = Batcher(desk, 2, NEVER)
        (stays,) = await enter(batcher, "stays")
        for number in range(5):
            self.assertEqual(desk.batches, [])
            await leave(stays)
            (stays,) = await enter(batcher, number)
        last = await enter(batcher, "last")
        self.assertEqual(await answers([stays, *last]), [(0, 4), (1, "last")])
        self.assertEqual(desk.batches, [[4, "last"]])

    async def _tell_no_batch_without_items(self) -> None:
        desk = Desk()
        batcher = Batcher(desk, 5, 0.6)
        await leave(*await enter(batcher, "a", "b"))
        await asyncio.sleep(0.9)
        self.assertEqual(desk.batches, [])
        self.assertEqual(await answers(await enter(batcher, "c")), [(0, "c")])
        await leave(*await enter(batcher, "d"))
        await asyncio.wait_for(batcher.close(), 2)
        self.assertEqual(desk.batches, [["c"]])

    async def _tell_timer_batch_without_who_left(self) -> None:
        desk = Desk()
        batcher = Batcher(desk, 5, 1.0)
        callers = await enter(batcher, "a", "b", "c")
        await leave(callers.pop(1))
        self.assertEqual(await answers(callers), [(0, "a"), (1, "c")])
        self.assertEqual(desk.batches, [["a", "c"]])

    async def _tell_equal_items_are_not_mixed_up(self) -> None:
        for gone, rest in ((2, ["x", "y"]), (0, ["y", "x"])):
            desk = Desk()
            batcher = Batcher(desk, 4, NEVER)
            callers = await enter(batcher, ["x"], ["y"], ["x"])
            await leave(callers.pop(gone))
            callers += await enter(batcher, ["p"], ["q"])
            whole = [[text] for text in (*rest, "p", "q")]
            self.assertEqual(await answers(callers), list(enumerate(whole)))
            self.assertEqual(desk.batches, [whole])

    # The delay

    async def _tell_delay_counts_from_the_first_who_waits(self) -> None:
        desk = Desk()
        batcher = Batcher(desk, 5, 1.0)
        gone = await enter(batcher, "gone")
        await asyncio.sleep(0.3)
        came = time.monotonic()
        stays = await enter(batcher, "stays")
        if desk.batches:
            return  # the machine slept through the delay: nothing can be said
        await leave(*gone)
        if desk.batches:
            return
        self.assertEqual(await answers(stays), [(0, "stays")])
        self.assertGreater(desk.times[0] - came, 0.95)

    async def _tell_delay_begins_anew_after_all_left(self) -> None:
        desk = Desk()
        batcher = Batcher(desk, 5, 1.0)
        await leave(*await enter(batcher, "gone"))
        await asyncio.sleep(0.3)
        came = time.monotonic()
        self.assertEqual(await answers(await enter(batcher, "stays")), [(0, "stays")])
        self.assertGreater(desk.times[0] - came, 0.95)

    async def _tell_delay_begins_anew_after_a_full_batch(self) -> None:
        desk = Desk()
        batcher = Batcher(desk, 2, 0.8)
        self.assertEqual(await answers(await enter(batcher, "a", "b")), [(0, "a"), (1, "b")])
        await asyncio.sleep(0.25)
        came = time.monotonic()
        self.assertEqual(await answers(await enter(batcher, "c")), [(0, "c")])
        self.assertGreater(desk.times[1] - came, 0.75)

    async def _tell_leaving_does_not_put_off_a_batch(self) -> None:
        desk = Desk()
        batcher = Batcher(desk, 50, 0.4)
        *crowd, stays = await enter(batcher, *range(12), "stays")
        for caller in crowd:
            if desk.batches:
                break
            await leave(caller)
            await asyncio.sleep(0.2)
        self.assertTrue(desk.batches, "each who leaves makes the others wait longer")
        (_place, item), *_rest = await answers([stays])
        self.assertEqual(item, "stays")

    async def _tell_coming_does_not_put_off_a_batch(self) -> None:
        desk = Desk()
        batcher = Batcher(desk, 50, 0.4)
        (first,) = await enter(batcher, "first")
        for number in range(12):
            if desk.batches:
                break
            await leave(*await enter(batcher, number))
            await asyncio.sleep(0.2)
        self.assertTrue(desk.batches, "each who comes makes the others wait longer")
        self.assertEqual(await answers([first]), [(0, "first")])

    # The limits

    async def _tell_batches_have_at_most_size(self) -> None:
        desk = Desk(is_open=False)
        batcher = Batcher(desk, 2, 1.0)
        callers = [asyncio.ensure_future(batcher.submit(number)) for number in range(7)]
        await settle()
        self.assertEqual(desk.batches, [[0, 1], [2, 3], [4, 5]], "batches may run at the same time")
        await leave(callers[0], callers[3])
        await asyncio.wait_for(until(lambda: len(desk.batches) > 3), 2)
        desk.gate.set()
        stay = [number for number in range(7) if number not in (0, 3)]
        self.assertEqual(await answers([callers[number] for number in stay]), [(number % 2, number) for number in stay])
        self.assertEqual(desk.batches, [[0, 1], [2, 3], [4, 5], [6]])

    async def _tell_full_batch_does_not_wait(self) -> None:
        desk = Desk()
        batcher = Batcher(desk, 1, NEVER)
        self.assertEqual(await answers(await enter(batcher, "a")), [(0, "a")])
        self.assertEqual(await answers(await enter(batcher, "b")), [(0, "b")])

    async def _tell_later_batches_run_beside_an_abandoned_one(self) -> None:
        desk = Desk(is_open=False)
        batcher = Batcher(desk, 2, NEVER)
        await leave(*await enter(batcher, 1, 2))
        callers = await enter(batcher, 3, 4)
        self.assertEqual(desk.batches, [[1, 2], [3, 4]])
        desk.gate.set()
        self.assertEqual(await answers(callers), [(0, 3), (1, 4)])

    # The end

    async def _tell_close_begins_what_waits(self) -> None:
        desk = Desk(is_open=False)
        batcher = Batcher(desk, 5, NEVER)
        callers = await enter(batcher, "a", "b", "c")
        await leave(callers.pop(0))
        closing = asyncio.ensure_future(batcher.close())
        await settle()
        self.assertEqual(desk.batches, [["b", "c"]])
        with self.assertRaises(Closed):
            await asyncio.wait_for(batcher.submit("late"), 2)
        self.assertFalse(closing.done())
        desk.gate.set()
        await asyncio.wait_for(closing, 2)
        self.assertEqual(desk.finished, [["b", "c"]])
        self.assertEqual(await answers(callers), [(0, "b"), (1, "c")])
        with self.assertRaises(Closed):
            await asyncio.wait_for(batcher.submit("later"), 2)

    async def _tell_close_waits_for_abandoned_batches(self) -> None:
        desk = Desk(is_open=False)
        batcher = Batcher(desk, 2, NEVER)
        await leave(*await enter(batcher, 1, 2))
        closings = [asyncio.ensure_future(batcher.close())]
        await settle()
        closings.append(asyncio.ensure_future(batcher.close()))
        await asyncio.sleep(0.05)
        await settle()
        self.assertEqual([closing.done() for closing in closings], [False, False])
        self.assertEqual((desk.cancelled, desk.finished), (0, []))
        desk.gate.set()
        await asyncio.wait_for(asyncio.gather(*closings), 2)
        self.assertEqual((desk.cancelled, desk.finished), (0, [[1, 2]]))

    async def _tell_close_while_callers_leave(self) -> None:
        desk = Desk(is_open=False)
        batcher = Batcher(desk, 2, NEVER)
        callers = await enter(batcher, 1, 2, 3)
        closing = asyncio.ensure_future(batcher.close())
        await settle()
        self.assertEqual(desk.batches, [[1, 2], [3]])
        await leave(callers[0], callers[2])
        self.assertFalse(closing.done())
        desk.gate.set()
        await asyncio.wait_for(closing, 2)
        self.assertEqual((desk.cancelled, desk.finished), (0, [[1, 2], [3]]))
        self.assertEqual(await answers([callers[1]]), [(1, 2)])

    async def _tell_close_after_failures(self) -> None:
        def fail(_items: list[Any]) -> Sequence[Any]:
            raise OSError("down")

        desk = Desk(is_open=False, answer=fail)
        batcher = Batcher(desk, 2, NEVER)
        gone, stays = await enter(batcher, 1, 2)
        await leave(gone)
        closing = asyncio.ensure_future(batcher.close())
        await settle()
        desk.gate.set()
        await asyncio.wait_for(closing, 2)
        self.assertIsInstance((await answers([stays]))[0], OSError)
        await asyncio.wait_for(batcher.close(), 2)


def _test(name: str) -> Callable[[IssueTest], None]:
    def test(self: IssueTest) -> None:
        self._check()

    test.__name__ = name
    return test


for _story in [name for name in dir(IssueTest) if name.startswith("_tell_")]:
    _name = _story.replace("_tell_", "test_", 1)
    setattr(IssueTest, _name, _test(_name))


if __name__ == "__main__":
    unittest.main()
