"""Hidden checks of route-table: random commands against a table that looks at every route each time."""

import re

NUMBER = r"(0|[1-9][0-9]{0,2})"
ADDRESS = re.compile(r"\.".join([NUMBER] * 4))


def as_address(text):
    """The value of an address; None if it is none."""
    found = ADDRESS.fullmatch(text)
    parts = [int(part) for part in found.groups()] if found else [256]
    return sum(part << shift for part, shift in zip(parts, (24, 16, 8, 0))) if max(parts) < 256 else None


def as_prefix(text):
    """Address and length; None if the text is no prefix."""
    before, slash, after = text.partition("/")
    value = as_address(before)
    if value is None or not slash or not re.fullmatch(NUMBER, after) or int(after) > 32:
        return None
    return None if value % (1 << (32 - int(after))) else (value, int(after))


def dotted(value):
    """An address as text."""
    return ".".join(str(value >> shift & 255) for shift in (24, 16, 8, 0))


class Model:
    """Oracle: a dict of routes."""

    def __init__(self):
        self.routes = {}

    def covering(self, value, below=33):
        """The longest route over an address that is shorter than `below`; None if there is none."""
        found = [
            (length, start)
            for start, length in self.routes
            if length < below and start <= value < start + (1 << (32 - length))
        ]
        return (max(found)[1], max(found)[0]) if found else None

    def text(self, route):
        """A route as it is printed."""
        return f"{dotted(route[0])}/{route[1]} {dotted(self.routes[route])}"

    def count(self, hop):
        """Addresses that go to a hop, from border to border."""
        borders = {0, 1 << 32}
        for start, length in self.routes:
            borders |= {start, start + (1 << (32 - length))}
        borders, total = sorted(borders), 0
        for low, high in zip(borders, borders[1:]):
            route = self.covering(low)
            total += high - low if route and self.routes[route] == hop else 0
        return total

    def listed(self):
        """Lines of the list."""
        out = []
        for route in sorted(self.routes):
            cover = self.covering(route[0], route[1])
            if cover is None or self.routes[cover] != self.routes[route]:
                out.append(self.text(route))
        return [*out, f"{len(out)} of {len(self.routes)}"]

    def obey(self, line):
        """Lines that answer a line."""
        words = re.findall(r"[^ \t]+", line)
        if not words:
            return []
        kinds = {"add": "ph", "drop": "p", "find": "h", "count": "h", "list": ""}
        kind = kinds.get(words[0])
        if kind is None or len(kind) != len(words) - 1:
            return ["error"]
        values = [(as_prefix if one == "p" else as_address)(word) for one, word in zip(kind, words[1:])]
        if None in values:
            return ["error"]
        if words[0] == "add":
            old = self.routes.get(values[0])
            self.routes[values[0]] = values[1]
            return ["added" if old is None else "same" if old == values[1] else "replaced"]
        if words[0] == "drop":
            return ["absent" if self.routes.pop(values[0], None) is None else "dropped"]
        if words[0] == "find":
            route = self.covering(values[0])
            return ["none" if route is None else self.text(route)]
        return [str(self.count(values[0]))] if words[0] == "count" else self.listed()


def built(ws, *flags):
    """Compiles the program."""
    done = ws.run(["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", *flags, "-o", "/tmp/routes", "routes.c"])
    assert done.code == 0, done


def agrees(ws, lines, end="\n"):
    """Demands the oracle's answers."""
    done = ws.run(["/tmp/routes"], stdin="\n".join(lines) + end)
    assert done.code == 0 and not done.stderr, done
    model, given = Model(), iter(done.stdout.splitlines())
    for line in lines:
        for wanted in model.obey(line):
            said = next(given, None)
            assert said == wanted, (line[:200], wanted, said)
    assert next(given, None) is None


HOPS = ("192.0.2.1", "192.0.2.2", "255.255.255.255", "0.0.0.0")


def prefix(rng):
    """A prefix; few addresses, so that many cover each other."""
    value = rng.choice((0, 0xFFFFFFFF, 0x0A000000, 0x0A0A0A0A, 0x80000000, 0x0AFFFFFF, 0xC0000201, rng.getrandbits(32)))
    length = rng.choice((0, 1, 2, 7, 8, 9, 15, 16, 24, 30, 31, 32, rng.randrange(33)))
    return f"{dotted(value >> (32 - length) << (32 - length))}/{length}"


def command(rng, known):
    """A good line."""
    what = rng.choice(("add",) * 6 + ("drop", "find", "find", "find", "count", "list"))
    if what == "list":
        return what
    if what == "find":
        near = as_prefix(rng.choice(known or ["0.0.0.0/0"]))
        value = near[0] + rng.choice((-1, 0, (1 << (32 - near[1])) - 1, 1 << (32 - near[1])))
        return f"find {dotted(value & 0xFFFFFFFF)}"
    if what == "count":
        return f"count {rng.choice(HOPS)}"
    where = rng.choice(known) if known and rng.random() < (0.3 if what == "add" else 0.8) else prefix(rng)
    known.append(where)
    return f"add {where} {rng.choice(HOPS)}" if what == "add" else f"drop {where}"


