"""Hidden checks of pad-clearance: exact results on every kind of board, and a large uneven board in time."""

from grader import raises

CLEARANCE = 200_000


def conflicts(pads, clearance):
    """Oracle: compares all pairs of (name, net, x, y, radius)."""
    found = []
    for at, (name, net, x, y, radius) in enumerate(pads):
        for name2, net2, x2, y2, radius2 in pads[:at]:
            if net == net2 != "-":
                continue
            reach = radius + radius2 + clearance
            if (x - x2) * (x - x2) + (y - y2) * (y - y2) < reach * reach:
                found.append(tuple(sorted((name, name2))))
    return sorted(found)


def text_of(pads):
    """A board as text."""
    return "".join(f"{name} {net} {x} {y} {radius}\n" for name, net, x, y, radius in pads)


def random_board(rng, size, spread, largest):
    """Pads at random, around the origin; a few of them are far larger than the others."""
    pads = []
    for number in range(size):
        radius = rng.randrange(largest * 20) if rng.random() < 0.05 else rng.randrange(largest)
        net = rng.choice(("-", "GND", "GND", "VCC", f"N{number}"))
        pads.append(
            (
                f"P{rng.randrange(10**6)}.{number}",
                net,
                rng.randint(-spread, spread),
                rng.randint(-spread, spread),
                radius,
            )
        )
    return pads


def agree(ws, pads, clearance):
    """Demands the oracle's result."""
    assert ws.load("clearance").check_board(text_of(pads), clearance) == conflicts(pads, clearance)


