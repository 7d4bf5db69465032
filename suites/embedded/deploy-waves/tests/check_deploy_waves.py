"""Hidden checks of deploy-waves: limits, running services, the smallest circle, and large graphs."""

import itertools

from grader import raises


def chain(needs, service):
    return 1 + max((chain(needs, other) for other in needs if service in needs[other]), default=0)


def expected_waves(needs, limit, running):
    """The rules of the instruction, wave by wave."""
    left = {service: set(wanted) - set(running) for service, wanted in needs.items() if service not in running}
    length = {service: chain(left, service) for service in left}
    waves, done = [], set()
    while len(done) < len(left):
        ready = [service for service in left if service not in done and left[service] <= done]
        wave = sorted(ready, key=lambda service: (-length[service], service))[: limit or len(ready)]
        waves.append(sorted(wave))
        done |= set(wave)
    return waves


def expected_cycle(needs):
    """The shortest circle, by trying all."""
    for size in range(1, len(needs) + 1):
        for names in itertools.permutations(sorted(needs), size):
            circle = zip(names, names[1:] + names[:1])
            if names[0] == min(names) and all(second in needs[first] for first, second in circle):
                return names
    return None


def random_needs(rng, names, likely, circles=False):
    order = names[:]
    rng.shuffle(order)
    needs = {}
    for position, service in enumerate(order):
        others = order if circles else order[:position]
        needs[service] = [other for other in others if rng.random() < likely]
        needs[service] += needs[service][:1]
    return dict(sorted(needs.items(), key=lambda _item: rng.random()))


def test_limit_prefers_long_chains(ws):
    """Under a limit the longest chain of dependents goes first, then the smaller name."""
    plan = ws.load("deploy.waves").plan
    tools = {"app": [], "base": [], "lib": ["base"], "tool": ["lib"]}
    assert plan(tools, limit=1) == [["base"], ["lib"], ["app"], ["tool"]]
    many = {"a": [], "b": [], "z": [], "c": ["z"], "d": ["z"], "e": ["z"], "y": [], "x": ["y"], "w": ["x"]}
    assert plan(many, limit=2) == [["y", "z"], ["a", "x"], ["b", "c"], ["d", "e"], ["w"]]
    assert plan({"c": [], "a": [], "b": []}, limit=2) == [["a", "b"], ["c"]]


def test_waves_at_random(ws):
    """Random services, with and without limits and running ones."""
    plan = ws.load("deploy.waves").plan
    for _ in range(60):
        names = [f"s{n}" for n in range(ws.rng.randrange(1, 12))]
        needs = random_needs(ws.rng, names, ws.rng.choice([0.1, 0.3, 0.6]))
        limit = ws.rng.choice([None, 1, 2, 3, 5])
        running = [name for name in names if ws.rng.random() < 0.2]
        assert plan(needs, limit, running) == expected_waves(needs, limit, running), (needs, limit, running)


def test_running_services(ws):
    """Running services serve all, known or not, and their own needs and circles do not matter."""
    module = ws.load("deploy.waves")
    needs = {"web": ["api", "cdn"], "api": ["db"], "db": ["disk"], "loop": ["pool"], "pool": ["loop"]}
    assert module.plan(needs, running=["db", "cdn", "loop"]) == [["api", "pool"], ["web"]]
    assert module.plan(needs, running=["pool", "loop", "disk", "cdn", "other"]) == [["db"], ["api"], ["web"]]
    assert module.plan(needs, running=list(needs)) == []
    assert module.plan({}) == []
    assert probe(ws).plan_error(needs, running=["db", "loop"]) == ("UnknownService", ["cdn"])


def test_chains_count_planned_services_only(ws):
    """Dependents that run already do not make a chain longer."""
    plan = ws.load("deploy.waves").plan
    needs = {"a": [], "b": [], "b1": ["b"], "b2": ["b1"], "a1": ["a"]}
    assert plan(needs, 1, ["b1", "b2"]) == [["a"], ["a1"], ["b"]]
    assert plan(needs, 1, ["b1"]) == [["a"], ["a1"], ["b"], ["b2"]]


def test_unknown_services(ws):
    """All missing names, each once and in order, before any circle is reported."""
    near = probe(ws)
    needs = {"z": ["y", "m", "z"], "a": ["m", "c", "c"], "c": []}
    assert near.plan_error(needs) == ("UnknownService", ["m", "y"])
    assert near.plan_error(needs, running=["z"]) == ("UnknownService", ["m"])
    assert near.plan_error(needs, running=["m", "y"]) == ("DependencyCycle", ["z"])
    assert near.impact_error(needs, ["m", "c", "b"]) == ("UnknownService", ["b", "m"])


