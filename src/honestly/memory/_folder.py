"""A library as files that people read, lint, and take entries out of.

`library.json` is all of it; `workflows.md` and `skills/NAME.py` show the same, and are written from it. Where somebody
has edited these by hand, or the file is broken, reading says so: nothing is taken over in silence.
"""

from pathlib import Path

import msgspec

from honestly._loose import read_whole
from honestly.errors import StoreError, TaskError
from honestly.memory._learn import checked_skill
from honestly.memory._library import MemoryLibrary
from honestly.memory._told import text_objection
from honestly.records import encode

_FILE, _SHOWN, _SKILLS = "library.json", "workflows.md", "skills"
_MOST = 4 << 20


def write_library(library: MemoryLibrary, folder: Path) -> None:
    """Writes a library into a folder, and deletes skills that it no longer contains.

    Raises:
        StoreError: it cannot be written there, or the folder holds something else.
    """
    try:
        if folder.exists() and any(folder.iterdir()) and not (folder / _FILE).exists():
            raise StoreError(f"{folder} contains other files and no {_FILE}; give a new folder")
        for path, text in _library_files(library).items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, "utf-8")
        for old in (folder / _SKILLS).glob("*.py"):
            if f"{_SKILLS}/{old.name}" not in _library_files(library):
                old.unlink()
        part = folder / f"{_FILE}.part"
        part.write_bytes(msgspec.json.format(encode(library), indent=1))
        part.replace(folder / _FILE)  # last, and whole: what it says is what counts
    except OSError as error:
        raise StoreError(f"the library cannot be written to {folder}: {error}") from error


def read_library(folder: Path, *, edited: bool = False) -> MemoryLibrary:
    """The library in a folder.

    Args:
        folder: where.
        edited: whether the shown files may differ from what `library.json` says.

    Raises:
        StoreError: there is none, it is broken, or somebody has edited it by hand.
    """
    if not (folder / _FILE).is_file():
        raise StoreError(f"{folder} contains no {_FILE}; expected a folder that `honestly agent memory export` wrote")
    data = read_whole(folder / _FILE, _MOST, "the library", StoreError)
    try:
        library = msgspec.json.decode(data, type=MemoryLibrary)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise StoreError(
            f"{folder / _FILE} is broken: {error}; export it again from its study (honestly agent memory export)"
        ) from error
    for workflow in library.workflows:
        if why := text_objection(workflow.text):
            raise StoreError(f"{folder / _FILE} contains a workflow that agents must not see, {workflow.key}: {why}")
    for skill in library.skills:
        try:
            kept = checked_skill(skill, ())
        except TaskError as error:
            raise StoreError(
                f"{folder / _FILE} contains a skill that must not be kept, {skill.name}: {error}"
            ) from error
        if kept.code != skill.code:
            raise StoreError(f"{folder / _FILE} contains the skill {skill.name} in a changed form; export it again")
    for path, text in _library_files(library).items():
        there = folder / path
        if not edited and (not there.is_file() or there.read_bytes() != text.encode()):
            raise StoreError(
                f"{there} was edited by hand or is gone: a library is what its study has seen work. Take entries out "
                "with `honestly agent memory rm`, or export it again from its study"
            )
    return library


def _library_files(library: MemoryLibrary) -> dict[str, str]:
    files = {f"{_SKILLS}/{each.name}.py": f"# {each.state}: {each.doc}\n{each.code}" for each in library.skills}
    if library.kind == "workflows":
        shown = "\n\n".join(f"## {each.key}\n\n{each.text}" for each in library.workflows)
        files[_SHOWN] = f"# Workflows, version {library.version}\n\n{shown}\n"
    return files
