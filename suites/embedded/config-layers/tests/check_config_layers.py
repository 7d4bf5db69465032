"""Hidden checks of config-layers: nothing is shared, nothing leaks, and a merge still means the same."""

import copy

from grader import raises

DEFAULTS = {
    "db": {"host": "localhost", "port": 5432, "pool": {"size": 5, "hosts": []}},
    "features": ["search"],
    "log": {"level": "info", "file": None},
}

# Runs beside the solution, because only there can the objects that it returns be changed in place.
PROBE = '''
def scribble(value):
    """Changes every dict and list inside of value."""
    items = list(value.values()) if isinstance(value, dict) else list(value) if isinstance(value, list) else []
    for item in items:
        scribble(item)
    if isinstance(value, dict):
        value["scribbled"] = True
    if isinstance(value, list):
        value.append("scribbled")


def scribble_on(function, *arguments):
    """Calls the function and changes all that it returns."""
    scribble(function(*arguments))


def merge_keeping(merge, base, override):
    """Merges, then changes the arguments; what the result holds then."""
    result = merge(base, override)
    scribble(base)
    scribble(override)
    return result
'''


def probe(ws):
    ws.write("probe_scribble.py", PROBE)
    return ws.load("probe_scribble")


def merged(base, override):
    """What the docstring of merge says."""
    result = copy.deepcopy(base)
    for key, value in override.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict) and isinstance(result.get(key), dict):
            result[key] = merged(result[key], value)
        else:
            result[key] = copy.deepcopy(value)
    return result


def random_settings(rng, depth=0):
    result = {}
    for _ in range(rng.randrange(1, 5)):
        kind = rng.randrange(6 if depth < 3 else 3)
        value = [None, rng.randrange(9), "text", [rng.randrange(9), {"in": ["list"]}]][kind] if kind < 4 else None
        result[rng.choice("abcdef")] = value if kind < 4 else random_settings(rng, depth + 1)
    return result


def test_merge_means_the_same(ws):
    """Random layers merge as the docstring says, order of keys included."""
    merge = ws.load("settings.merge").merge
    for _ in range(120):
        base, override = random_settings(ws.rng), random_settings(ws.rng)
        result, expected = merge(base, override), merged(base, override)
        assert result == expected
        assert list(result) == list(expected)


def test_merge_rules(ws):
    """None, lists, and dicts over something that is not a dict."""
    merge = ws.load("settings.merge").merge
    assert merge({}, {"a": {"b": None}}) == {"a": {"b": None}}
    assert merge({"a": 1}, {"a": {"b": None}}) == {"a": {"b": None}}
    assert merge({"a": {"b": 1}}, {"a": 2}) == {"a": 2}
    assert merge({"a": {"b": 1}}, {"a": {}}) == {"a": {"b": 1}}
    assert merge({"a": None}, {"b": None}) == {"a": None}
    assert merge({"a": [1, 2]}, {"a": []}) == {"a": []}
    assert merge({"a": {"b": {"c": 1, "d": 2}}}, {"a": {"b": {"c": None}}}) == {"a": {"b": {"d": 2}}}


def test_arguments_survive_the_merge(ws):
    """Merging changes neither argument at any depth."""
    merge = ws.load("settings.merge").merge
    for _ in range(60):
        base, override = random_settings(ws.rng), random_settings(ws.rng)
        kept_base, kept_override = ws.hold(copy.deepcopy(base)), ws.hold(copy.deepcopy(override))
        merge(kept_base, kept_override)
        assert ws.value(kept_base) == base
        assert ws.value(kept_override) == override


def test_results_do_not_reach_the_arguments(ws):
    """Changing a result in place reaches neither argument."""
    merge, near = ws.load("settings.merge").merge, probe(ws)
    for _ in range(60):
        base, override = random_settings(ws.rng), random_settings(ws.rng)
        kept_base, kept_override = ws.hold(copy.deepcopy(base)), ws.hold(copy.deepcopy(override))
        near.scribble_on(merge, kept_base, kept_override)
        assert ws.value(kept_base) == base
        assert ws.value(kept_override) == override


def test_arguments_do_not_reach_the_result(ws):
    """Changing the arguments afterwards does not change the result."""
    merge, near = ws.load("settings.merge").merge, probe(ws)
    for _ in range(60):
        base, override = random_settings(ws.rng), random_settings(ws.rng)
        expected = merged(base, override)
        assert near.merge_keeping(merge, base, override) == expected


def test_services_are_independent(ws):
    """What one service adds, at any depth, is never seen by another."""
    service = ws.load("settings.service")
    before, other = service.Settings(), service.Settings()
    other.add({"db": {"port": None, "pool": {"size": 50, "hosts": ["h1"]}}, "features": None})
    other.add({"log": {"file": "/var/log/a", "extra": {"deep": True}}})
    assert before.effective() == DEFAULTS
    assert service.Settings().effective() == DEFAULTS
    assert ws.load("settings.defaults").DEFAULTS == DEFAULTS
    assert other.get("db") == {"host": "localhost", "pool": {"size": 50, "hosts": ["h1"]}}


def test_what_is_returned_belongs_to_the_caller(ws):
    """Scribbling on what get() and effective() return changes nothing."""
    service, near = ws.load("settings.service"), probe(ws)
    settings = service.Settings()
    for layer in [{}, {"db": {"pool": {"hosts": ["h1", {"name": "h2"}]}}, "list": [[1], {"a": []}]}]:
        settings.add(layer)
        expected = settings.effective()
        near.scribble_on(settings.effective)
        for path in ["db", "db.pool", "db.pool.hosts", "features", "log"]:
            near.scribble_on(settings.get, path)
        assert settings.effective() == expected
    assert service.Settings().effective() == DEFAULTS


def test_layers_belong_to_the_settings(ws):
    """Changing a layer after it was added has no effect; nor does adding change the layer."""
    service, near = ws.load("settings.service"), probe(ws)
    settings = service.Settings()
    layer = {"queue": {"names": ["a"], "limits": {"a": 1}}, "features": ["x", ["y"]], "db": {"pool": {"hosts": ["h"]}}}
    kept = ws.hold(copy.deepcopy(layer))
    settings.add(kept)
    settings.add({"queue": {"limits": {"b": 2}}, "db": {"pool": {"size": 1}}})
    assert ws.value(kept) == layer
    near.scribble(kept)
    assert settings.get("queue") == {"names": ["a"], "limits": {"a": 1, "b": 2}}
    assert settings.get("features") == ["x", ["y"]]
    assert settings.get("db.pool") == {"size": 1, "hosts": ["h"]}


def test_paths(ws):
    """Dotted paths and their errors work as before."""
    settings = ws.load("settings.service").Settings()
    assert settings.get("db.pool.size") == 5
    assert settings.get("log.file") is None
    for path in ["", "db.user", "db.port.x", "features.0", "db.", "DB"]:
        with raises(KeyError):
            settings.get(path)


def test_missing_settings_are_named(ws):
    """The KeyError of a path that leads nowhere names the whole path, wherever it ends."""
    settings = ws.load("settings.service").Settings()
    for path in ("no.such.setting", "db.pool.colour", "db.port.low", "features.0", "nothing", ""):
        with raises(KeyError) as caught:
            settings.get(path)
        assert repr(path) in str(caught.value)
