"""Hidden checks of limiter-twins: behaviour unchanged in every detail, and one token bucket in place of six copies."""

import ast
import math

from grader import raises

PUBLIC = {
    "users.UserLimiter": {"": "rate burst", "allow": "user now cost", "wait": "user now cost", "forget": "user"},
    "routes.RouteLimiter": {"": "rate burst weights", "allow": "route now", "wait": "route now", "report": "now"},
    "gate.Gate": {"": "users routes", "check": "user route now"},
}


class Bucket:
    """Oracle: a token bucket whose clock never runs backwards. All numbers are dyadic, so that floats are exact."""

    def __init__(self, rate, burst):
        self.rate, self.burst, self.tokens, self.latest = rate, burst, burst, None

    def level(self, now):
        if self.latest is not None and now > self.latest:
            self.tokens = min(self.burst, self.tokens + (now - self.latest) * self.rate)
        self.latest = now if self.latest is None else max(now, self.latest)
        return self.tokens

    def take(self, amount, now):
        fits = self.level(now) >= amount
        self.tokens -= amount if fits else 0
        return fits

    def wait(self, amount, now):
        missing = amount - self.level(now)
        if missing <= 0:
            return 0.0
        return math.inf if amount > self.burst else missing / self.rate


def moments(rng, count, step=8):
    """Times that mostly advance, by eighths of a second, and sometimes jump back or far ahead."""
    now = rng.randrange(-50, 50) * 1.0
    for _ in range(count):
        now += rng.choice((0, 0, 1, 1, 2, 3, 5, -4, -9, 200)) / step
        yield now


def trees(ws):
    """Syntax trees of the package's modules by file name."""
    names = [name for name in ws.files() if name.startswith("throttle/") and name.endswith(".py")]
    return {name.removeprefix("throttle/"): ast.parse(ws.read(name)) for name in names}


def functions(tree):
    """All functions and methods of a module."""
    return [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


def without_docstring(body):
    """Statements of a body, less its docstring."""
    first = body[0] if body else None
    documented = (
        isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    )
    return body[1:] if documented else body


def shape(node):
    """Structure of a syntax tree without names and constants, and its number of nodes."""
    if isinstance(node, ast.Constant):
        return "constant", 1
    parts, size = [type(node).__name__], 1
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.expr_context):
            inner, count = shape(child)
            parts.append(inner)
            size += count
    return "(" + " ".join(parts) + ")", size


def repeated_runs(modules, least=24):
    """Runs of three statements that occur twice; runs of fewer than `least` nodes are too plain to count."""
    seen, repeated = set(), []
    for name, tree in modules.items():
        constructors = {id(function) for function in functions(tree) if function.name == "__init__"}
        for node in ast.walk(tree):
            for block in ("body", "orelse", "finalbody"):
                body = getattr(node, block, None)
                if (
                    not isinstance(body, list)
                    or isinstance(node, (ast.Module, ast.ClassDef))
                    or id(node) in constructors
                ):
                    continue
                shapes = [shape(statement) for statement in without_docstring(body)]
                for at in range(len(shapes) - 2):
                    run = tuple(text for text, _size in shapes[at : at + 3])
                    if sum(size for _text, size in shapes[at : at + 3]) >= least:
                        if run in seen:
                            repeated.append(f"{name}:{body[at].lineno}")
                        seen.add(run)
    return repeated


def test_bucket(ws):
    """TokenBucket does what the instruction says, under times that also run backwards."""
    for _ in range(6):
        rate, burst = ws.rng.choice((0.5, 1, 2, 4)), ws.rng.randrange(1, 9)
        bucket, oracle = ws.load("throttle.bucket").TokenBucket(rate, burst), Bucket(rate, burst)
        for now in moments(ws.rng, 30):
            amount = ws.rng.randrange(1, 2 * burst + 6) / 2
            action = ws.rng.choice(("level", "take", "take", "wait"))
            arguments = (now,) if action == "level" else (amount, now)
            assert getattr(bucket, action)(*arguments) == getattr(oracle, action)(*arguments)


