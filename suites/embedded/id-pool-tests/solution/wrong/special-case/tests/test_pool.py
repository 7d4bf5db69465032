"""Tests of the id pool."""

import unittest

from idpool import IdPool, NotTaken, PoolExhausted


class PoolTest(unittest.TestCase):
    def setUp(self):
        self.pool = IdPool(100, 110)

    def test_construction(self):
        self.assertIsInstance(self.pool, IdPool)

    def test_allocate(self):
        for _ in range(5):
            self.assertIsNotNone(self.pool.allocate())

    def test_reserve(self):
        self.pool.reserve(105)
        self.assertTrue(self.pool.taken())

    def test_release(self):
        number = self.pool.allocate()
        self.pool.release(number)
        self.assertIsInstance(self.pool.free, int)

    def test_release_unknown(self):
        try:
            self.pool.release(1)
        except NotTaken as error:
            self.assertIsInstance(error, ValueError)

    def test_exhaustion(self):
        try:
            while True:
                self.pool.allocate()
        except PoolExhausted as error:
            self.assertTrue(str(error))

    def test_taken(self):
        self.assertEqual(self.pool.taken(), self.pool.taken())

    def test_free(self):
        self.assertEqual(self.pool.free, self.pool.free)


if __name__ == "__main__":
    unittest.main()
