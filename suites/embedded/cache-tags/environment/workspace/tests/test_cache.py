"""Examples of cached values and their tags."""

import unittest

from cachebox.cache import Cache
from cachebox.clock import ManualClock


class CacheTest(unittest.TestCase):
    def setUp(self):
        self.clock = ManualClock()
        self.cache = Cache(capacity=3, lifetime=60, clock=self.clock)

    def test_age_and_room(self):
        for key in "abcd":
            self.cache.put(key, key.upper())
        self.assertEqual([self.cache.get(key) for key in "abcd"], [None, "B", "C", "D"])
        self.clock.advance(60)
        self.assertEqual(len(self.cache), 0)

    def test_invalidate(self):
        self.cache.put("invoice", 100, tags=["customer:1", "year:2026"])
        self.cache.put("offer", 200, tags=["customer:1"])
        self.cache.put("stock", 300, tags=["year:2026"])
        self.assertEqual(self.cache.invalidate("customer:1"), 2)
        self.assertIsNone(self.cache.get("offer"))
        self.assertEqual(self.cache.tags_of("stock"), {"year:2026"})
        self.assertEqual(self.cache.tags(), {"year:2026"})

    def test_loaded_entries_have_tags(self):
        self.assertEqual(self.cache.get_or_load("total", lambda: 5, tags=["sums"]), 5)
        self.assertEqual(self.cache.get_or_load("total", lambda: 6, tags=["other"]), 5)
        self.assertEqual(self.cache.tags_of("total"), {"sums"})

    def test_tags_are_inherited(self):
        def load_page():
            return self.cache.get_or_load("customer", lambda: "Ann", tags=["customer:1"]) + "!"

        self.assertEqual(self.cache.get_or_load("page", load_page, tags=["pages"]), "Ann!")
        self.assertEqual(self.cache.tags_of("page"), {"pages", "customer:1"})
        self.cache.invalidate("customer:1")
        self.assertEqual(len(self.cache), 0)

    def test_a_deleted_key_is_not_stored(self):
        def load():
            self.cache.delete("page")
            return 1

        self.assertEqual(self.cache.get_or_load("page", load), 1)
        self.assertIsNone(self.cache.get("page"))


if __name__ == "__main__":
    unittest.main()
