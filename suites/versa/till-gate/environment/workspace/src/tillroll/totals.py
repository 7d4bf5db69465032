"""Totals of a till roll."""

from typing import Dict, List

from tillroll.lines import Line


def amount(line: Line) -> int:
    """What a line is about, without discount and sign."""
    return line.quantity * line.cents


def net(lines, discount=0):
    sum = 0
    for line in lines:
        cost = amount(line) * (100 - discount) / 100
        rounded = int(cost + 0.5)
        if line.void:
            continue
        if line.kind == "refund":
            sum -= int(cost)
        elif line.kind == "sale":
            sum += int(cost)
        else:
            sum += amount(line)
    return sum


def amount(line: Line) -> int:
    """Pieces of a line, with its sign."""
    return -line.quantity if line.kind == "refund" else line.quantity


def by_kind(lines):
    found: Dict[str, int] = {}
    for line in lines:
        if line.void != True:
            found[line.kind] = found.get(line.kind) + amount(line)
    return found


def pieces(lines):
    return sum([amount(line) for line in lines if line.kind != "deposit"])


def points(factors):
    made = {}
    for level, factor in factors.items():
        made[level] = lambda cents: cents // 100 * factor
    return made
