"""The demands on a fix beside taking the crash away: build, pass the tests, and leave the program's behaviour as it
was.

A patch changes sources only, and adds nothing that hides an error from a sanitizer instead of mending it. Where the
hunt has inputs that crash in no tool, the program must print the same and end the same with the fix: else an `exit(0)`
at the top would be a fix. Not covered: behaviour that no test and no such input reaches.
"""

import re
from collections.abc import Sequence

from honestly.errors import TaskError
from honestly.formats import read_patch
from honestly.hunt._prove import HuntBuilds
from honestly.hunt._sanitizers import LIMITS, HuntedProject, build_program, program_behaviour
from honestly.records import Tree

_HIDES = re.compile(
    r"no_sanitize|__(?:asan|ubsan|msan|sanitizer|lsan)_|SANITIZ|VALGRIND|\bsig(?:nal|action|longjmp)\b|#\s*pragma|_Pragma"
    r"|\b__?asm|\bLD_PRELOAD\b|/proc/self"
)
_MOST_COMPARED = 40
_TESTS_S = 120.0


def read_fix(project: HuntedProject, patch: str) -> Tree:
    """The project's files with a fix.

    Raises:
        TaskError: The patch does not apply, changes other files than sources, or hides errors.
    """
    found = read_patch(patch)
    other = [path for path in (*found.changed_paths, *found.deleted_paths) if not path.endswith((".c", ".h"))]
    if other:
        raise TaskError(f"the fix changes {', '.join(other)}; expected C sources only")
    added = "\n".join(line[1:] for line in patch.splitlines() if line.startswith("+") and not line.startswith("+++"))
    if hides := _HIDES.search(added):
        raise TaskError(f"the fix adds {hides[0]!r}, which may hide an error; expected one that removes the error")
    return found.apply(project.tree)


async def fix_objection(before: HuntBuilds, after: HuntBuilds, corpus: Sequence[bytes]) -> str:
    """Why a fix does not hold, apart from crashes; empty where nothing speaks against it."""
    try:
        mended = await after.tree("memcheck")
    except TaskError as error:
        return str(error)
    if after.project.tests:
        async with after.open_box(mended, limits=LIMITS) as box:
            result = await box.exec(after.project.tests, timeout=_TESTS_S)
            if result.code != 0:
                return f"the tests fail: {result.stdout.decode('utf-8', 'replace')[-200:]}"
    plain = await build_program(before.project, "memcheck", before.open_box)
    async with before.open_box(plain, limits=LIMITS) as old, after.open_box(mended, limits=LIMITS) as new:
        for data in corpus[:_MOST_COMPARED]:
            if await before.look("asan", data) is not None or await before.look("memcheck", data) is not None:
                continue
            was, now = (
                await program_behaviour(old, before.project, data),
                await program_behaviour(new, after.project, data),
            )
            if was != now:
                return (
                    f"on the harmless input {data[:40]!r} it ended {now[0]} instead of {was[0]}, or printed other text"
                )
    return ""
