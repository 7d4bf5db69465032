"""Hidden checks of manifest-overlays: random manifests against the same rules in Python."""

import json


def is_named(value):
    """Whether it is a list of objects with names, no two alike."""
    if not isinstance(value, list) or not value:
        return False
    if not all(isinstance(item, dict) and isinstance(item.get("name"), str) for item in value):
        return False
    names = [item["name"] for item in value]
    return len(set(names)) == len(names)


def lay(under, over):
    """Oracle."""
    if isinstance(under, dict) and isinstance(over, dict):
        merged = dict(under)
        for key, value in over.items():
            if value is None:
                merged.pop(key, None)
            else:
                merged[key] = lay(under[key], value) if key in under else value
        return merged
    if is_named(under) and is_named(over):
        merged = {item["name"]: item for item in under}
        for item in over:
            name = item["name"]
            if item.get("drop") is True:
                merged.pop(name, None)
            else:
                merged[name] = lay(merged[name], item) if name in merged else item
        return list(merged.values())
    return over


def overlay(ws, layers):
    """What the program prints, decoded; None if it prints nothing."""
    done = ws.run(["jq", "-n", "-f", "overlay.jq"], stdin="\n".join(map(json.dumps, layers)))
    assert done.code == 0, done
    return json.loads(done.stdout) if done.stdout.strip() else None


def agrees(ws, layers):
    """Demands the oracle's manifest."""
    expected = layers[0]
    for over in layers[1:]:
        expected = lay(expected, over)
    assert overlay(ws, layers) == expected, layers


def agree(ws, *cases):
    """The same for many cases of equally many layers, as the values of one object (so no layer may be null)."""
    agrees(ws, [{f"c{k}": value for k, value in enumerate(layer)} for layer in zip(*cases, strict=True)])


def manifest(rng, depth):
    """A random value: objects over few keys, named lists over few names, plain lists, nulls, false."""
    kind = rng.randrange(4 if depth else 1)
    if kind == 0 or not depth:
        return rng.choice((0, 1, "x", True, False, None, [], {}, [1, None], ""))
    if kind == 1:
        names = rng.sample("abcd", rng.randrange(1, 4))
        return [item(rng, name, depth - 1) for name in names]
    return {key: manifest(rng, depth - 1) for key in rng.sample("pqrst", rng.randrange(5))}


def item(rng, name, depth):
    """A random element of a named list."""
    made = {key: manifest(rng, depth) for key in rng.sample("uv", rng.randrange(3))} | {"name": name}
    return made | ({"drop": rng.choice((True, True, False, None, "true", 1))} if rng.random() < 0.4 else {})


def test_random_manifests(ws):
    """Two to four layers of random objects and lists."""
    for size in (2, 3, 4):
        agree(ws, *([{"m": manifest(ws.rng, 3), "n": manifest(ws.rng, 3)} for _ in range(size)] for _ in range(25)))


def test_nulls(ws):
    """Null deletes where it is laid over something, and stays inside of what is taken unchanged."""
    agrees(ws, [{"a": 1, "b": {"c": 2}}, {"a": None, "b": {"c": None}, "d": {"e": None}, "f": None, "g": [None]}])
    agrees(ws, [{"a": {"b": 1}}, {"a": None}, {"a": {"c": None}}])
    agree(ws, [{"a": None}, {"b": 1}], [{"a": None, "b": None}, {"a": {"c": None}, "b": 1}])


def test_named_lists(ws):
    """Places, appended elements, deletions of what is and is not there, and a list that ends empty."""
    agrees(ws, [[{"name": "a"}, {"name": "b"}], [{"name": "c"}, {"name": "b", "x": 1}, {"name": "d"}]])
    agree(
        ws,
        [[{"name": "a"}], [{"name": "a", "drop": True}, {"name": "z", "drop": True}]],
        [[{"name": "a", "x": {"y": 1}}], [{"name": "a", "drop": False, "x": {"z": 2}}]],
        [[{"name": "a", "x": 1}], [{"name": "a", "x": None, "drop": "true"}]],
        [[{"name": "a", "drop": True}], [{"name": "b"}]],
    )


def test_lists_that_are_not_named(ws):
    """Repeated names, missing or odd names, mixed and empty lists are replaced as a whole."""
    named = [{"name": "a", "x": 1}]
    others = (
        [],
        [{"name": "a"}, {"name": "a"}],
        [{"name": 1}],
        [{"x": 1}],
        [{"name": "a"}, 5],
        [None],
        {"name": "a"},
        "a",
    )
    agree(ws, *([named, other] for other in others), *([other, named] for other in others))


def test_values_of_other_kinds(ws):
    """A change of type is a replacement; false is a value like any other."""
    agree(ws, [{"a": {"b": 1}, "c": True}, {"a": [1], "c": False}], [{"a": 1}, {"a": {"b": None}}], [7, {"a": None}])
    agrees(ws, [{"a": 1}, 7])


def test_number_of_inputs(ws):
    """One input is printed as it is, nulls included; no input prints nothing."""
    assert overlay(ws, []) is None
    agrees(ws, [{"a": None, "b": [{"name": "x", "drop": True}]}])
