"""Files that look like results and are none: they are recognised, and refused with the reason."""

import re
from collections.abc import Iterator

from honestly.formats._heads import Head
from honestly.formats._sources import FileReader, Item, Source, recorded_place, refused_defect

# Lines between two of dashes, with which a card in Markdown begins.
_FRONT_MATTER = re.compile(rb"\s*---[ \t]*\r?\n(?:[^\n]*\n){1,2000}?---[ \t]*\r?(?:\n|\Z)")


def _no_result_reason(head: Head) -> str:
    """The kind of a file that holds no result; empty where that is not known."""
    if head.has_keys("responses_create_params"):
        return "rows for training by reinforcement: tasks without an answer or a verdict"
    if head.has_keys("conversations") and b'"from"' in head.start:
        return "conversations for fine-tuning: what was done is written into texts, without a verdict"
    if head.has_keys("config", "env", "steps") and b'"loss"' in head.start:
        return "the curve of a training run: losses, not trials"
    if _FRONT_MATTER.match(head.start):
        return "a model or data card, or an agent's definition: text as its author has it, not trials"
    if head.start.startswith(b"version https://git-lfs.github.com/spec/"):
        return "a pointer of Git LFS, whose file is not here; get it: git lfs pull"
    return ""


def recognises(head: Head) -> bool:
    """Whether it is one of these."""
    return bool(_no_result_reason(head))


def read(source: Source) -> Iterator[Item]:
    """Refuses each file."""
    for head in source.heads:
        yield refused_defect(recorded_place(head), "no results", _no_result_reason(head))


READER = FileReader("no-results", recognises, read)
