"""Is the answer within the agent's reach? In its files, its `.git`, archives, compiled Python, or the image.

Files are read here and nothing is run, unpacked on disk, or followed; git's objects (loose, packed, reflogs, stashes,
tags, dangling ones) and compiled Python are read in a sandbox. Archives are opened in memory, within bounds.

Not covered: answers that were minified, translated or encrypted; compiled code of other languages; more than one layer
of archives in archives; the memory of a model.
"""

import io
import json
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from shlex import quote

from honestly.errors import HonestlyError, SandboxError
from honestly.making._record import Leak, Leaks
from honestly.records import File, Task, Tree
from honestly.tasks import lint, reference_in
from honestly.verify import OpenBox, has_git, in_environment, look_at_git

_ZIPPED = (".whl", ".egg", ".zip", ".jar", ".nupkg")
_TARRED = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".crate", ".gem")
_COMPILED = (".pyc", ".pyo")
_MOST_MEMBERS, _MOST_BYTES = 20_000, 256 << 20
_FILE_BYTES = 4 << 20
_LEAST = 40
_BUILT = ("node_modules", "build", "dist", "target", "site-packages", ".eggs", "__pycache__", ".tox", ".venv")
_ARCHIVE_ERRORS = (zipfile.BadZipFile, tarfile.TarError, OSError, EOFError, zlib.error, ValueError, RuntimeError,
                   NotImplementedError)  # fmt: skip


async def leaks(task: Task, open_box: OpenBox, final: Tree | None = None) -> Leaks:
    """Looks for the reference, the hidden checks and later commits in all that the agent gets.

    Args:
        task: with its hidden part.
        open_box: opens sandboxes.
        final: what the reference leaves, if it is known.

    Raises:
        SandboxUnavailableError: there is no sandbox on this machine.
    """
    found, read, unread = list(_of_files(task)), ["files"], list[str]()
    compiled: dict[str, bytes] = {}
    context = _given(task)
    for path, file in context.files.items():
        if path.startswith(".git/") or file.mode == "link":
            continue
        if path.endswith(_COMPILED):
            compiled[path] = file.data
        elif path.lower().endswith((*_ZIPPED, *_TARRED)):
            found += _of_archive(task, path, file, compiled, unread)
    read.append("archives")
    if has_git(task.workspace):
        found += await _of_history(task, open_box, unread)
        read.append(".git")
    inner = sorted(path for path in context.files if "/.git/" in path and path.endswith("/HEAD"))
    unread += [f"{path}: a repository below the workspace's own" for path in inner[:3]]
    if compiled:
        found += await _of_compiled(task, compiled, open_box, unread)
    read.append("compiled Python")
    if task.environment is not None:
        found += await _of_image(task, final, open_box, unread, read)
    return Leaks(found=tuple(dict.fromkeys(found)), read=tuple(read), unread=tuple(unread))


def _given(task: Task) -> Tree:
    """All files that the agent gets, as far as the task has them."""
    if task.environment is None:
        return task.workspace
    return task.environment.context.over(task.workspace)


def _of_files(task: Task) -> Iterator[Leak]:
    for weakness in lint(task):
        path = weakness.path.removeprefix("workspace/")
        if weakness.severity != "high":
            continue
        if weakness.rule == "answer-in-workspace":
            built = any(part in _BUILT for part in path.split("/"))
            yield Leak(kind="built" if built else "reference", path=path, what=f"{weakness.why}: {weakness.quote}")
        elif weakness.rule == "tests-readable":
            yield Leak(kind="tests", path=path, what=weakness.why)
        elif weakness.rule == "link-out":
            yield Leak(kind="outside", path=path, what=f"a link to {weakness.quote}")
    if task.environment is not None:
        for path, file in task.environment.context.files.items():
            if file.mode != "link" and (held := reference_in(task, file)) is not None:
                yield Leak(kind="reference", path=f"environment/{path}", what=f"it holds {held[0]}: {held[1]}")


