"""Hidden checks of page-walker: simulated feeds whose answers come in a random order, and a referee that knows the rules.

The referee is part of the program that runs the solution's code, as a witness of what it is asked. What it writes down, each request and
answer in order, is judged here.
"""

import json

PROGRAM = r"""
const {latest} = require('./walker.js');
const cases = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const settle = async () => { for (let k = 0; k < 12; k++) await new Promise(setImmediate); };
(async () => {
  const out = [];
  for (const {feeds, names, count, atOnce, order, fail} of cases) {
    const log = [], waiting = [];
    let turn = 0, asked = 0, result = null;
    const fetchPage = (name, page) => {
      const feed = names.indexOf(name);
      log.push(['ask', feed, page]);
      if (fail === 'throws' + ++asked) throw 'thrown';
      return new Promise((resolve, reject) => waiting.push({feed, page, resolve, reject}));
    };
    latest(names, count, fetchPage, atOnce).then(
      (entries) => { result = ['fine', entries.map((entry) => entry.id)]; },
      (error) => { result = ['error', error]; });
    await settle();
    while (waiting.length > 0 && turn < 400) {
      const [{feed, page, resolve, reject}] = waiting.splice(order[turn % order.length] % waiting.length, 1);
      log.push(['answer', feed, page]);
      if (fail === 'rejects' + turn) reject('rejected');
      else resolve({entries: ((feeds[feed] || [])[page] || []).map(([at, id]) => ({at, id})), more: page + 1 < feeds[feed].length});
      turn++;
      await settle();
      if (result !== null) log.push(['ended', 0, 0]);
    }
    out.push({log, result});
  }
  console.log(JSON.stringify(out));
})();
"""


def referee(case, log):
    """Goes through the log and demands the rules: gives the entries that are known in the end, in order."""
    feeds, count, at_once = case["feeds"], case["count"], case["atOnce"]
    pages, busy, known = [0] * len(feeds), set(), []
    last = [float("inf")] * len(feeds)

    def may(feed):
        if count == 0 or feed in busy or pages[feed] >= len(feeds[feed]):
            return False
        return sum((-at, other) <= (-last[feed], feed) for at, other, _place, _id in known) < count

    for number, (what, feed, page) in enumerate([*log, ["end", 0, 0]]):
        if what == "ask":
            assert page == pages[feed] and may(feed), (
                f"request {number}: page {page} of feed {feed} must not be asked for"
            )
            busy.add(feed)
            assert len(busy) <= at_once, f"request {number}: more than {at_once} at once"
            continue
        idle = [feed for feed in range(len(feeds)) if may(feed)]
        assert len(busy) >= at_once or not idle, f"before {number}: feed {idle} could be asked without waiting"
        if what == "answer":
            busy.remove(feed)
            for at, name in feeds[feed][page]:
                known.append((at, feed, len(known), name))
                last[feed] = at
            pages[feed] += 1
    return [name for *_rest, name in sorted(known, key=lambda entry: (-entry[0], entry[1], entry[2]))[:count]]


def made(rng, shape, count, at_once, **more):
    """A case with random feeds; few different times, so that many are equal."""
    feeds, number = [], 0
    for size in shape:
        at, pages = rng.randrange(30, 40), []
        for _ in range(size):
            page = []
            for _ in range(rng.choice((0, 1, 2, 3, 4))):
                at -= rng.choice((0, 0, 1, 2, 5))
                number += 1
                page.append([at, number])
            pages.append(page)
        feeds.append(pages)
    names = [f"f{k}" for k in rng.sample(range(99), len(shape))]
    order = [rng.randrange(60) for _ in range(60)]
    return {"feeds": feeds, "names": names, "count": count, "atOnce": at_once, "order": order, "fail": "", **more}


def play(ws, cases):
    """What became of each case; all run in one process."""
    done = ws.run(["node", "-e", PROGRAM], stdin=json.dumps(cases))
    assert done.code == 0, done
    return json.loads(done.stdout)


def agrees(ws, cases):
    """Demands that the rules were kept and the result is right."""
    for case, played in zip(cases, play(ws, cases), strict=True):
        log = [entry for entry in played["log"] if entry[0] != "ended"]
        wanted = referee(case, log)
        assert played["result"] == ["fine", wanted], (case, played["result"], wanted)


def test_random_feeds(ws):
    """One to six feeds of one to five pages, empty pages among them, every degree of haste."""
    agrees(
        ws,
        [
            made(
                ws.rng,
                [ws.rng.randrange(1, 6) for _ in range(ws.rng.randrange(1, 7))],
                ws.rng.choice((1, 2, 3, 5, 8, 20, 99)),
                ws.rng.choice((1, 2, 3, 9)),
            )
            for _ in range(150)
        ],
    )


def test_ties_and_edges(ws):
    """Equal times at the border, where the order of the feeds decides; no feeds; nothing wanted; empty pages only."""
    same = [[[[5, 1]], [[5, 2]], [[5, 3]]], [[[5, 4]], [[5, 5]]], [[[5, 6]], [[4, 7]]]]
    base = {"names": ["x", "y", "z"], "order": [0], "fail": ""}
    cases = [
        base | {"feeds": same, "count": count, "atOnce": at_once, "order": order}
        for count in range(9)
        for at_once in (1, 2, 3)
        for order in ([0], [1, 0, 2])
    ]
    empty = [[[], [], [[3, 1]]], [[], []], [[]]]
    cases += [base | {"feeds": empty, "count": count, "atOnce": 2} for count in (0, 1, 2)]
    cases.append({"feeds": [], "names": [], "count": 3, "atOnce": 1, "order": [0], "fail": ""})
    agrees(ws, cases)


def test_errors(ws):
    """The first error is passed on at once, and nothing is asked for after it."""
    cases = []
    for fail in ("rejects0", "rejects1", "rejects3", "throws1", "throws2", "throws4"):
        case = made(ws.rng, [4, 4, 4, 4], 60, 2)
        cases.append(
            case | {"feeds": [[[[9 - page, 10 * feed + page]] for page in range(4)] for feed in range(4)], "fail": fail}
        )
    for case, played in zip(cases, play(ws, cases), strict=True):
        kind = "rejected" if case["fail"].startswith("rejects") else "thrown"
        assert played["result"] == ["error", kind], (case["fail"], played["result"])
        log = [entry[0] for entry in played["log"]]
        number = int(case["fail"][-1])
        if kind == "thrown":
            assert log.count("ask") == number, (case["fail"], log)
        else:
            at = [k for k, what in enumerate(log) if what == "answer"][number]
            assert "ask" not in log[at:], (case["fail"], log)
            assert log[at + 1] == "ended", "the error is known and was not passed on"


def test_the_very_objects(ws):
    """Entries are passed on as they are, and neither they nor the answers are changed."""
    code = """
const {latest} = require('./walker.js');
const entries = Object.freeze([Object.freeze({at: 2, x: {}}), Object.freeze({at: 1})]);
const feeds = Object.freeze(['a']);
latest(feeds, 5, () => Object.freeze({entries, more: false}), 1).then((found) => {
  console.log(found.length, found[0] === entries[0], found[1] === entries[1], Array.isArray(found));
});
"""
    assert ws.run(["node", "-e", code]).stdout == "2 true true true\n"