def test_shortest_circle(ws):
    """The shortest circle, and the smallest of several, whatever is met first."""
    near = probe(ws)
    large = {"a": ["b"], "b": ["c"], "c": ["d", "f"], "d": ["a"], "e": ["f"], "f": ["e"]}
    assert near.plan_error(large) == ("DependencyCycle", ["e", "f"])
    assert near.plan_error({**large, "d": ["a", "d"]}) == ("DependencyCycle", ["d"])
    ways = {"a": ["y", "x"], "x": ["c"], "y": ["b"], "b": ["a"], "c": ["a"]}
    assert near.plan_error(ways) == ("DependencyCycle", ["a", "x", "c"])
    assert near.plan_error({"b": ["c"], "c": ["b"], "a": ["d"], "d": ["a"], "z": []}) == ("DependencyCycle", ["a", "d"])
    assert near.plan_error({"n9": ["n10"], "n10": ["n9"]}) == ("DependencyCycle", ["n10", "n9"])


def test_circles_at_random(ws):
    """Random graphs with circles: exactly the circle that the instruction names, or the waves if there is none."""
    near, plan = probe(ws), ws.load("deploy.waves").plan
    for _ in range(60):
        names = list("abcdefg")[: ws.rng.randrange(1, 8)]
        needs = random_needs(ws.rng, names, ws.rng.choice([0.1, 0.2, 0.3]), circles=True)
        circle = expected_cycle(needs)
        if circle is None:
            assert plan(needs) == expected_waves(needs, None, [])
        else:
            assert near.plan_error(needs) == ("DependencyCycle", list(circle)), needs


def test_impact(ws):
    """Everything that needs a changed service, however far away, circles and missing needs notwithstanding."""
    impact = ws.load("deploy.waves").impact
    needs = {"web": ["api", "gone"], "api": ["db", "auth"], "auth": ["api"], "db": [], "job": ["db"], "x": ["gone"]}
    assert impact(needs, ["auth"]) == ["api", "auth", "web"]
    assert impact(needs, ["db"]) == ["api", "auth", "db", "job", "web"]
    assert impact(needs, ["web", "x", "web"]) == ["web", "x"]
    assert impact(needs, []) == []
    for _ in range(30):
        names = list("abcdefghij")
        graph = random_needs(ws.rng, names, 0.12, circles=True)
        affected = set(ws.rng.sample(names, 2))
        changed = sorted(affected)
        for _ in names:
            affected |= {service for service in names if affected & set(graph[service])}
        assert impact(graph, changed) == sorted(affected)


def test_limits_below_one(ws):
    """A wave without room raises ValueError."""
    plan = ws.load("deploy.waves").plan
    for limit in (0, -1):
        with raises(ValueError):
            plan({"a": []}, limit)


def test_arguments_are_left_alone(ws):
    """Nothing that is passed is changed."""
    module = ws.load("deploy.waves")
    needs = {"a": ["b", "b", "r"], "b": ["r"]}
    kept, running = ws.hold({"a": ["b", "b", "r"], "b": ["r"]}), ws.hold(["r"])
    assert module.plan(kept, None, running) == [["b"], ["a"]]
    assert module.impact(kept, ["b"]) == ["a", "b"]
    assert (ws.value(kept), ws.value(running)) == (needs, ["r"])


def test_large_graphs(ws):
    """Chains, wide waves and circles of thousands of services, within seconds."""
    module, near = ws.load("deploy.waves"), probe(ws)
    size = 4000
    line = {f"s{n:05}": [f"s{n - 1:05}"] if n else [] for n in range(size)}
    wide = {"root": [], **{f"w{n:05}": ["root"] for n in range(size)}}
    with ws.limit(8):
        assert module.plan(line) == [[name] for name in sorted(line)]
        assert len(module.impact(line, ["s00000"])) == size
        waves = module.plan(wide, 3)
        circle = {**dict(list(line.items())[:1500]), "s00000": ["s00001"]}
        assert near.plan_error(circle) == ("DependencyCycle", ["s00000", "s00001"])
    assert waves[:2] == [["root"], ["w00000", "w00001", "w00002"]]
    assert len(waves) == 1 + -(-size // 3)


# Runs beside the solution, where the attributes of the errors can be read.
PROBE = """
from deploy import waves
from deploy.errors import DependencyCycle, UnknownService


def plan_error(needs, running=()):
    return caught(waves.plan, needs, None, running)


def impact_error(needs, changed):
    return caught(waves.impact, needs, changed)


def caught(function, *arguments):
    try:
        function(*arguments)
    except (DependencyCycle, UnknownService) as error:
        found = error.services if isinstance(error, DependencyCycle) else error.names
        return type(error).__name__, list(found) if type(found) is tuple else found
    return "no error", []
"""


def probe(ws):
    ws.write("probe_errors.py", PROBE)
    return ws.load("probe_errors")
