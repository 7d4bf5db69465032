"""Hidden checks of rota-overrides: who holds when overrides overlap, meet, end and are cancelled."""

from datetime import datetime, timedelta

from grader import raises

PEOPLE = ["ann", "bo", "cy"]
START = datetime(2026, 5, 4)
HOUR = timedelta(hours=1)


def new(ws, people=None, turn=7 * 24):
    rotation = ws.load("rota.rotation").Rotation(people or PEOPLE, START, turn * HOUR)
    return ws.load("rota.schedule").Schedule(rotation)


def at(hours):
    return START + hours * HOUR


def holder(hour, overrides, people, turn):
    """Who is on call in the hour that begins at this hour."""
    for person, start, end in reversed(overrides):
        if start <= hour < end:
            return person
    return people[hour // turn % len(people)]


def expected_shifts(first, last, overrides, people, turn):
    found = []
    for hour in range(first, last):
        person = holder(hour, overrides, people, turn)
        if found and found[-1][0] == person:
            found[-1] = (person, found[-1][1], at(hour + 1))
        else:
            found.append((person, at(hour), at(hour + 1)))
    return found


def test_later_override_holds(ws):
    """Of overlapping overrides the later one holds, also where it lies inside of the earlier."""
    schedule = new(ws)
    schedule.override("bo", at(48), at(120))
    schedule.override("cy", at(96), at(144))
    assert [schedule.on_call(at(hour)) for hour in (47, 48, 95, 96, 108, 119, 132, 143, 144)] == [
        *["ann", "bo", "bo", "cy", "cy", "cy", "cy", "cy", "ann"]
    ]
    schedule.override("dee", at(50), at(52))
    expected = [("bo", at(48), at(50)), ("dee", at(50), at(52)), ("bo", at(52), at(96)), ("cy", at(96), at(100))]
    assert schedule.shifts(at(48), at(100)) == expected


def test_override_ends_just_before_its_end(ws):
    """The start belongs to an override, the end does not."""
    schedule = new(ws)
    schedule.override("guest", at(5), at(6))
    tick = timedelta(microseconds=1)
    moments = [at(5) - tick, at(5), at(6) - tick, at(6)]
    assert [schedule.on_call(moment) for moment in moments] == ["ann", "guest", "guest", "ann"]


def test_numbers(ws):
    """Numbers count the overrides added; refused ones use none, cancelled ones are not used again."""
    schedule = new(ws)
    assert [schedule.override("x", at(1), at(2)), schedule.override("y", at(1), at(3))] == [1, 2]
    for start, end in [(2, 2), (3, 1)]:
        with raises(ValueError):
            schedule.override("z", at(start), at(end))
    schedule.cancel_override(1)
    schedule.cancel_override(2)
    assert schedule.override("x", at(1), at(2)) == 3
    for number in (0, 1, 2, 4, -1):
        with raises(KeyError):
            schedule.cancel_override(number)
    schedule.cancel_override(3)
    assert schedule.shifts(at(0), at(5)) == [("ann", at(0), at(5))]


def test_cancelling_uncovers(ws):
    """Without a cancelled override, what was below it holds again; those above stay."""
    schedule = new(ws)
    for person in ["low", "mid", "top"]:
        schedule.override(person, at(10), at(20))
    schedule.cancel_override(2)
    assert schedule.on_call(at(15)) == "top"
    schedule.cancel_override(3)
    assert schedule.on_call(at(15)) == "low"
    assert schedule.totals(at(0), at(30)) == {"ann": 20 * HOUR, "low": 10 * HOUR}


def test_neighbouring_shifts_are_joined(ws):
    """Shifts of one person that meet come out as one, from rotation and overrides alike."""
    schedule = new(ws, turn=24)
    schedule.override("bo", at(12), at(24))
    schedule.override("bo", at(47), at(60))
    assert schedule.shifts(at(0), at(70)) == [("ann", at(0), at(12)), ("bo", at(12), at(60)), ("cy", at(60), at(70))]
    schedule.override("cy", at(30), at(31))
    schedule.override("bo", at(30), at(31))
    assert schedule.shifts(at(13), at(20)) == [("bo", at(13), at(20))]
    assert schedule.shifts(at(13), at(61)) == [("bo", at(13), at(60)), ("cy", at(60), at(61))]
    alone = new(ws, people=["solo"], turn=1)
    assert alone.shifts(at(-3), at(9)) == [("solo", at(-3), at(9))]
    twice = new(ws, people=["a", "a", "b"], turn=1)
    assert [person for person, *_ in twice.shifts(at(0), at(6))] == ["a", "b", "a", "b"]


def test_empty_and_backward_times(ws):
    """No time has no shifts and no totals; a time that runs backwards is refused."""
    schedule = new(ws)
    schedule.override("x", at(0), at(9))
    assert schedule.shifts(at(3), at(3)) == []
    assert schedule.totals(at(3), at(3)) == {}
    for call in (schedule.shifts, schedule.totals):
        with raises(ValueError):
            call(at(4), at(3))


def test_schedules_are_apart(ws):
    """Overrides of one schedule are not those of another with the same rotation."""
    module = ws.load("rota.schedule")
    rotation = ws.load("rota.rotation").Rotation(PEOPLE, START, 24 * HOUR)
    one, two = module.Schedule(rotation), module.Schedule(rotation)
    one.override("x", at(0), at(9))
    assert (one.on_call(at(1)), two.on_call(at(1))) == ("x", "ann")
    assert two.override("y", at(0), at(1)) == 1


def test_random_schedules(ws):
    """Random overrides, some of them cancelled: shifts, totals and on_call agree with the rules, hour by hour."""
    for _ in range(12):
        turn, people = ws.rng.choice([1, 7, 24, 168]), PEOPLE[: ws.rng.randrange(1, 4)]
        schedule, overrides = new(ws, people, turn), {}
        for _ in range(ws.rng.randrange(12)):
            start = ws.rng.randrange(-60, 120)
            override = (ws.rng.choice([*PEOPLE, "guest"]), start, start + ws.rng.randrange(1, 40))
            number = schedule.override(override[0], at(override[1]), at(override[2]))
            overrides[number] = override
            if ws.rng.random() < 0.3:
                gone = ws.rng.choice(sorted(overrides))
                schedule.cancel_override(gone)
                del overrides[gone]
        holding = [overrides[number] for number in sorted(overrides)]
        for _ in range(4):
            first = ws.rng.randrange(-80, 120)
            last = first + ws.rng.randrange(1, 90)
            expected = expected_shifts(first, last, holding, people, turn)
            assert schedule.shifts(at(first), at(last)) == expected
            totals = {}
            for person, start, end in expected:
                totals[person] = totals.get(person, timedelta(0)) + (end - start)
            assert schedule.totals(at(first), at(last)) == totals
            moment = at(first) + timedelta(minutes=59)
            assert schedule.on_call(moment) == holder(first, holding, people, turn)


def test_rotation_as_before(ws):
    """Without overrides the rotation rules, in both directions of time."""
    schedule = new(ws)
    assert [schedule.on_call(at(hour)) for hour in (-1, 0, 167, 168, 335, 336, 504)] == [
        *["cy", "ann", "ann", "bo", "bo", "cy", "ann"]
    ]
    assert schedule.shifts(at(-10), at(170)) == [
        ("cy", at(-10), at(0)),
        ("ann", at(0), at(168)),
        ("bo", at(168), at(170)),
    ]
