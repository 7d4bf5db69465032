"""Hidden checks of cache-tags: inheritance of tags, and loads that go stale while they run."""

from grader import raises


def new(ws, capacity=100, lifetime=60):
    clock = ws.load("cachebox.clock").ManualClock()
    return ws.load("cachebox.cache").Cache(capacity, lifetime, clock), clock


def loader(value, *steps):
    """A load that takes these steps and then returns the value."""

    def load():
        for step in steps:
            step()
        return value

    return load


def failing(*steps):
    """A load that takes these steps and then fails."""

    def load():
        for step in steps:
            step()
        raise RuntimeError("the source is down")

    return load


def test_tags_of_entries(ws):
    """Tags come and go with their entries: replaced, deleted, crowded out, cleared."""
    cache, _clock = new(ws, capacity=2)
    cache.put("a", 1, ["x", "y", "x"])
    cache.put("b", 2, ("y", "z"))
    assert (cache.tags_of("a"), cache.tags_of("b"), cache.tags()) == ({"x", "y"}, {"y", "z"}, {"x", "y", "z"})
    cache.put("a", 3)
    assert (cache.tags_of("a"), cache.tags()) == (set(), {"y", "z"})
    assert cache.invalidate("x") == 0
    cache.put("c", 4, {"w"})
    assert cache.tags() == {"w"}
    assert cache.delete("c") is True
    assert cache.tags() == set()
    cache.put("d", 5, ["v"])
    cache.clear()
    assert cache.tags() == set()
    with raises(KeyError):
        cache.tags_of("d")


def test_invalidate_counts_what_it_removes(ws):
    """Only live entries with the tag go and count."""
    cache, clock = new(ws)
    for number in range(12):
        cache.put(number, number, [f"t{number % 3}", "all"])
        clock.advance(10)
    assert cache.invalidate("t0") == 1
    assert [cache.get(number) for number in range(12)] == [*[None] * 7, 7, 8, None, 10, 11]
    assert cache.invalidate("none") == 0
    assert cache.invalidate("all") == 4
    assert len(cache) == 0


def test_old_entries_are_no_entries(ws):
    """What is too old has no tags, is not counted and hands nothing on."""
    cache, clock = new(ws)
    cache.put("old", 1, ["t"])
    clock.advance(60)
    with raises(KeyError):
        cache.tags_of("old")
    assert cache.tags() == set()
    cache.put("old", 1, ["t"])
    cache.get_or_load("k", loader(2, lambda: clock.advance(60), lambda: cache.get("old")))
    assert cache.tags_of("k") == set()
    assert cache.invalidate("t") == 0


def test_looking_at_tags_is_no_use(ws):
    """tags_of and tags do not save an entry from being crowded out; get and a hit do."""
    cache, _clock = new(ws, capacity=3)
    for key in "abc":
        cache.put(key, key, [key])
    cache.get("a")
    assert cache.get_or_load("b", loader("new"), ["unused"]) == "b"
    cache.tags_of("c")
    cache.tags()
    cache.put("d", "d")
    assert [cache.get(key) for key in "abcd"] == ["a", "b", None, "d"]
    assert cache.tags_of("b") == {"b"}


def test_a_single_string_is_refused(ws):
    """tags="abc" is a mistake, in put and in get_or_load."""
    cache, _clock = new(ws)
    with raises(TypeError):
        cache.put("k", 1, "abc")
    with raises(TypeError):
        cache.get_or_load("k", loader(1), "abc")
    assert len(cache) == 0


