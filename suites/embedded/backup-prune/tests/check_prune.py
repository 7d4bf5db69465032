"""Hidden checks of backup-prune: random nights of several databases against the rules written in Python."""

import re

DUMP = re.compile(r"([A-Za-z0-9_-]+)-(\d{8})-(\d{4})\.dump", re.ASCII)


def deletable(names, count=3):
    """Oracle."""
    dumps = {}
    for name in names:
        found = DUMP.fullmatch(name)
        if found:
            dumps.setdefault(found[1], []).append((found[2] + found[3], name))
    stays = set()
    for found in dumps.values():
        found.sort(reverse=True)
        stays.update(name for _stamp, name in found[:count])
        months = {}
        for stamp, name in found:
            months.setdefault(stamp[:6], name)
        stays.update(months.values())
    known = {name for found in dumps.values() for _stamp, name in found}
    return [name for name in names if name in known and name not in stays]


def prune(ws, text, *options):
    """What the script prints, as lines; it must succeed."""
    done = ws.run(["bash", "prune.sh", *options], stdin=text)
    assert done.code == 0, done
    return done.stdout.splitlines()


def night(rng, databases, size):
    """Names of dumps in random order, over few months so that months hold several."""
    names = set()
    while len(names) < size:
        day = f"20{rng.choice(('23', '24'))}{rng.choice((1, 2, 12)):02d}{rng.randrange(1, 29):02d}"
        names.add(f"{rng.choice(databases)}-{day}-{rng.randrange(24):02d}{rng.choice(('00', '30', '59'))}.dump")
    return rng.sample(sorted(names), size)


def test_random_nights(ws):
    """Several databases, random order, counts from 0 to more than there are."""
    for count in (None, 0, 1, 5):
        names = night(ws.rng, ["shop", "shop-eu", "Crm_2", "a"], 40)
        options = () if count is None else ("-n", str(count))
        assert prune(ws, "\n".join(names) + "\n", *options) == deletable(names, 3 if count is None else count)


def test_one_dump_of_each_month(ws):
    """With one to keep, few dumps in few months: the newest of each month stays, whatever its hour."""
    for days in (
        ("0130-0200", "0131-0200", "0210-0200", "0210-1400", "0301-0200"),
        ("0101-0000", "0101-0001", "0228-2359"),
    ):
        names = [f"shop-2024{day}.dump" for day in days]
        assert prune(ws, "\n".join(names) + "\n", "-n", "1") == deletable(names, 1)


def test_databases_whose_names_look_like_dates(ws):
    """The date is the last part: what stands before it belongs to the database, digits and dashes included."""
    rng = ws.rng
    names = [
        f"{base}-2024{m:02d}{d:02d}-0200.dump"
        for base in ("x-20240101-0200", "x", "-", "20240101")
        for m in (1, 2)
        for d in (1, 2, 3)
    ]
    rng.shuffle(names)
    assert prune(ws, "\n".join(names), "-n", "1") == deletable(names, 1)


def test_other_lines_count_for_nothing(ws):
    """Lines that are no names of dumps are ignored, however alike they look; the last newline may be missing."""
    names = night(ws.rng, ["db"], 9)
    noise = [
        "",
        " ",
        "db-20240101-0200.dump.gz",
        "db-20240101-0200.dumps",
        "db-20240101-020.dump",
        "db-2024011-0200.dump",
        "-20240101-0200.dump",
        "db 1-20240101-0200.dump",
        "/srv/db-20240101-0200.dump",
        "db-20240101-0200xdump",
        "*",
        "-n",
        "dé-20240101-0200.dump",
        "db\\n-20240101-0200.dump",
    ]
    mixed = names + noise
    ws.rng.shuffle(mixed)
    assert prune(ws, "\n".join(mixed), "-n", "1") == deletable(mixed, 1)
    assert prune(ws, "") == []
    assert prune(ws, "\n\n") == []


def test_counts_are_decimal(ws):
    """Leading zeros are allowed and mean nothing; -n may be joined with its number."""
    names = [f"db-202405{day:02d}-0100.dump" for day in range(1, 16)]
    for option in (["-n", "010"], ["-n008"], ["-n", "000009"]):
        assert prune(ws, "\n".join(names), *option) == deletable(names, int(option[-1].lstrip("-n")))


def test_usage_errors(ws):
    """Anything else on the command line gives status 2, a message, and no output."""
    for options in (["-n"], ["-n", "x"], ["-n", "-1"], ["-n", ""], ["-n", "1234567"], ["-x"], ["-n", "1", "more"]):
        done = ws.run(["bash", "prune.sh", *options], stdin="db-20240101-0200.dump\n")
        assert (done.code, done.stdout) == (2, ""), (options, done)
        assert done.stderr.strip(), options
