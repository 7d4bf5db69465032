"""Hidden checks of vm-listing: the answers against an interpreter of the machine."""

import json

FIRMWARE = """
READ; DUP; STORE c0; JNEG 30; READ; DUP; JNEG 9; STORE c1; JUMP 12; POP; PUSH 2; STORE c1; LOAD c0; PUSH 1; SUB; JZ 27;
LOAD c0; LOAD c1; MOD; JZ 24; LOAD c1; PUSH 1; ADD; JUMP 36; CALL 38; JUMP 12; PRINT; LOAD c2; PRINT; HALT;
LOAD c0; PUSH -1; SUB; JZ 29; LOAD c0; JUMP 28; STORE c1; JUMP 12; LOAD c1; PRINT; LOAD c2; LOAD c1; ADD; STORE c2;
LOAD c0; LOAD c1; DIV; STORE c0; LOAD c3; PUSH 1; ADD; DUP; STORE c3; PUSH 9; SUB; JNEG 57; HALT; RET
"""
PROGRAM = [tuple(line.split()) for line in FIRMWARE.replace("\n", " ").split(";")]
BINARY = {
    "ADD": lambda a, b: a + b,
    "SUB": lambda a, b: a - b,
    "MUL": lambda a, b: a * b,
    "DIV": lambda a, b: a // b,
    "MOD": lambda a, b: a % b,
}


class Run:
    """One run of the firmware."""

    def __init__(self, numbers, most=100_000):
        self.printed, self.cells, self.seen = [], dict.fromkeys(("c0", "c1", "c2", "c3"), 0), set()
        self.steps = self.deepest = 0
        self.fault = self.endless = False
        try:
            self._run(list(numbers), most)
        except (IndexError, ZeroDivisionError):
            self.fault = True

    def _run(self, numbers, most):
        stack, calls, at = [], [], 0
        while True:
            if at >= len(PROGRAM):
                raise IndexError
            if self.steps == most:
                self.endless = True
                return
            name, *rest = PROGRAM[at]
            self.steps += 1
            self.seen.add(at)
            at += 1
            if name == "PUSH":
                stack.append(int(rest[0]))
            elif name == "LOAD":
                stack.append(self.cells[rest[0]])
            elif name == "STORE":
                self.cells[rest[0]] = stack.pop()
            elif name == "READ":
                stack.append(numbers.pop(0) if numbers else -1)
            elif name == "PRINT":
                self.printed.append(stack.pop())
            elif name == "DUP":
                stack.append(stack[-1])
            elif name == "POP":
                stack.pop()
            elif name in BINARY:
                b, a = stack.pop(), stack.pop()
                stack.append(BINARY[name](a, b))
            elif name == "JUMP":
                at = int(rest[0])
            elif name in ("JZ", "JNEG"):
                value = stack.pop()
                if value == 0 if name == "JZ" else value < 0:
                    at = int(rest[0])
            elif name == "CALL":
                calls.append(at)
                at = int(rest[0])
            elif name == "RET":
                at = calls.pop()
            else:
                return
            self.deepest = max(self.deepest, len(stack))


def answer(ws, key):
    """One answer."""
    return json.loads(ws.read("answers.json"))[key]


def test_what_is_printed(ws):
    """The numbers printed in two runs."""
    assert answer(ws, "printed_1") == Run([6]).printed
    assert answer(ws, "printed_2") == Run([120, 4]).printed


def test_how_it_runs(ws):
    """Number of instructions, depth of the stack, and cells at the end."""
    run = Run([120, 4])
    assert answer(ws, "steps_2") == run.steps
    assert answer(ws, "deepest_2") == run.deepest
    assert answer(ws, "cells_2") == run.cells


def test_the_smallest_inputs(ws):
    """The smallest number with six numbers printed, and the smallest without a sum."""
    assert answer(ws, "six") == next(n for n in range(1, 1000) if len(Run([n]).printed) == 6)
    runs = ((n, Run([n]).printed) for n in range(1, 5000))
    assert answer(ws, "unsummed") == next(n for n, printed in runs if printed and sum(printed[:-1]) != printed[-1])


def test_dead_instructions(ws):
    """What no run executes."""
    seen = set()
    for n in range(-3, 60):
        for second in ((), (0,), (1,), (2,), (3,), (-1,), (-5,)):
            seen |= Run([n, *second], 1000).seen
    seen |= Run([]).seen | Run([2**10]).seen
    assert answer(ws, "lines") == sorted(set(range(len(PROGRAM))) - seen)


def test_a_fault(ws):
    """An input that makes the machine stop."""
    given = answer(ws, "fault")
    assert isinstance(given, list) and len(given) <= 2
    assert all(type(number) is int and abs(number) <= 1_000_000 for number in given)
    assert Run(given).fault
