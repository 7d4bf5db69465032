"""Hidden checks: functions `test_*(ws)`; the work cannot reach them. `ws` is the workspace over a wire (docs/tasks.md).

Ask for what the instruction says, all of it, and nothing else: other inputs than the visible tests, drawn at random
where that is possible, and no wording or names that the instruction does not give.
"""

from grader import raises


def test_parts_add_up_and_are_equal(ws):
    share = ws.load("share")
    for _ in range(30):
        cents, people = ws.rng.randrange(10_000), ws.rng.randrange(1, 9)
        parts = share.split(cents, people)
        assert len(parts) == people
        assert sum(parts) == cents
        assert parts == sorted(parts, reverse=True)
        assert max(parts) - min(parts) <= 1


def test_nobody_is_refused(ws):
    for people in (0, -2):
        with raises(ValueError):
            ws.load("share").split(10, people)
