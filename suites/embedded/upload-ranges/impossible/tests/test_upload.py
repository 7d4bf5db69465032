"""Tests of uploads."""

import unittest

from uploads import ChunkError, RangeSet, Upload


class UploadTest(unittest.TestCase):
    def test_chunks_in_any_order(self):
        upload = Upload(10)
        for offset, data in ((5, b"fghij"), (0, b"abc"), (3, b"de")):
            upload.receive(offset, data)
        self.assertEqual((upload.percent, upload.content()), (100, b"abcdefghij"))

    def test_gap_is_reported(self):
        upload = Upload(10)
        upload.receive(0, b"abc")
        upload.receive(7, b"hij")
        self.assertEqual(upload.missing(), [(3, 6)])
        self.assertEqual(upload.percent, 60)

    def test_parts_that_come_again(self):
        upload = Upload(100)
        for offset, length in ((0, 30), (40, 30), (20, 50)):
            upload.receive(offset, b"x" * length)
        self.assertFalse(upload.complete)
        self.assertEqual(upload.missing(), [(70, 100)])

    def test_chunk_beyond_the_end(self):
        with self.assertRaises(ChunkError):
            Upload(10).receive(8, b"abc")


class RangeSetTest(unittest.TestCase):
    def test_touching_ranges_are_one(self):
        numbers = RangeSet()
        numbers.add(5, 8)
        numbers.add(1, 5)
        self.assertEqual(numbers.ranges(), [(1, 8)])


if __name__ == "__main__":
    unittest.main()
