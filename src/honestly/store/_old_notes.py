"""Findings of older programs, whose notes held in words what is typed today.

Until schema version 2 a finding said only in its note what its detector had not read, and numbers went by that note.
The words are taken apart here, once, with the expressions that the old program itself used, so that an old study keeps
its numbers. Nothing else in the package may read a number from prose, and nothing here is applied to a newer finding.
"""

import re

from msgspec.structs import replace

from honestly.records import Finding, Unread

_NEEDS = re.compile(r"nothing to read: needs (.*)")
_UNREAD = re.compile(r"not read: (\d+) characters of (?:actions|the agent's own), (\d+) of outputs")
_FILES = re.compile(r"files in other languages that were not parsed: (\d+)")
_WEAKER = re.compile(r"asserts less|cannot fail|tolerance is wider")


def typed(finding: Finding) -> Finding:
    """The finding with what its note says in fields of its own; a finding that has them already is left alone."""
    if finding.unread is not None or finding.kinds:
        return finding
    weaker = finding.detector == "test-tampering" and finding.state == "flagged" and _WEAKER.search(finding.note)
    unread = _unread(finding)
    return replace(finding, unread=unread, kinds=("weakened",) if weaker else ()) if unread or weaker else finding


def _unread(finding: Finding) -> Unread | None:
    if finding.state == "unreadable" and (needs := _NEEDS.fullmatch(finding.note)):
        return Unread(reason="no steps" if "steps" in needs[1].split(" or ") else "nothing")
    if finding.state == "error" and finding.note.startswith("the views disagree"):
        return Unread(reason="disagreement")
    counts, files = _UNREAD.search(finding.note), _FILES.search(finding.note)
    if counts is None and files is None:
        return None
    characters, outputs = (int(counts[1]), int(counts[2])) if counts else (0, 0)
    return Unread(reason="not understood", characters=characters, outputs=outputs, files=int(files[1]) if files else 0)
