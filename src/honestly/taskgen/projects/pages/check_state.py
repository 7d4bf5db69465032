"""What should have changed on the site has, and nothing else."""

import json

CHANGES = json.loads({changes})  # places in the state, and what stands there at the end


def _put(state, place, value):
    for key in place[:-1]:
        state = state[key]
    state[place[-1]] = value


def _states(ws):
    found = json.loads(ws.read("site-state.json"))
    return found["before"], found["after"]


def test_what_was_asked_for_has_happened(ws):
    _, after = _states(ws)
    for place, value in CHANGES:
        found = after
        for key in place:
            found = found[key]
        assert found == value


def test_nothing_else_has_changed(ws):
    expected, after = _states(ws)
    for place, value in CHANGES:
        _put(expected, place, value)
    assert after == expected