def test_random_boards(ws):
    """Random boards of many densities, with pads of very different sizes on both sides of the origin."""
    for spread in (30, 200, 1000, 100_000):
        agree(ws, random_board(ws.rng, 120, spread, max(2, spread // 20)), ws.rng.randrange(spread // 5))


def test_gaps_at_the_limit(ws):
    """Gaps of exactly the clearance, and one nanometre less, in straight and slanted directions."""
    for _ in range(20):
        unit, radius, radius2 = ws.rng.randrange(20, 10**6), ws.rng.randrange(40), ws.rng.randrange(50)
        for dx, dy in ((5, 0), (0, -5), (3, 4), (-4, 3), (-3, -4)):
            x, y = ws.rng.randint(-(10**7), 10**7), ws.rng.randint(-(10**7), 10**7)
            pads = [("A", "GND", x, y, radius), ("B", "VCC", x + dx * unit, y + dy * unit, radius2)]
            clearance = 5 * unit - radius - radius2
            check_board = ws.load("clearance").check_board
            assert check_board(text_of(pads), clearance) == []
            assert check_board(text_of(pads), clearance + 1) == [("A", "B")]


def test_arithmetic_stays_exact(ws):
    """Far from the origin and for reaches near 10^12, where floating point rounds a hair away."""
    check_board = ws.load("clearance").check_board
    for _ in range(20):
        # (k*k - 1, 2*k, k*k + 1) are the sides of a right triangle; one more or less on the short side is a hair.
        k = ws.rng.randrange(600_000, 900_000)
        x, y = ws.rng.randint(-(10**11), 0), ws.rng.randint(-(10**11), 10**11)
        radius, radius2 = ws.rng.randrange(k), ws.rng.randrange(k * k - k)
        for short, found in ((2 * k - 1, [("A", "B")]), (2 * k, []), (2 * k + 1, [])):
            pads = [("A", "-", x, y, radius), ("B", "-", x + k * k - 1, y - short, radius2)]
            assert check_board(text_of(pads), k * k + 1 - radius - radius2) == found


def test_nets(ws):
    """Pads of one net may touch, unconnected ones may touch nothing, each other included."""
    pads = [(f"{net}{n}", net, n, n % 3, 4) for n, net in enumerate(["-", "GND", "-", "VCC", "GND", "-", "VCC"])]
    agree(ws, pads, 3)
    agree(ws, [(name, "GND", x, y, radius) for name, _net, x, y, radius in pads], 3)
    agree(ws, [(name, "-", x, y, radius) for name, _net, x, y, radius in pads], 3)


def test_points_without_extent(ws):
    """Radius 0 and clearance 0, coinciding pads, one pad, and no pad."""
    points = [(f"P{n}", f"N{n}", n // 2, 0, 0) for n in range(8)]
    agree(ws, points, 0)
    agree(ws, points, 1)
    agree(ws, points, 2)
    agree(ws, [(name, net, x, y, n % 2) for n, (name, net, x, y, _radius) in enumerate(points)], 0)
    agree(ws, points[:1], 5)
    agree(ws, [], 5)


def test_every_size_meets_every_other(ws):
    """A board on which each pad is twice as large as the one before, with gaps around the clearance."""
    pads, edge = [], 0
    for number in range(30):
        radius, gap = 2**number, 100 + ws.rng.choice((-1, 0, 1))
        pads.append((f"P{number}", f"N{number}", edge + gap + radius, -(2**40), radius))
        edge += gap + 2 * radius
    ws.rng.shuffle(pads)
    agree(ws, pads, 100)


def test_order_of_names(ws):
    """Pairs and their order follow the names as text, whatever the order of the lines."""
    pads = [(f"P{n}", "-", n * 10, 0, 5) for n in range(1, 25)]
    ws.rng.shuffle(pads)
    agree(ws, pads, 6)


def test_arguments_and_errors(ws):
    """The sequence of pads is left alone, any sequence will do, and bad input is refused as before."""
    clearance = ws.load("clearance")
    for make in (list, tuple):
        pads = ws.hold(make(clearance.read_board("B VCC 0 0 5\nA GND 8 0 5\nC GND 30 0 5\n")))
        assert clearance.violations(pads, 1) == [("A", "B")]
        assert [pad.name for pad in pads] == ["B", "A", "C"]
        with raises(ValueError):
            clearance.violations(pads, -1)
    for text in ("A GND 0 0\n", "\nA GND 0 zero 1\n", "# x\n\nA GND 0 0 -1\n"):
        with raises("clearance.board.BoardError", match=f"^{text.count(chr(10))}: "):
            clearance.check_board(text, 1)


def large_board(rng):
    """Rows, columns, stitched ground, a mounting hole and a field, and the pairs that were put too close on purpose."""
    pads, planted = [], []

    def place(kind, net, x, y, radius=100_000):
        pads.append((f"{kind}{len(pads):05}", net or f"N{len(pads)}", x, y, radius))
        return pads[-1]

    def neighbour(pad, dx, dy):
        """Puts a pad at the clearance, or one nanometre nearer."""
        name, _net, x, y, radius = pad
        nearer = rng.randrange(2)
        reach = radius + 100_000 + CLEARANCE - nearer
        near = place("X", None, x + dx * reach, y + dy * reach)
        if nearer:
            planted.append((min(name, near[0]), max(name, near[0])))

    column = [place("C", None, 0, n * 1_000_000) for n in range(7_000)]
    row = [place("R", None, n * 1_000_000, -50_000_000) for n in range(7_000)]
    for _ in range(8_000):
        place("G", "GND", 10**10 + rng.randrange(100_000), 10**10 + rng.randrange(100_000))
    field = [
        place(
            "F", None, 10**11 + x * 1_000_000 + rng.randrange(9_000), -(10**11) + y * 1_000_000 + rng.randrange(9_000)
        )
        for x in range(40)
        for y in range(40)
    ]
    for pad in rng.sample(column, 80):
        neighbour(pad, rng.choice((-1, 1)), 0)
    for pad in rng.sample(row, 80):
        neighbour(pad, 0, rng.choice((-1, 1)))
    for pad in rng.sample(field, 80):
        neighbour(pad, 0, 1)
    hole = place("H", "-", -(2 * 10**10), 2 * 10**10, 10**10)
    for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        neighbour(hole, dx, dy)
    rng.shuffle(pads)
    return pads, sorted(planted)


def test_a_large_uneven_board(ws):
    """A board of about 24,000 pads with all that the instruction names is checked in time."""
    pads, planted = large_board(ws.rng)
    text = text_of(pads)
    with ws.limit(1.5):
        found = ws.load("clearance").check_board(text, CLEARANCE)
    assert found == planted


def test_pads_that_are_large_beside_the_clearance(ws):
    """Pads of one size at all distances around their reach, at all places of whatever grid there may be."""
    for radius in (*range(5, 20), 31, 33, 63, 65):
        pads = []
        for number in range(12):
            x = 1_000 * number + ws.rng.randrange(4 * radius)
            apart = 2 * radius + ws.rng.choice((-1, -1, 0))
            pads += [(f"A{number}", "GND", x, 0, radius), (f"B{number}", "VCC", x + apart, 0, radius)]
            pads += [(f"C{number}", "GND", 7, 10_000 + x, radius), (f"D{number}", "VCC", 7, 10_000 + x + apart, radius)]
        agree(ws, pads, 0)
