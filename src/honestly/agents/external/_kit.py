"""Programs of this machine made ready for images, whose loader and C library are others, or none.

A program is copied into the user's cache with another name of its loader, as long as the old one or shorter. Beside it
lie a copy of this machine's loader, which looks for libraries in one place only, and the libraries that are needed. So
a program finds in any image what it finds here, is itself under `/proc/self/exe`, and what it starts sees none of it.

Not covered: machines whose loader is not glibc's, or looks for libraries where Debian's does not; programs that other
programs bring along below their packages, where they are not static.
"""

import json
import mmap
import os
import re
import shutil
import struct
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from time import time

from honestly.errors import AgentError
from honestly.scratch import delete_scratch_folder, temporary_workshop
from honestly.work import user_folder

INSIDE = "/.honestly"
"""Where all that is beside an image lies: no image has this, and no snapshot holds it."""

BIN = f"{INSIDE}/bin"
"""Where programs lie that were made ready."""
_LOADER, _LIBRARIES = f"{INSIDE}/ld.so", f"{INSIDE}/so"
_SEARCHED = re.compile(rb"(?<![\w./-])/(?:usr/)?lib(?:x?32|64)?/(?:[a-z0-9_]+-linux-gnu[a-z0-9]*/)?(?=\0)")
"""Where glibc's loader looks for libraries by itself."""
_CACHE = b"\0/etc/ld.so.cache\0"
_ALWAYS = ("libgcc_s.so.1",)
"""What glibc loads itself, to end threads."""
_FOLDERS = ("/usr/local/lib", "/lib", "/usr/lib", "/lib64", "/usr/lib64")
_LOAD, _DYNAMIC, _INTERP, _NEEDED, _STRINGS = 1, 2, 3, 1, 5
_KEPT_S = 30 * 86_400
_VERSION = "4"


@dataclass(frozen=True, slots=True)
class _Elf:
    loader: str
    """Empty for a static program, and for a library."""
    place: tuple[int, int]
    """Where the loader's name stands in the file, and how long it may be."""
    needed: tuple[str, ...]


_NONE = _Elf("", (0, 0), ())


def image_kit(
    programs: Mapping[str, Path], modules: Sequence[Path] = (), libraries: Sequence[Path] = ()
) -> dict[str, Path]:
    """Make programs ready for images; what was made before is there already.

    Args:
        programs: by the name that each shall have, in `BIN`.
        modules: libraries that they load by themselves, whose own libraries are needed too.
        libraries: folders in which libraries are looked for first.

    Returns:
        What to show, by its place inside.

    Raises:
        AgentError: this machine has another kind of loader.
    """
    stamps = [(str(path), path.stat().st_mtime_ns, path.stat().st_size) for path in [*programs.values(), *modules]]
    key = blake2b(json.dumps([_VERSION, sorted(programs), sorted(stamps)]).encode(), digest_size=12).hexdigest()
    cache = user_folder("cache") / "programs"
    made = cache / "kits" / key
    if not made.is_dir():
        with temporary_workshop(cache / "work") as work:
            _make_kit(work / "kit", programs, modules, libraries)
            made.parent.mkdir(exist_ok=True)
            with suppress(FileExistsError, OSError):  # somebody else has made the same
                (work / "kit").rename(made)
    os.utime(made)
    for other in made.parent.iterdir():
        if other.stat().st_mtime < time() - _KEPT_S:
            delete_scratch_folder(other)
    shown = {BIN: made / "bin", _LOADER: made / "ld.so", _LIBRARIES: made / "so"}
    return {place: path for place, path in shown.items() if path.exists()}


def _make_kit(folder: Path, programs: Mapping[str, Path], modules: Sequence[Path], libraries: Sequence[Path]) -> None:
    (folder / "bin").mkdir(parents=True)
    loaders: set[str] = set()
    wanted: list[str] = list(_ALWAYS)
    for name, path in programs.items():
        copy = folder / "bin" / name
        shutil.copyfile(path, copy)
        copy.chmod(0o755)
        elf = _read_elf(copy)
        if elf.loader:
            loaders.add(elf.loader)
            wanted += elf.needed
            with copy.open("r+b") as file:
                file.seek(elf.place[0])
                file.write(_LOADER.encode().ljust(elf.place[1], b"\0"))
    if not loaders:
        return
    loader = Path(loaders.pop())
    data = loader.read_bytes()
    searched = _SEARCHED.findall(data)
    if loaders or _CACHE not in data or not any(len(name) > len(_LIBRARIES) for name in searched):
        raise AgentError(
            f"{', '.join(programs)}: made for the loader {loader}, which cannot be brought into an image; expected "
            "glibc's, as Debian and Ubuntu have it. Run tasks without images, or an agent that is a static program"
        )
    data = data.replace(_CACHE, b"\0/.honestly/none\0\0".ljust(len(_CACHE), b"\0"))
    (folder / "ld.so").write_bytes(_SEARCHED.sub(_other_library_path, data))
    (folder / "ld.so").chmod(0o755)
    wanted += (name for path in modules for name in _read_elf(path).needed)
    _add_libraries(folder / "so", wanted, loader, [*libraries, loader.resolve().parent, *map(Path, _FOLDERS)])


def _other_library_path(found: re.Match[bytes]) -> bytes:
    """Another place to look for libraries, whose name is as long: that of the kit, or none."""
    room = len(found[0])
    return (_LIBRARIES.encode() if room > len(_LIBRARIES) else b"/.").ljust(room, b"/")


def _add_libraries(folder: Path, wanted: list[str], loader: Path, places: Sequence[Path]) -> None:
    """Copy libraries, and those that they need; what the machine does not have lies beside who needs it."""
    folder.mkdir()
    done: set[str] = set()
    while wanted:
        name = wanted.pop()
        found = next((place / name for place in places if (place / name).is_file()), None)
        if name in done or found is None or "/" in name:
            continue
        done.add(name)
        if found.resolve() == loader.resolve():
            (folder / name).symlink_to(_LOADER)
            continue
        shutil.copyfile(found, folder / name)
        wanted += _read_elf(found).needed


def _read_elf(path: Path) -> _Elf:
    """The loader and libraries that a program or a library names; nothing where it is none."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _parsed_elf(data)
    except (struct.error, ValueError):
        return _NONE


def _parsed_elf(data: mmap.mmap) -> _Elf:
    if data[:6] != b"\x7fELF\x02\x01":
        return _NONE
    (start,), (size, count) = struct.unpack_from("<Q", data, 32), struct.unpack_from("<HH", data, 54)
    heads = [struct.unpack_from("<IIQQQQ", data, start + number * size) for number in range(count)]

    def string_at(at: int) -> str:
        return data[at : data.find(b"\0", at)].decode()

    loader, where = "", (0, 0)
    tags: list[tuple[int, int]] = []
    for kind, _, at, _, _, room in heads:
        if kind == _INTERP:
            loader, where = string_at(at), (at, room)
        elif kind == _DYNAMIC:
            tags = [struct.unpack_from("<qQ", data, entry) for entry in range(at, at + room, 16)]
    address = next((value for tag, value in tags if tag == _STRINGS), 0)
    strings: int = next((at + address - base for kind, _, at, base, _, room in heads
                         if kind == _LOAD and base <= address < base + room), 0)  # fmt: skip
    return _Elf(loader, where, tuple(string_at(strings + value) for tag, value in tags if tag == _NEEDED))
