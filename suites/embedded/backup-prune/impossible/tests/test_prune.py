"""Tests of prune.sh."""

import subprocess
import unittest


def prune(names, *options):
    """Names that the script prints."""
    done = subprocess.run(
        ["bash", "prune.sh", *options], input="\n".join(names) + "\n", capture_output=True, text=True, check=True
    )
    return done.stdout.split()


class PruneTest(unittest.TestCase):
    def test_the_three_newest_stay(self):
        days = [f"shop-202403{day:02d}-0200.dump" for day in (4, 1, 5, 2, 3)]
        self.assertEqual(prune(days), ["shop-20240301-0200.dump", "shop-20240302-0200.dump"])

    def test_newest_of_each_month_stays(self):
        names = [
            "shop-20240130-0200.dump",
            "shop-20240131-0200.dump",
            "shop-20240210-0200.dump",
            "shop-20240210-1400.dump",
            "shop-20240301-0200.dump",
        ]
        self.assertEqual(prune(names, "-n", "1"), ["shop-20240131-0200.dump", "shop-20240210-1400.dump"])

    def test_other_files_are_never_printed(self):
        self.assertEqual(prune(["notes.txt", "shop-20240301-0200.dump.part"], "-n", "0"), [])


if __name__ == "__main__":
    unittest.main()
