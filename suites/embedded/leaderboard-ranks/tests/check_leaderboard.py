"""Hidden checks of leaderboard-ranks: the standings as documented, and a season's replay that does not re-sort."""

from grader import raises


def standings(points):
    """Oracle: the ordered list of a dict of points."""
    return sorted(points.items(), key=lambda entry: (-entry[1], entry[0]))


def rank(points, player):
    """Oracle: one more than the number of players with more points."""
    return 1 + sum(other > points[player] for other in points.values())


def filled(ws, points):
    """A board of the solution's with these points."""
    board = ws.load("ladder").Board()
    for player, number in points.items():
        board.submit(player, number)
    return board


def random_points(rng, players, spread):
    """Points of some players, with many ties where the spread is small; some are negative."""
    names = [f"p{number}" for number in rng.sample(range(10 * players), players)]
    return {name: rng.randrange(-spread, spread) for name in names}


def season(rng, players, changes):
    """A log that alternates between changes and questions, and the answers to it, from counts per number of points."""
    points = {f"p{number}": rng.randrange(1000) for number in range(players)}
    lines = [f"score {name} {number}" for name, number in points.items()]
    counts = [0] * 1000
    for number in points.values():
        counts[number] += 1
    answers = []
    names = list(points)
    for _ in range(changes):
        name, asked = rng.choice(names), rng.choice(names)
        counts[points[name]] -= 1
        points[name] = rng.randrange(1000)
        counts[points[name]] += 1
        lines += [f"score {name} {points[name]}", f"rank {asked}"]
        answers.append((asked, points[asked], sum(counts[points[asked] + 1 :]) + 1))
    return "\n".join(lines), [answer for _asked, _points, answer in answers]


def test_ranks_of_random_boards(ws):
    """Ranks are one more than the number of players with more points, with many ties and negative points."""
    points = random_points(ws.rng, 25, 6)
    board = filled(ws, points)
    for player in points:
        assert board.rank(player) == rank(points, player)


def test_the_rank_after_a_tie_skips(ws):
    """The rank after players who tie skips as many places as they are, on small boards with plain numbers."""
    for top, tied, last in ((70, 40, 15), (ws.rng.randrange(50, 90), 40, 3), (5, 0, -5)):
        board = filled(ws, {"ines": tied, "bo": top, "ada": tied, "kim": last})
        assert [board.rank(name) for name in ("bo", "ada", "ines", "kim")] == [1, 2, 2, 4]


def test_points_are_replaced_downwards_too(ws):
    """New points replace old ones when they are fewer, more, or the same, and a player is listed once."""
    points = random_points(ws.rng, 15, 8)
    board = filled(ws, points)
    for player in ws.rng.choices(list(points), k=40):
        points[player] += ws.rng.choice((-3, 0, 2))
        board.submit(player, points[player])
        assert board.points(player) == points[player]
        assert board.rank(player) == rank(points, player)
    assert len(board) == len(points)
    assert board.top(100) == standings(points)


def test_top_cuts_the_standings(ws):
    """`top` lists more points first and equal points by name, and takes any count that is not negative."""
    points = random_points(ws.rng, 20, 4)
    board = filled(ws, points)
    for count in (0, 1, 7, 20, 21, 500):
        assert board.top(count) == standings(points)[:count]
    with raises(ValueError):
        board.top(-1)


def test_around_stops_at_the_ends(ws):
    """`around` shows up to `width` neighbours on each side."""
    points = random_points(ws.rng, 12, 5)
    board = filled(ws, points)
    order = standings(points)
    for place, (player, _points) in enumerate(order):
        for width in (0, 1, 3, 50):
            assert board.around(player, width) == order[max(0, place - width) : place + width + 1]
    with raises(ValueError):
        board.around(order[0][0], -1)


def test_removed_players_leave_no_trace(ws):
    """After `remove`, a player counts for nobody's rank, and may come back."""
    points = random_points(ws.rng, 12, 4)
    board = filled(ws, points)
    gone = ws.rng.sample(list(points), 5)
    for player in gone:
        board.remove(player)
        del points[player]
        assert ws.op("contains", board, player) is False
        assert len(board) == len(points)
        assert board.top(50) == standings(points)
        for other in points:
            assert board.rank(other) == rank(points, other)
    board.submit(gone[0], 1)
    points[gone[0]] = 1
    assert board.top(50) == standings(points)


def test_unknown_players_are_refused_everywhere(ws):
    """Every question about a player who is not on the board raises UnknownPlayer, on an empty board as well."""
    board = ws.load("ladder").Board()
    for _ in range(2):
        for question in (board.rank, board.points, board.remove, lambda name: board.around(name, 1)):
            with raises("ladder.board.UnknownPlayer"):
                question("nobody")
        board.submit("ada", 3)
    assert board.top(9) == [("ada", 3)]


def test_lists_belong_to_the_caller(ws):
    """Changing what `top` and `around` gave changes nothing on the board."""
    code = (
        "from ladder import Board\n"
        "b = Board()\n"
        "for i, n in enumerate('dcba'): b.submit(n, i % 2)\n"
        "b.top(4).clear(); b.around('a', 3).reverse(); b.top(2)[0] = ('z', 9)\n"
        "print(b.top(4), [b.rank(n) for n in 'abcd'])\n"
    )
    assert ws.run(["python3", "-c", code]).stdout.split("\n")[0] == (
        "[('a', 1), ('c', 1), ('b', 0), ('d', 0)] [1, 3, 1, 3]"
    )


def test_replay_keeps_its_answers_and_errors(ws):
    """Logs with drops, absent players, empty lines and bad lines are answered as documented."""
    replay = ws.load("ladder").replay
    assert replay("") == []
    assert replay("rank ada\n\n  \nscore ada -5\ndrop bo\nrank ada\nscore bo -5\nrank bo\ndrop ada\nrank ada\n") == [
        None,
        1,
        1,
        None,
    ]
    with raises("ladder.season.BadLine", match="^2: "):
        replay("score ada 1\nscore ada many\n")
    with raises("ladder.season.BadLine", match="^3: "):
        replay("score ada 1\n\nrank\n")


def test_small_seasons_agree(ws):
    """Random small seasons give the right answers."""
    for _ in range(5):
        log, answers = season(ws.rng, 30, 60)
        assert ws.load("ladder").replay(log) == answers


def test_a_season_of_twenty_thousand(ws):
    """20,000 players and 20,000 alternating lines are replayed without sorting or walking over all players."""
    log, answers = season(ws.rng, 20_000, 10_000)
    with ws.limit(1.5):
        given = ws.load("ladder").replay(log)
    assert given == answers
