"""Tests of loading and saving boards."""

import unittest

from kanban import Board, Conflict, EventStore, Repository, SnapshotStore


class RepositoryTest(unittest.TestCase):
    def setUp(self):
        self.events, self.snapshots = EventStore(), SnapshotStore()

    def add_cards(self, repository: Repository, *titles: str) -> Board:
        board = repository.load("team")
        for title in titles:
            board.add(title, "todo")
        repository.save(board)
        return board

    def test_without_snapshots(self):
        repository = Repository(self.events)
        self.add_cards(repository, "a", "b")
        self.assertEqual(repository.load("team").columns(), {"todo": [("c1", "a"), ("c2", "b")]})
        self.assertEqual(repository.load("team", version=1).columns(), {"todo": [("c1", "a")]})

    def test_conflict(self):
        repository = Repository(self.events)
        one, other = repository.load("team"), repository.load("team")
        one.add("a", "todo")
        other.add("b", "todo")
        repository.save(one)
        with self.assertRaises(Conflict):
            repository.save(other)

    def test_snapshot_interval(self):
        repository = Repository(self.events, self.snapshots, every=4)
        self.add_cards(repository, "a", "b", "c")
        self.assertEqual(self.snapshots.versions("team"), [3])
        self.add_cards(repository, "d", "e", "f", "g")
        self.assertEqual(self.snapshots.versions("team"), [3, 7])

    def test_only_later_events_are_read(self):
        repository = Repository(self.events, self.snapshots, every=3)
        self.add_cards(repository, "a", "b", "c")
        self.add_cards(repository, "d")
        before = self.events.read_count
        board = repository.load("team")
        self.assertEqual(self.events.read_count - before, 1)
        self.assertEqual(board.version, 4)
        self.assertEqual([title for _card, title in board.columns()["todo"]], ["a", "b", "c", "d"])


if __name__ == "__main__":
    unittest.main()
