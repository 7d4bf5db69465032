"""Attacks on the checks themselves: a check that was meant to compare does compare, whatever the solution answers."""

import pytest

from sampled import sampled

from .test_verdicts import judged, statuses, with_hidden

FORGERIES = {
    "has a length and no items": (
        """
        def test_it(ws):
            found = ws.load("calc").squares(3)
            assert len(found) == 3
            for n, value in enumerate(found):
                assert value == n * n
        """,
        """
        class Liar:
            def __init__(self, n): self.n = n
            def __len__(self): return self.n
            def __iter__(self): return iter(())
        def squares(n): return Liar(n)
        """,
        "failed",
    ),
    "has no items and a length": (
        """
        def test_it(ws):
            found = ws.load("calc").squares(3)
            assert all(value == n * n for n, value in enumerate(found))
            assert len(found) == 3
        """,
        """
        class Liar:
            def __init__(self, n): self.n = n
            def __len__(self): return self.n
            def __iter__(self): return iter(())
        def squares(n): return Liar(n)
        """,
        "failed",
    ),
    "ends a map with StopIteration": (
        """
        def test_it(ws):
            calc = ws.load("calc")
            assert all(map(lambda n: calc.double(n) == 2 * n, range(5)))
        """,
        "def double(n): raise StopIteration\n",
        "failed",
    ),
    "hands out objects as unique ids": (
        """
        def test_it(ws):
            calc = ws.load("calc")
            assert len({calc.new_id() for _ in range(9)}) == 9
        """,
        "def new_id(): return object()\n",
        "error",
    ),
    "swallows what a callback of the check asserts": (
        """
        def test_it(ws):
            def visit(n):
                assert n == 5
            ws.load("calc").each(visit)
        """,
        """
        def each(visit):
            try: visit(4)
            except BaseException: pass
        """,
        "failed",
    ),
    "has its module come with what numpy would believe": (
        """
        def test_it(ws):
            assert not hasattr(ws.load("calc"), "__array_interface__")
        """,
        """
        import gc, sys
        wire = sys.modules["honestly.verify._guest.wire"]
        channel = next(o for o in gc.get_objects() if type(o) is wire.Channel)
        channel.send(b"R", b'[true,[1,["__array_interface__"]]]')
        """,
        "passed",
    ),
    "gains time by calling back": (
        """
        def test_it(ws):
            with ws.limit(0.4):
                ws.load("calc").slow(lambda: None)
        """,
        """
        import time
        def slow(visit):
            for _ in range(4):
                time.sleep(0.2)
                visit()
        """,
        "timeout",
    ),
    "gains time by answering in two parts": (
        """
        def test_it(ws):
            with ws.limit(0.4):
                assert ws.load("calc").slow() is True
        """,
        """
        import gc, os, sys, time
        def slow():
            wire = sys.modules["honestly.verify._guest.wire"]
            channel = next(o for o in gc.get_objects() if type(o) is wire.Channel)
            reply = b'[true,true]'
            frame = (1 + len(reply)).to_bytes(4, "big") + b"R" + reply
            for part in (frame[:3], frame[3:]):
                time.sleep(0.3)
                os.write(channel._fd, part)
        """,
        "timeout",
    ),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_no_check_is_talked_out_of_its_question(task, name):
    checks, calc, status = FORGERIES[name]
    assert statuses(judged(with_hidden(task, checks, "test_it"), calc).hidden) == [status]


def test_exceptions_that_end_loops_can_still_be_demanded(task):
    checks = """
        from grader import raises

        def test_it(ws):
            with raises(StopIteration):
                ws.load("calc").Empty().__next__()
    """
    calc = """
        class Empty:
            def __next__(self): raise StopIteration
    """
    run = judged(with_hidden(task, checks, "test_it"), calc).hidden
    assert statuses(run) == ["passed"], run


def test_an_object_that_grows_and_one_that_runs_dry_contradict_nothing(task):
    check = """
        def test_it(ws):
            calc = ws.load("calc")
            bag = calc.Bag()
            for size in range(4):
                assert len(bag) == size and list(bag) == list(range(size)) and len(bag) == size
                calc.put(bag, size) if size % 2 else bag.put(size)
            stream = calc.stream()
            assert list(stream) == [1, 2] and list(stream) == []
    """
    bag = """
        class Bag:
            def __init__(self): self.all = []
            def __len__(self): return len(self.all)
            def __iter__(self): return iter(self.all)
            def put(self, each): self.all.append(each)
        def put(bag, each): bag.put(each)
        def stream(): yield from (1, 2)
    """
    assert statuses(judged(with_hidden(task, check, "test_it"), bag).hidden) == ["passed"]


def test_a_callback_may_fail_as_the_solution_demands(task):
    checks = """
        def test_it(ws):
            calc = ws.load("calc")
            assert calc.caught(lambda: calc.assertion()) == "AssertionError"
    """
    calc = """
        def assertion(): assert False
        def caught(call):
            try: call()
            except Exception as error: return type(error).__name__
    """
    run = judged(with_hidden(task, checks, "test_it"), calc).hidden
    assert statuses(run) == ["passed"], run


def test_a_function_that_another_one_has_replaced_is_not_the_one_that_the_module_came_with(task):
    checks = """
        def test_it(ws):
            calc = ws.load("calc")
            calc.switch()
            assert calc.answer() == 2
    """
    calc = """
        def answer(): return 1
        def switch():
            global answer
            def answer(): return 2
    """
    run = judged(with_hidden(task, checks, "test_it"), calc).hidden
    assert statuses(run) == ["passed"], run


def test_a_source_that_a_check_has_written_is_what_it_loads(task):
    checks = """
        def test_it(ws):
            ws.write("calc.py", "def answer(): return 2\\n")
            assert ws.load("calc").answer() == 2
    """
    run = judged(with_hidden(task, checks, "test_it"), "def answer(): return 1\n").hidden
    assert statuses(run) == ["passed"], run


@pytest.mark.slow
def test_an_answer_that_is_slow_to_read_costs_no_more_than_the_limit_of_the_solution(task):
    checks = """
        def test_it(ws):
            with ws.limit(1):
                assert ws.load("calc").tables(600) == 3
    """
    source = """
        import gc, sys
        from itertools import islice, product

        def tables(count):  # all keys of a table have one hash: hash(-1) == hash(-2)
            keys = [list(key) for key in islice(product((-1, -2), repeat=10), 990)]
            table = '{"d":[%s]}' % ",".join('[{"t":%s},0]' % key for key in keys)
            wire = sys.modules["honestly.verify._guest.wire"]
            channel = next(o for o in gc.get_objects() if type(o) is wire.Channel)
            channel.send(b"R", ('[true,[%s]]' % ",".join([table] * count)).encode())
    """
    run = judged(with_hidden(task, checks, "test_it"), source).hidden
    assert statuses(run) == ["error"]
    assert run.checks[0].ended == "grader"
    assert "did not survive" in run.checks[0].message


ALIKE = "from itertools import islice, product\nALIKE = list(islice(product((-1, -2), repeat=16), 30_000))\n"
BUSY = {  # what a check does with an answer, and the answer that keeps it busy for hours
    "a set of keys with one hash": ("set(calc.answer()) == {1}", f"{ALIKE}def answer(): return ALIKE\n"),
    "the same in a callback": ("calc.visit(lambda x: set(x))", f"{ALIKE}def visit(see):\n    while True: see(ALIKE)\n"),
    "a range that does not end": ("sum(calc.answer()) == 1", "def answer(): return range(10**18)\n"),
    "a decimal as large as that": (
        "int(calc.answer()) == 1",
        "from decimal import Decimal\ndef answer(): return Decimal('1e99999999')\n",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", sampled(BUSY, quick=1))
def test_an_answer_that_is_slow_to_compare_costs_no_more_either(task, name):
    expression, source = BUSY[name]
    checks = f"def test_it(ws):\n    calc = ws.load('calc')\n    with ws.limit(0.5):\n        assert {expression}\n"
    run = judged(with_hidden(task, checks, "test_it"), source).hidden
    assert (statuses(run), run.note) == (["error"], "")
    assert run.checks[0].ended == "grader"
