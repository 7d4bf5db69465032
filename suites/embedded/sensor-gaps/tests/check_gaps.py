"""Hidden checks of sensor-gaps: random mixtures of sensors against the rules in integer arithmetic."""


def report(lines, every=60):
    """Oracle, exact: all seconds are whole numbers."""
    last, totals, out = {}, {}, []
    for line in lines:
        fields = line.split(",")
        if line == "" or line[0] == "#" or fields[0] == "sensor" or fields[2] == "NA":
            continue
        name, seconds = fields[0], int(fields[1])
        total = totals.setdefault(name, [0, 0, 0])
        if name in last and 2 * (seconds - last[name]) > 3 * every:
            missed = (2 * (seconds - last[name]) + every) // (2 * every) - 1
            out.append(f"gap {name} {last[name]} {seconds} {missed}")
            total[1] += 1
            total[2] += missed
        total[0] += 1
        last[name] = seconds
    return out + [f"total {name} {n} {gaps} {missed}" for name, (n, gaps, missed) in totals.items()]


def gaps(ws, lines, every=None, end="\n"):
    """Lines that the program prints."""
    options = [] if every is None else ["-v", f"every={every}"]
    done = ws.run(["awk", *options, "-f", "gaps.awk"], stdin="".join(line + end for line in lines))
    assert done.code == 0, done
    return done.stdout.splitlines()


def stream(rng, sensors, size, every):
    """Readings of some sensors, with distances around the border, failed readings, headers and comments."""
    clock = {name: rng.randrange(100) for name in sensors}
    lines = []
    for _ in range(size):
        name = rng.choice(sensors)
        step = rng.choice(
            (0, every, every, 3 * every // 2, 3 * every // 2 + 1, 2 * every, 5 * every // 2, rng.randrange(9 * every))
        )
        clock[name] += step
        value = "NA" if rng.random() < 0.15 else f"{rng.randrange(300) / 10}"
        lines.append(f"{name},{clock[name]},{value}")
        if rng.random() < 0.1:
            lines.append(rng.choice(("", "# moved, to bed 9", "sensor,seconds,value", "#a,1,2", "sensor,5,NA")))
    return lines


def test_random_mixtures(ws):
    """Four sensors in any mixture, every 60 seconds."""
    for _ in range(4):
        lines = stream(ws.rng, ["bed1", "bed2", "roof", "Sensor"], 60, 60)
        assert gaps(ws, lines) == report(lines)


def test_other_intervals(ws):
    """Odd and even intervals, where halves have to be rounded up."""
    for every in (1, 7, 10, 25, 300):
        lines = stream(ws.rng, ["a", "b"], 50, every)
        assert gaps(ws, lines, every) == report(lines, every)


def test_borders(ws):
    """One and a half intervals are no gap yet, and halves are rounded up."""
    lines = ["a,0,1", "a,90,1", "a,181,1", "a,331,1", "a,480,1", "a,480,1"]
    assert gaps(ws, lines) == ["gap a 90 181 1", "gap a 181 331 2", "gap a 331 480 1", "total a 6 3 4"]


def test_failed_readings_are_none(ws):
    """A failed reading neither ends a gap nor counts; a sensor with failed readings only is not listed."""
    lines = ["x,0,NA", "a,0,5", "a,60,NA", "a,120,5", "x,500,NA", "b,7,NAN", "b,70,0"]
    assert gaps(ws, lines) == ["gap a 0 120 1", "total a 2 1 1", "total b 2 0 0"]


def test_line_endings(ws):
    """CR LF is read like LF, in values, empty lines and failed readings."""
    lines = [
        "sensor,seconds,value",
        "a,0,NA",
        "",
        "a,100,3.5",
        "a,400,NA",
        "# end",
        "a,700,1",
        "sensor,seconds,value",
        "b,1,2",
    ]
    assert gaps(ws, lines, end="\r\n") == report(lines)


def test_nothing(ws):
    """No input, or none that counts, gives no output."""
    assert gaps(ws, []) == []
    assert gaps(ws, ["", "# only", "sensor,seconds,value"]) == []


def test_large_seconds(ws):
    """Seconds since 1970 are printed as they were read."""
    lines = [f"a,{1700000000 + k * 1000003},1" for k in range(4)]
    assert gaps(ws, lines) == report(lines)
