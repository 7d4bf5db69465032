"""Hidden checks of slot-calendar: random commands against counts by time in Python."""

DRIVER = r"""
#include <cstdio>
#include "calendar.hpp"

int main()
{
    char what;
    long a, b, c;
    Calendar calendar(1);
    while (std::scanf(" %c %ld %ld %ld", &what, &a, &b, &c) == 4) {
        const Calendar &same = calendar;
        if (what == 'n')
            calendar = Calendar(static_cast<int>(a));
        else if (what == 'b')
            std::printf("%d\n", calendar.book(a, b, static_cast<int>(c)));
        else if (what == 'c')
            std::printf("%d\n", calendar.cancel(static_cast<int>(a)) ? 1 : 0);
        else if (what == 'f')
            std::printf("%d\n", same.free(a, b));
        else
            std::printf("%ld\n", same.earliest(a, b, static_cast<int>(c)));
    }
}
"""


def built(ws):
    """Compiles the driver; gives a function from commands to what it prints. This is dear, so all that runs it is one check."""
    ws.write("hidden_driver.cpp", DRIVER)
    words = [
        "g++",
        "-std=c++17",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-I.",
        "-o",
        "/tmp/hidden_driver",
        "hidden_driver.cpp",
        "calendar.cpp",
    ]
    compiled = ws.run(words)
    assert compiled.code == 0, compiled

    def run(commands, timeout=10):
        text = "".join(f"{w} {a} {b} {c}\n" for w, a, b, c in commands)
        done = ws.run(["/tmp/hidden_driver"], stdin=text, timeout=timeout)
        assert done.code == 0 and not done.timed_out, done
        return done.stdout.splitlines()

    return run


class Room:
    """Oracle: how many places are taken at each time from -30 to 200."""

    def __init__(self, places):
        self.places, self.taken, self.bookings, self.last = places, dict.fromkeys(range(-30, 200), 0), {}, 0

    def free(self, a, b):
        return self.places - max(self.taken[t] for t in range(a, b)) if a < b else -1

    def do(self, what, a, b, c):
        """The answer to a command."""
        if what == "f":
            return self.free(a, b)
        if what == "b":
            if c < 1 or a >= b or self.free(a, b) < c:
                return 0
            self.last += 1
            self.bookings[self.last] = a, b, c
        elif what == "c":
            if a not in self.bookings:
                return 0
            a, b, c = self.bookings.pop(a)
            c = -c
        else:
            if c < 1 or b < 1 or c > self.places:
                return -1
            return next(t for t in range(a, 200) if self.free(t, t + b) >= c)
        for t in range(a, b):
            self.taken[t] += c
        return self.last if what == "b" else 1


def random_commands(rng, size):
    """Commands that book, cancel and ask, in a room of a few places; times stay small."""
    commands = []
    for k in range(size):
        what = rng.choice("bbbbcffee")
        if what == "e":
            commands.append(
                (what, rng.randrange(60), rng.choice((0, 1, 2, 5, 12, -1)), rng.choice((-1, 0, 1, 1, 2, 3, 5, 6)))
            )
        elif what == "c":
            commands.append((what, rng.randrange(-1, 2 + k // 3), 0, 0))
        else:
            low = 0 if what == "f" else -20
            a = rng.randrange(low, 60)
            commands.append((what, a, a + rng.choice((-3, 0, 1, 1, 2, 4, 9, 30)), rng.choice((-1, 0, 1, 1, 2, 3, 5))))
    return commands


def many(rng, size):
    """Commands for bookings side by side, and their answers."""
    order = list(range(size))
    rng.shuffle(order)
    commands = [
        ("n", 1, 0, 0),
        *(("b", 10 * k, 10 * k + 9, 1) for k in order),
        *(("b", 10 * k + 8, 10 * k + 10, 1) for k in order),
    ]
    commands += [("c", number, 0, 0) for number in range(1, size + 1, 2)]
    commands += [("e", 0, 9 + 10 * size, 1)]
    left = max(order[k] for k in range(1, size, 2))
    return commands, [*map(str, range(1, size + 1)), *["0"] * size, *["1"] * (size // 2), str(10 * left + 9)]


def test_commands(ws):
    """Rooms of one to five places, every kind of refusal, numbers that are never used again; then 20,000 bookings in a second."""
    days = [
        [
            ("n", 4, 0, 0),
            ("b", 10, 20, 3),
            ("b", 15, 25, 2),
            ("b", 20, 25, 2),
            ("f", 10, 25, 0),
            ("f", 20, 30, 0),
            ("e", 0, 10, 2),
            ("e", 5, 6, 3),
        ]
    ]
    days[0] += [
        ("c", 1, 0, 0),
        ("c", 1, 0, 0),
        ("b", 15, 25, 2),
        ("c", 3, 0, 0),
        ("b", 0, 1, 1),
        ("e", 0, 1, 4),
        ("e", 0, 1, 5),
    ]
    for places in (1, 2, 3, 5, 1, 2, 3, 4):
        days.append([("n", places, 0, 0), *random_commands(ws.rng, 200)])
    run = built(ws)
    given = run([command for day in days for command in day])
    at = 0
    for (_new, places, _b, _c), *commands in days:
        room = Room(places)
        for command in commands:
            wanted = str(room.do(*command))
            assert at < len(given) and given[at] == wanted, (places, command, wanted, given[at : at + 1])
            at += 1
    assert at == len(given)
    commands, wanted = many(ws.rng, 20_000)
    assert run(commands, timeout=1.5) == wanted


def test_the_header_is_kept(ws):
    """The public part of the header is as it was."""
    text = ws.read("calendar.hpp")
    for line in (
        "explicit Calendar(int places);",
        "int book(long from, long to, int wanted);",
        "bool cancel(int number);",
        "int free(long from, long to) const;",
        "long earliest(long from, long length, int wanted) const;",
    ):
        assert line in text, line
