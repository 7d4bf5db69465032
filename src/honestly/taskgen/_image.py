"""The content of a task's image that its distribution did not bring, as a workspace.

Whatever lies outside of the distribution's own folders (`/usr` but for `/usr/local`, `/var`, `/etc` and the like) is
read as the agent's user reads it. In the distribution's folders files are only compared by their content with what the
reference writes: a copy there may be the package's own file, and is to be looked at by a person.
"""

import io
import tarfile
from collections.abc import Iterator
from hashlib import sha256
from shlex import quote

from msgspec.structs import replace

from honestly.errors import SandboxError
from honestly.records import Edit, File, Task, Tree
from honestly.taskgen._record import Leak
from honestly.verify import OpenBox, in_environment

_SYSTEM = ("bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "libx32", "proc", "run", "sbin", "sys", "usr", "var")
_HARBORS = ("tests", "solution", "logs")
_ALSO = ("usr/local", "usr/src", "var/www", "var/tmp")
_INSTALLED = ("/.git", "__pycache__", "site-packages", "dist-packages", "node_modules")
_LEAST, _LARGEST = 40, 256 << 10
_PACKED = "/var/tmp/looked-into.tar"  # noqa: S108 - in the sandbox
_MOST_FILES, _MOST_BYTES = 20_000, 256 << 20
_PACK = f"""
list=$(mktemp)
find / -xdev \\( {" -o ".join(f"-path /{name}" for name in (*_SYSTEM, *_HARBORS))} \\) -prune -o -type f -size -8192k \
-print 2>/dev/null > "$list"
find {" ".join(f"/{name}" for name in _ALSO)} -xdev -type f -size -8192k -print 2>/dev/null >> "$list"
grep -v -e "^$list" "$list" | head -n {_MOST_FILES} | tar cf {_PACKED} -T - 2>/dev/null
wc -l < "$list"
"""


async def looked_into(task: Task, final: Tree, open_box: OpenBox) -> Task:
    """The task as one over the image's files, with what its reference writes outside of the distribution's folders.

    Raises:
        SandboxError: the image holds more than is read, or cannot be packed.
    """
    assert task.hidden is not None
    async with in_environment(task, open_box, "agent")(Tree()) as box:
        result = await box.exec(["sh", "-c", _PACK], timeout=120.0)
        packed = await box.read(_PACKED)
    count = result.stdout.strip()
    if not count.isdigit() or int(count) > _MOST_FILES or len(packed) > _MOST_BYTES:
        raise SandboxError(
            f"it contains more than is read: {count.decode('utf-8', 'replace')[:40]} files, {len(packed)} bytes"
        )
    reference = Edit(write=reference_written(task, final))
    inside = Tree(files=dict(_unpacked(packed)))
    return replace(task, environment=None, workspace=inside, hidden=replace(task.hidden, reference=reference))


def reference_written(task: Task, final: Tree) -> Tree:
    """Of what a reference leaves in an image the files that it wrote itself, as far as can be told.

    They lie outside of the distribution's folders, or the reference's program names them; others were installed.
    """
    program = task.hidden.solution.files if task.hidden is not None else {}
    text = b"\n".join(file.data for file in program.values()).decode("utf-8", "replace")
    homes = {path.partition("/lib/")[0] for path in final.files if "/lib/" in path and "-packages/" in path}
    scripts = tuple(f"{home}/bin/" for home in homes)
    own = {path: file for path, file in final.files.items() if _is_own_file(path, file, text)}
    return Tree(files={path: file for path, file in own.items() if not path.startswith(scripts) or f"/{path}" in text})


def _is_own_file(path: str, file: File, program: str) -> bool:
    if (
        len(file.data) > _LARGEST
        or path.startswith(".honestly/")
        or any(f"{each}/" in f"/{path}" for each in _INSTALLED)
    ):
        return False
    system = path.partition("/")[0] in _SYSTEM and not any(path.startswith(f"{place}/") for place in _ALSO)
    return not system or f"/{path}" in program


def _unpacked(packed: bytes) -> Iterator[tuple[str, File]]:
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        for entry in tar:
            file = tar.extractfile(entry) if entry.isfile() else None
            if file is not None:
                yield entry.name.lstrip("/"), File(data=file.read())


async def same_content(task: Task, final: Tree, open_box: OpenBox) -> list[Leak]:
    """Files anywhere in the image with the very content that the reference writes somewhere else."""
    known = {sha256(f.data).hexdigest(): path for path, f in final.files.items() if f.mode != "link"
             and len(f.data) >= _LEAST}  # fmt: skip
    sizes = sorted({len(file.data) for file in final.files.values()})[:200]
    if not known:
        return []
    some = " -o ".join(f"-size {size}c" for size in sizes)
    async with in_environment(task, open_box, "agent")(Tree()) as box:
        command = f"find / -xdev -type f \\( {some} \\) -exec sha256sum {{}} + 2>/dev/null"
        result = await box.exec(["sh", "-c", command], timeout=120.0)
    found = []
    for line in result.stdout.decode("utf-8", "replace").splitlines():
        mark, _, place = line.partition("  ")
        if mark in known and place.lstrip("/") != known[mark]:
            what = f"the content that the reference writes to {quote(known[mark])}"
            found.append(Leak(kind="image", path=place[:200], what=what))
    return found
