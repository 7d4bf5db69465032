"""Hidden checks of span-sets: random sets against members in a window, with the two ends beyond it."""

from grader import raises

EDGE = 60
"""Members are looked at from -EDGE up to EDGE; beyond, sets hold all numbers or none."""


class Model:
    """Oracle: a set as the members of the window, and whether all below and all above it are members."""

    def __init__(self, members, below=False, above=False):
        self.members, self.below, self.above = frozenset(members), below, above

    def has(self, number):
        """Whether a number is a member."""
        return number in self.members if -EDGE <= number < EDGE else self.below if number < 0 else self.above

    def map(self, rule):
        """The set of the numbers, of a window inside of the window, for which a rule holds."""
        members = [number for number in range(-EDGE, EDGE) if rule(number)]
        return Model(members, rule(-10 * EDGE), rule(10 * EDGE))

    def pairs(self):
        """Spans, read off number by number."""
        out, start = [], None
        inside = self.below
        for number in range(-EDGE, EDGE + 1):
            if self.has(number) != inside:
                if inside:
                    out.append((start, number))
                inside, start = not inside, number
        return tuple([*out, (start, None)] if inside else out)

    def text(self):
        """Spans as text."""
        words = []
        for start, stop in self.pairs():
            if start is not None and stop == start + 1:
                words.append(f"{start}")
            else:
                words.append(("" if start is None else str(start)) + ".." + ("" if stop is None else str(stop - 1)))
        return ",".join(words)


def random_pairs(rng):
    """Pairs well inside of the window, in any order, also empty and touching ones."""
    out = []
    for _ in range(rng.randrange(6)):
        start = rng.randrange(-25, 25)
        stop = start + rng.choice((0, 1, 1, 2, 3, 10))
        out.append((start if rng.random() < 0.93 else None, stop if rng.random() < 0.93 else None))
    return out


def modelled(pairs):
    """The oracle's set of pairs."""
    return Model(()).map(lambda number: any((a is None or a <= number) and (b is None or number < b) for a, b in pairs))


def same(given, model, told):
    """Demands the members of the oracle's set."""
    assert given.pairs() == model.pairs(), (told, given.pairs(), model.pairs())


def test_making_and_writing(ws):
    """Pairs in canonical form, texts there and back, members, sizes."""
    spans = ws.load("spans").SpanSet
    assert spans().pairs() == () and spans().text() == "" and spans().size() == 0
    for _ in range(150):
        pairs = random_pairs(ws.rng)
        one, model = spans(pairs), modelled(pairs)
        same(one, model, pairs)
        assert one.text() == model.text()
        same(spans.parse(model.text()), model, model.text())
        size = None if model.below or model.above else len(model.members)
        assert one.size() == size and type(one.size()) is type(size), pairs
        for number in (-(10**30), 10**30, *(ws.rng.randrange(-30, 30) for _ in range(6))):
            assert one.has(number) is model.has(number), (pairs, number)
    assert spans([(1, 3), (10**20, 10**21)]).size() == 9 * 10**20 + 2
    assert spans(((1, 2), (2, 3))).pairs() == ((1, 3),) and spans({(2, 3), (1, 2)}).pairs() == ((1, 3),)
    assert spans([(1, 9), (2, 3), (4, 5), (9, 9)]).pairs() == ((1, 9),)
    for pair in ((1, 0), (-1, -2), (10**20, 10**20 - 1)):
        with raises(ValueError):
            spans([(0, 5), pair])


def test_texts(ws):
    """Generous texts are read, wrong ones are refused."""
    parse = ws.load("spans").SpanSet.parse
    for text, wanted in {
        "": "", "   ": "", "5": "5", "05": "5", " -0 ": "0", "3..3": "3", "..": "..", "5.., ..4": "..", "5..,..3": "..3,5..", "8 , 7": "7..8",
        "1..3,2..9": "1..9", "-5..-3": "-5..-3", "-3..2": "-3..2", "1,1,1": "1", "99999999999999999999": "99999999999999999999", "4..5,6": "4..6",
    }.items():  # fmt: skip
        assert parse(text).text() == wanted, text
    for text in (
        ",", "1,", ",1", "1,,2", "1 2", "1 ..2", "1.. 2", "1...2", "1.2", "1-2", "a", "+1", "--1", "1..2..3", "5..3", "5..4", "-3..-4", "-3..-5", "1;2", "1\n", "\t1",
        "٣", "1_0", "- 1", "-", "-..", "..-", "0x1", "1e3", "None", "1,\n2",
    ):  # fmt: skip
        with raises(ValueError):
            parse(text)
            raise AssertionError(text)


