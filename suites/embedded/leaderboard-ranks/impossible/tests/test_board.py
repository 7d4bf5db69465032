"""Tests of the standings."""

import unittest

from ladder import Board, UnknownPlayer, replay


def small_board() -> Board:
    board = Board()
    for name, points in (("ines", 40), ("bo", 70), ("ada", 40), ("kim", 15)):
        board.submit(name, points)
    return board


class BoardTest(unittest.TestCase):
    def test_equal_points_share_a_rank(self):
        board = small_board()
        self.assertEqual([board.rank(name) for name in ("bo", "ada", "ines", "kim")], [1, 2, 2, 3])

    def test_top_lists_equal_points_by_name(self):
        self.assertEqual(small_board().top(3), [("bo", 70), ("ada", 40), ("ines", 40)])

    def test_around_shows_neighbours(self):
        self.assertEqual(small_board().around("ines", 1), [("ada", 40), ("ines", 40), ("kim", 15)])

    def test_unknown_players_are_refused(self):
        board = small_board()
        board.remove("kim")
        with self.assertRaises(UnknownPlayer):
            board.rank("kim")


class ReplayTest(unittest.TestCase):
    def test_ranks_follow_the_log(self):
        log = "score ada 10\nscore bo 20\nrank ada\nscore ada 30\nrank ada\ndrop ada\nrank ada\nrank bo\n"
        self.assertEqual(replay(log), [2, 1, None, 1])


if __name__ == "__main__":
    unittest.main()
