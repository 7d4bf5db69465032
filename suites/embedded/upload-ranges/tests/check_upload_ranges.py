"""Hidden checks of upload-ranges: what has arrived is counted once, however often and in whatever pieces it came."""

from grader import raises


def runs(numbers):
    """Oracle: the fewest ranges that hold these numbers."""
    ranges = []
    for number in sorted(numbers):
        if ranges and ranges[-1][1] == number:
            ranges[-1] = (ranges[-1][0], number + 1)
        else:
            ranges.append((number, number + 1))
    return ranges


def random_span(rng, size):
    """Start and stop of a random chunk of a file; short, long and empty ones."""
    start = rng.randrange(size + 1)
    return start, min(size, start + rng.choice((0, 1, 2, rng.randrange(6), rng.randrange(size))))


def test_the_upload_of_the_report(ws):
    """The upload of the instruction lacks its last 30 bytes, in every order of its chunks."""
    chunks = [(0, 30), (40, 30), (20, 50)]
    for _ in range(6):
        upload = ws.load("uploads").Upload(100)
        for offset, length in ws.rng.sample(chunks, 3):
            upload.receive(offset, b"x" * length)
        assert (upload.complete, upload.percent, upload.missing()) == (False, 70, [(70, 100)])


def test_random_uploads(ws):
    """After each of many random chunks, completeness, progress and gaps are right, and the content at the end."""
    for _ in range(4):
        size = ws.rng.randrange(5, 40)
        upload, content, arrived = ws.load("uploads").Upload(size), bytearray(size), set()
        while len(arrived) < size:
            start, stop = random_span(ws.rng, size)
            data = ws.rng.randbytes(stop - start)
            upload.receive(start, data)
            content[start:stop] = data
            arrived |= set(range(start, stop))
            assert upload.percent == 100 * len(arrived) // size
            assert upload.complete is (len(arrived) == size)
            assert upload.missing() == runs(set(range(size)) - arrived)
        assert upload.content() == bytes(content)


def test_ranges_are_few_and_apart(ws):
    """A RangeSet keeps its numbers as few ranges in ascending order, also of negative numbers."""
    for _ in range(4):
        numbers, oracle = ws.load("uploads").RangeSet(), set()
        for _ in range(25):
            start, stop = random_span(ws.rng, 40)
            numbers.add(start - 20, stop - 20)
            oracle |= set(range(start - 20, stop - 20))
            assert numbers.ranges() == runs(oracle)
        assert len(numbers) == len(oracle)


def test_gaps_of_any_part(ws):
    """`gaps` may be asked about any part, also one that begins or ends within a range or beyond all of them."""
    numbers, oracle = ws.load("uploads").RangeSet(), set()
    for start, stop in ((12, 15), (3, 6), (6, 8), (14, 20)):
        numbers.add(start, stop)
        oracle |= set(range(start, stop))
    for start in range(0, 24):
        for stop in (start, start + 1, start + 4, 15, 25):
            if stop >= start:
                assert numbers.gaps(start, stop) == runs(set(range(start, stop)) - oracle), (start, stop)


def test_a_chunk_over_many_parts(ws):
    """One chunk that covers, bridges or exactly fills many parts."""
    for start, stop in ((0, 100), (5, 95), (12, 88), (10, 90), (15, 85)):
        upload, arrived = ws.load("uploads").Upload(100), set()
        for offset in range(10, 90, 20):
            upload.receive(offset, b"." * 10)
            arrived |= set(range(offset, offset + 10))
        upload.receive(start, b"-" * (stop - start))
        arrived |= set(range(start, stop))
        assert upload.missing() == runs(set(range(100)) - arrived)
        assert upload.percent == len(arrived)


def test_gaps_are_half_open(ws):
    """Missing parts are half-open, for single bytes and at both ends of the file."""
    upload = ws.load("uploads").Upload(10)
    assert upload.missing() == [(0, 10)]
    upload.receive(0, b"abc")
    upload.receive(7, b"hij")
    assert upload.missing() == [(3, 7)]
    upload.receive(4, b"ef")
    assert upload.missing() == [(3, 4), (6, 7)]


def test_empty_chunks_change_nothing(ws):
    """Empty chunks leave no trace, wherever they are, and neither do empty ranges."""
    upload = ws.load("uploads").Upload(10)
    for offset in (0, 5, 10, 5):
        upload.receive(offset, b"")
        assert upload.missing() == [(0, 10)]
    upload.receive(4, b"ab")
    upload.receive(8, b"")
    assert upload.missing() == [(0, 4), (6, 10)]
    numbers = ws.load("uploads").RangeSet()
    numbers.add(3, 3)
    assert (len(numbers), numbers.ranges()) == (0, [])
    with raises(ValueError):
        numbers.add(3, 2)
    empty = ws.load("uploads").Upload(0)
    assert (empty.complete, empty.percent, empty.missing(), empty.content()) == (True, 100, [], b"")


def test_refused_chunks(ws):
    """A chunk that is partly outside is refused as a whole, and incomplete content is not given out."""
    upload = ws.load("uploads").Upload(10)
    upload.receive(2, b"cd")
    for offset, data in ((8, b"abc"), (-1, b"ab"), (11, b""), (-3, b"")):
        with raises("uploads.session.ChunkError"):
            upload.receive(offset, data)
    assert upload.missing() == [(0, 2), (4, 10)]
    with raises("uploads.session.ChunkError"):
        upload.content()
    with raises(ValueError):
        ws.load("uploads").Upload(-1)


def test_lists_are_new(ws):
    """The list of ranges is the caller's own."""
    code = (
        "from uploads import RangeSet\n"
        "r = RangeSet(); r.add(1, 3)\n"
        "r.ranges().clear(); r.gaps(0, 9).clear()\n"
        "print(r.ranges(), r.gaps(0, 9))\n"
    )
    assert ws.run(["python3", "-c", code]).stdout.strip() == "[(1, 3)] [(0, 1), (3, 9)]"