def _of_archive(
    task: Task, path: str, file: File, compiled: dict[str, bytes], unread: list[str], *, inner: bool = False
) -> Iterator[Leak]:
    """What an archive holds of the answer; compiled Python in it is put aside."""
    try:
        for name, data in _members(path, file.data):
            where = f"{path}!{name}"
            if name.endswith(_COMPILED):
                compiled[where] = data
            elif name.lower().endswith((*_ZIPPED, *_TARRED)):
                if inner:
                    unread.append(f"{where}: an archive in an archive in an archive")
                else:
                    yield from _of_archive(task, where, File(data=data), compiled, unread, inner=True)
            elif (held := reference_in(task, File(data=data))) is not None:
                yield Leak(kind="built", path=where, what=f"it holds the reference's {held[0]}: {held[1]}"[:300])
    except _ARCHIVE_ERRORS as error:
        unread.append(f"{path}: {error}"[:200])


def _members(path: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    """Files in an archive, within bounds.

    Raises:
        ValueError: it holds more than is read.
    """
    left = _MOST_BYTES
    if path.lower().endswith(_ZIPPED):
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            infos = packed.infolist()
            if len(infos) > _MOST_MEMBERS:
                raise ValueError(f"{len(infos)} files are more than are read")
            for info in infos:
                if info.is_dir():
                    continue
                with packed.open(info) as member:
                    content = member.read(_FILE_BYTES + 1)
                left -= len(content)
                if left < 0 or len(content) > _FILE_BYTES:
                    raise ValueError(f"{info.filename} is larger than what is read")
                yield info.filename, content
        return
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:*") as tar:
        for count, entry in enumerate(tar):
            if count > _MOST_MEMBERS or entry.size > _FILE_BYTES or (left := left - entry.size) < 0:
                raise ValueError("it holds more than is read")
            file = tar.extractfile(entry) if entry.isfile() else None
            if file is not None:
                yield entry.name, file.read(_FILE_BYTES)


async def _of_history(task: Task, open_box: OpenBox, unread: list[str]) -> list[Leak]:
    history = await look_at_git(task, open_box)
    found = [
        Leak(kind="reference", path=".git", what=f"an object holds the reference's {line}") for line in history.solution
    ]
    laid = {decoy.path for decoy in (task.hidden.decoys if task.hidden is not None else ()) if decoy.kind == "commit"}
    if history.beyond and not laid:
        found.append(Leak(kind="future", path=".git", what=f"commits that HEAD does not reach: {history.beyond[0]}"))
    found += [Leak(kind="outside", path=".git", what=line[:200]) for line in history.elsewhere]
    if history.unread:
        unread.append(f".git: {history.unread}")
    if history.skipped:
        unread.append(f".git: {history.skipped} files beyond HEAD were compared as a whole only")
    return found


_COMPARE = """
import ast, importlib.util, json, marshal, sys, types

def codes(code, found):
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            codes(each, found)
    inner = [c for c in code.co_consts if not isinstance(c, types.CodeType)]
    found.add((code.co_name, code.co_code, repr(inner), code.co_names, code.co_varnames))
    return found

def of_source(text):
    try:
        return codes(compile(text, "f", "exec"), set()) if text else set()
    except (SyntaxError, ValueError):
        return set()

want = json.load(open("want.json"))
new = {name: of_source(after) - of_source(before) for name, (before, after) in want.items()}
for at, path in enumerate(json.load(open("paths.json"))):
    data = open(f"c{at}", "rb").read()
    if data[:4] != importlib.util.MAGIC_NUMBER:
        print(json.dumps([path, "unread", "compiled by another version of Python"]))
        continue
    try:
        found = codes(marshal.loads(data[16:]), set())
    except Exception as error:
        print(json.dumps([path, "unread", "no code: " + type(error).__name__]))
        continue
    for name, some in new.items():
        if some and len(some & found) * 2 >= len(some):
            print(json.dumps([path, "holds", name]))
            break
    else:
        print(json.dumps([path, "clean", ""]))
"""


async def _of_compiled(task: Task, compiled: dict[str, bytes], open_box: OpenBox, unread: list[str]) -> list[Leak]:
    """Compiled Python in which at least half of the functions that are new in the reference stand."""
    assert task.hidden is not None
    written = (*task.hidden.reference.write.files.items(), *task.hidden.solution.files.items())
    want = {
        path: (_text(task.workspace.files.get(path)), _text(file)) for path, file in written if path.endswith(".py")
    }
    if not want:
        unread.append(f"{len(compiled)} compiled files: the reference is no Python file to compare them with")
        return []
    tree = {f"c{at}": data for at, data in enumerate(compiled.values())}
    tree |= {"want.json": json.dumps(want).encode(), "paths.json": json.dumps(list(compiled)).encode()}
    found, seen = [], set()
    try:
        async with open_box(Tree.of({**tree, "compare.py": _COMPARE})) as box:
            result = await box.exec(["python3", "compare.py"], timeout=60.0)
    except SandboxError as error:
        unread.append(f"compiled files: {error}"[:200])
        return []
    for line in result.stdout.decode("utf-8", "replace").splitlines():
        path, state, about = json.loads(line)
        seen.add(path)
        if state == "holds":
            found.append(Leak(kind="compiled", path=path, what=f"it was compiled from the reference's {about}"))
        elif state == "unread":
            unread.append(f"{path}: {about}")
    unread += [f"{path}: not read" for path in compiled if path not in seen]
    return found


def _text(file: File | None) -> str:
    return file.data.decode("utf-8", "replace") if file is not None else ""


async def _of_image(
    task: Task, final: Tree | None, open_box: OpenBox, unread: list[str], read: list[str]
) -> list[Leak]:
    """Files of the image with the very content that the reference writes, and commits that its repositories keep."""
    wanted = {}
    for path, file in (final.files if final is not None else {}).items():
        if file.mode != "link" and len(file.data) >= _LEAST:
            wanted[len(file.data)] = path
    sizes = " -o ".join(f"-size {size}c" for size in sorted(wanted)[:200])
    sums = f"find / -xdev -type f \\( {sizes} \\) -exec sha256sum {{}} + 2>/dev/null" if wanted else "true"
    repositories = (
        'find / -xdev -name .git -type d 2>/dev/null | head -5 | while read -r at; do echo "git $at $(git -c '
        'safe.directory=* --git-dir="$at" log --all --oneline --not HEAD 2>/dev/null | wc -l)"; done'
    )
    try:
        async with in_environment(task, open_box, "agent")(Tree()) as box:
            result = await box.exec(["sh", "-c", f"{sums}; {repositories}"], timeout=120.0)
    except HonestlyError as error:
        unread.append(f"the image: {error}"[:200])
        return []
    read.append("the image's files, by content, and its repositories' refs")
    return [*_same(result.stdout, final), *_later(result.stdout)]


def _same(said: bytes, final: Tree | None) -> Iterator[Leak]:
    from hashlib import sha256

    files = final.files if final is not None else {}
    known = {sha256(file.data).hexdigest(): path for path, file in files.items()}
    for line in said.decode("utf-8", "replace").splitlines():
        mark, _, place = line.partition("  ")
        if mark in known and place.lstrip("/") != known[mark]:
            what = f"the content that the reference writes to {quote(known[mark])}"
            yield Leak(kind="image", path=place[:200], what=what)


def _later(said: bytes) -> Iterator[Leak]:
    for line in said.decode("utf-8", "replace").splitlines():
        words = line.split()
        if len(words) == 3 and words[0] == "git" and words[2].isdigit() and int(words[2]):
            yield Leak(kind="image", path=words[1][:200], what=f"{words[2]} commits that HEAD does not reach")
