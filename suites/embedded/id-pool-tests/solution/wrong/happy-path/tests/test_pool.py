"""Tests of the id pool."""

import unittest

from idpool import AlreadyTaken, IdPool, NotTaken, PoolExhausted


class PoolTest(unittest.TestCase):
    def setUp(self):
        self.pool = IdPool(1, 3)

    def test_ids_come_in_order(self):
        self.assertEqual([self.pool.allocate() for _ in range(3)], [1, 2, 3])

    def test_exhausted(self):
        for _ in range(3):
            self.pool.allocate()
        with self.assertRaises(PoolExhausted):
            self.pool.allocate()

    def test_reserve(self):
        self.pool.reserve(2)
        self.assertEqual(self.pool.taken(), [(2, 2)])
        with self.assertRaises(AlreadyTaken):
            self.pool.reserve(2)

    def test_reserve_outside(self):
        with self.assertRaises(IndexError):
            self.pool.reserve(9)

    def test_release(self):
        self.pool.allocate()
        self.pool.release(1)
        self.assertEqual(self.pool.free, 3)

    def test_release_free_id(self):
        with self.assertRaises(NotTaken):
            self.pool.release(2)

    def test_ranges(self):
        self.pool.allocate()
        self.pool.allocate()
        self.assertEqual(self.pool.taken(), [(1, 2)])


if __name__ == "__main__":
    unittest.main()
