"""The hunter without a model: it changes inputs, keeps those that reach something new, and hands over what crashed.

It runs inside a sandbox beside the program, whose fork server (`hunt.c`) says of each run whether it took new edges.
Beside bytes it changes what a parser compares: the operands of failed comparisons, the program's own string literals,
numbers in decimal. What it hands over is a proposal. Not covered: checksums, inputs beyond 2 KiB, several files.
"""

import base64
import json
import mmap
import os
import random
import re
import struct
import subprocess
import sys
import time
from typing import Literal

EDGES, PAIRS, ORDERS, REPLIES = 1 << 16, 512, 198, 199
ORDERS_OF_BYTES: list[Literal["little", "big"]] = ["little", "big"]
INPUT = "/tmp/hunt.input"
LARGEST, MOST_KEPT, MOST_CRASHES, MOST_SWAPS, MOST_SWAPS_LEFT = 2048, 400, 40, 200, 2000
NUMBERS = (
    0, 1, 2, 3, 4, 7, 8, 9, 10, 12, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 255, 256, 1000, 4096, 32767,
    46341, 65535, 65536, 99999, 1000000, 2147483647, 2147483648, 4294967295, -1, -2, -128, -2147483648,
)  # fmt: skip


class Program:
    """The program's fork server."""

    def __init__(self, argv: list[str]) -> None:
        with open("/dev/shm/hunt", "wb") as file:
            file.truncate(EDGES + 16 * PAIRS)
        with open("/dev/shm/hunt", "r+b") as file:
            self.map = mmap.mmap(file.fileno(), 0)
        order, self.orders = os.pipe()
        self.replies, reply = os.pipe()
        os.dup2(order, ORDERS)
        os.dup2(reply, REPLIES)
        argv = [INPUT if word == "@@" else word for word in argv]
        options = "exitcode=77:symbolize=0:detect_leaks=0:allocator_may_return_null=1:detect_stack_use_after_return=1"
        env = {**os.environ, "HUNT_SERVE": "1", "ASAN_OPTIONS": options, "UBSAN_OPTIONS": "exitcode=77:symbolize=0"}
        quiet = subprocess.DEVNULL
        subprocess.Popen(argv, pass_fds=(ORDERS, REPLIES), env=env, stdin=quiet, stdout=quiet, stderr=quiet)
        os.close(ORDERS)
        os.close(REPLIES)
        os.close(order)
        os.close(reply)

    def run_input(self, data: bytes) -> tuple[int, int]:
        with open(INPUT, "wb") as file:
            file.write(data)
        os.write(self.orders, b"r")
        got = os.read(self.replies, 2)
        if len(got) != 2:
            sys.exit("the program's fork server is gone")
        return got[0], got[1]

    def compared_pairs(self) -> list[tuple[int, int]]:
        """The pairs that were compared in the last run and differed."""
        raw = self.map[EDGES : EDGES + 16 * PAIRS]
        return [pair for pair in struct.iter_unpack("<QQ", raw) if pair != (0, 0)]


def quoted_literals(texts: list[str]) -> list[bytes]:
    """The literals in the program's sources: whole literals, their words, formats with values in them."""
    found: set[bytes] = set()
    for text in texts:
        for quoted in re.findall(r'"((?:[^"\\\n]|\\.){1,60})"', text) + re.findall(r"'((?:[^'\\\n]|\\.))'", text):
            plain = quoted.encode().decode("unicode_escape", "replace")
            plain = re.sub(r"%[-0-9.]*l*[diuxz]+", "1", re.sub(r"%[-0-9.]*s", "a", plain)).replace("%c", "a")
            for each in (plain, plain + "\n", *re.findall(r"\w+", plain)):
                found.add(each.encode("latin-1", "replace"))
    return sorted(found)


def operand_swaps(data: bytes, pairs: list[tuple[int, int]]) -> list[bytes]:
    """Inputs in which one operand of a failed comparison stands where the other stood."""
    made = []
    for one, other in pairs:
        for a, b in ((one, other), (other, one)):
            for size in (1, 2, 4, 8):
                if a >> (8 * size) or b >> (8 * size):
                    continue
                for order in ORDERS_OF_BYTES[: 1 + (size > 1)]:
                    old, at = a.to_bytes(size, order), -1
                    for _ in range(4):
                        at = data.find(old, at + 1)
                        if at < 0:
                            break
                        for new in (b, b + 1, b - 1):
                            if 0 <= new < 1 << (8 * size):
                                made.append(data[:at] + new.to_bytes(size, order) + data[at + size :])
            signed = [n - (1 << 32) if 1 << 31 <= n < 1 << 32 else n for n in (a, b)]
            at = data.find(b"%d" % signed[0])
            if at >= 0:
                for new in (signed[1], signed[1] + 1, signed[1] - 1):
                    made.append(data[:at] + b"%d" % new + data[at + len(b"%d" % signed[0]) :])
    return made


