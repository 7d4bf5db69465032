"""Hidden checks of ring-log: random calls of a driver in C against a list of records in Python.

The driver keeps the buffer between two fields that must not change, and reads one call per line.
"""

DRIVER = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ring.h"

static unsigned char memory[70100], data[70000], out[70000];

int main(void)
{
    struct ring ring;
    char what;
    long a, b, size = 0;
    memset(memory, 0xa5, sizeof memory);
    memset(&ring, 0x5a, sizeof ring);
    while (scanf(" %c %ld %ld", &what, &a, &b) == 3) {
        long result = 0, sum = 0;
        if (what == 'i') {
            size = a;
            memset(memory, 0xa5, sizeof memory);
            ring_init(&ring, memory + 50, (size_t)a);
        } else if (what == 'p') {
            for (long i = 0; i < a; i++)
                data[i] = (unsigned char)(b + i * 7);
            result = ring_put(&ring, a ? data : NULL, (size_t)a);
        } else if (what == 'g') {
            memset(out, 0xee, sizeof out);
            result = ring_get(&ring, (size_t)a, b ? out : NULL, (size_t)b);
            for (long i = 0; i < result && i < b; i++)
                sum = (sum * 31 + out[i]) % 1000003;
            if (out[b] != 0xee || (result >= 0 && result < b && out[result] != 0xee))
                printf("wrote beyond the room\n");
        } else {
            result = ring_drop(&ring);
        }
        for (int i = 0; i < 50; i++)
            if (memory[i] != 0xa5 || memory[50 + size + i] != 0xa5)
                printf("wrote outside of the buffer\n");
        printf("%ld %ld %zu\n", result, sum, ring.count);
    }
    return 0;
}
"""


def expected(calls):
    """Oracle: what the driver prints for these calls."""
    held, size, lines = [], 0, []
    for what, a, b in calls:
        result = total = 0
        if what == "i":
            held, size = [], a
        elif what == "p":
            if a + 4 > size or a > 65535:
                result = -1
            else:
                while sum(len(record) + 4 for record in held) + a + 4 > size:
                    held.pop(0)
                    result += 1
                held.append(bytes((b + i * 7) % 256 for i in range(a)))
        elif what == "g":
            result = len(held[a]) if 0 <= a < len(held) else -1
            for byte in held[a][:b] if result >= 0 else b"":
                total = (total * 31 + byte) % 1000003
        else:
            result = len(held.pop(0)) if held else -1
        lines.append(f"{result} {total} {len(held)}")
    return lines


def agrees(ws, calls, *flags):
    """Compiles the driver and demands the oracle's lines."""
    ws.write("hidden_driver.c", DRIVER)
    words = [
        "gcc",
        "-std=c11",
        "-Wall",
        "-Wextra",
        "-Werror",
        *flags,
        "-I.",
        "-o",
        "/tmp/hidden_driver",
        "hidden_driver.c",
        "ring.c",
    ]
    built = ws.run(words)
    assert built.code == 0, built
    done = ws.run(["/tmp/hidden_driver"], stdin="".join(f"{what} {a} {b}\n" for what, a, b in calls))
    assert done.code == 0 and not done.stderr, done
    for call, given, wanted in zip(calls, done.stdout.splitlines(), expected(calls)):
        assert given == wanted, (call, given, wanted)
    assert len(done.stdout.splitlines()) == len(calls)


def everything(count, room):
    """Calls that read all records."""
    return [("g", index, room) for index in range(count)]


def test_random_calls(ws):
    """Rings of many sizes, with records from empty to as long as the ring; and sizes in which nothing fits."""
    rng, calls = ws.rng, []
    for size in (0, 1, 3, 4, 5, 9, 20, 64, 65, 100, 300, 1000):
        calls.append(("i", size, 0))
        for _ in range(150):
            kind = rng.choice("pppppgggd")
            if kind == "p":
                longest = max(1, size - 4)
                length = rng.choice((0, 1, rng.randrange(12), rng.randrange(longest + 1), longest, longest + 1))
                calls.append(("p", length, rng.randrange(256)))
            elif kind == "g":
                calls.append(("g", rng.randrange(6), rng.choice((0, 1, rng.randrange(20), 2000))))
            else:
                calls.append(("d", 0, 0))
        calls += everything(30, 2000)
    agrees(ws, calls)


def test_long_records(ws):
    """Lengths of one byte and of two, up to the longest; one that is longer is refused although it would fit."""
    calls = [("i", 70_000, 0)]
    for length in (255, 256, 257, 65535, 65536, 65537, 0, 4457, 4458, 1, 69996):
        calls += [("p", length, length % 251), *everything(8, 69_000)]
    agrees(ws, calls)


def test_no_more_than_needed_is_dropped(ws):
    """The buffer is used to its last byte, wherever the records begin; nothing undefined happens on the way."""
    calls = []
    for size in (21, 24, 35):
        calls.append(("i", size, 0))
        for k in range(60):
            calls += [("p", size // 3 - 4, k), *everything(4, 50)]
        calls += [("p", 0, 0)] * 12 + everything(12, 50) + [("p", size - 4, 9), ("g", 0, 99), ("d", 0, 0), ("d", 0, 0)]
    agrees(ws, calls, "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error")
