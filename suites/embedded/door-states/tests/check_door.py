"""Hidden checks of door-states: the old controller beside the new one on every short and many long sequences of events."""

import ast
import json

OLD = """
class Door:
    EVENTS = ("car", "opened", "timer", "closed", "block", "free", "reset")

    def __init__(self):
        self.moving = self.open = self.blocked = self.alarm = self.waiting = False

    def handle(self, event):
        if self.alarm:
            if event == "reset" and not self.blocked:
                self.alarm = self.open = self.waiting = False
                self.moving = True
                return "close"
            if event == "free" and self.blocked:
                self.blocked = False
                return "none"
            if event == "block" and not self.blocked:
                self.blocked = True
                return "none"
            return "ignored"
        if event == "car":
            if self.moving and not self.open:
                self.open = True
                return "reverse"
            if self.moving:
                if self.waiting:
                    return "ignored"
                self.waiting = True
                return "none"
            if self.open:
                return "restart timer"
            self.moving = self.open = True
            return "open"
        if event == "opened" and self.moving and self.open:
            self.moving = False
            if self.waiting:
                self.waiting = False
                return "start long timer"
            return "start timer"
        if event == "timer" and self.open and not self.moving:
            if self.blocked:
                self.alarm = True
                return "sound alarm"
            self.moving, self.open = True, False
            return "close"
        if event == "closed" and self.moving and not self.open:
            self.moving = False
            return "none"
        if event == "block" and self.open and not self.blocked:
            self.blocked = True
            return "none"
        if event == "block" and self.moving and not self.open:
            self.open = self.blocked = True
            return "reverse"
        if event == "free" and self.blocked:
            self.blocked = False
            return "none"
        return "ignored"

    def describe(self):
        motion = ("opening" if self.open else "closing") if self.moving else ("open" if self.open else "closed")
        words = ["ALARM"] * self.alarm + [motion] + ["blocked"] * self.blocked + ["car waiting"] * self.waiting
        return ", ".join(words)
"""
RUN = """
import json, sys
from gate.door import Door
out = []
for events in json.load(sys.stdin):
    door = Door()
    out.append([[door.handle(event), door.describe()] for event in events])
print(json.dumps(out))
"""
FLAGS = ("moving", "open", "blocked", "alarm", "waiting")


def old():
    """A door of the old kind."""
    scope = {}
    exec(OLD, scope)
    return scope["Door"]()


def walk(events):
    """What the old door does."""
    door = old()
    return [[door.handle(event), door.describe()] for event in events]


def reachable():
    """Shortest sequences to every combination of flags, and the transitions between them that are not ignored."""
    paths, queue, edges = {}, [()], 0
    while queue:
        path = queue.pop(0)
        door = old()
        for event in path:
            door.handle(event)
        flags = tuple(getattr(door, name) for name in FLAGS)
        if flags not in paths:
            paths[flags] = path
            queue += [(*path, event) for event in door.EVENTS]
    for path in paths.values():
        for event in old().EVENTS:
            edges += walk((*path, event))[-1][0] != "ignored"
    return paths, edges


def agrees(ws, sequences):
    """Demands what the old door does."""
    done = ws.run(["python3", "-S", "-c", RUN], stdin=json.dumps(sequences))
    assert done.code == 0, done
    for events, given in zip(sequences, json.loads(done.stdout), strict=True):
        assert given == walk(events), events


def test_every_state_and_event(ws):
    """From every state that can be reached, every event, and one more."""
    paths, _edges = reachable()
    events = old().EVENTS
    agrees(ws, [[*path, one, two] for path in paths.values() for one in events for two in events])


def test_long_sequences(ws):
    """Random sequences of events."""
    agrees(ws, [ws.rng.choices(old().EVENTS, k=200) for _ in range(20)])


def test_states_and_transitions(ws):
    """As many as there are, no more; a table without entries that change nothing."""
    paths, edges = reachable()
    code = (
        "import enum\nfrom gate.door import Door, State, TRANSITIONS\n"
        "print(len(State), issubclass(State, enum.Enum), len(TRANSITIONS), type(TRANSITIONS) is dict, list(vars(Door())))\n"
        "print(all(type(s) is State and type(t) is State and e in Door.EVENTS and type(a) is str and a != 'ignored' for (s, e), (t, a) in TRANSITIONS.items()))\n"
        "print(Door.EVENTS == ('car', 'opened', 'timer', 'closed', 'block', 'free', 'reset'))\n"
        "s, e = next(iter(TRANSITIONS)); TRANSITIONS[s, e] = (s, 'changed'); d = Door(); d.state = s; print(d.handle(e), d.state is s)\n"
        "a, b = Door(), Door(); a.state = [t for t in State if t is not s][-1]; print(a.state is b.state)\n"
    )
    wanted = f"{len(paths)} True {edges} True ['state']\nTrue\nTrue\nchanged True\nFalse\n"
    assert ws.run(["python3", "-S", "-c", code]).stdout == wanted


def test_unknown_events(ws):
    """They raise ValueError and change nothing."""
    code = (
        "from gate.door import Door\nd = Door()\nd.handle('car')\nbefore = d.state\n"
        "for event in ('', 'Car', None, 'timers'):\n"
        "    try:\n        d.handle(event); print('no error')\n    except ValueError:\n        print(d.state is before)\n"
    )
    assert ws.run(["python3", "-S", "-c", code]).stdout == "True\n" * 4


def test_the_shape(ws):
    """No `if` in the module, and no `and`, `or`, `not` in `handle`."""
    tree = ast.parse(ws.read("gate/door.py"))
    for node in ast.walk(tree):
        assert not isinstance(node, (ast.If, ast.IfExp, ast.Match, ast.While)), f"line {node.lineno}: a condition"
        assert not (isinstance(node, ast.comprehension) and node.ifs), "a condition in a comprehension"
        if isinstance(node, ast.FunctionDef) and node.name == "handle":
            for inner in ast.walk(node):
                assert not isinstance(inner, ast.BoolOp) and not isinstance(getattr(inner, "op", None), ast.Not), (
                    "handle decides"
                )
