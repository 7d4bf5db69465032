"""Patches of every usual form as changes of files: Codex envelopes, unified diffs, blocks of SEARCH and REPLACE.

Each change has the text that stood there and the text that stands there now, context included, so that it can be put
into a file whose text is known. A deletion, a new file and a move are what the patch says they are.
"""

import re
from collections.abc import Iterator, Sequence

from honestly.audit.reading._parts import Write

_ENVELOPE = re.compile(r"\*\*\* Begin Patch[ \t]*\n([\s\S]*?)(?:\n?\*\*\* End Patch|\Z)")
_SECTION = re.compile(r"^\*\*\* (Add|Update|Delete) File: *(\S[^\n]*)$", re.MULTILINE)
_MOVE = re.compile(r"^\*\*\* Move to: *(\S[^\n]*)$", re.MULTILINE)
_HUNK = re.compile(r"^@@[^\n]*$\n?", re.MULTILINE)
_BLOCK = re.compile(
    r"^[ \t]*(?:<{5,9}|-{5,9})[ ]?(?:SEARCH|ORIGINAL|HEAD)\b[^\n]*\n(?P<old>[\s\S]*?)(?:^|(?<=\n))[ \t]*={5,9}[ \t]*\n"
    r"(?P<new>[\s\S]*?)(?:^|(?<=\n))[ \t]*(?:>{5,9}|\+{5,9})[ ]?(?:REPLACE|UPDATED|\w[^\n]*)[ \t]*$",
    re.MULTILINE,
)
_ROO_HEAD = re.compile(r"\A(?::\w+:[^\n]*\n)*(?:-{5,9}\n)?")
_DIFF = re.compile(r"^--- (?P<old>[^\n]+)\n\+\+\+ (?P<new>[^\n]+)\n", re.MULTILINE)
# Changes of one patch that are read.
_MOST = 400


def has_patch(text: str) -> bool:
    """Whether a text holds a patch of one of these forms."""
    return (
        "*** Begin Patch" in text
        or ("<<<<<" in text and _BLOCK.search(text) is not None)
        or ("+++ " in text and _DIFF.search(text) is not None)
    )


def patch_writes(text: str, path: str = "") -> Iterator[Write]:
    """The changes of a patch in a text, in order; of the file `path` where the patch itself names none."""
    if "*** Begin Patch" in text:
        for envelope in _ENVELOPE.finditer(text):
            yield from _envelope_writes(envelope[1])
    elif path and "<<<<<" in text and _BLOCK.search(text):
        yield from block_writes(text, path)
    elif "+++ " in text and (heads := list(_DIFF.finditer(text))[:_MOST]):
        for head, body in headed_sections(text, heads):
            old, new = (re.sub(r"^[ab]/", "", head[each].split("\t")[0].strip()) for each in ("old", "new"))
            if new == "/dev/null":
                yield Write(old, "delete", raw=head[0].split("\n")[0])
            elif old == "/dev/null":
                lines = [line[1:] for line in body.split("\n") if line.startswith("+")]
                yield Write(new, "text", "\n".join([*lines, ""]), raw=body[:4000] or head[0])
            else:
                yield from _hunk_writes(new, body)
    elif path and "@@" in text:
        yield from _hunk_writes(path, text)


def headed_sections(text: str, heads: Sequence[re.Match[str]]) -> Iterator[tuple[re.Match[str], str]]:
    """Each head with the text between it and the next one."""
    stops = [*(head.start() for head in heads[1:]), len(text)]
    return ((head, text[head.end() : stop]) for head, stop in zip(heads, stops, strict=False))


def block_writes(text: str, path: str) -> Iterator[Write]:
    """The changes of the blocks of SEARCH and REPLACE in a text; an empty SEARCH writes the file."""
    for match in _BLOCK.finditer(text):
        old, new = _ROO_HEAD.sub("", match["old"], count=1), match["new"]
        if old.strip():
            yield Write(path, "edit", new, source=old, raw=new.strip() or old)
        else:
            yield Write(path, "text", new, raw=new[:4000])


def _envelope_writes(text: str) -> Iterator[Write]:
    for head, rest in headed_sections(text, list(_SECTION.finditer(text))[:_MOST]):
        path, body = head[2].strip(), rest[1:]
        if head[1] == "Delete":
            yield Write(path, "delete", raw=head[0])
        elif head[1] == "Add":
            lines = [line[1:] for line in body.split("\n") if line.startswith("+")]
            yield Write(path, "text", "\n".join([*lines, ""]), raw=body[:4000] or head[0])
        else:
            moved = _MOVE.search(body)
            yield from _hunk_writes(path, _MOVE.sub("", body))
            if moved:
                yield Write(moved[1].strip(), "copy", source=path, raw=moved[0])
                yield Write(path, "delete", source=moved[1].strip(), raw=moved[0])


def _hunk_writes(path: str, body: str) -> Iterator[Write]:
    for hunk in _HUNK.split(body)[:_MOST]:
        lines = [line for line in hunk.split("\n") if line[:1] in {"+", "-", " "} or not line]
        while lines and not lines[-1]:
            lines.pop()
        old = [line[1:] for line in lines if line[:1] != "+"]
        new = [line[1:] for line in lines if line[:1] != "-"]
        if old == new:
            continue
        added = [line for line in lines if line.startswith("+")] or [line for line in lines if line.startswith("-")]
        yield Write(path, "edit", "\n".join(new), source="\n".join(old), raw="\n".join(added))