def test_reads_hand_on_their_tags(ws):
    """Hits of get and get_or_load and nested loads hand tags on; misses, puts and deletes do not."""
    cache, _clock = new(ws)
    cache.put("a", 1, ["a1", "a2"])
    cache.put("b", 2, ["b1"])
    cache.put("c", 3, ["c1"])
    steps = [
        lambda: cache.get("a"),
        lambda: cache.get_or_load("b", loader(0), ["unused"]),
        lambda: cache.get_or_load("new", loader(4), ["n1"]),
        lambda: cache.get("missing"),
        lambda: cache.put("e", 5, ["e1"]),
        lambda: cache.delete("c"),
        lambda: cache.tags_of("e"),
    ]
    assert cache.get_or_load("k", loader(9, *steps), ["own"]) == 9
    assert cache.tags_of("k") == {"own", "a1", "a2", "b1", "n1"}
    assert cache.tags_of("new") == {"n1"}
    cache.get("e")
    cache.put("later", 1)
    assert cache.tags_of("later") == set()


def test_tags_climb_out_of_nested_loads(ws):
    """Tags go up from load to load, to each only what it read; also from a load that raised."""
    cache, _clock = new(ws)
    cache.put("leaf", 1, ["leaf"])

    def fail_inside():
        with raises(RuntimeError):
            cache.get_or_load("broken", failing(lambda: cache.get("leaf")), ["broken"])

    inner = loader(1, fail_inside)
    outer = loader(
        2, lambda: cache.get_or_load("inner", inner, ["in"]), lambda: cache.get_or_load("side", loader(0), ["s"])
    )
    cache.get_or_load("outer", outer, ["out"])
    assert cache.tags_of("inner") == {"in", "broken", "leaf"}
    assert cache.tags_of("outer") == {"out", "in", "broken", "leaf", "s"}
    assert cache.tags_of("side") == {"s"}
    with raises(KeyError):
        cache.tags_of("broken")
    cache.get("leaf")
    cache.get_or_load("alone", loader(3))
    assert cache.tags_of("alone") == set()
    assert cache.invalidate("leaf") == 3


def test_invalidated_while_loading(ws):
    """A tag that the load has, given or inherited, makes its value stale; a tag that it gets later does not."""
    cache, _clock = new(ws)
    assert cache.get_or_load("given", loader(1, lambda: cache.invalidate("g")), ["g"]) == 1
    assert cache.get("given") is None
    cache.put("a", 1, ["i"])
    read = lambda: cache.get("a")
    assert cache.get_or_load("inherited", loader(2, read, lambda: cache.invalidate("i")), ["own"]) == 2
    assert cache.get("inherited") is None
    cache.put("a", 1, ["l"])
    renewed = [lambda: cache.invalidate("l"), lambda: cache.put("a", 2, ["l"]), read]
    assert cache.get_or_load("late", loader(3, *renewed)) == 3
    assert cache.get_or_load("other", loader(4, lambda: cache.invalidate("unknown")), ["o"]) == 4
    assert (cache.get("late"), cache.tags_of("late")) == (3, {"l"})
    assert (cache.get("other"), cache.tags_of("other")) == (4, {"o"})
    assert cache.get_or_load("given", loader(5), ["g"]) == 5
    assert cache.get("given") == 5
    counts = []
    cache.put("a", 1, ["t"])
    cache.get_or_load("k", loader(1, read, lambda: counts.append(cache.invalidate("t"))), ["t"])
    assert counts == [1]


def test_put_deleted_or_cleared_while_loading(ws):
    """The load's value is returned, but what happened to its key in the meantime stays."""
    cache, _clock = new(ws)
    assert cache.get_or_load("p", loader("loaded", lambda: cache.put("p", "put", ["newer"])), ["older"]) == "loaded"
    assert cache.get("p") == "put"
    assert cache.tags_of("p") == {"newer"}
    assert cache.get_or_load("d", loader(1, lambda: cache.put("d", 0), lambda: cache.delete("d"))) == 1
    assert cache.get("d", "nothing") == "nothing"
    assert cache.get_or_load("d", loader(1, lambda: cache.delete("d"))) == 1
    assert cache.get("d", "nothing") == "nothing"
    assert cache.get_or_load("c", loader(2, cache.clear, lambda: cache.put("x", 1))) == 2
    assert (cache.get("c"), cache.get("x"), len(cache)) == (None, 1, 1)
    assert cache.get_or_load("n", loader(3, lambda: cache.delete("x"), lambda: cache.put("y", 1))) == 3
    assert cache.get("n") == 3


