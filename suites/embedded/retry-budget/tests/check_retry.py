"""Hidden checks of retry-budget: random calls against the rules, with exact numbers."""

from fractions import Fraction

from grader import raises


class Model:
    """Oracle."""

    def __init__(self, attempts, base, cap, budget, refill):
        self.attempts, self.base, self.cap, self.budget, self.refill = attempts, base, cap, budget, refill
        self.left = budget

    def after_failure(self, tries, kind, retry_after=None):
        """The wait, or None."""
        if kind in ("denied", "malformed") or tries >= self.attempts or self.left < 1:
            return None
        self.left -= 1
        wait = self.base
        for _ in range(tries - 1):
            wait *= 2
        return max(min(wait, self.cap), retry_after or 0)

    def after_success(self):
        """Gives back."""
        self.left = min(self.budget, self.left + self.refill)


def settings(rng):
    """Random settings; all numbers are exact as floats."""
    return (
        rng.randrange(1, 7),
        rng.choice((1, 2, 3, 0.25, 5.5)),
        rng.choice((1, 4, 10, 100, 0.5)),
        rng.choice((0, 1, 2, 3.5, 20, 0.5)),
        rng.choice((0, 0.25, 0.5, 1, 3)),
    )


def test_random_calls(ws):
    """Failures of every kind and successes, in any order: waits and budget."""
    for _ in range(25):
        given = settings(ws.rng)
        policy, model = ws.load("calls").Policy(*given), Model(*given)
        for _ in range(25):
            if ws.rng.random() < 0.3:
                policy.after_success()
                model.after_success()
            else:
                arguments = [
                    ws.rng.randrange(1, 8),
                    ws.rng.choice(("busy", "busy", "reset", "denied", "malformed", "den", "")),
                ]
                if ws.rng.random() < 0.5:
                    arguments.append(ws.rng.choice((None, 0, 0.5, 7, 90, 1000)))
                assert policy.after_failure(*arguments) == model.after_failure(*arguments), (given, arguments)
            assert policy.left == model.left, given


def test_waits(ws):
    """Doubling from `base` on, up to the cap; the last try has no wait after it."""
    for attempts, base, cap in ((1, 2, 10), (2, 2, 10), (5, 2, 10), (9, 3, 50), (4, 7, 5), (30, 1, 10**6)):
        policy, model = ws.load("calls").Policy(attempts, base, cap, 100, 1), Model(attempts, base, cap, 100, 1)
        for tries in range(1, attempts + 3):
            assert policy.after_failure(tries, "busy") == model.after_failure(tries, "busy"), (
                attempts,
                base,
                cap,
                tries,
            )


def test_budget(ws):
    """A whole retry must be there; what is refused costs nothing; it is never more than full."""
    policy = ws.load("calls").Policy(3, 1, 1, 1.5, 0.25)
    assert [policy.after_failure(1, "busy"), policy.after_failure(1, "busy")] == [1, None] and policy.left == 0.5
    assert policy.after_failure(3, "busy") is None and policy.after_failure(1, "denied") is None and policy.left == 0.5
    for expected in (0.75, 1.0, 1.25, 1.5, 1.5):
        policy.after_success()
        assert policy.left == expected
    assert (
        policy.after_failure(3, "busy") is None and policy.after_failure(2, "malformed") is None and policy.left == 1.5
    )
    exact = ws.load("calls").Policy(3, Fraction(1, 3), Fraction(1, 2), 5, 1)
    assert [exact.after_failure(1, "x"), exact.after_failure(2, "x")] == [Fraction(1, 3), Fraction(1, 2)]


def test_settings(ws):
    """What is out of range is refused, what is at its border is not."""
    make = ws.load("calls").Policy
    good = [3, 1, 1, 1, 1]
    for place, values in enumerate(((0, -1), (0, -0.5), (0, -2), (-1, -0.5), (-1, -0.25))):
        for value in values:
            with raises(ValueError):
                make(*good[:place], value, *good[place + 1 :])
    policy = make(1, 0.001, 0.001, 0, 0)
    assert policy.left == 0 and policy.after_failure(1, "busy") is None
    policy.after_success()
    assert policy.left == 0
    assert make(2, 5, 0.5, 1, 0).after_failure(1, "busy") == 0.5
    assert sorted(make.FINAL) == ["denied", "malformed"]