def test_users(ws):
    """UserLimiter answers as before for several users, costs and times."""
    users, oracle = ws.load("throttle").UserLimiter(2, 5), {}
    for now in moments(ws.rng, 120):
        user, cost = ws.rng.choice("abc"), ws.rng.randrange(1, 11) / 2
        bucket = oracle.setdefault(user, Bucket(2, 5))
        action = ws.rng.choice(("allow", "allow", "wait"))
        expected = bucket.take(cost, now) if action == "allow" else bucket.wait(cost, now)
        assert getattr(users, action)(user, now, cost) == expected
        if ws.rng.random() < 0.05:
            users.forget(user)
            del oracle[user]
    users.forget("nobody")
    assert users.allow("new", 0.0) is True


def test_routes(ws):
    """RouteLimiter answers as before for several weights and times, and reports the routes in order."""
    weights = {"/a": 2, "/b": 3.5, "/closed": 4.5}
    routes, oracle = ws.load("throttle").RouteLimiter(0.5, 4, weights), {}
    for now in moments(ws.rng, 120):
        route = ws.rng.choice(("/a", "/b", "/c", "/closed"))
        bucket = oracle.setdefault(route, Bucket(0.5, 4))
        if ws.rng.random() < 0.6:
            assert routes.allow(route, now) is bucket.take(weights.get(route, 1), now)
        else:
            assert routes.wait(route, now) == round(bucket.wait(weights.get(route, 1), now), 3)
        if ws.rng.random() < 0.2:
            assert list(routes.report(now).items()) == [(key, value.level(now)) for key, value in oracle.items()]


def test_the_twins_keep_their_differences(ws):
    """Costs above the burst are an error for users and a closed door for routes; only routes round their waits."""
    throttle = ws.load("throttle")
    users, routes = throttle.UserLimiter(3, 2), throttle.RouteLimiter(3, 2, {"/big": 2.5, "/full": 2})
    for method in (users.allow, users.wait):
        with raises(ValueError, match="a cost of 2.5 exceeds the burst of 2"):
            method("ana", 0.0, 2.5)
        with raises(ValueError):
            method("ana", 0.0, cost=3)
    assert routes.allow("/big", 0.0) is False
    assert routes.wait("/big", 5.0) == math.inf
    assert users.allow("ana", 0.0, 2) is True
    assert routes.allow("/full", 0.0) is True
    assert users.wait("ana", 0.0, 2) == 2 / 3
    assert routes.wait("/full", 0.0) == 0.667
    assert routes.report(0.0) == {"/big": 2, "/full": 0}


def test_refused_calls_take_nothing(ws):
    """A refusal leaves the allowance as it is, and a wait moves the clock of its key but takes nothing."""
    users = ws.load("throttle").UserLimiter(1, 4)
    assert users.allow("ana", 0.0, 3) is True
    assert [users.allow("ana", 0.0, 2) for _ in range(3)] == [False] * 3
    assert users.wait("ana", 1.0, 2) == 0.0
    assert users.allow("ana", 0.0, 2) is True
    assert users.wait("ana", 0.5) == 1.0


def test_gate(ws):
    """The gate names whoever is over the limit, users first, and takes tokens only when both have them."""
    throttle = ws.load("throttle")
    weights = {"/a": 2, "/closed": 9}
    gate = throttle.Gate(throttle.UserLimiter(1, 3), throttle.RouteLimiter(2, 4, weights))
    users, routes = {}, {}
    for now in moments(ws.rng, 120, step=16):
        user, route = ws.rng.choice("xy"), ws.rng.choice(("/a", "/b", "/closed"))
        one = users.setdefault(user, Bucket(1, 3))
        weight = weights.get(route, 1)
        if one.level(now) < 1:
            expected = "user"
        elif routes.setdefault(route, Bucket(2, 4)).level(now) < weight:
            expected = "route"
        else:
            expected = "ok"
            one.take(1, now)
            routes[route].take(weight, now)
        assert gate.check(user, route, now) == expected


