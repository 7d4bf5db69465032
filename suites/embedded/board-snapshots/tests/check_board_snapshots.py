"""Hidden checks of board-snapshots: loaded boards equal replayed ones in everything, at the price of few events."""

import json

from grader import raises


def stores(ws, every=None):
    """An event store, a snapshot store and repositories with and without snapshots."""
    kanban = ws.load("kanban")
    events, snapshots = kanban.EventStore(), kanban.SnapshotStore()
    settings = {} if every is None else {"every": every}
    return events, snapshots, kanban.Repository(events, snapshots, **settings), kanban.Repository(events)


def random_command(rng, board, cards):
    """Does something random to a board; gives what came of it."""
    card, column = rng.choice(cards), rng.choice(("todo", "doing", "done"))
    kind = rng.randrange(8)
    try:
        if kind < 3:
            cards.append(board.add(f"t{rng.randrange(99)}", column))
            return cards[-1]
        if kind < 6:
            return board.move(card, column, rng.randrange(3))
        return board.archive(card) if kind == 6 else board.limit(column, rng.randrange(1, 6))
    except (KeyError, ValueError) as error:
        return type(error).__name__


def seen(board, cards):
    """All that can be asked of a board; the order of columns counts."""
    moves = []
    for card in cards:
        try:
            moves.append(board.moves(card))
        except KeyError:
            moves.append(None)
    return board.version, list(board.columns().items()), moves, board.pending


def grown(ws, every, saves, commands):
    """A board that was changed at random and saved many times, always loaded anew; gives stores and card ids."""
    events, snapshots, repository, plain = stores(ws, every)
    cards = ["c1"]
    for _ in range(saves):
        board = repository.load("b")
        for _ in range(ws.rng.randrange(1, commands)):
            random_command(ws.rng, board, cards)
        repository.save(board)
    return events, snapshots, repository, plain, cards


def test_loaded_boards_equal_replayed_ones(ws):
    """After random histories, all queries agree with a full replay, now and at every version."""
    _events, snapshots, repository, plain, cards = grown(ws, 5, 10, 6)
    assert snapshots.versions("b") != []
    current = plain.load("b").version
    for version in (None, *range(0, current + 1, 3), current):
        assert seen(repository.load("b", version), cards) == seen(plain.load("b", version), cards), version


def test_later_commands_do_the_same(ws):
    """New ids, limits, archived cards and moves go on from a snapshot as they do from a replay."""
    _events, _snapshots, repository, plain, cards = grown(ws, 3, 6, 6)
    one, other = repository.load("b"), plain.load("b")
    state = ws.rng.getstate()
    answers = []
    for board in (one, other):
        ws.rng.setstate(state)
        known = list(cards)
        answers.append(([random_command(ws.rng, board, known) for _ in range(25)], seen(board, known)))
    assert answers[0] == answers[1]


def test_what_is_not_on_the_board_is_kept_too(ws):
    """A snapshot keeps counts of moves, archived cards, limits of columns, empty columns and their order."""
    _events, snapshots, repository, _plain = stores(ws, 1)
    board = repository.load("b")
    first, second = board.add("x", "z"), board.add("y", "a")
    board.move(first, "a")
    board.move(first, "m")
    board.archive(second)
    board.limit("m", 1)
    repository.save(board)
    assert snapshots.versions("b") == [6]
    loaded = repository.load("b")
    assert list(loaded.columns().items()) == [("z", []), ("a", []), ("m", [("c1", "x")])]
    assert (loaded.moves("c1"), loaded.moves("c2"), loaded.version, loaded.pending) == (2, 0, 6, [])
    with raises("UnknownCard"):
        loaded.move("c2", "a")
    with raises(ValueError):
        loaded.add("w", "m")
    assert loaded.add("w", "a") == "c3"


def test_when_snapshots_are_taken(ws):
    """Snapshots are taken once `every` events lie after the latest one, not before, whatever the saves' sizes."""
    for every in (1, 3, 4):
        _events, snapshots, repository, _plain = stores(ws, every)
        board, expected, latest = repository.load("b"), [], 0
        for _ in range(8):
            for _ in range(ws.rng.randrange(4)):
                board.add("x", "todo")
            repository.save(board)
            if board.version - latest >= every:
                latest = board.version
                expected.append(latest)
            assert snapshots.versions("b") == expected
    _events, snapshots, repository, _plain = stores(ws)
    board = repository.load("b")
    for wanted in (99, 100):
        while board.version < wanted:
            board.add("x", "todo")
        repository.save(board)
    assert snapshots.versions("b") == [100]


def test_three_of_four_events_are_not_enough(ws):
    """With `every` 4, three events give no snapshot; the fourth and fifth together give one."""
    _events, snapshots, repository, _plain = stores(ws, 4)
    for titles, expected in (("abc", []), ("de", [5]), ("fgh", [5]), ("i", [5, 9])):
        board = repository.load("team")
        for title in titles:
            board.add(title, "todo")
        repository.save(board)
        assert snapshots.versions("team") == expected


