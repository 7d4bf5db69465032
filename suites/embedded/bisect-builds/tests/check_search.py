"""Hidden checks of bisect-builds: every pattern of small histories, random large ones, with tests counted on this side."""

from itertools import product

from grader import raises


def narrowest(answers):
    """Oracle: places of the latest good and the earliest bad build."""
    return max(k for k, a in enumerate(answers) if a == "g"), min(k for k, a in enumerate(answers) if a == "b")


def histories(size):
    """All histories of a size that make sense, with every pattern of skips."""
    for first_bad in range(1, size):
        plain = "g" * first_bad + "b" * (size - first_bad)
        for skips in product((False, True), repeat=size - 2):
            yield plain[0] + "".join("s" if skip else a for skip, a in zip(skips, plain[1:-1])) + plain[-1]


def search(ws, answers, names):
    """Runs the search; demands the result, that nothing is tested twice, and few answers."""
    breaking, used = ws.load("hunt.search").breaking, []
    words = {"g": "good", "b": "bad", "s": "skip"}
    by_name = dict(zip(names, answers))

    def test(build):
        used.append(build)
        return words[by_name[build]]

    good, bad = breaking(list(names), test)
    first, second = narrowest(answers)
    assert (good, bad) == (names[first], names[second]), (answers, good, bad)
    assert len(set(used)) == len(used), f"tested twice: {answers}"
    assert names[0] not in used and names[-1] not in used, answers
    telling = sum(by_name[build] != "s" for build in used)
    assert telling <= (len(names) - 2).bit_length(), (answers, telling)


def test_all_small_histories(ws):
    """Two to six builds, with every place of the defect and every pattern of skips."""
    for size in range(2, 7):
        for answers in histories(size):
            search(ws, answers, [f"b{k}" for k in range(size)])


def test_the_budget_is_kept_at_its_border(ws):
    """Sizes around powers of two, with the defect everywhere."""
    for size in (9, 10, 11, 17, 18):
        for first_bad in range(1, size):
            search(ws, "g" * first_bad + "b" * (size - first_bad), list(range(size)))


def test_long_histories(ws):
    """Random histories of hundreds of builds, with runs of builds that can't be tested."""
    for _ in range(10):
        size = ws.rng.randrange(300, 700)
        first_bad = ws.rng.randrange(1, size)
        answers = list("g" * first_bad + "b" * (size - first_bad))
        for _ in range(4):
            at = ws.rng.randrange(1, size - 1)
            answers[at : min(size - 1, at + 20)] = "s" * (min(size - 1, at + 20) - at)
        search(ws, "".join(answers), ws.rng.sample(range(10_000), size))


def test_answers_that_are_none(ws):
    """Another answer is a ValueError, an error of the test goes on to the caller."""
    breaking = ws.load("hunt.search").breaking
    for answer in ("Good", "", None, True):
        with raises(ValueError):
            breaking([1, 2, 3], lambda _build, answer=answer: answer)

    def broken(_build):
        raise ZeroDivisionError("no power")

    with raises(ZeroDivisionError, match="no power"):
        breaking([1, 2, 3, 4], broken)


def test_the_list_stays(ws):
    """The caller's list is not changed."""
    builds = ws.hold([1, 2, 3, 4, 5])
    ws.load("hunt.search").breaking(builds, lambda build: "good" if build < 3 else "bad")
    assert ws.value(builds) == [1, 2, 3, 4, 5]
