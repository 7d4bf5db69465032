"""Examples of merged settings."""

import unittest

from settings.merge import merge
from settings.service import Settings


class MergeTest(unittest.TestCase):
    def test_override_wins(self):
        merged = merge({"a": 1, "b": {"x": 1, "y": 2}}, {"b": {"y": 3}, "c": [4]})
        self.assertEqual(merged, {"a": 1, "b": {"x": 1, "y": 3}, "c": [4]})

    def test_none_removes(self):
        self.assertEqual(merge({"a": 1, "b": {"x": 1}}, {"a": None, "b": {"x": None}}), {"b": {}})

    def test_base_is_unchanged(self):
        base = {"db": {"host": "localhost"}}
        merge(base, {"db": {"host": "db7"}})
        self.assertEqual(base, {"db": {"host": "localhost"}})


class SettingsTest(unittest.TestCase):
    def test_layers(self):
        settings = Settings()
        settings.add({"db": {"port": 6000}})
        settings.add({"log": {"level": "debug"}})
        self.assertEqual(settings.get("db.port"), 6000)
        self.assertEqual(settings.get("log.level"), "debug")
        with self.assertRaises(KeyError):
            settings.get("db.user")

    def test_services_are_independent(self):
        staging = Settings()
        staging.add({"db": {"host": "staging-db"}})
        self.assertEqual(Settings().get("db.host"), "localhost")

    def test_effective_is_a_copy(self):
        settings = Settings()
        settings.effective()["features"] = []
        self.assertEqual(settings.get("features"), ["search"])


if __name__ == "__main__":
    unittest.main()
