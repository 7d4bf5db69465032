"""Tests of the id pool."""

import unittest

from idpool import AlreadyTaken, IdPool, NotTaken, PoolExhausted


class AllocateTest(unittest.TestCase):
    def test_ids_come_in_order_and_end_with_high(self):
        pool = IdPool(3, 6)
        self.assertEqual([pool.allocate() for _ in range(4)], [3, 4, 5, 6])
        with self.assertRaises(PoolExhausted):
            pool.allocate()
        self.assertEqual(pool.taken(), [(3, 6)])

    def test_a_pool_of_one(self):
        pool = IdPool(0, 0)
        self.assertEqual(pool.free, 1)
        self.assertEqual(pool.allocate(), 0)
        with self.assertRaises(PoolExhausted):
            pool.allocate()

    def test_released_ids_are_the_smallest_again(self):
        pool = IdPool(1, 9)
        for _ in range(6):
            pool.allocate()
        self.assertEqual(pool._taken, {1, 2, 3, 4, 5, 6})
        pool.release(4)
        pool.release(2)
        self.assertEqual([pool.allocate() for _ in range(3)], [2, 4, 7])

    def test_reserved_ids_are_passed_over(self):
        pool = IdPool(1, 4)
        pool.reserve(1)
        pool.reserve(3)
        self.assertEqual([pool.allocate(), pool.allocate()], [2, 4])
        with self.assertRaises(PoolExhausted):
            pool.allocate()

    def test_ids_are_available_again_after_exhaustion(self):
        pool = IdPool(1, 2)
        pool.allocate(), pool.allocate()
        pool.release(2)
        self.assertEqual(pool.allocate(), 2)


class ReserveTest(unittest.TestCase):
    def test_both_ends_can_be_reserved(self):
        pool = IdPool(5, 8)
        pool.reserve(5)
        pool.reserve(8)
        self.assertEqual(pool.taken(), [(5, 5), (8, 8)])

    def test_outside(self):
        pool = IdPool(5, 8)
        for number in (4, 9, -5, 1000):
            with self.assertRaises(IndexError):
                pool.reserve(number)
        self.assertEqual((pool.free, pool.taken()), (4, []))

    def test_taken_ids(self):
        pool = IdPool(5, 8)
        pool.reserve(7)
        allocated = pool.allocate()
        for number in (7, allocated):
            with self.assertRaises(AlreadyTaken):
                pool.reserve(number)
        self.assertEqual(pool.free, 2)


class ReleaseTest(unittest.TestCase):
    def test_reserved_and_allocated_ids(self):
        pool = IdPool(1, 3)
        pool.reserve(2)
        pool.release(pool.allocate())
        pool.release(2)
        self.assertEqual((pool.free, pool.taken()), (3, []))
        pool.reserve(2)

    def test_ids_that_nobody_holds(self):
        pool = IdPool(1, 3)
        pool.allocate()
        pool.release(1)
        for number in (1, 2, 0, 4):
            with self.assertRaises(NotTaken):
                pool.release(number)
        self.assertEqual(pool.free, 3)


class CountsTest(unittest.TestCase):
    def test_free_counts_every_change(self):
        pool = IdPool(10, 14)
        seen = [pool.free]
        for change in (pool.allocate, lambda: pool.reserve(13), pool.allocate, lambda: pool.release(13)):
            change()
            seen.append(pool.free)
        self.assertEqual(seen, [5, 4, 3, 2, 3])

    def test_ranges(self):
        pool = IdPool(1, 12)
        for number in (9, 2, 3, 5, 11, 10, 1):
            pool.reserve(number)
        self.assertEqual(pool.taken(), [(1, 3), (5, 5), (9, 11)])
        pool.release(2)
        self.assertEqual(pool.taken(), [(1, 1), (3, 3), (5, 5), (9, 11)])

    def test_the_list_of_ranges_is_the_callers_own(self):
        pool = IdPool(1, 5)
        pool.allocate()
        pool.taken().clear()
        self.assertEqual(pool.taken(), [(1, 1)])

    def test_pools_are_independent(self):
        first, second = IdPool(1, 2), IdPool(1, 2)
        first.allocate()
        self.assertEqual(second.allocate(), 1)


class ConstructionTest(unittest.TestCase):
    def test_low_above_high(self):
        with self.assertRaisesRegex(ValueError, "low must not be greater than high"):
            IdPool(3, 2)


if __name__ == "__main__":
    unittest.main()
