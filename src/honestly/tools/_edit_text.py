"""Texts as the tool `edit` sees them: read from bytes, shown with line numbers, searched for one place.

Line endings are the file's: a model writes line feeds, which stand for what the file has. Where nothing fits, the lines
that come closest are shown, as they are in the file; that they are close is guessed from words and letters.
"""

from difflib import SequenceMatcher

from honestly.errors import ToolError

_CONTEXT = 3
_WIDTH = 2000
_NEAR, _SHOWN_PLACES, _CANDIDATES = 0.6, 10, 20
_LINES_COMPARED, _WIDTH_COMPARED = 5000, 200  # comparing takes time with the product of both
_VISIBLE = {number: f"\\x{number:02x}" for number in (*range(0x20), *range(0x7F, 0xA0)) if number != 9}


def decoded_text(data: bytes, path: str, most: int) -> str:
    """The text of a file.

    Raises:
        ToolError: It is not text, or too long to edit.
    """
    if len(data) > most:
        raise ToolError(f"{path} has {len(data)} bytes; this tool takes {most} at most, so use the shell")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ToolError(f"{path} is not UTF-8 text (byte {error.start}); use the shell for it") from None
    if "\0" in text:
        raise ToolError(f"{path} is a binary file; use the shell for it")
    return text


def numbered_lines(text: str, start: int | None, end: int | None, keep: int) -> str:
    """Lines of a text with their numbers, as many as fit.

    Raises:
        ToolError: There are no such lines.
    """
    lines = _text_lines(text)
    first, last = start or 1, len(lines) if end is None or end < 0 else min(end, len(lines))
    if not lines:
        return "[the file is empty]"
    if not 1 <= first <= last:
        raise ToolError(f"there are no lines {first} to {last}; the file has {len(lines)}")
    shown: list[str] = []
    size = 0
    for number in range(first, last + 1):
        line = _numbered_line(number, lines[number - 1])
        size += len(line) + 1
        if shown and size > keep:
            shown.append(f"[... lines {number} to {last} are not shown; view them with start={number} ...]")
            break
        shown.append(line)
    return "\n".join(shown)


def lines_around(text: str, begin: int, end: int, keep: int) -> str:
    """The lines from one place of a text to another, and some about them."""
    first = text.count("\n", 0, begin) + 1
    last = first + text.count("\n", begin, end)
    if not (count := len(_text_lines(text))):
        return "[the file is empty now]"
    return numbered_lines(text, max(1, min(first - _CONTEXT, count)), min(last + _CONTEXT, count), keep)


def sorted_listing(found: str, path: str) -> str:
    """The output of `find` on a directory, sorted, without what stands before each name."""
    prefix = f"{path.rstrip('/')}/"
    return "\n".join(sorted(name.removeprefix(prefix) for name in found.splitlines()))


def place_of(text: str, old: str, new: str, path: str, *, everywhere: bool) -> tuple[str, str]:
    """The text to search and the text to put there, with the file's own line endings.

    Raises:
        ToolError: It fits nowhere, or in several places, or would change nothing.
    """
    if not old:
        raise ToolError("replace needs an `old` text; to add something, use insert")
    crlf = text.count("\r\n") * 2 > text.count("\n")
    plain = old.replace("\r\n", "\n")
    for ending in ("\r\n", "\n") if crlf else ("\n", "\r\n"):
        wanted = plain.replace("\n", ending)
        # A carriage return of its own before a line's end must not become half of one.
        count = text.count(wanted) if wanted.replace("\r\n", "\n") == plain else 0
        if count:
            break
    else:
        raise ToolError(f"`old` does not occur in {path}{_nearest_lines(text, old)}")
    if count > 1 and not everywhere:
        raise ToolError(
            f"`old` occurs {count} times in {path}, at lines {_places_text(text, wanted)}; give more of the lines "
            "around the one that you mean, or replace everywhere"
        )
    put = new.replace("\r\n", "\n").replace("\n", ending)
    if put == wanted:
        raise ToolError("`old` and `new` are the same; nothing was changed")
    return wanted, put


def _places_text(text: str, wanted: str) -> str:
    numbers: list[int] = []
    at = text.find(wanted)
    while at >= 0 and len(numbers) <= _SHOWN_PLACES:
        numbers.append(text.count("\n", 0, at) + 1)
        at = text.find(wanted, at + len(wanted))
    more = ", and more" if len(numbers) > _SHOWN_PLACES else ""
    return ", ".join(map(str, numbers[:_SHOWN_PLACES])) + more


def _nearest_lines(text: str, old: str) -> str:
    """The closest text, for a message; empty if nothing does."""
    lines, wanted = _text_lines(text), _text_lines(old.replace("\r\n", "\n"))
    squeezed = ["".join(line.split()) for line in lines]
    sought = ["".join(line.split()) for line in wanted]
    for index in range(len(lines) - len(wanted) + 1):
        if squeezed[index] == sought[0] and squeezed[index : index + len(wanted)] == sought:
            return f"; but for white space it fits these lines:\n{_line_excerpt(lines, index, len(wanted))}"
    best, index = _closest_lines(lines[:_LINES_COMPARED], wanted)
    if best < _NEAR:
        return "; view the file, and copy the text from there"
    return f"; these lines come closest:\n{_line_excerpt(lines, index, len(wanted))}"


def _closest_lines(lines: list[str], wanted: list[str]) -> tuple[float, int]:
    """How near, from 0 to 1, the lines come that are most like those wanted, and where they begin."""
    position = max(range(len(wanted)), key=lambda number: len(wanted[number].strip()), default=0)
    matcher = SequenceMatcher(None, "", wanted[position].strip()[:_WIDTH_COMPARED] if wanted else "", autojunk=False)
    found = sorted(((_likeness(matcher, line), -number) for number, line in enumerate(lines)), reverse=True)
    best, at = 0.0, 0
    for ratio, number in found[:_CANDIDATES]:
        start = max(0, -number - position)
        window = "\n".join(lines[start : start + len(wanted)])[: 20 * _WIDTH_COMPARED]
        whole = SequenceMatcher(None, window, "\n".join(wanted)[: 20 * _WIDTH_COMPARED], autojunk=False).quick_ratio()
        if ratio >= _NEAR and ratio + whole > best:
            best, at = ratio + whole, start
    return best, at


def _likeness(matcher: SequenceMatcher[str], line: str) -> float:
    matcher.set_seq1(line.strip()[:_WIDTH_COMPARED])
    if matcher.real_quick_ratio() < _NEAR or matcher.quick_ratio() < _NEAR:
        return 0.0
    return matcher.ratio()


def _line_excerpt(lines: list[str], index: int, count: int) -> str:
    last = min(len(lines), index + min(count, 2 * _SHOWN_PLACES))
    return "\n".join(_numbered_line(number + 1, lines[number]) for number in range(index, last))


def _text_lines(text: str) -> list[str]:
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _numbered_line(number: int, line: str) -> str:
    shown = line.removesuffix("\r").removeprefix("\ufeff").translate(_VISIBLE)
    cut = f" [... {len(shown) - _WIDTH} characters more]" if len(shown) > _WIDTH else ""
    return f"{number:6}\t{shown[:_WIDTH]}{cut}"