def test_random_tables(ws):
    """All commands in any order."""
    built(ws, "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error")
    for _ in range(12):
        known = []
        agrees(ws, [command(ws.rng, known) for _ in range(90)])


WRONG = (
    "add", "list all", "count", "find", "drop", "Add 1.2.3.0/24 1.1.1.1", "add 1.2.3.0/24", "add 1.2.3.0/24 1.1.1.1 x",
    "add 1.2.3.0/24 1.1.1", "add 1.2.3/24 1.1.1.1", "add 1.2.3.0 1.1.1.1", "add 1.2.3.0/ 1.1.1.1",
    "add 1.2.3.0/33 1.1.1.1", "add 1.2.3.0/024 1.1.1.1", "add 1.2.3.0/+24 1.1.1.1", "add 1.2.3.0/24x 1.1.1.1",
    "add 1.2.3.256/32 1.1.1.1", "add 01.2.3.0/24 1.1.1.1", "add 1.2.3.0/24 1.1.1.01", "add 1.2.3.0/24 1.1.1.1/32",
    "add 1.2.3.0/24 1.1.1.-1", "add 1.2.3.4/31x 1.1.1.1", "add 1.2.3.5/31 1.1.1.1", "add 128.0.0.0/0 1.1.1.1",
    "add 1.2.3.0/24 1..1.1", "add 1.2.3.0/24 .1.1.1.1", "add 1.2.3.0/24 1.1.1.1.", "find 1.2.3.4/32", "find 1.2.3.4.5",
    "find 4294967297.2.3.4", "find 1.2.3.999999999999999999999999", "find 0x1.2.3.4", "find 00.0.0.0", "find 1.2.3.300",
    "drop 1.2.3.4", "drop 1.2.3.4/24", "count 1.2.3.0/24", "lists", "li", "#", "add 1.2.3.0 /24 1.1.1.1", "find 1,2,3,4",
    "find 1.2.3.2551", "find a", "add 1.2.3.0/24/24 1.1.1.1", "find 1.2.3.4:5", "drop 1.2.3.0/-1", "find 10.0.0.260", "add 0.0.0.0/33 1.1.1.1", "drop 0.0.0.0/33",
)  # fmt: skip


def test_wrong_lines(ws):
    """They change nothing; blank lines are passed over; any blanks separate words; lines of any length."""
    built(ws)
    good = ["add 0.0.0.0/0 1.2.3.4", " add\t 1.2.3.0/24   9.9.9.9 ", "\tlist", "", "   ", "find 1.2.3.4", "\t"]
    agrees(ws, [*good, *(line for wrong in WRONG for line in (wrong, "list")), "count 1.2.3.4"])
    agrees(ws, ["x" * 5000 + " list", "find" + " " * 3000 + "1.1.1.1", "add 1.1.1.1/32 " + "1" * 2000, "list"])
    agrees(ws, ["add 1.1.1.1/32 1.1.1.1", "list"], end="")
    agrees(ws, [""], end="")


def test_the_whole_of_the_addresses(ws):
    """Counts up to all 4294967296 addresses, default routes, hosts, gaps."""
    built(ws)
    agrees(ws, ["list", "count 1.1.1.1", "add 0.0.0.0/0 1.1.1.1", "count 1.1.1.1", "find 255.255.255.255", "list"])
    halves = ["add 0.0.0.0/1 1.1.1.1", "add 128.0.0.0/1 1.1.1.1", "count 1.1.1.1", "add 0.0.0.0/0 1.1.1.1", "list"]
    agrees(
        ws, [*halves, "drop 128.0.0.0/1", "count 1.1.1.1", "list", "drop 0.0.0.0/0", "drop 0.0.0.0/0", "find 128.0.0.0"]
    )
    nested = ["add 10.0.0.0/8 1.1.1.1", "add 10.0.0.0/16 2.2.2.2", "add 10.0.0.0/24 1.1.1.1", "add 10.0.0.0/32 1.1.1.1"]
    agrees(ws, [*nested, "list", "count 1.1.1.1", "count 2.2.2.2", "drop 10.0.0.0/16", "list", "count 1.1.1.1"])


def test_many_routes(ws):
    """Some thousand routes, in any order."""
    built(ws, "-O1")
    values = [ws.rng.getrandbits(24) << 8 for _ in range(5000)]
    adds = dict.fromkeys(f"add {dotted(value)}/24 {ws.rng.choice(HOPS)}" for value in dict.fromkeys(values))
    finds = [f"find {dotted(value + 7)}" for value in values[::50]]
    done = ws.run(["/tmp/routes"], stdin="\n".join([*adds, *finds]) + "\n")
    assert done.code == 0
    hops = {line.split()[1]: line.split()[2] for line in adds}
    wanted = [f"{dotted(value)}/24 {hops[f'{dotted(value)}/24']}" for value in values[::50]]
    assert done.stdout.splitlines() == ["added"] * len(adds) + wanted
