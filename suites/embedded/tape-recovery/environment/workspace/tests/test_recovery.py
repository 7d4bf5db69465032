"""Tests of the reader."""

import unittest

from tape.reader import recover
from tape.writer import record


class RecoveryTest(unittest.TestCase):
    def test_a_whole_file(self):
        self.assertEqual(recover(record(b"one") + record(b"") + record(b"two")), ([b"one", b"", b"two"], []))

    def test_a_damaged_record(self):
        damaged = bytearray(record(b"first") + record(b"second") + record(b"third"))
        damaged[14] ^= 1
        self.assertEqual(recover(bytes(damaged)), ([b"first", b"third"], [(10, 21)]))

    def test_a_torn_end(self):
        self.assertEqual(recover(record(b"first") + record(b"second")[:7]), ([b"first"], [(10, 17)]))


if __name__ == "__main__":
    unittest.main()
