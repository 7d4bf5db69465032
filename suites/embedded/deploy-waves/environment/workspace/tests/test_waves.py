"""Examples of deployments."""

import unittest

from deploy.errors import DependencyCycle, UnknownService
from deploy.manifest import parse_manifest
from deploy.waves import impact, plan

SHOP = parse_manifest(
    """
    web: api, static
    api: db, queue   # the queue may be empty at first
    worker: queue
    db:
    queue:
    static:
    """
)


class PlanTest(unittest.TestCase):
    def test_waves(self):
        self.assertEqual(plan(SHOP), [["db", "queue", "static"], ["api", "worker"], ["web"]])

    def test_limited_waves(self):
        self.assertEqual(plan(SHOP, limit=2), [["db", "queue"], ["api", "static"], ["web", "worker"]])

    def test_running_services(self):
        self.assertEqual(plan(SHOP, running=["db", "queue"]), [["api", "static", "worker"], ["web"]])

    def test_unknown_service(self):
        with self.assertRaises(UnknownService) as caught:
            plan({"web": ["api", "cdn"], "api": ["db"]})
        self.assertEqual(caught.exception.names, ("cdn", "db"))

    def test_cycle(self):
        with self.assertRaises(DependencyCycle) as caught:
            plan({"web": ["api"], "api": ["db"], "db": ["auth"], "auth": ["api"]})
        self.assertEqual(caught.exception.services, ("api", "db", "auth"))

    def test_impact(self):
        self.assertEqual(impact(SHOP, ["db"]), ["api", "db", "web"])


if __name__ == "__main__":
    unittest.main()
