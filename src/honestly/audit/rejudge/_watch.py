"""Runs variants of tests over a workspace, in a sandbox, and brings back what the tests were given to compare.

What comes back was said by a process that the work shares. It is compared with what the reference said in a sandbox of
its own; whoever wants to pass must give the reference's answers, which are nowhere near.
"""

import json
import secrets
from collections.abc import Sequence
from functools import cache
from importlib import resources

import msgspec

from honestly.audit.rejudge._variants import Variant
from honestly.records import Tree
from honestly.verify import OpenBox

Seen = tuple[str, ...] | None
"""What a test compared, in its order; None where it said nothing in time."""

LATE: Seen = ("late",)
"""It was not run, since others had taken the time."""

EACH_S, TOTAL_S = 10.0, 60.0
_SPARE_S = 30.0


class _Line(msgspec.Struct):
    nonce: str
    at: int
    late: bool
    seen: list[str] | None


_LINE = msgspec.json.Decoder(_Line)


@cache
def _program() -> str:
    return (resources.files(__package__) / "_guest" / "watch.py").read_text("utf-8")


async def watch(tests: Tree, variants: Sequence[Variant], final: Tree, open_box: OpenBox) -> list[Seen]:
    """What each variant sees of a workspace, in the order given.

    Args:
        tests: the task's test files, put over the workspace.
        variants: what is run, each in a process of its own.
        final: the workspace.
        open_box: opens a sandbox.

    Raises:
        SandboxError: the sandbox broke.
    """
    nonce = secrets.token_hex(16)
    said = [{"test": each.test, "path": each.path, "source": each.source, "files": each.files} for each in variants]
    orders = {"nonce": nonce, "each_s": EACH_S, "total_s": TOTAL_S, "variants": said}
    seen: list[Seen] = [None] * len(variants)
    if not variants:
        return seen
    command = ["python3", "-I", "-S", "-B", "-c", _program()]
    async with open_box(tests.over(final)) as box:
        done = await box.exec(command, stdin=json.dumps(orders).encode(), timeout=TOTAL_S + _SPARE_S)
    for line in done.stdout.splitlines():
        try:
            found = _LINE.decode(line)
        except msgspec.DecodeError:
            continue
        if secrets.compare_digest(found.nonce.encode(), nonce.encode()) and 0 <= found.at < len(seen):
            seen[found.at] = LATE if found.late else tuple(found.seen) if found.seen is not None else None
    return seen
