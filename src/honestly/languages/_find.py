"""Finding toolchains on this machine: what is there, in which version, and what of it a sandbox has to show."""

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from honestly.errors import TaskError
from honestly.languages._toolchains import TOOLCHAINS, Toolchain
from honestly.scratch import run_owned
from honestly.work import user_folder

_SYSTEM = (Path("/usr"), Path("/bin"))
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""Where commands are looked for inside."""
_PATIENCE_S = 60.0


@dataclass(frozen=True, slots=True)
class FoundToolchain:
    """A toolchain of this machine."""

    toolchain: Toolchain
    version: str
    """What its program says, the first line."""
    shown: Mapping[str, Path]
    """What a sandbox shows for it, beside the system's programs."""
    place: str = ""
    """Where its folder lies inside, if it has one of its own."""

    @property
    def key(self) -> str:
        """A hash of all of the toolchain that results depend on."""
        own = self.toolchain
        parts = (own.language, own.file, own.compile, own.run, repr(sorted(own.env.items())), self.version)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]

    def filled_command(self, template: str) -> str:
        """A command of the table, with the toolchain's place in it."""
        return template.replace("{at}", self.place)


@cache
def find_toolchain(language: str) -> FoundToolchain | None:
    """The toolchain of a language, if this machine has one that runs."""
    own = TOOLCHAINS[language]
    if language == "python":
        return FoundToolchain(own, f"Python {sys.version.split()[0]}", {})
    program = _anywhere(own.program) if own.at else _of_the_system(own.program)
    beside = {"typescript": "node", "kotlin": "java"}.get(language)
    if program is None or (beside and _of_the_system(beside) is None):
        return None
    try:
        folder = _folder(own, program)
        if language == "kotlin":  # its program says its version and fails
            said = (folder / "build.txt").read_text("utf-8")
        else:
            said = _said_version(str(program), *own.version)
    except (OSError, subprocess.SubprocessError):
        return None
    if language == "typescript" and not (folder / "@types" / "node").is_dir():
        return None
    version = (said.splitlines() or ["unknown"])[0]
    # A sandbox hides what it does not know of the machine's own folders, such as the packages of npm.
    apart = bool(own.at) and folder not in _SYSTEM
    shown = {own.at: folder} if apart else {}
    shown |= {str(path): path for pattern in own.needs for path in Path("/").glob(pattern)}
    return FoundToolchain(own, version, shown, own.at if apart else str(folder))


def _said_version(*words: str) -> str:
    done = run_owned(words, timeout=_PATIENCE_S)
    done.check_returncode()
    return (done.stdout.strip() or done.stderr.strip()).decode("utf-8", "replace")


def _of_the_system(name: str) -> Path | None:
    """A program that sandboxes show, and find by its name."""
    found = shutil.which(name, path=_PATH)
    inside = found is not None and any(Path(found).resolve().is_relative_to(top) for top in _SYSTEM)
    return Path(found) if found and inside else None


def _anywhere(name: str) -> Path | None:
    found = shutil.which(name)
    if found is None and name == "zig" and (package := find_spec("ziglang")) and package.submodule_search_locations:
        found = shutil.which("zig", path=package.submodule_search_locations[0])
    return Path(found) if found else None


def _folder(own: Toolchain, program: Path) -> Path:
    """The folder that a toolchain with a place of its own lies in."""
    if own.language == "rust":  # what is on the path may be rustup's stand-in
        return Path(_said_version(str(program), "--print", "sysroot"))
    resolved = program.resolve()
    return resolved.parents[{"typescript": 2, "kotlin": 1}.get(own.language, 0)]


def languages_named(languages: Sequence[str]) -> tuple[str, ...]:
    """Languages by name, all of them if none is named, in the order of the table.

    Raises:
        TaskError: One is not in the table.
    """
    for name in languages:
        if name not in TOOLCHAINS:
            raise TaskError(f"there is no language {name!r}; there are: {', '.join(TOOLCHAINS)}")
    return tuple(name for name in TOOLCHAINS if not languages or name in languages)


def cache_folder() -> Path:
    """Where what compilers keep of our own programs lies."""
    return user_folder("cache") / "languages"
