"""Hidden checks of undo-journal: random operations against a journal that copies the whole document."""

from grader import raises


def same(one, two):
    """Whether two documents are the same, types included."""
    return one.keys() == two.keys() and all(type(one[k]) is type(two[k]) and one[k] == two[k] for k in one)


class Model:
    """Oracle: copies of the document."""

    def __init__(self, limit):
        self.now, self.open, self.done, self.undone, self.limit = {}, [], [], [], limit

    def changed(self, after):
        """The document becomes `after`, outside of transactions: a step, unless it is the same."""
        if not same(self.now, after):
            self.done = [*self.done, (self.now, after)][-self.limit :] if self.limit else []
            self.undone = []
        self.now = after

    def do(self, what, *rest):
        """Result of an operation: ("raised", name) or ("fine", value)."""
        if what in ("set", "delete", "get"):
            if what != "set" and rest[0] not in self.now:
                return "raised", "KeyError"
            if what == "get":
                return "fine", self.now[rest[0]]
            after = (
                {**self.now, rest[0]: rest[1]} if what == "set" else {k: v for k, v in self.now.items() if k != rest[0]}
            )
            if self.open:
                self.now = after
            else:
                self.changed(after)
        elif what == "begin":
            self.open.append(self.now)
        elif what in ("commit", "rollback"):
            if not self.open:
                return "raised", "NoTransaction"
            before = self.open.pop()
            if what == "rollback":
                self.now = before
            elif not self.open:
                after, self.now = self.now, before
                self.changed(after)
        elif what in ("undo", "redo"):
            if self.open:
                return "raised", "InTransaction"
            source, target = (self.done, self.undone) if what == "undo" else (self.undone, self.done)
            if not source:
                return "fine", None
            step = source.pop()
            target.append(step)
            before, after = step
            self.now = before if what == "undo" else after
            names = {
                k for k in {*before, *after} if (k in before) != (k in after) or not same({k: before[k]}, {k: after[k]})
            }
            return "fine", sorted(names)
        elif what == "names":
            return "fine", sorted(self.now)
        else:
            return "fine", len(self.open)
        return "fine", None


def agree(journal, model, what, *rest):
    """Does an operation on both and demands the same result."""
    kind, value = model.do(what, *rest)
    if kind == "raised":
        with raises(value):
            getattr(journal, what)(*rest)
    else:
        given = getattr(journal, what)(*rest)
        assert type(given) is type(value) and given == value, (what, rest, given, value)


def finish(journal, model):
    """Compares everything: all values, then on the way back to the first step and forth again."""
    while model.open:
        agree(journal, model, "commit")
    for what in ("names", *["undo"] * 30, "names", *["redo"] * 30, "names"):
        agree(journal, model, what)
        for name in model.now:
            agree(journal, model, "get", name)


VALUES = (0, 1, 1.0, True, False, "1", "", None, 2)
OPERATIONS = ("set",) * 6 + (
    "delete",
    "delete",
    "get",
    "begin",
    "begin",
    "commit",
    "rollback",
    "undo",
    "undo",
    "redo",
    "names",
    "depth",
)


def test_random_operations(ws):
    """Everything in any order, few names and values so that much is the same."""
    for limit in (100, 100, 100, 3, 1, 0):
        journal, model = ws.load("draft.journal").Journal(limit), Model(limit)
        for _ in range(80):
            what = ws.rng.choice(OPERATIONS)
            rest = [ws.rng.choice("abc")] if what in ("set", "delete", "get") else []
            agree(journal, model, what, *rest, *([ws.rng.choice(VALUES)] if what == "set" else []))
        finish(journal, model)


def play(ws, *words, limit=100):
    """Operations written as words, such as "set:a:1"; then everything is compared."""
    journal, model = ws.load("draft.journal").Journal(limit), Model(limit)
    for word in words:
        agree(journal, model, *word.split(":"))
    finish(journal, model)


def test_nested_transactions(ws):
    """What inner ones committed is taken back with the outer one; the first value before counts."""
    play(ws, "set:a:1", "begin", "set:a:2", "begin", "set:a:3", "set:b:1", "commit", "rollback", "names", "undo")
    play(ws, "set:a:1", "begin", "set:a:2", "begin", "set:a:3", "commit", "set:a:4", "commit", "undo", "redo")
    play(ws, "set:a:1", "begin", "delete:a", "begin", "set:a:1", "commit", "commit", "undo", "names")
    play(ws, "begin", "begin", "depth", "set:x:1", "rollback", "commit", "depth", "commit", "undo")


def test_what_is_no_step(ws):
    """It can't be undone, and leaves what was undone available."""
    play(ws, "set:a:1", "set:b:1", "undo", "set:a:1", "redo", "names")
    play(ws, "set:a:1", "set:b:1", "undo", "begin", "set:a:2", "set:c:1", "rollback", "redo")
    play(ws, "set:a:1", "undo", "begin", "set:c:1", "delete:c", "commit", "redo", "undo", "begin", "commit", "redo")
    play(ws, "set:a:1", "undo", "delete:a", "redo", "undo", "get:a", "set:z:1", "redo")


def test_limits(ws):
    """The oldest steps are forgotten; a limit of 0 remembers nothing; a negative one is refused."""
    play(ws, "set:a:1", "set:a:2", "set:a:3", "undo", "undo", "undo", "redo", "redo", "redo", limit=2)
    play(ws, "set:a:1", "undo", limit=0)
    with raises(ValueError):
        ws.load("draft.journal").Journal(-1)
    journal, model = ws.load("draft.journal").Journal(), Model(100)
    for number in range(103):
        agree(journal, model, "set", "a", number)
    for _ in range(102):
        agree(journal, model, "undo")


def test_errors_are_runtime_errors(ws):
    """Both, and they change nothing."""
    journal = ws.load("draft.journal").Journal()
    with raises(RuntimeError):
        journal.commit()
    journal.begin()
    with raises(RuntimeError):
        journal.redo()
    assert journal.depth() == 1


def test_large_documents(ws):
    """100,000 names; steps and transactions cost what they change."""
    code = (
        "from draft.journal import Journal\nj = Journal(5000)\nj.begin()\n"
        "for k in range(100_000): j.set(str(k), k)\nj.commit()\n"
        "for k in range(3000):\n    j.begin(); j.set('5', -k - 1); j.begin(); j.set('x', k); j.rollback(); j.commit()\n"
        "for k in range(2500): j.undo()\nfor k in range(1000): j.redo()\nprint(j.get('5'), j.get('99999'))\n"
    )
    assert ws.run(["python3", "-c", code], timeout=4).stdout.strip() == "-1500 99999"