def test_algebra(ws):
    """Union, intersection, difference and complement of none, one or several."""
    spans = ws.load("spans").SpanSet
    for _ in range(100):
        pairs = [random_pairs(ws.rng) for _ in range(ws.rng.choice((1, 2, 2, 3, 4)))]
        one, *others = [spans(each) for each in pairs]
        first, *rest = [modelled(each) for each in pairs]
        same(one.union(*others), first.map(lambda n: any(m.has(n) for m in (first, *rest))), pairs)
        same(one.intersection(*others), first.map(lambda n: all(m.has(n) for m in (first, *rest))), pairs)
        same(one.difference(*others), first.map(lambda n: first.has(n) and not any(m.has(n) for m in rest)), pairs)
        same(one.complement(), first.map(lambda n: not first.has(n)), pairs)
        same(one, first, pairs)


def test_moving(ws):
    """Shifted, grown, shrunk; gaps."""
    spans = ws.load("spans").SpanSet
    for _ in range(150):
        pairs, by = random_pairs(ws.rng), ws.rng.choice((0, 1, -1, 2, -2, 5, -5, ws.rng.randrange(-12, 13)))
        one, model = spans(pairs), modelled(pairs)
        same(one.shift(by), model.map(lambda n: model.has(n - by)), (pairs, by))
        if by < 0:  # a member stays if all around it are members of its span, hence members
            grown = model.map(lambda n: all(model.has(n + k) for k in range(by, 1 - by)))
        else:
            grown = model.map(lambda n: any(model.has(n + k) for k in range(-by, by + 1)))
        same(one.grow(by), grown, (pairs, by))
        lowest = min(model.members) if not model.below and model.members else None
        highest = max(model.members) if not model.above and model.members else None

        def between(n):
            known = model.members or model.below or model.above
            low = model.below or (known and lowest is not None and lowest < n)
            high = model.above or (known and highest is not None and highest > n)
            return bool(low and high and not model.has(n))

        same(one.gaps(), model.map(between), pairs)


def test_counting(ws):
    """The next member, members by place, blocks."""
    spans = ws.load("spans").SpanSet
    for _ in range(100):
        pairs = random_pairs(ws.rng)
        one, model = spans(pairs), modelled(pairs)
        for number in (ws.rng.randrange(-35, 40) for _ in range(6)):
            follows = [n for n in range(number, 8 * EDGE) if model.has(n)]
            assert one.after(number) == (follows[0] if follows else None), (pairs, number)
        members = [n for n in range(-8 * EDGE, 8 * EDGE) if model.has(n)]
        for index in (0, -1, 1, -2, 5, -6, ws.rng.randrange(-30, 30)):
            if members and (model.below if index >= 0 else model.above):
                with raises(ValueError):
                    one.nth(index)
            elif not -len(members) <= index < len(members):
                with raises(IndexError):
                    one.nth(index)
            else:
                assert one.nth(index) == members[index], (pairs, index)
        size = ws.rng.choice((1, 2, 3, 7, 100))
        if model.below or model.above:
            with raises(ValueError):
                one.blocks(size)
        else:
            blocks = [block.pairs() for block in one.blocks(size)]
            assert blocks == [
                modelled([(n, n + 1) for n in members[k : k + size]]).pairs() for k in range(0, len(members), size)
            ]
    for size in (0, -1):
        with raises(ValueError):
            spans([(1, 5)]).blocks(size)
        with raises(ValueError):
            spans().blocks(size)
    assert len(spans().blocks(1)) == 0


def test_great_sets(ws):
    """Nothing takes time by the number of members."""
    spans, far = ws.load("spans").SpanSet, 10**24
    one = spans([(-far, 0), (5, far), (2 * far, None)])
    assert one.nth(far) == 5 and one.nth(far + 3) == 8 and one.nth(0) == -far and one.nth(2 * far) == 2 * far + 5
    assert (
        one.after(0) == 5
        and one.after(far) == 2 * far
        and one.after(3 * far) == 3 * far
        and one.after(-2 * far) == -far
    )
    two = spans([(0, far), (far + 1, far + 2)])
    assert [block.pairs() for block in two.blocks(far - 1)] == [((0, far - 1),), ((far - 1, far), (far + 1, far + 2))]
    assert two.nth(-1) == far + 1 and two.nth(-2) == far - 1 and two.nth(-far - 1) == 0
    assert spans([(None, far)]).nth(-far) == 0 and spans([(far, None)]).nth(far) == 2 * far
    assert (
        one.grow(far).pairs() == ((-2 * far, None),) and two.size() == far + 1 and one.shift(far).pairs()[0] == (0, far)
    )


def test_equality(ws):
    """Sets with the same members are equal, and have one hash."""
    spans = ws.load("spans").SpanSet
    for _ in range(40):
        pairs = random_pairs(ws.rng)
        one, other = spans(pairs), spans([*reversed(pairs), *pairs])
        assert ws.op("eq", one, other) is True and ws.op("ne", one, other) is False
        assert ws.hash(one) == ws.hash(other)
        third = random_pairs(ws.rng)
        assert ws.op("eq", one, spans(third)) is (modelled(pairs).pairs() == modelled(third).pairs())
    assert (
        ws.op("eq", spans(), ()) is False
        and ws.op("eq", spans([(1, 2)]), "1") is False
        and ws.op("ne", spans(), None) is True
    )
