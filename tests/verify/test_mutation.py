"""Validation by mutation, in real sandboxes: weak checks are found out, and declarations are not believed."""

from functools import partial

import anyio
import msgspec
import pytest

from honestly.records import Checks, Edit, Equivalent, Hidden, Tags, Task, Tree
from honestly.sandbox import open_sandbox
from honestly.tasks import task_mutants
from honestly.verify import Slots, prove_mutants

REFERENCE = """\
def grade(points):
    if points < 0:
        raise ValueError("negative")
    return "pass" if points >= 50 else "fail"
"""
STRONG = """\
from grader import raises
def test_grades(ws):
    assert [ws.load("it").grade(points) for points in (0, 49, 50, 90)] == ["fail", "fail", "pass", "pass"]
def test_refused(ws):
    with raises(ValueError):
        ws.load("it").grade(-1)
"""
WEAK = STRONG.replace("(0, 49, 50, 90)", "(1, 90)").replace('["fail", "fail", "pass", "pass"]', '["fail", "pass"]')


def make(checks, path="it.py", reference=REFERENCE, equivalent=()):
    names = [line.split("(")[0].removeprefix("def ") for line in checks.splitlines() if line.startswith("def ")]
    hidden = Checks(
        runner="grader",
        files=Tree.of({"check_it.py": checks}),
        expected=tuple(f"check_it.{name}" for name in names),
        timeout_s=20.0,
    )
    edit = Edit(write=Tree.of({path: reference}))
    return Task(
        id="it",
        instruction="",
        hidden=Hidden(checks=hidden, reference=edit, equivalent=tuple(equivalent)),
        tags=Tags(category="implement"),
    )


def mutation(task, **settings):
    async def go():
        async with Slots(partial(open_sandbox)) as slots:
            return await prove_mutants(task, slots, jobs=2, **settings)

    return anyio.run(go)


@pytest.mark.slow
def test_strong_checks_kill_and_weak_ones_are_found_out():
    strong, weak = mutation(make(STRONG)), mutation(make(WEAK))
    assert strong.holds
    assert strong.survivors == ()
    assert strong.killed == strong.mutants == strong.tried > 10
    assert strong.timeouts == 0
    assert not weak.holds
    assert weak.killed + len(weak.survivors) == weak.tried == strong.tried
    assert 'return "pass" if points >= 50 else "fail"' in {survivor.before for survivor in weak.survivors}


@pytest.mark.slow
def test_a_mutant_that_never_ends_is_killed():
    checks = "def test_f(ws):\n    assert ws.load('it').emptied([1, 2]) == []\n"
    result = mutation(make(checks, reference="def emptied(x):\n    while x:\n        x.pop()\n    return x\n"))
    assert (result.timeouts, result.survivors) == (1, ())


@pytest.mark.slow
def test_equivalent_mutants_are_declared_and_checked():
    survivor, killed = mutation(make(WEAK)).survivors[0].key, task_mutants(make(STRONG))[0].key
    declared = [Equivalent(mutant=survivor, reason="r")]
    fine = mutation(make(WEAK, equivalent=declared))
    assert (fine.equivalent, survivor in {s.key for s in fine.survivors}) == (1, False)
    for key, said in ((killed, "killed: "), ("it.py:f:swap:00000000", "not a mutant: ")):
        (claim,) = [
            claim
            for claim in mutation(make(STRONG, equivalent=[Equivalent(mutant=key, reason="r")])).claims
            if "declared" in claim.text
        ]
        assert not claim.holds
        assert claim.detail == said + key


@pytest.mark.slow
def test_a_sample_is_the_same_each_time():
    some = [mutation(make(WEAK), limit=5) for _ in range(2)]
    assert some[0] == some[1]
    assert (some[0].tried, some[0].mutants) == (5, len(task_mutants(make(WEAK))))


def test_a_reference_that_fails_proves_nothing():
    broken = make(STRONG, reference=REFERENCE.replace("50", "60"))
    result = mutation(broken)
    assert (result.holds, result.tried) == (False, 0)
    assert "the reference" in result.claims[0].detail


@pytest.mark.slow
def test_what_a_language_refuses_is_not_counted():
    checks = """\
def test_counts(ws):
    assert ws.run(["sh", "count.sh"], stdin="a\\nb\\n").stdout == "2\\n"
"""
    script = 'n=0\nwhile read -r line; do\n    n=$((n + 1))\ndone\n[ "$n" -ge 0 ] && echo "$n"\n'
    result = mutation(make(checks, path="count.sh", reference=script))
    assert result.broken == 0
    assert result.killed >= 2
    refused = mutation(
        make("def test_c(ws):\n    assert ws.read('a.sh')[0] == 'c'\n", "a.sh", "case $1 in\n2) continue ;;\nesac\n")
    )
    assert refused.killed + len(refused.survivors) + refused.broken == refused.tried


@pytest.mark.parametrize("category", ["implement", "tests"])
def test_a_reference_without_code_has_no_mutants(category):
    task = make("def test_text(ws):\n    assert ws.read('a.txt') == 'x'\n", "a.txt", "x")
    task = msgspec.structs.replace(task, tags=Tags(category=category))
    result = mutation(task)
    assert (result.mutants, result.holds) == (0, True)
