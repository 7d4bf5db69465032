"""Any task as a folder, written by a program: what was loaded from somebody's layout, and changed, loads again.

    TASK/task.toml                  Harbor's tables, and `layout = "whole"` in [honestly]
    TASK/instruction.md
    TASK/environment/workspace/     the files that the agent starts with; or all of them as workspace.tar.xz
    TASK/visible/                   the visible checks' files, where they do not lie in the workspace
    TASK/tests/                     the hidden checks' files; TASK/canaries/ their contradictions, where they are kept
    TASK/solution/reference/        the files that the reference writes; TASK/solution/program/ Harbor's way to it
    TASK/solution/wrong/NAME/       all that a wrong solution writes
    TASK/honestly.json              the rest: runners, ids of checks, limits, tags, how the task was made

Links are written last, and nothing is ever written through one.
"""

import io
import json
import lzma
import os
import tarfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from honestly.errors import TaskError
from honestly.records import (
    Checks,
    Contradicted,
    Decoy,
    Edit,
    Equivalent,
    File,
    Hidden,
    Preparation,
    Tags,
    Task,
    Tree,
    WrongSolution,
    encode,
)
from honestly.tasks._reading import json_at, task_id, text_at
from honestly.work import file_error_text

WHOLE = "whole"
"""The layout's name in task.toml."""

_REST = "honestly.json"
_ARCHIVE = "environment/workspace.tar.xz"
"""A workspace whose `.git` no repository would take as files."""
_MOST_BYTES = 256 << 20
_TREES = (
    *("environment", "environment/workspace", _ARCHIVE, "visible", "tests", "canaries", "solution"),
    *("solution/reference", "solution/program", "solution/wrong"),
)


class _Rest(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    id: str
    version: str
    timeout_s: float
    visible: Checks | None = None
    """The visible checks without their files."""
    shown: list[str] | None = None
    """The visible checks' files in the workspace; None where they lie beside it."""
    hidden: Checks | None = None
    """The hidden checks without their files."""
    delete: list[str] = []
    wrong: dict[str, list[str]] = {}
    """What each wrong solution deletes, by its name."""
    equivalent: list[Equivalent] = []
    contradicted: Contradicted | None = None
    decoys: list[Decoy] = []
    tags: Tags = Tags()
    requires: list[str] = []
    preparation: Preparation = Preparation()
    site: str = ""
    site_seed: int = 0


def write_task(folder: Path, task: Task) -> None:
    """Write a task into a new folder, from which `load_suite` reads it back unchanged.

    Raises:
        TaskError: the folder exists, or cannot be written; or the task brings an image along.
    """
    if task.environment is not None:
        raise TaskError(f"task {task.id} is done in an image of its own; only tasks without one can be written down")
    try:
        folder.mkdir(parents=True)
        for name, tree in _named_trees(task):
            write_tree(folder / name, tree)
        (folder / "task.toml").write_text(_task_toml(task), "utf-8")
        (folder / "instruction.md").write_text(task.instruction, "utf-8", newline="\n")
        (folder / _REST).write_bytes(msgspec.json.format(encode(_rest_of_task(task)), indent=2) + b"\n")
    except OSError as error:
        raise TaskError(file_error_text(error, folder)) from error
    except UnicodeEncodeError as error:
        raise TaskError(f"cannot write {folder}: {error}") from error


def write_tree(folder: Path, tree: Tree) -> None:
    """Writes files below a folder; nothing through a link of theirs.

    Raises:
        TaskError: two of the files are in each other's way.
        OSError: it cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    links = {path: file for path, file in tree.files.items() if file.mode == "link"}
    for path, file in tree.files.items():
        if path in links:
            continue
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(file.data)
        if file.mode == "exec":
            place.chmod(0o755)
    for path, file in links.items():
        place = folder / path
        if place.is_dir():
            raise TaskError(f"{path} is a link and a folder")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(file.data.decode("utf-8", "surrogateescape"))


def load_whole(folder: Path) -> Task:
    """The task in a folder that `write_task` wrote.

    Raises:
        TaskError: something is missing or malformed; the message names it.
    """
    for name in (*_TREES, _REST, "instruction.md"):
        if (folder / name).is_symlink():
            raise TaskError(f"{folder / name} is a link; put the files themselves there")
    rest = json_at(folder, _REST, _Rest)
    packed = folder / _ARCHIVE
    workspace = _archived_tree(packed) if packed.is_file() else _tree_in(folder, "environment/workspace")
    visible = None
    if rest.visible is not None:
        shown = _tree_in(folder, "visible") if rest.shown is None else workspace.only(rest.shown)
        if absent := sorted(set(rest.shown or ()) - shown.files.keys()):
            raise TaskError(f"{folder}/{_REST} names {absent[0]!r}, which environment/workspace does not hold")
        visible = msgspec.structs.replace(rest.visible, files=shown)
    return Task(
        id=task_id(rest.id, folder),
        version=rest.version,
        instruction=text_at(folder, "instruction.md"),
        workspace=workspace,
        visible=visible,
        hidden=_hidden_from_folder(folder, rest, rest.hidden) if rest.hidden is not None else None,
        tags=rest.tags,
        timeout_s=rest.timeout_s,
        requires=tuple(rest.requires),
        preparation=rest.preparation,
        site=rest.site,
        site_seed=rest.site_seed,
    )


def _hidden_from_folder(folder: Path, rest: _Rest, checks: Checks) -> Hidden:
    # A default that is given is hashed, and one that is left is not: so what there is none of is left.
    canaries, program = _tree_in(folder, "canaries"), _tree_in(folder, "solution/program")
    return Hidden(
        checks=msgspec.structs.replace(
            checks, files=_tree_in(folder, "tests"), **({"canaries": canaries} if canaries.files else {})
        ),
        reference=Edit(write=_tree_in(folder, "solution/reference"), delete=tuple(rest.delete)),
        **({"solution": program} if program.files else {}),
        wrong=tuple(
            WrongSolution(
                name=name,
                edit=Edit(write=_tree_in(folder, f"solution/wrong/{task_id(name, folder)}"), delete=tuple(delete)),
            )
            for name, delete in rest.wrong.items()
        ),
        equivalent=tuple(rest.equivalent),
        contradicted=rest.contradicted,
        decoys=tuple(rest.decoys),
    )


def _tree_in(folder: Path, name: str) -> Tree:
    place = folder / name
    return Tree.read(place) if place.is_dir() else Tree()


def _archived_tree(path: Path) -> Tree:
    """The files and links of an archive, which may be anybody's."""
    files: dict[str, File] = {}
    try:
        data = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MOST_BYTES).decompress(path.read_bytes(), _MOST_BYTES)
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            for member in archive:
                if member.issym():
                    files[member.name] = File(data=os.fsencode(member.linkname), mode="link")
                elif member.isreg() and (opened := archive.extractfile(member)) is not None:
                    files[member.name] = File(data=opened.read(), mode="exec" if member.mode & 0o100 else "file")
                elif not member.isdir():
                    raise TaskError(f"{path} contains {member.name!r}, which is neither a file, a folder nor a link")
    except (lzma.LZMAError, tarfile.TarError, OSError, EOFError) as error:
        raise TaskError(
            f"{path} cannot be unpacked: {error}; expected at most {_MOST_BYTES >> 20} MiB of tar"
        ) from error
    return Tree(files=files)


