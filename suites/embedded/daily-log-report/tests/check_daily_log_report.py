"""Hidden checks of daily-log-report: days, hours and order of moments in the report's zone."""

import json
from datetime import datetime, timedelta, timezone

from grader import raises

BASE = datetime(2026, 3, 1, tzinfo=timezone.utc)
OFFSETS = [0, 330, 120, -210, -480, 765, -45, 5, -719]
PATHS = ["/cart", "/pay", "/home", "/search", "/a", "/b"]


def zone_text(minutes):
    sign = "-" if minutes < 0 else "+"
    return f"{sign}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"


def line(moment, minutes, path="/cart", status=200, ms=10):
    """A log line for a moment, written by a machine with this offset."""
    local = (moment + timedelta(minutes=minutes)).replace(tzinfo=None)
    return f"{local.isoformat()}{zone_text(minutes)} web GET {path} {status} {ms}ms"


def random_log(rng, size):
    """Moments and lines; many ties in hours, times and durations."""
    entries = []
    for _ in range(size):
        moment = BASE + timedelta(minutes=15 * rng.randrange(300))
        entries.append((moment, rng.choice(PATHS), rng.choice([200, 404, 499, 500, 503]), rng.randrange(1, 5) * 10))
    return entries, [line(m, rng.choice(OFFSETS), p, s, ms) for m, p, s, ms in entries]


def expected_rows(entries, minutes):
    days = {}
    for entry in entries:
        local = entry[0] + timedelta(minutes=minutes)
        days.setdefault(local.date().isoformat(), []).append((local, *entry[1:]))
    rows = []
    for day in sorted(days):
        found = days[day]
        hours = [local.hour for local, *_ in found]
        slowest = max(ms for *_, ms in found)
        rows.append(
            {
                "day": day,
                "requests": len(found),
                "errors": len([1 for _, _, status, _ in found if status >= 500]),
                "busiest_hour": min(set(hours), key=lambda hour: (-hours.count(hour), hour)),
                "slowest": min((e for e in found if e[3] == slowest), key=lambda e: e[0])[1],
            }
        )
    return rows


def test_zones(ws):
    """Every offset means what it says, minutes of negative ones included."""
    parse_zone = ws.load("weblog.zones").parse_zone
    for text, minutes in {"-03:30": -210, "-00:45": -45, "+00:00": 0, "-00:00": 0, "-12:00": -720, "Z": 0}.items():
        assert parse_zone(text).utcoffset(None) == timedelta(minutes=minutes), text
    for _ in range(40):
        minutes = ws.rng.randrange(-1439, 1440)
        assert parse_zone(zone_text(minutes)).utcoffset(None) == timedelta(minutes=minutes)


def test_what_is_not_a_zone(ws):
    """Malformed and impossible offsets raise ValueError, in a report too."""
    parse_zone, daily = ws.load("weblog.zones").parse_zone, ws.load("weblog.report").daily
    for text in ["", "z", "UTC", "+5:30", "-24:00", "-03:60", "+01:30 ", "0530", "+01:300"]:
        with raises(ValueError):
            parse_zone(text)
        with raises(ValueError):
            daily([], text)


def test_days_and_hours_in_the_zone_of_the_report(ws):
    """One moment, seen from several zones and written by several machines."""
    daily = ws.load("weblog.report").daily
    moment = BASE + timedelta(hours=20, minutes=10)
    for own in OFFSETS:
        local = moment + timedelta(minutes=own)
        for machine in OFFSETS:
            (row,) = daily([line(moment, machine)], zone_text(own))
            assert (row["day"], row["busiest_hour"]) == (local.date().isoformat(), local.hour)


def test_random_logs(ws):
    """Whole reports of unordered logs agree with the docstring."""
    daily = ws.load("weblog.report").daily
    for minutes in OFFSETS:
        entries, lines = random_log(ws.rng, 60)
        assert daily(lines, zone_text(minutes)) == expected_rows(entries, minutes)


def test_order_of_moments_decides_ties(ws):
    """Of equally slow requests the earlier moment wins, though its text may be larger."""
    daily = ws.load("weblog.report").daily
    noon = BASE + timedelta(hours=12)
    later = line(noon + timedelta(minutes=30), -480, "/later", 200, 70)
    earlier = line(noon, 330, "/earlier", 200, 70)
    for lines in [[later, earlier], [earlier, later]]:
        assert daily(lines, "Z")[0]["slowest"] == "/earlier"
    same = [line(noon, 120, "/first", 200, 70), line(noon, -480, "/second", 200, 70)]
    assert daily(same, "Z")[0]["slowest"] == "/first"
    assert daily(same[::-1], "Z")[0]["slowest"] == "/second"


def test_earliest_of_the_busiest_hours(ws):
    """Hours with equally many requests: the earliest hour of the day in the report's zone."""
    daily = ws.load("weblog.report").daily
    moments = [BASE + timedelta(hours=h) for h in (17, 9, 9, 17, 13)]
    lines = [line(moment, minutes) for moment, minutes in zip(moments, [0, 330, -480, 765, 0])]
    assert daily(lines, "Z")[0]["busiest_hour"] == 9
    assert daily(lines[::-1], "-03:30")[0]["busiest_hour"] == 5


def test_bounds(ws):
    """since and until are days in the report's zone, both included."""
    daily = ws.load("weblog.report").daily
    entries, lines = random_log(ws.rng, 80)
    for minutes in [330, -210, -480]:
        rows = expected_rows(entries, minutes)
        days = [row["day"] for row in rows]
        zone = zone_text(minutes)
        assert daily(lines, zone, days[1]) == rows[1:]
        assert daily(lines, zone, "", days[1]) == rows[:2]
        assert daily(lines, zone, days[1], days[1]) == [rows[1]]
        assert daily(lines, zone, "2027-01-01") == []


def test_lines(ws):
    """Times without an offset are in UTC; comments and blank lines are skipped; malformed lines are refused."""
    daily = ws.load("weblog.report").daily
    rows = daily(["# comment", "  ", "2026-03-01T22:00:00 web GET /x 500 5ms\n"], "+05:30")
    assert rows == [{"day": "2026-03-02", "requests": 1, "errors": 1, "busiest_hour": 3, "slowest": "/x"}]
    assert daily([], "Z") == []
    for bad in ["2026-03-01T22:00:00Z web GET /x 500 5", "2026-13-01T22:00:00Z web GET /x 500 5ms", "nonsense"]:
        with raises(ValueError):
            daily([bad], "Z")


def test_command_line(ws):
    """The command prints the report, wherever the machine that runs it is."""
    entries, lines = random_log(ws.rng, 30)
    lines.append("2026-03-02T23:45:00 web GET /naive 200 500ms")
    entries.append((BASE + timedelta(hours=47, minutes=45), "/naive", 200, 500))
    result = ws.run(["python3", "-m", "weblog", "-03:30"], stdin="\n".join(lines) + "\n", env={"TZ": "XXX-9"})
    assert result.code == 0, result.stderr
    assert [json.loads(row) for row in result.stdout.splitlines()] == expected_rows(entries, -210)
    assert ws.run(["python3", "-m", "weblog", "nowhere"], stdin="").code == 2
