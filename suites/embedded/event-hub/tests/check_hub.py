"""Hidden checks of event-hub: scripts of calls, run by one small program in Node.js, against a hub in Python.

A script is a list of steps. The listener of a registration writes its name, then does steps of its own, and may throw.
"""

import json

PROGRAM = r"""
const Hub = require('./hub.js');
const out = [];
for (const script of JSON.parse(require('fs').readFileSync(0, 'utf8'))) {
  const hub = new Hub(), said = [], functions = {}, removers = [];
  const listener = (id) => functions[id] = functions[id] || ((...values) => {
    said.push([id, values]);
    for (const step of script.inside[id] || []) run(step);
    if (id in script.throws) throw script.throws[id];
  });
  const run = ([what, a, b]) => {
    if (what === 'on') { const f = hub.on(a, listener(b)); removers.push(f); }
    else if (what === 'once') { const f = hub.once(a, listener(b)); removers.push(f); }
    else if (what === 'off') said.push(['off', hub.off(a, listener(b))]);
    else if (what === 'remove') { if (removers[a]) removers[a](); }
    else if (what === 'count') said.push(['count', hub.count(a)]);
    else {
      let result;
      try { result = ['emitted', hub.emit(a, a, b)]; } catch (error) { result = ['threw', error]; }
      said.push(result);
    }
  };
  for (const step of script.steps) run(step);
  out.push(said);
}
console.log(JSON.stringify(out));
"""


class Model:
    """Oracle: the hub and the program above, in Python."""

    def __init__(self, script):
        self.script, self.held, self.said, self.made = script, [], [], []
        for step in script["steps"]:
            self.run(*step)

    def matching(self, name):
        """Registrations for a name."""

        def stands(pattern):
            if pattern == "*":
                return True
            if pattern.endswith(".*"):
                return name.startswith(pattern[:-1]) and len(name) > len(pattern) - 1
            return pattern == name

        return [entry for entry in self.held if stands(entry["pattern"])]

    def run(self, what, a, b=None):
        """One step."""
        if what in ("on", "once"):
            entry = {"pattern": a, "id": b, "once": what == "once"}
            self.held.append(entry)
            self.made.append(entry)
        elif what == "off":
            found = [entry for entry in self.held if entry["pattern"] == a and entry["id"] == b]
            self.remove(found[-1:])
            self.said.append(["off", bool(found)])
        elif what == "remove":
            self.remove(self.made[a : a + 1])
        elif what == "count":
            self.said.append(["count", len(self.matching(a))])
        else:
            self.said.append(self.emit(a, [a, b]))

    def remove(self, entries):
        """Takes registrations out, by identity."""
        self.held = [entry for entry in self.held if not any(entry is other for other in entries)]

    def emit(self, name, values):
        """Passes an event."""
        called, errors = 0, []
        for entry in self.matching(name):
            if any(entry is other for other in self.held):
                if entry["once"]:
                    self.remove([entry])
                called += 1
                self.said.append([entry["id"], values])
                for step in self.script["inside"].get(entry["id"], []):
                    self.run(*step)
                if entry["id"] in self.script["throws"]:
                    errors.append(self.script["throws"][entry["id"]])
        return ["threw", errors[0]] if errors else ["emitted", called]


def script(*steps, inside=None, throws=None):
    """A script from its parts."""
    return {"steps": list(steps), "inside": inside or {}, "throws": throws or {}}


def agrees(ws, scripts):
    """Demands what the oracle says, of all scripts in one process."""
    done = ws.run(["node", "-e", PROGRAM], stdin=json.dumps(scripts))
    assert done.code == 0, done
    for case, said in zip(scripts, json.loads(done.stdout), strict=True):
        assert said == Model(case).said, case


