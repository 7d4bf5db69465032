"""A judge's tool run on files of the work, in a sandbox that holds these files and nothing else of the work's.

A type checker, a linter or an interpreter whose word is believed reads much more than what it is asked about: modules,
plugins and settings in its home, in its working directory, in the variables of its environment. Started beside the
work, it says what the work wants. So it gets a sandbox that is made for one command: home and `/tmp` are empty, what
the tool is made of is shown read-only, no variable is the work's, and the files lie where nothing is imported from.

Not covered: settings among the files that the tool is given (`pyproject.toml`, `mypy.ini`): whoever hands them over
writes them itself, or answers for what they make the tool do.
"""

from collections.abc import Mapping, Sequence

from honestly.errors import SandboxError, SandboxLimitError, VerifierError
from honestly.records import Tree
from honestly.sandbox import Result
from honestly.verify._open import OpenBox

FOLDER = "of-the-work"
"""Where the files lie, below an empty home; Python takes no such name for a module's."""

_SETTINGS = {
    "PYTHONSAFEPATH": "1",
    "PYTHONNOUSERSITE": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
}
"""What keeps a tool, and what it starts, from the folder that it is started in and from settings of its home."""


async def run_tool(
    open_box: OpenBox, command: Sequence[str], files: Tree, *, stdin: bytes, env: Mapping[str, str], seconds: float
) -> Result:
    """How a judge's tool ended on some files.

    Args:
        open_box: opens a sandbox that shows what the tool is made of.
        command: program and arguments, started in the folder of the files.
        files: all that it finds there.
        stdin: what it reads from standard input.
        env: variables on top of its own, in the caller's name.
        seconds: until it is stopped.

    Raises:
        VerifierError: there is no sandbox for it.
        SandboxLimitError: the files do not fit.
    """
    placed = Tree(files={f"{FOLDER}/{path}": file for path, file in files.files.items()})
    where = FOLDER if placed.files else "."
    try:
        async with open_box(placed) as box:
            return await box.exec(command, cwd=where, stdin=stdin, env={**_SETTINGS, **env}, timeout=seconds)
    except SandboxLimitError:
        raise
    except SandboxError as error:
        raise VerifierError(f"the judge's tool {command[0]!r} could not be run: {error}") from error
