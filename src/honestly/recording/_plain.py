"""What a terminal's output says, as text: without colours, with lines as they stood when they were left."""

import re

_ALTERNATE = re.compile(r"\x1b\[\?(?:1049|1047|47)(h|l)")
_SEQUENCE = re.compile(
    r"\x1b\[(?P<p>[0-?]*)[ -/]*(?P<c>[@-~])|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?"
    r"|\x1b[ -/]*[0-~]?|[\x00-\x07\x0b-\x0c\x0e-\x1a\x1c-\x1f\x7f]"
)


def full_screen_parts(text: str) -> tuple[str, int]:
    """The text without what was drawn on the alternate screen, and how often a program took that."""
    parts, at, inside, count = [], 0, False, 0
    for found in _ALTERNATE.finditer(text):
        if not inside:
            parts.append(text[at : found.start()])
        count += found[1] == "h" and not inside
        inside, at = found[1] == "h", found.end()
    return "".join(parts if inside else [*parts, text[at:]]), count


def plain_text(text: str) -> str:
    """The text that remains on the screen, without overwritten parts (progress bars, corrections)."""
    return "\n".join(_plain_line(line) for line in text.replace("\r\n", "\n").split("\n")).strip("\n")


def _plain_line(line: str) -> str:
    if "\r" not in line and "\b" not in line and "\x1b" not in line:
        return _SEQUENCE.sub("", line).rstrip()
    cells: list[str] = []
    at = place = 0
    while at < len(line):
        if found := _SEQUENCE.match(line, at):
            at = found.end()
            kind, number = found["c"], found["p"] or ""
            steps = int(number) if number.isdecimal() and len(number) < 5 else 1
            if kind == "K":
                cells[place if number in {"", "0"} else 0 :] = [] if number in {"", "0"} else [" "] * place
            elif kind == "C":
                place += steps
            elif kind == "D":
                place = max(0, place - steps)
            elif kind == "G":
                place = max(0, steps - 1)
            elif kind == "P":
                del cells[place : place + steps]
            elif kind == "@":
                cells[place:place] = [" "] * steps
            continue
        char = line[at]
        at += 1
        if char == "\r":
            place = 0
        elif char == "\b":
            place = max(0, place - 1)
        else:
            cells += [" "] * (place - len(cells))
            cells[place : place + 1] = [char]
            place += 1
    return "".join(cells).rstrip()