def random_script(rng):
    """Random steps; listeners act too, but only emit what cannot come back to them for ever."""
    names = ["a", "a.b", "a.b.c", "ab", "b", "constructor", "__proto__"]
    patterns = [*names, "a.*", "a.b.*", "*", "b.*"]
    ids = ["f", "g", "h", "i"]

    def step(inside):
        what = rng.choice(
            ("on", "once", "off", "remove", "count")
            if inside
            else ("on", "on", "once", "off", "remove", "emit", "emit", "count")
        )
        if what in ("on", "once", "off"):
            return [what, rng.choice(patterns), rng.choice(ids)]
        return ["remove", rng.randrange(9)] if what == "remove" else [what, rng.choice(names), rng.randrange(9)]

    inside = {"f": [step(True)], "g": [step(True), step(True)]}
    throws = {"h": rng.choice(("boom", 0, "", False, None))} if rng.random() < 0.4 else {}
    return script(*(step(False) for _ in range(25)), inside=inside, throws=throws)


def test_random_scripts(ws):
    """Registrations, removals, events and counts in random order, also by listeners."""
    agrees(ws, [random_script(ws.rng) for _ in range(150)])


def test_patterns_and_order(ws):
    """What each pattern stands for; the order of registration decides; odd names."""
    on = [
        ["on", pattern, "to " + pattern]
        for pattern in ("a.b", "a.*", "a.b", "*", "a.b.*", "a", "a*", "*.b", "a.", ".*", "toString", "")
    ]
    names = (
        "a.b",
        "a",
        "a.",
        "a.b.c",
        "ab",
        "a.bc",
        ".x",
        "toString",
        "hasOwnProperty",
        "",
        "*",
        "a.*",
        "a*",
        "valueOf",
    )
    agrees(
        ws,
        [
            script(*on, *([what, name] for name in names for what in ("emit", "count"))),
            script(*on[:3], ["emit", "a.b", 1]),
        ],
    )


def test_changes_and_errors_during_an_event(ws):
    """Listeners that remove, add, emit and throw."""
    agrees(
        ws,
        [
            script(["on", "a", "f"], ["on", "a", "g"], ["emit", "a"], ["emit", "a"], inside={"f": [["remove", 1]]}),
            script(["on", "a", "f"], ["emit", "a"], ["emit", "a"], inside={"f": [["on", "a", "g"]]}),
            script(
                ["once", "a", "f"],
                ["on", "a", "g"],
                ["emit", "a"],
                ["count", "a"],
                inside={"f": [["emit", "a"], ["count", "a"]]},
            ),
            script(
                ["on", "a", "g"],
                ["once", "a", "f"],
                ["once", "b", "h"],
                ["emit", "a"],
                ["emit", "a"],
                inside={"f": [["emit", "b"], ["emit", "b"]]},
            ),
            script(["on", "a", "f"], ["on", "a", "g"], ["on", "a", "h"], ["emit", "a"], throws={"f": 0, "g": "later"}),
            script(["once", "a", "f"], ["emit", "a"], ["count", "a"], ["emit", "a"], throws={"f": None}),
            script(
                ["on", "a", "f"],
                ["on", "a", "g"],
                ["on", "a", "f"],
                ["off", "a", "f"],
                ["emit", "a"],
                ["off", "a", "f"],
                ["off", "a", "f"],
                ["off", "a.*", "g"],
            ),
            script(
                ["on", "a", "f"],
                ["once", "a", "f"],
                ["off", "a", "f"],
                ["emit", "a"],
                ["emit", "a"],
                ["remove", 0],
                ["remove", 0],
                ["emit", "a"],
            ),
        ],
    )


def test_removed_listeners_are_let_go(ws):
    """After registrations are removed in every way, the hub holds on to none of their functions."""
    code = """
const Hub = require('./hub.js'), hub = new Hub(), refs = [];
for (let k = 0; k < 50; k++) {
  let f = () => k, big = [];
  refs.push(new WeakRef(f));
  if (k % 3 === 0) hub.on('x.' + k, f)();
  else if (k % 3 === 1) { hub.on('y', f); hub.off('y', f); }
  else { hub.once('z', f); hub.emit('z'); }
}
setTimeout(() => { gc(); console.log(refs.filter((ref) => ref.deref()).length <= 2, hub.count('y'), hub.emit('z')); }, 1);
"""
    done = ws.run(
        [
            "node",
            "--expose-gc",
            "-e",
            code.replace("WeakRef(f)", "Ref(f)").replace(
                "const Hub", "const Ref = globalThis.WeakRef || class { deref() {} };\nconst Hub"
            ),
        ]
    )
    assert done.stdout == "true 0 0\n", done
