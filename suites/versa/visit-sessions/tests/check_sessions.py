"""Hidden checks of visit-sessions: random visits against sessions that are put together anew for every visit."""

BUILD = {"GOCACHE": "/tmp/gocache", "HOME": "/tmp", "GOFLAGS": "-mod=mod"}


def groups(visits, gap):
    """Visits of one key, split where two neighbours are more than the gap apart."""
    out = []
    for visit in sorted(visits):
        if out and visit[0] - out[-1][-1][0] <= gap:
            out[-1].append(visit)
        else:
            out.append([visit])
    return out


def reported(visits, gap, lag):
    """Oracle: lines for (time, key, value)."""
    kept, mark, late, lines = {}, None, 0, []

    def close(everything):
        over = []
        for key in list(kept):
            for group in groups(kept[key], gap):
                if everything or group[-1][0] + gap < mark:
                    over.append((group[-1][0], key.encode(), key, group))
                    kept[key] = [visit for visit in kept[key] if visit not in group]
        for last, _, key, group in sorted(over, key=lambda one: one[:2]):
            values = [value for _, _, value in group]
            lines.append(f"session {key} {group[0][0]} {last} {len(group)} {sum(values)} {max(values)}")

    for number, (time, key, value) in enumerate(visits):
        mine = (time, number, value)
        whole = next(group for group in groups([*kept.get(key, []), mine], gap) if mine in group)
        if mark is not None and whole[-1][0] + gap < mark:
            late += 1
            lines.append(f"late {key} {time}")
            continue
        kept.setdefault(key, []).append(mine)
        if mark is None or time - lag > mark:
            mark = time - lag
            close(False)
    close(True)
    return [*lines, f"end {late}"]


def built(ws):
    """Compiles the program."""
    done = ws.run(["go", "build", "-o", "/tmp/sessions", "sessions.go"], env=BUILD, timeout=60)
    assert done.code == 0, done


def agrees(ws, visits, gap, lag, options=None):
    """Demands the oracle's lines."""
    text = "".join(f"{time} {key} {value}\n" for time, key, value in visits)
    done = ws.run(["/tmp/sessions", *([f"-gap={gap}", f"-lag={lag}"] if options is None else options)], stdin=text)
    assert done.code == 0 and not done.stderr, done
    wanted, given = reported(visits, gap, lag), done.stdout.splitlines()
    for number, (mine, theirs) in enumerate(zip(wanted, given)):
        assert mine == theirs, (number, mine, theirs, gap, lag, visits)
    assert len(wanted) == len(given)


def stream(rng, keys, size, gap, wild):
    """Visits whose times go up and jump back, many of them exactly at a border."""
    now, out = rng.randrange(-100, 100), []
    for _ in range(size):
        now += rng.choice((0, 0, 1, gap // 2, gap, gap + 1, 2 * gap, 2 * gap + 1))
        back = rng.choice((0, 0, 1, gap, gap + 1, 2 * gap, rng.randrange(wild + 1)))
        out.append((now - back, rng.choice(keys), rng.choice((0, 1, -1, 5, -7, rng.randrange(10**6)))))
    return out


def test_random_visits(ws):
    """Few and many keys, any lag, also none."""
    built(ws)
    for number in range(60):
        gap = ws.rng.choice((0, 1, 5, 10, 30))
        lag = ws.rng.choice((0, 0, 1, gap, 2 * gap + 1, 50))
        keys = ("ann", "bob", "Zoe", "é", "a/b", "10", "9")[: ws.rng.choice((1, 2, 3, 7))]
        agrees(ws, stream(ws.rng, keys, 5 if number < 5 else 80, gap, 60), gap, lag)


def test_single_visits(ws):
    """Borders, the defaults, nothing at all, times and values beyond 32 bits."""
    built(ws)
    agrees(ws, [], 10, 0)
    agrees(ws, [(5, "a", -3)], 10, 5)
    for step in (29, 30, 31):
        agrees(ws, [(0, "a", 1), (step, "a", 2), (step - 1, "b", 2), (200, "c", 1)], 30, 0, options=[])
        for back in (0, 29, 30, 31, 59, 60, 61):
            agrees(
                ws,
                [(100, "b", 1), (100 - back, "a", 1), (100 + step, "b", 4), (100 - back + 30, "a", 9)],
                30,
                0,
                options=[],
            )
            agrees(ws, [(100, "a", 1), (100 - back, "a", 1), (100 - back - 30, "a", 7), (100 + step, "c", 1)], 30, 10)
    great = 4 * 10**12
    agrees(ws, [(great, "a", great), (great + 5, "a", great), (great + 5, "b", -great), (great + 90, "c", 1)], 10, 3)
    agrees(ws, [(-great, "a", -1), (-great - 10, "a", -5), (-great - 11, "b", -5), (0, "a", -9)], 10, 3)
    agrees(ws, [(0, "a", 1), (100, "b", 1), (0, "a", 1), (200, "b", 1), (90, "a", 1), (110, "c", 1)], 10, 50)