def test_staleness_climbs(ws):
    """A load is stale when one nested in it was, however deep, and also if that one raised; others are not."""
    for deep_raises in (False, True):
        cache, _clock = new(ws)

        def read_deep(cache=cache, deep_raises=deep_raises):
            spoil = lambda: cache.delete("deep")
            if deep_raises:
                with raises(RuntimeError):
                    cache.get_or_load("deep", failing(spoil))
            else:
                cache.get_or_load("deep", loader(1, spoil))

        middle = loader(2, read_deep)
        outer = loader(
            3,
            lambda: cache.get_or_load("before", loader(0)),
            lambda: cache.get_or_load("middle", middle),
            lambda: cache.get_or_load("after", loader(4)),
        )
        assert cache.get_or_load("outer", outer) == 3
        assert [cache.get(key) for key in ["deep", "middle", "outer", "before", "after"]] == [None, None, None, 0, 4]
        assert cache.get_or_load("outer", loader(7)) == 7
        assert cache.get("outer") == 7


def test_failing_loads(ws):
    """A load that raises stores nothing, passes its error on, and leaves no trace in later loads."""
    cache, _clock = new(ws)
    cache.put("a", 1, ["a"])
    with raises(RuntimeError):
        cache.get_or_load("k", failing(lambda: cache.get("a"), lambda: cache.invalidate("a")), ["t"])
    assert cache.get("k") is None
    assert cache.get_or_load("k", loader(2), ["t"]) == 2
    assert cache.tags_of("k") == {"t"}
    with raises(RuntimeError):
        cache.get_or_load("q", failing(lambda: cache.put("q", "put")))
    assert cache.get("q") == "put"


def test_caches_are_apart(ws):
    """Reading from or invalidating in another cache means nothing; age begins when the value is stored."""
    (one, clock), (two, _) = new(ws), new(ws)
    two.put("a", 1, ["t"])
    steps = [lambda: two.get("a"), lambda: two.invalidate("t"), lambda: two.delete("k"), two.clear]
    one.get_or_load("k", loader(1, *steps, lambda: clock.advance(50)), ["t"])
    assert one.tags_of("k") == {"t"}
    nested = loader(2, lambda: two.get_or_load("b", loader(3, lambda: one.get("k")), ["two"]))
    one.get_or_load("m", nested, ["m"])
    assert one.tags_of("m") == {"m", "t"}
    assert two.tags_of("b") == {"two"}
    clock.advance(59)
    assert one.get("k") == 1
    clock.advance(1)
    assert one.get("k") is None


def test_caches_without_room_or_time_are_refused(ws):
    """A capacity below one and a lifetime that is not positive are ValueErrors, as before; less will do."""
    make = ws.load("cachebox.cache").Cache
    for capacity, lifetime in ((0, 60), (-1, 60), (1, 0), (1, -0.5)):
        with raises(ValueError):
            make(capacity, lifetime)
    cache, clock = new(ws, capacity=1, lifetime=0.5)
    cache.put("a", 1)
    cache.put("b", 2)
    assert (len(cache), cache.get("b")) == (1, 2)
    clock.advance(0.5)
    assert cache.get("b") is None


def test_what_is_too_old_is_gone_for_everybody(ws):
    """Whoever asks first: nothing is counted, listed, deleted or given room that is too old."""
    for ask, expected in (
        (len, 0),
        (lambda cache: cache.tags(), set()),
        (lambda cache: cache.delete("old"), False),
        (lambda cache: cache.get_or_load("old", loader(2)), 2),
    ):
        cache, clock = new(ws)
        cache.put("old", 1, ["t"])
        clock.advance(60)
        assert ask(cache) == expected
    cache, clock = new(ws, capacity=2)
    cache.put("old", 1)
    clock.advance(30)
    cache.put("young", 2)
    cache.get("old")
    clock.advance(30)
    cache.put("new", 3)
    assert (cache.get("young"), cache.get("new"), len(cache)) == (2, 3, 2)