def _named_trees(task: Task) -> Iterator[tuple[str, Tree]]:
    yield "environment/workspace", task.workspace
    if task.visible is not None and _shown_checks(task) is None:
        yield "visible", task.visible.files
    if task.hidden is None:
        return
    yield "tests", task.hidden.checks.files
    yield "solution/reference", task.hidden.reference.write
    for name, tree in (("canaries", task.hidden.checks.canaries), ("solution/program", task.hidden.solution)):
        if tree.files:
            yield name, tree
    for wrong in task.hidden.wrong:
        yield f"solution/wrong/{task_id(wrong.name, task.id)}", wrong.edit.write


def _shown_checks(task: Task) -> list[str] | None:
    """The visible checks' files, where the workspace has all of them as they are."""
    files = task.visible.files.files if task.visible is not None else {}
    beside = any(task.workspace.files.get(path) != file for path, file in files.items())
    return None if beside else list(files)


def _rest_of_task(task: Task) -> _Rest:
    hidden = task.hidden
    return _Rest(
        id=task.id,
        version=task.version,
        timeout_s=task.timeout_s,
        visible=_checks_without_files(task.visible),
        shown=_shown_checks(task) if task.visible is not None else None,
        hidden=_checks_without_files(hidden.checks) if hidden is not None else None,
        delete=list(hidden.reference.delete) if hidden is not None else [],
        wrong={wrong.name: list(wrong.edit.delete) for wrong in hidden.wrong} if hidden is not None else {},
        equivalent=list(hidden.equivalent) if hidden is not None else [],
        contradicted=hidden.contradicted if hidden is not None else None,
        decoys=list(hidden.decoys) if hidden is not None else [],
        tags=task.tags,
        requires=list(task.requires),
        preparation=task.preparation,
        site=task.site,
        site_seed=task.site_seed,
    )


def _checks_without_files(checks: Checks | None) -> Checks | None:
    if checks is None:
        return None
    return Checks(
        runner=checks.runner,
        files=Tree(),
        expected=checks.expected,
        timeout_s=checks.timeout_s,
        command=checks.command,
        writable=checks.writable,
    )


def _task_toml(task: Task) -> str:
    tags = task.tags
    limit = task.hidden.checks.timeout_s if task.hidden is not None else 60.0
    memory = f"memory_mb = {task.preparation.memory_mb}\n" if task.preparation.memory_mb else ""
    return f"""schema_version = "1.4"

[task]
name = {_toml_quoted(f"honestly/{task.id}")}
version = {_toml_quoted(task.version)}

[metadata]
category = {_toml_quoted(tags.category)}
language = {_toml_quoted(tags.language)}
difficulty = {_toml_quoted(tags.difficulty)}

[agent]
timeout_sec = {task.timeout_s!r}

[verifier]
timeout_sec = {limit!r}

[environment]
network_mode = "no-network"
{memory}
[honestly]
layout = "{WHOLE}"
"""


def _toml_quoted(text: str) -> str:
    """A TOML string; JSON's escapes are TOML's too, but for the one character that JSON leaves bare."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
