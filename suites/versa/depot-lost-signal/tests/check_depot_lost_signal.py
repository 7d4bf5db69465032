"""Hidden checks of depot-lost-signal: exact answers, and random tasks against a kernel that was written for this purpose."""

import json

from grader import raises

PROBE = r"""
from depot import Kernel, Signal, Sleep, Store, Wait, days


def task(kernel, name, script, signals, store, log):
    for step in script:
        match step:
            case ("sleep", ticks):
                yield Sleep(ticks)
            case ("pause",):
                yield None
            case ("wait", signal, ticks):
                log.append((name, kernel.now, signal, (yield Wait(signals[signal], ticks))))
            case ("give", signal):
                signals[signal].give()
            case ("give_all", signal):
                signals[signal].give_all()
            case ("put", good):
                store.put(good)
            case ("take", patience):
                log.append((name, kernel.now, "take", (yield from store.take(patience))))


def play(scripts, schedule):
    kernel, log = Kernel(), []
    signals, store = {name: Signal(name) for name in "xy"}, Store(kernel)
    for name, script in scripts:
        kernel.add(name, task(kernel, name, script, signals, store, log))
    report = kernel.run(schedule)
    return log, report.now, report.stuck, list(store.goods)


def friday(schedule):
    kernel, store, log = days.friday()
    return kernel.run(schedule).stuck, log, list(store.goods)
"""

def diagnosis(ws):
    """What the solution says."""
    return json.loads(ws.read("diagnosis.json"))


def test_where_the_fault_is(ws):
    """The method."""
    found = diagnosis(ws)
    assert (found["module"], found["function"]) == ("depot/kernel.py", "Kernel._time_is_up")


def test_the_shortest_schedule(ws):
    """The first of the shortest bad schedules, and what it does."""
    found = diagnosis(ws)
    assert found["schedule"] == [0, 0, 0, 0, 3, 3] and all(type(number) is int for number in found["schedule"])
    assert (found["stuck"], found["left"]) == (["Ruth"], ["bricks"])
    assert found["now"] == 8 and type(found["now"]) is int
    assert found["schedules"] == 240 and type(found["schedules"]) is int


def taking(world, patience):
    """How a lorry takes a good."""
    end = None if patience is None else world["now"] + patience
    while not world["goods"]:
        if end is not None and end <= world["now"]:
            return None
        yield "wait", "arrival", None if end is None else end - world["now"]
    return world["goods"].pop(0)


def acting(world, name, script):
    """A task of the check's own: yields (what, signal, ticks)."""
    for what, *rest in script:
        if what == "sleep":
            yield "sleep", None, rest[0]
        elif what == "pause":
            yield "pause", None, None
        elif what == "wait":
            now = world["now"]
            world["log"].append((name, now, rest[0], (yield "wait", *rest)))
        elif what == "take":
            now = world["now"]
            world["log"].append((name, now, "take", (yield from taking(world, rest[0]))))
        elif what == "put":
            world["goods"].append(rest[0])
            give(world, "arrival")
        else:
            for _ in range(sum(signal == rest[0] for signal, _task in world["waiting"]) if what == "give_all" else 1):
                give(world, rest[0])


def give(world, signal):
    """Wakes who has waited longest for a signal."""
    for place, (wanted, task) in enumerate(world["waiting"]):
        if wanted == signal:
            del world["waiting"][place]
            world["alarms"].pop(task, None)
            world["ready"][task] = True
            return


def play(scripts, schedule):
    """Log, time, who is stuck, goods; and the numbers of tasks among which was chosen."""
    world = {"now": 0, "log": [], "goods": [], "waiting": [], "alarms": {}, "ready": {}}
    tasks = [acting(world, name, script) for name, script in scripts]
    world["ready"] = {number: None for number in range(len(tasks))}
    done, choices = set(), []
    while world["ready"] or world["alarms"]:
        if not world["ready"]:
            world["now"] = min(world["alarms"].values())
            for task in [task for task, tick in world["alarms"].items() if tick == world["now"]]:
                del world["alarms"][task]
                world["waiting"] = [(signal, other) for signal, other in world["waiting"] if other != task]
                world["ready"][task] = False
        ready, place = sorted(world["ready"]), 0
        if len(ready) > 1:
            place = schedule[len(choices)] % len(ready) if len(choices) < len(schedule) else 0
            choices.append(place)
        task = ready[place]
        answer = world["ready"].pop(task)
        try:
            what, signal, ticks = tasks[task].send(answer)
        except StopIteration:
            done.add(task)
            continue
        if what == "pause":
            world["ready"][task] = None
            continue
        if what == "wait":
            world["waiting"].append((signal, task))
        if ticks is not None:
            world["alarms"][task] = world["now"] + ticks
    stuck = sorted(name for number, (name, _script) in enumerate(scripts) if number not in done)
    return (world["log"], world["now"], stuck, world["goods"]), choices


