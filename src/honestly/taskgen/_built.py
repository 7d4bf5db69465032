"""A Python project as its own build system makes it: what it requires, where its packages lie, which files are made.

A wheel of the project is built in a sandbox without network, with what its `build-system` asks for. Its metadata say
what the package needs, whatever file that was written in; a file of it that the project does not hold (a version's, a
parser's, an extension's) is put where the package lies, and so is what says to Python that the package is installed.
Where a commit changes what is compiled, its tests build it again each time (`rebuilding`, `_guest/honestly_build.py`).
Not covered: build systems that need more than wheels.
"""

import io
import json
import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from email.parser import HeaderParser
from importlib.resources import files
from typing import Any

from honestly._toml import toml_table
from honestly.errors import SandboxError, SandboxUnavailableError, TaskError
from honestly.records import File, Preparation, Task, Tree
from honestly.sandbox import Limits
from honestly.taskgen._guest.honestly_build import build_state
from honestly.tasks import REQUIREMENT, prepare_task
from honestly.verify import OpenBox, furnished_opener

_LEGACY = ("setuptools.build_meta:__legacy__", ("setuptools", "wheel"))
_LIMITS = Limits(memory_mb=2048, disk_mb=1024)
_SECONDS = 120.0
_LARGEST = 64 << 20
_HEADERS = ("Metadata-Version", "Name", "Version", "Requires-Python", "Requires-Dist", "Provides-Extra")
_VERSIONS = (
    *("SETUPTOOLS_SCM_PRETEND_VERSION", "PDM_BUILD_SCM_VERSION", "PBR_VERSION"),
    *("POETRY_DYNAMIC_VERSIONING_BYPASS", "UV_DYNAMIC_VERSIONING_BYPASS"),
)
"""Variables that give build systems a version which they would take from git."""
_COMPILED = (".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".pyx", ".pxd", ".pxi")
REBUILD = "honestly_build."
"""How the names of the files begin that have extensions built before tests."""
_SETTINGS = ("pyproject.toml", "setup.cfg", "setup.py", "MANIFEST.in")


@dataclass(frozen=True, slots=True)
class BuiltProject:
    """What a build says of a project."""

    name: str = ""
    """As package indexes compare it; empty where it could not be built."""
    requires: tuple[str, ...] = ()
    """Of the package alone, and of its extras, those with a marker that names them."""
    pythonpath: tuple[str, ...] = ()
    """Folders in which its packages lie."""
    made: Tree = Tree()  # noqa: RUF009 - frozen
    """Files that the project does not hold."""
    note: str = ""
    """Why it could not be built; empty if it was, or has nothing that says how."""
    build: tuple[str, ...] = ()
    """The packages that its build requires."""


def is_built_alike(one: Tree, other: Tree) -> bool:
    """Whether two states of a project say the same on how it is built."""
    return all(one.files.get(name) == other.files.get(name) for name in _SETTINGS)


async def built_project(tree: Tree, version: str, open_box: OpenBox, *, unsafe: bool) -> BuiltProject:
    """Builds a project.

    Raises:
        SandboxUnavailableError: this machine does not let us build a sandbox.
    """
    if not any(name in tree.files for name in _SETTINGS[:3]):
        return BuiltProject()
    backend, requires, folders = _build_system(tree)
    said: bytes | list[str] = []
    try:
        for _ in range(3):
            said = await _build_run(tree, backend, requires, folders, version, open_box, unsafe)
            if isinstance(said, bytes):
                return replace(_read_wheel(said, tree), build=requires)
            more = tuple(line for line in said if re.match(REQUIREMENT, line) and line not in requires)
            if not more:
                break
            requires += more
    except SandboxUnavailableError:
        raise
    except (SandboxError, TaskError, ValueError, KeyError, zipfile.BadZipFile) as error:
        return BuiltProject(note=f"it was not built, and its files were read instead: {error}"[:300])
    return BuiltProject(note=f"it was not built: it asks for {said!r}"[:300])


def rebuilding(before: Tree, built: BuiltProject, version: str) -> Tree:
    """Files that make pytest build a project's extensions before each run of its tests; none if it has none."""
    modules = [path for path in built.made.files if path.endswith(".so")]
    if not modules:
        return Tree()
    guest = files("honestly.taskgen._guest")
    backend, _, folders = _build_system(before)
    held = ((path, file.data) for path, file in before.files.items() if file.mode != "link")
    orders = {
        "build": guest.joinpath("build_wheel.py").read_text("utf-8"),
        "backend": backend,
        "folders": folders,
        "modules": modules,
        "versions": _VERSIONS,
        "version": version,
        "state": build_state(held, modules),
    }
    return Tree.of(
        {
            f"{REBUILD}py": guest.joinpath(f"{REBUILD}py").read_bytes(),
            f"{REBUILD}json": json.dumps(orders, indent=1).encode(),
            f"{REBUILD}egg-info/PKG-INFO": b"Metadata-Version: 2.1\nName: honestly_build\nVersion: 1\n",
            f"{REBUILD}egg-info/entry_points.txt": b"[pytest11]\nhonestly_build = honestly_build\n",
        }
    )


def is_compiled(paths: Sequence[str]) -> bool:
    """Whether any of some files is compiled before Python can load it."""
    return any(path.endswith(_COMPILED) for path in paths)


def _build_system(tree: Tree) -> tuple[str, tuple[str, ...], list[str]]:
    """Backend, what that requires, and the folders of the project that it lies in."""
    file = tree.files.get("pyproject.toml")
    try:
        table: Any = toml_table(file.data.decode("utf-8", "replace")).get("build-system") if file else None
    except ValueError:
        table = None
    if not isinstance(table, Mapping):
        return (*_LEGACY, [])
    requires = [re.sub(r"\s*;.*|\s+(?=[<>=!~,])|(?<=[<>=!~,])\s+", "", str(each)) for each in table.get("requires", ())]
    if "build-backend" not in table:
        return _LEGACY[0], tuple(dict.fromkeys((*requires, *_LEGACY[1]))), []
    folders = [str(each) for each in table.get("backend-path", ())]
    return str(table["build-backend"]), tuple(each for each in requires if re.match(REQUIREMENT, each)), folders


async def _build_run(
    tree: Tree, backend: str, requires: tuple[str, ...], folders: list[str], version: str, open_box: OpenBox,
    unsafe: bool,
) -> bytes | list[str]:  # fmt: skip
    """The wheel; or what the build asks for beside."""
    needs = Preparation(dependencies=requires)
    ready = (await prepare_task(Task(id="build", instruction="", preparation=needs), unsafe=unsafe)).preparation
    script = files("honestly.taskgen._guest").joinpath("build_wheel.py").read_text("utf-8")
    async with furnished_opener(ready, open_box)(tree, limits=_LIMITS) as box:
        done = await box.exec(
            ["python3", "-c", script, backend, *folders], timeout=_SECONDS, env=dict.fromkeys(_VERSIONS, version)
        )
        if done.code != 0:
            words = (done.stderr or done.stdout).decode("utf-8", "replace").strip().splitlines()
            raise TaskError(words[-1] if words else "its build system ends without a word")
        said = json.loads(done.stdout.decode("utf-8", "replace").strip().splitlines()[-1])
        if "wheel" not in said:
            return [str(each) for each in said["requires"]]
        return await box.read(str(said["wheel"]))


def _read_wheel(data: bytes, tree: Tree) -> BuiltProject:
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        if sum(info.file_size for info in packed.infolist()) > _LARGEST:
            raise ValueError("its wheel contains more than is read")
        held = {info.filename: packed.read(info) for info in packed.infolist() if not info.is_dir()}
    metadata = next(data for name, data in held.items() if name.endswith(".dist-info/METADATA"))
    said = HeaderParser().parsestr(metadata.decode("utf-8", "replace"))
    points = next((data for name, data in held.items() if name.endswith(".dist-info/entry_points.txt")), b"")
    own = {name: data for name, data in held.items() if ".dist-info/" not in name and ".data/" not in name}
    # Where each package of a wheel lies in the project: `src/`, or nothing before it.
    votes: dict[str, Counter[str]] = {}
    ends: dict[str, list[str]] = {}
    for path in tree.files:
        ends.setdefault(path.rpartition("/")[2], []).append(path)
    for name, home in _places_of(own, tree, ends):
        votes.setdefault(name.partition("/")[0], Counter())[home] += 1
    homes = {top: count.most_common(1)[0][0] for top, count in votes.items()}
    usual = next(iter(Counter(homes.values()).most_common(1)), ("", 0))[0]
    missing = {homes.get(name.partition("/")[0], usual) + name: data for name, data in own.items()}
    headers = [f"{key}: {value}" for key in _HEADERS for value in said.get_all(key, ())]
    info = f"{usual}{re.sub(r'[-_.]+', '_', said['Name'])}.egg-info"
    beside = {f"{info}/PKG-INFO": "\n".join(headers).encode() + b"\n"}
    if points:
        beside[f"{info}/entry_points.txt"] = points
    made = {path: File(data=data) for path, data in {**beside, **missing}.items() if path not in tree.files}
    return BuiltProject(
        name=re.sub(r"[-_.]+", "-", said["Name"]).lower(),
        requires=tuple(said.get_all("Requires-Dist", ())),
        pythonpath=tuple(dict.fromkeys(home.rstrip("/") for home in homes.values() if home)),
        made=Tree(files=made),
    )


def _places_of(own: Mapping[str, bytes], tree: Tree, ends: Mapping[str, list[str]]) -> Iterator[tuple[str, str]]:
    for name, data in own.items():
        for path in ends.get(name.rpartition("/")[2], ()):
            if f"/{path}".endswith(f"/{name}") and tree.files[path].data == data:
                yield name, path[: len(path) - len(name)]
