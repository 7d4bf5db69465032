"""Tests of the kernel, and of days at the depot."""

import unittest

from depot import Kernel, Signal, Sleep, Wait, days


class DepotTest(unittest.TestCase):
    def test_monday(self):
        kernel, store, log = days.monday()
        report = kernel.run()
        self.assertEqual((report.now, report.stuck, log), (6, [], [("Ida", "sand"), ("Olaf", "bricks")]))

    def test_friday(self):
        for schedule in ([], [1], [0, 0, 1], [1, 1, 1], [3, 2, 1]):
            kernel, store, log = days.friday()
            self.assertEqual(kernel.run(schedule).stuck, [])
            self.assertEqual(len(log), 3)

    def test_signals(self):
        kernel, signal, log = Kernel(), Signal("bell"), []

        def listener(name, ticks):
            log.append((name, (yield Wait(signal, ticks)), kernel.now))

        def ringer():
            yield Sleep(3)
            signal.give()

        kernel.add("a", listener("a", 5))
        kernel.add("b", listener("b", 4))
        kernel.add("c", listener("c", None))
        kernel.add("ringer", ringer())
        report = kernel.run()
        self.assertEqual(log, [("a", True, 3), ("b", False, 4)])
        self.assertEqual((report.now, report.stuck), (4, ["c"]))


if __name__ == "__main__":
    unittest.main()