def random_script(rng):
    """What a task does."""
    made = []
    for _ in range(rng.randrange(1, 7)):
        ticks = rng.choice((0, 1, 1, 2, 3))
        made.append(
            rng.choice(
                (
                    ("sleep", ticks),
                    ("pause",),
                    ("wait", rng.choice("xxy"), rng.choice((1, 2, 3, 3, None))),
                    ("wait", rng.choice("xxy"), rng.choice((1, 2, 2))),
                    ("give", rng.choice("xxy")),
                    ("give", "x"),
                    ("give_all", rng.choice("xy")),
                    ("put", f"good {rng.randrange(100)}"),
                    ("take", rng.choice((None, 1, 2, 3, 0))),
                )
            )
        )
    return made


def test_random_tasks(ws):
    """Random tasks under random schedules."""
    ws.write("probe.py", PROBE)
    probe = ws.load("probe")
    for _ in range(250):
        names = ws.rng.sample(("Ada", "Bo", "Cy", "Di", "Eve", "Flo"), ws.rng.randrange(2, 7))
        scripts = [(name, random_script(ws.rng)) for name in names]
        numbers = [ws.rng.randrange(60) for _ in range(ws.rng.randrange(30))]
        wanted, choices = play(scripts, numbers)
        found = probe.play(scripts, choices[: len(numbers)])
        assert (found[0], found[1:]) == (wanted[0], wanted[1:]), (scripts, choices)


def test_all_of_friday(ws):
    """Nobody is stuck on Friday, whatever the first decisions are."""
    ws.write("probe.py", PROBE)
    probe = ws.load("probe")
    for _ in range(150):
        schedule = [ws.rng.randrange(5), ws.rng.randrange(4), *(ws.rng.randrange(2) for _ in range(6))]
        schedule = ws.rng.choice((schedule, [0, 0, 0, 0, 3, 3], [0, 0, 1, 0, 4, 3], schedule[:3]))
        try:
            stuck, log, goods = probe.friday(schedule)
        except ValueError:
            continue
        assert stuck == [], schedule
        assert sorted(name for name, _good in log) == ["Ida", "Olaf", "Ruth"]
        got = [good for _name, good in log if good is not None]
        assert sorted(got + goods) == ["bricks", "lime", "sand"]


def test_waiting_again(ws):
    """Who waits again comes to the end, and is woken only by what it waits for now."""
    ws.write("probe.py", PROBE)
    probe = ws.load("probe")
    cases = [
        ([("a", [("wait", "x", 1), ("wait", "x", None)]), ("b", [("wait", "x", None)]), ("c", [("sleep", 2), ("give", "x")])], ["a"]),
        ([("a", [("wait", "x", 1), ("wait", "y", None)]), ("b", [("sleep", 2), ("wait", "x", None)]),
          ("c", [("sleep", 3), ("give", "x")])], ["a"]),
        ([("a", [("wait", "x", 1), ("sleep", 9)]), ("b", [("sleep", 2), ("give", "x"), ("give", "y")])], []),
        ([("a", [("wait", "x", 2)]), ("b", [("sleep", 2), ("give", "x")])], []),
    ]  # fmt: skip
    for scripts, stuck in cases:
        wanted, choices = play(scripts, [])
        assert wanted[2] == stuck
        assert tuple(probe.play(scripts, choices)) == wanted, scripts


def test_choices_that_are_too_large(ws):
    """Numbers are refused as before, and only where there is something to choose."""
    ws.write("probe.py", PROBE)
    probe = ws.load("probe")
    for number in (2, 3, 9):
        with raises(ValueError):
            probe.play([("a", [("pause",)]), ("b", [])], [number])
    assert tuple(probe.play([("a", [("pause",), ("sleep", 2)])], [7, 7])) == ([], 2, [], [])
