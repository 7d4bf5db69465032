"""Hidden checks of range-labels: random edits of short texts against a list with one label for each position."""

from grader import raises

SIZE = 40


def stretches(cells):
    """Oracle: the stretches of a list of labels."""
    out = []
    for position, label in enumerate(cells):
        if label is None:
            continue
        if out and out[-1][1] == position and out[-1][2] == label:
            out[-1] = (out[-1][0], position + 1, label)
        else:
            out.append((position, position + 1, label))
    return out


def edit(rng, labels, cells):
    """One random edit of the solution's labels; gives the list as it should be."""
    kind = rng.choice(("put", "put", "put", "clear", "insert", "delete"))
    a, b = sorted(rng.randrange(len(cells) + 3) for _ in range(2))
    more = cells + [None] * 9
    if kind == "put":
        label = rng.choice("abc")
        labels.put(a, b, label)
        more[a:b] = [label] * (b - a)
    elif kind == "clear":
        labels.clear(a, b)
        more[a:b] = [None] * (b - a)
    elif kind == "insert":
        count = rng.choice((0, 1, 2, 5))
        labels.insert(a, count)
        same = a > 0 and more[a - 1] == more[a]
        more[a:a] = [more[a] if same else None] * count
    else:
        count = rng.choice((0, 1, 2, 5))
        labels.delete(a, count)
        del more[a : a + count]
    while more and more[-1] is None:
        more.pop()
    return more[:SIZE] if len(more) <= SIZE else more


def test_random_edits(ws):
    """After each of many edits the stretches are right, and so is their number."""
    for _ in range(12):
        labels, cells = ws.load("marks").Labels(), []
        for _ in range(30):
            cells = edit(ws.rng, labels, cells)
            assert labels.stretches() == stretches(cells), cells
        assert len(labels) == len(stretches(cells))
        for position in range(len(cells) + 2):
            assert labels.at(position) == (cells[position] if position < len(cells) else None)


def test_insertion_at_ends(ws):
    """New positions take a label only from two neighbours that agree; at the start there is no neighbour before."""
    for position, expected in ((2, [(4, 7, "a")]), (3, [(2, 7, "a")]), (5, [(2, 5, "a")]), (0, [(4, 7, "a")])):
        labels = ws.load("marks").Labels()
        labels.put(2, 5, "a")
        labels.insert(position, 2)
        assert labels.stretches() == expected, position
    labels = ws.load("marks").Labels()
    labels.put(2, 5, "a")
    labels.insert(3, 2)
    labels.insert(7, 2)
    assert labels.stretches() == [(2, 7, "a")]
    labels.put(0, 2, "b")
    labels.insert(0, 3)
    assert labels.stretches() == [(3, 5, "b"), (5, 10, "a")]
    labels.insert(5, 1)
    assert labels.stretches() == [(3, 5, "b"), (6, 11, "a")]


def test_deletion_joins(ws):
    """What comes together with the same label is one stretch."""
    labels = ws.load("marks").Labels()
    for start, label in ((0, "a"), (3, "b"), (5, "a"), (9, "c")):
        labels.put(start, start + 2, label)
    labels.delete(2, 3)
    assert labels.stretches() == [(0, 4, "a"), (6, 8, "c")]
    labels.delete(0, 7)
    assert labels.stretches() == [(0, 1, "c")]
    labels.delete(0, 10**12)
    assert labels.stretches() == [] and len(labels) == 0


def test_wrong_arguments(ws):
    """They are refused, and nothing changes."""
    labels = ws.load("marks").Labels()
    labels.put(1, 3, "a")
    for call in (
        lambda: labels.put(3, 2, "b"),
        lambda: labels.put(-1, 2, "b"),
        lambda: labels.put(0, 2, ""),
        lambda: labels.put(2, 2, ""),
        lambda: labels.clear(-2, 2),
        lambda: labels.clear(2, 1),
        lambda: labels.at(-1),
        lambda: labels.insert(-1, 1),
        lambda: labels.insert(1, -1),
        lambda: labels.delete(-1, 1),
        lambda: labels.delete(2, -1),
    ):
        with raises(ValueError):
            call()
    assert labels.stretches() == [(1, 3, "a")]
    labels.put(0, 0, "b")
    labels.clear(2, 2)
    labels.insert(0, 0)
    labels.delete(0, 0)
    assert labels.stretches() == [(1, 3, "a")]


def test_lists_belong_to_the_caller(ws):
    """Changing what `stretches` gave changes nothing."""
    code = "from marks import Labels\nl = Labels()\nl.put(1, 2, 'a')\nl.stretches().clear()\nprint(l.stretches(), Labels().stretches())"
    assert ws.run(["python3", "-c", code]).stdout.strip() == "[(1, 2, 'a')] []"


def test_long_stretches_and_many(ws):
    """Lengths cost nothing; 20,000 stretches can be asked for quickly."""
    labels = ws.load("marks").Labels()
    labels.put(5, 10**12, "a")
    labels.insert(7, 10**11)
    labels.delete(6, 10**6)
    assert labels.stretches() == [(5, 10**12 + 10**11 - 10**6, "a")]
    code = (
        "import time\nfrom marks import Labels\nl = Labels()\n"
        "for k in range(700): l.put(3 * k, 3 * k + 2, 'ab'[k % 2])\n"
        "print(sum(l.at(k) == 'a' for k in range(2100) for _ in range(40)))\n"
    )
    assert ws.run(["python3", "-c", code], timeout=4).stdout.strip() == str(700 * 40)
