"""Hidden checks of shift-clocks: exact answers, and random zones and shifts against the rules, minute by minute."""

import json
from datetime import datetime, timedelta

MINUTE = timedelta(minutes=1)

def diagnosis(ws):
    """What the solution says."""
    return json.loads(ws.read("diagnosis.json"))


def test_where_the_fault_is(ws):
    """The method."""
    found = diagnosis(ws)
    assert (found["module"], found["function"]) == ("shifts/zones.py", "Zone.to_utc")


def test_when_it_is_wrong(ws):
    """Local times with wrong results."""
    found = diagnosis(ws)
    assert type(found["wrong_minutes"]) is int and found["wrong_minutes"] == 90
    assert (found["first_wrong"], found["last_wrong"]) == ("2026-04-05T01:30", "2026-06-20T23:59")
    assert (found["utc_wrong"], found["utc_right"]) == ("2026-04-04T15:00", "2026-04-04T14:30")


def test_who_is_underpaid(ws):
    """The shifts, and what is missing."""
    found = diagnosis(ws)
    assert found["shifts_wrong"] == [1029, 1057] and all(type(number) is int for number in found["shifts_wrong"])
    assert type(found["underpaid"]) is int and found["underpaid"] == 3898


def offset_of(zone, utc):
    """Minutes that a zone (first offset, changes) is ahead of UTC."""
    first, changes = zone
    return next((offset for moment, offset in reversed(changes) if moment <= utc), first)


def utc_of(zone, local):
    """What a local time means."""
    first, changes = zone
    offsets = sorted({first, *(offset for _moment, offset in changes)}, reverse=True)
    fitting = [local - offset * MINUTE for offset in offsets]
    fitting = [utc for utc in fitting if utc + offset_of(zone, utc) * MINUTE == local]
    if fitting:
        return min(fitting)
    before = first
    for moment, after in changes:
        if moment + before * MINUTE <= local < moment + after * MINUTE:
            return local - before * MINUTE
        before = after
    raise AssertionError(local)


def random_zone(rng):
    """A zone anywhere, with some changes."""
    first = rng.choice((-720, -570, -300, -60, 0, 60, 345, 600, 765))
    offset, moment, changes = first, datetime(2026, 1, 5), []
    for _ in range(rng.randrange(5)):
        moment += rng.randrange(2 * 24 * 60 + 1, 60 * 24 * 60) * MINUTE
        offset += rng.choice((-60, 60, 60, -60, 30, -30, -120, 90, 15))
        changes.append((moment, offset))
    return first, changes


def times_near(rng, zone):
    """Local times, most of them near changes."""
    first, changes = zone
    for moment, after in changes:
        before = offset_of(zone, moment - MINUTE)
        for edge in (before, after):
            for minutes in (-61, -1, 0, 1, rng.randrange(-130, 130), rng.randrange(-900, 900)):
                yield moment + (edge + minutes) * MINUTE
    for _ in range(5):
        yield datetime(2026, 1, 1) + rng.randrange(365 * 24 * 60) * MINUTE


def test_local_times(ws):
    """Random zones, near their changes: local times and moments."""
    module = ws.load("shifts")
    for _ in range(12):
        first, changes = zone = random_zone(ws.rng)
        shuffled = ws.rng.sample(changes, len(changes))
        made = module.Zone(first, shuffled)
        for local in times_near(ws.rng, zone):
            wanted = utc_of(zone, local)
            assert made.to_utc(local) == wanted, (zone, local)
            if ws.rng.random() < 0.2:
                assert made.to_local(local) == local + offset_of(zone, local) * MINUTE, (zone, local)
                assert made.offset(local) == offset_of(zone, local) * MINUTE


def test_pay(ws):
    """Random shifts in random zones."""
    module, inner = ws.load("shifts"), ws.load("shifts.pay")
    for _ in range(25):
        first, changes = zone = random_zone(ws.rng)
        made, rates = module.Zone(first, changes), (ws.rng.randrange(900, 3000), ws.rng.choice((25, 0, 30)), ws.rng.choice((50, 100)))
        times = list(times_near(ws.rng, zone))
        for start in ws.rng.sample(times, min(len(times), 4)):
            end = start + ws.rng.choice((1, 30, 59, 120, 301, 480, 600)) * MINUTE
            now, until, counts = utc_of(zone, start), utc_of(zone, end), {"all": 0, "night": 0, "sunday": 0}
            while now < until:
                clock = now + offset_of(zone, now) * MINUTE
                counts["all"] += 1
                counts["night"] += not 6 <= clock.hour <= 21
                counts["sunday"] += clock.isoweekday() == 7
                now += MINUTE
            shift = module.Shift(1, "Kai", start, end)
            assert inner.minutes(shift, made) == counts, (zone, start, end)
            weights = counts["all"] * 100 + counts["night"] * rates[1] + counts["sunday"] * rates[2]
            whole, rest = divmod(weights * rates[0], 6000)
            assert module.pay(shift, made, module.Rates(*rates)) == whole + (rest >= 3000)


def test_the_island(ws):
    """The zone and the roster of the island, and what was earned there."""
    module, zones, roster = ws.load("shifts"), ws.load("shifts.zones"), ws.load("shifts.roster")
    first, *rest = ws.read("data/island.zone").splitlines()
    zone = int(first), [(datetime.fromisoformat(line.split()[0]), int(line.split()[1])) for line in rest]
    made, shifts = zones.load("data/island.zone"), roster.load("data/2026.csv")
    for local in (datetime(2024, 10, 6, 2), datetime(2026, 6, 20, 23, 30), datetime(2026, 10, 4, 3), datetime(2027, 5, 1)):
        assert made.to_utc(local) == utc_of(zone, local)
    assert len(shifts) == 135
    rates, found = module.Rates(1834), {}
    for shift in shifts:
        if shift.number in (1001, 1027, 1028, 1029, 1056, 1057, 1103, 1104, 1105):
            found[shift.number] = module.pay(shift, made, rates)
    assert [found[number] for number in (1027, 1028, 1029, 1056, 1057)] == [21550, 25447, 23498, 17882, 26708]
    assert [found[number] for number in (1103, 1104, 1105)] == [16965, 16277, 18225]
