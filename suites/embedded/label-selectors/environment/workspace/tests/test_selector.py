"""Examples of selectors."""

import unittest

from fleet.errors import SelectorError
from fleet.inventory import Machine, find
from fleet.selector import parse

MACHINES = [
    Machine("m1", {"zone": "eu", "tier": "web", "cores": "4"}),
    Machine("m2", {"zone": "eu", "tier": "api gateway", "cores": "16", "retired": ""}),
    Machine("m3", {"zone": "us", "tier": "db", "cores": "8"}),
]


class SelectorTest(unittest.TestCase):
    def test_conditions(self):
        self.assertEqual(find(MACHINES, "zone = eu"), ["m1", "m2"])
        self.assertEqual(find(MACHINES, "zone != eu"), ["m3"])
        self.assertEqual(find(MACHINES, "cores >= 8"), ["m2", "m3"])
        self.assertEqual(find(MACHINES, 'tier in (db, "api gateway")'), ["m2", "m3"])
        self.assertEqual(find(MACHINES, "not retired"), ["m1", "m3"])

    def test_precedence(self):
        self.assertEqual(find(MACHINES, "zone = us or zone = eu and cores < 10"), ["m1", "m3"])
        self.assertEqual(find(MACHINES, "(zone = us or zone = eu) and cores < 5"), ["m1"])

    def test_proper_form(self):
        self.assertEqual(str(parse('((a) and(b and c))or not(x="1")')), "a and b and c or not x = 1")
        self.assertEqual(str(parse('tier in("db","api gateway")')), 'tier in (db, "api gateway")')

    def test_keys(self):
        self.assertEqual(parse("a = b and (c or not a)").keys(), {"a", "c"})

    def test_mistakes(self):
        for text, position in {"a = b c": 6, "a &": 2, "(a": 2, "": 0, 'a = "b': 4}.items():
            with self.assertRaises(SelectorError) as caught:
                parse(text)
            self.assertEqual(caught.exception.position, position)


if __name__ == "__main__":
    unittest.main()