class Mutator:
    """Changes inputs at random."""

    def __init__(self, rng: random.Random, words: list[bytes]) -> None:
        self.rng, self.words = rng, words
        self.kept: list[bytes] = []
        self.ways = [
            self.flip_bit,
            self.put_byte,
            self.insert_word,
            self.number_bytes,
            self.cut,
            self.repeat,
            self.splice_inputs,
            self.insert_line,
            self.insert_burst,
        ]

    def mutated_input(self, data: bytes, kept: list[bytes]) -> bytes:
        self.kept = kept
        for _ in range(self.rng.choice((1, 1, 1, 2, 3, 5, 8))):
            data = self.rng.choice(self.ways)(data)[:LARGEST]
        return data

    def random_place(self, data: bytes) -> int:
        return self.rng.randint(0, len(data))

    def put_bytes(self, data: bytes, new: bytes) -> bytes:
        at = self.random_place(data)
        return data[:at] + new + data[at + self.rng.choice((0, len(new))) :]

    def flip_bit(self, data: bytes) -> bytes:
        if not data:
            return b"\0"
        at = self.rng.randrange(len(data))
        return data[:at] + bytes([data[at] ^ 1 << self.rng.randrange(8)]) + data[at + 1 :]

    def put_byte(self, data: bytes) -> bytes:
        anything = self.rng.randrange(256), self.rng.randrange(32, 127)
        byte = self.rng.choice((0, 1, 2, 4, 5, 16, 32, 127, 128, 255, 10, *anything))
        return self.put_bytes(data, bytes([byte]))

    def insert_word(self, data: bytes) -> bytes:
        return self.put_bytes(data, self.rng.choice(self.words)) if self.words else data

    def number_bytes(self, data: bytes) -> bytes:
        new = b"%d" % (self.rng.choice(NUMBERS) if self.rng.random() < 0.7 else self.rng.randrange(-20, 40))
        spots = list(re.finditer(rb"-?\d+", data))
        if not spots or self.rng.random() < 0.2:
            return self.put_bytes(data, new + self.rng.choice((b"", b" ", b"\n")))
        spot = self.rng.choice(spots)
        return data[: spot.start()] + new + data[spot.end() :]

    def cut(self, data: bytes) -> bytes:
        at = self.random_place(data)
        return data[:at] + data[at + self.rng.choice((1, 1, 2, 4, 8, 16, 64)) :]

    def repeat(self, data: bytes) -> bytes:
        at = self.random_place(data)
        piece = data[at : at + self.rng.choice((1, 1, 2, 3, 4, 8, 16, 32))]
        return data[:at] + piece * self.rng.choice((2, 2, 3, 4, 8, 16, 33, 65, 130)) + data[at:]

    def splice_inputs(self, data: bytes) -> bytes:
        other = self.rng.choice(self.kept)
        return data[: self.random_place(data)] + other[self.random_place(other) :]

    def insert_line(self, data: bytes) -> bytes:
        """A line of this input or another one, at the start of any line."""
        lines, others = data.splitlines(keepends=True), self.rng.choice(self.kept).splitlines(keepends=True)
        if others or lines:
            lines.insert(self.rng.randint(0, len(lines)), self.rng.choice(others or lines))
        return b"".join(lines)

    def insert_burst(self, data: bytes) -> bytes:
        """A few words and small numbers in a row, as in a program of commands."""
        short = [each for each in self.words if len(each) <= 12] or [b"a"]
        some = [self.rng.choice(short) for _ in range(self.rng.randint(1, 3))]
        picks = [
            self.rng.choice(some) if self.rng.random() < 0.6 else b"%d" % self.rng.randrange(10)
            for _ in range(self.rng.randint(2, 8))
        ]
        return self.put_bytes(data, self.rng.choice((b"", b"", b" ", b"\n")).join(picks))


class Hunt:
    """Inputs that reached something new, and those that crashed."""

    def __init__(self, program: Program, end: float, rng: random.Random) -> None:
        self.program, self.end, self.rng = program, end, rng
        self.swapped: list[bytes] = []
        self.kept: list[bytes] = []
        self.crashed: list[bytes] = []
        self.runs = self.hung = 0

    def attempt(self, data: bytes) -> None:
        if time.monotonic() > self.end:
            return
        ended, new = self.program.run_input(data)
        self.runs += 1
        self.hung += ended == 2
        if not new or ended == 2:
            return
        if ended == 1:
            if len(self.crashed) < MOST_CRASHES:
                self.crashed.append(data)
            return
        if len(self.kept) < MOST_KEPT:
            self.kept.append(data)
        made = list(dict.fromkeys(operand_swaps(data, self.program.compared_pairs())))
        self.rng.shuffle(made)
        self.swapped = made[:MOST_SWAPS] + self.swapped[:MOST_SWAPS_LEFT]

    def go_on(self, mutator: Mutator) -> None:
        """One run: of an input made from a failed comparison, every other time, or of one made at random."""
        if self.swapped and self.rng.random() < 0.5:
            self.attempt(self.swapped.pop(0))
            return
        kept = self.kept or [b"a"]
        start = len(kept) * 2 // 3 if self.rng.random() < 0.5 else 0
        self.attempt(mutator.mutated_input(kept[self.rng.randrange(start, len(kept))], kept))


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        order = json.load(file)
    begun = time.monotonic()
    words = quoted_literals(order["sources"])
    rng = random.Random(order["seed"])
    hunt = Hunt(Program(order["argv"]), begun + order["seconds"], rng)
    seeds = [base64.b64decode(each) for each in order["seeds"]]
    first = (*seeds, b"", b"\n", b"0", b"1 1\n", b"a\n", b"A" * 64)
    for data in (*first, *words, *(word + b" 1\n" for word in words)):
        hunt.attempt(data)
    mutator = Mutator(rng, words)
    while time.monotonic() < hunt.end:
        hunt.go_on(mutator)
    out = {
        "kept": [base64.b64encode(each).decode() for each in hunt.kept],
        "crashed": [base64.b64encode(each).decode() for each in hunt.crashed],
        "runs": hunt.runs,
        "hung": hunt.hung,
    }
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        json.dump(out, file)


main()