def test_few_events_are_read(ws):
    """Only the events after the latest snapshot that is not later than the wanted version are read."""
    events, snapshots, repository, _plain, _cards = grown(ws, 4, 8, 6)
    taken, current = [0, *snapshots.versions("b")], events.version("b")
    for version in (None, *range(current + 1)):
        before, wanted = events.read_count, current if version is None else version
        repository.load("b", version)
        assert events.read_count - before == wanted - max(v for v in taken if v <= wanted), version
    before = events.read_count
    board = repository.load("b")
    board.add("x", "new column")
    repository.save(board)
    assert events.read_count - before <= current - taken[-1]


def test_snapshots_do_not_change(ws):
    """What is done to boards after saving or loading changes no snapshot."""
    _events, snapshots, repository, plain = stores(ws, 3)
    board = repository.load("b")
    cards = [board.add(title, "todo") for title in "xyz"]
    repository.save(board)
    for victim in (board, repository.load("b")):
        victim.move("c1", "doing")
        victim.archive("c2")
        victim.limit("todo", 1)
        victim.add("w", "todo") if victim.columns()["todo"] == [] else None
        assert seen(repository.load("b"), cards) == seen(plain.load("b"), cards)
    assert snapshots.versions("b") == [3]


def test_states_are_plain_data(ws):
    """What is put into the snapshot store survives JSON, and boards can be loaded from what comes back."""
    events, snapshots, repository, plain, cards = grown(ws, 4, 5, 6)
    copies = ws.load("kanban").SnapshotStore()
    for version in snapshots.versions("b"):
        found, state = snapshots.latest("b", 1, version)
        assert found == version
        assert json.loads(json.dumps(state)) == state
        copies.put("b", version, 1, json.loads(json.dumps(state)))
    assert seen(ws.load("kanban").Repository(events, copies).load("b"), cards) == seen(plain.load("b"), cards)


def test_other_schemas_are_ignored(ws):
    """Snapshots of another schema do not count, neither for loading nor for the next snapshot."""
    kanban = ws.load("kanban")
    assert kanban.Board.SCHEMA == 1
    events, snapshots, repository, plain = stores(ws, 3)
    board = repository.load("b")
    for title in "xyz":
        board.add(title, "todo")
    repository.save(board)
    snapshots.put("b", 3, 0, {"old": "format"})
    board.add("w", "todo")
    repository.save(board)
    assert snapshots.versions("b") == [3, 4]
    kanban.Board.SCHEMA = 2
    before = events.read_count
    assert seen(repository.load("b"), ["c1"]) == seen(plain.load("b"), ["c1"])
    assert events.read_count - before == 8
    board.add("v", "todo")
    repository.save(board)
    assert snapshots.versions("b") == [3, 4, 5]
    assert snapshots.latest("b", 2)[0] == 5


def test_saves_that_take_no_snapshot(ws):
    """Conflicts and saves without events take no snapshot, and boards do not share theirs."""
    _events, snapshots, repository, _plain = stores(ws, 2)
    one, other = repository.load("b"), repository.load("b")
    one.add("x", "todo")
    repository.save(one)
    for title in "yz":
        other.add(title, "todo")
    with raises("Conflict"):
        repository.save(other)
    assert (snapshots.versions("b"), len(other.pending)) == ([], 2)
    repository.save(repository.load("b"))
    repository.save(repository.load("empty"))
    assert (snapshots.versions("b"), snapshots.versions("empty")) == ([], [])
    twin = repository.load("twin")
    twin.add("t", "todo")
    twin.add("u", "todo")
    repository.save(twin)
    assert (snapshots.versions("b"), snapshots.versions("twin")) == ([], [2])


def test_settings_and_versions(ws):
    """`every` must be positive, versions must exist, and without snapshots all events are read."""
    kanban = ws.load("kanban")
    for every in (0, -1):
        with raises(ValueError):
            kanban.Repository(kanban.EventStore(), kanban.SnapshotStore(), every)
    events, _snapshots, repository, plain = stores(ws, 2)
    board = repository.load("b")
    for title in "xyz":
        board.add(title, "todo")
    repository.save(board)
    for version in (-1, 4):
        with raises(ValueError):
            repository.load("b", version)
    before = events.read_count
    assert plain.load("b").columns() == repository.load("b", version=3).columns()
    assert events.read_count - before == 3


def test_boards_work_as_before(ws):
    """Moves go to the top unless told otherwise, a full column takes no more but its own, the unknown is refused."""
    board = ws.load("kanban.board").Board("b")
    for title in "xyz":
        board.add(title, "todo")
    board.limit("todo", 3)
    board.limit("doing", 1)
    board.move("c3", "todo")
    assert board.columns() == {"todo": [("c3", "z"), ("c1", "x"), ("c2", "y")]}
    board.move("c2", "doing")
    with raises(ValueError):
        board.move("c1", "doing")
    assert board.columns() == {"todo": [("c3", "z"), ("c1", "x")], "doing": [("c2", "y")]}
    with raises("UnknownCard"):
        board.moves("c9")
    with raises(ValueError):
        board.apply({"kind": "renamed", "card": "c1"})
    assert (board.version, len(board.pending)) == (7, 7)
