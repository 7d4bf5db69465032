"""The handling of text before a model reads it: decode it, take terminal noise out, drop its middle.

What goes are the movements and colours of a terminal, not the words: a progress bar that rewrote its line a thousand
times is left with its last state, as a person would see it. Bytes that are not text are named and counted, not shown.
"""

import re

_SEQUENCES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # movements and colours
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?"  # titles, links, and other strings for the terminal
    r"|\x1b[ -/]*[0-~]?"
)
_CONTROLS = re.compile(r"[\x00-\x07\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_OVERSTRUCK = re.compile(r"[^\n\x08]\x08")
_SAMPLE = 4096  # bytes that decide whether output is text


def printed_text(data: bytes, dropped: int = 0) -> str:
    """Text of what a program wrote, as it would look on paper; `dropped` bytes more are not here."""
    text = data[:_SAMPLE].decode("utf-8", "replace")
    strange = text.count("\ufffd") + sum(text.count(mark) for mark in "\x00\x01\x02\x03\x04\x05\x06")
    if strange > 2 and strange * 8 > len(text):
        return f"[binary output of {len(data) + dropped} bytes, not shown; save it in a file, or look at it with xxd]"
    return tidy_text(data.decode("utf-8", "replace"))


def tidy_text(text: str) -> str:
    """Text as it would look on paper: without terminal sequences, control characters and overwritten lines."""
    text = _SEQUENCES.sub("", text).replace("\r\n", "\n")
    if "\x08" in text:
        text = _OVERSTRUCK.sub("", text)
    if "\r" in text:
        text = "\n".join(_last_state(line) for line in text.split("\n"))
    return _CONTROLS.sub("", text).replace("\x08", "")


def _last_state(line: str) -> str:
    """The rest of a line after carriage returns: later words lie over earlier ones."""
    parts = line.split("\r")
    seen = ""
    for part in parts[-50:]:  # earlier states are covered; a progress bar may have a million
        seen = part + seen[len(part) :]
    return seen


def middle_dropped(text: str, keep: int, where: str = "") -> tuple[str, int]:
    """The beginning and the end of a text, with a line between them that says what is missing.

    Args:
        text: Any.
        keep: Characters to keep.
        where: What the line says on top: where the whole can be found.

    Returns:
        The text, and the number of its bytes (UTF-8) that were dropped.
    """
    if len(text) <= keep:
        return text, 0
    head, tail = text[: keep - keep // 2], text[len(text) - keep // 2 :]
    gone = text[len(head) : len(text) - len(tail)]
    lines = gone.count("\n")
    said = f"{len(gone)} characters" + (f" in {lines} lines" if lines else "") + " dropped here" + where
    return f"{head}\n[... {said} ...]\n{tail}", len(gone.encode("utf-8", "replace"))


def words_of(text: str) -> list[str]:
    """The words of a text, folded: letters, digits and underscores."""
    return re.findall(r"\w+", text.casefold())