def test_constructors(ws):
    """Rates and bursts must be positive, at once; the settings stay readable, and weights are copied."""
    throttle = ws.load("throttle")
    for make in (throttle.UserLimiter, throttle.RouteLimiter):
        for rate, burst in ((0, 1), (1, 0), (-1, 1), (1, -0.5)):
            with raises(ValueError, match="positive"):
                make(rate, burst)
        assert (make(2, 7).rate, make(rate=2, burst=7).burst) == (2, 7)
    weights = ws.hold({"/a": 2})
    routes = throttle.RouteLimiter(1, 2, weights)
    weights["/a"] = 1
    assert routes.weights == {"/a": 2}
    assert [routes.allow("/a", 0.0), routes.allow("/a", 0.0)] == [True, False]


def test_public_names_and_signatures(ws):
    """Public classes, methods and parameters are where they were."""
    signature = ws.load("inspect").signature
    for name, methods in PUBLIC.items():
        module, _, public = name.partition(".")
        found = getattr(ws.load(f"throttle.{module}"), public)
        for method, parameters in methods.items():
            given = list(signature(getattr(found, method) if method else found).parameters)
            assert given[bool(method) :] == parameters.split(), f"{name}.{method}"


def test_arithmetic_lives_in_the_bucket(ws):
    """users.py, routes.py and gate.py compute nothing themselves, and both limiters use TokenBucket."""
    modules = trees(ws)
    for file in ("users.py", "routes.py", "gate.py"):
        for node in ast.walk(modules[file]):
            operation = isinstance(node, (ast.BinOp, ast.AugAssign))
            assert not (operation and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.Div))), (
                f"{file}:{node.lineno}"
            )
        if file != "gate.py":
            names = {node.id for node in ast.walk(modules[file]) if isinstance(node, ast.Name)}
            names |= {node.attr for node in ast.walk(modules[file]) if isinstance(node, ast.Attribute)}
            assert "TokenBucket" in names, f"{file} does not use TokenBucket"


def test_no_repeated_runs_and_short_functions(ws):
    """No three statements occur twice in the package, and no function is longer than 15 lines without its docstring."""
    modules = trees(ws)
    assert repeated_runs(modules) == []
    for file, tree in modules.items():
        for function in functions(tree):
            documented = len(function.body) - len(without_docstring(function.body))
            documented = function.body[0].end_lineno - function.body[0].lineno + 1 if documented else 0
            assert function.end_lineno - function.lineno + 1 - documented <= 15, f"{file}: {function.name} is too long"


def test_no_global_state(ws):
    """No module keeps state in a global variable."""
    makers = {"dict", "list", "set", "defaultdict", "OrderedDict", "WeakValueDictionary", "TokenBucket"}
    displays = (ast.Dict, ast.List, ast.Set, ast.DictComp, ast.ListComp, ast.SetComp)
    for file, tree in trees(ws).items():
        assert not any(isinstance(node, ast.Global) for node in ast.walk(tree)), file
        for node in tree.body:
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                called = isinstance(node.value, ast.Call) and getattr(node.value.func, "id", "") in makers
                exported = [getattr(target, "id", "") for target in targets] == ["__all__"]
                assert exported or not (called or isinstance(node.value, displays)), f"{file}:{node.lineno}"


def test_small_allowances(ws):
    """Any positive rate and burst will do, also less than one token; what is not positive is refused at once."""
    throttle = {name: ws.load(f"throttle.{name}") for name in ("bucket", "users", "routes")}
    kinds = (throttle["bucket"].TokenBucket, throttle["users"].UserLimiter, throttle["routes"].RouteLimiter)
    for kind in kinds:
        for rate, burst in ((0, 1), (-1, 1), (1, 0), (1, -2)):
            with raises(ValueError):
                kind(rate, burst)
    bucket = throttle["bucket"].TokenBucket(0.5, 0.5)
    assert (bucket.take(0.75, 0), bucket.take(0.5, 0), bucket.level(0.5), bucket.wait(0.5, 0.5)) == (
        False,
        True,
        0.25,
        0.5,
    )
    users = throttle["users"].UserLimiter(0.5, 1)
    assert (users.allow("a", 0), users.allow("a", 1), users.allow("a", 2)) == (True, False, True)
    routes = throttle["routes"].RouteLimiter(1, 0.5, {"cheap": 0.5})
    assert (routes.allow("cheap", 0), routes.allow("dear", 0), routes.wait("dear", 0)) == (True, False, float("inf"))
