"""Dependencies of tasks, installed once by pip or npm, into a cache that is keyed by what they were resolved to.

Only wheels are taken: they are unpacked, and nothing of theirs runs outside of a sandbox. Which registry is asked is a
matter of the user's own configuration of pip; once installed, nobody is asked any more. What is in the cache is shown
to sandboxes read-only, by its folder's names (`Layout.packages`).
"""

import json
import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Sequence
from pathlib import Path
from secrets import token_hex

from honestly.errors import TaskError
from honestly.records import digest
from honestly.scratch import run_owned, temporary_workshop
from honestly.tasks.preparation._npm import NPM_PREFIX, NPM_REQUIREMENT, npm_install, npm_versions
from honestly.work import user_folder

VARIABLE = "HONESTLY_ENVIRONMENTS"
"""Names the cache's folder; `$XDG_CACHE_HOME/honestly/environments` where it is not set."""
REQUIREMENT = (
    rf"^{NPM_REQUIREMENT}$|^without:[A-Za-z0-9._-]+$|"
    r"^[A-Za-z0-9][A-Za-z0-9._-]*(\[[A-Za-z0-9,._-]+\])?"
    r"( ?(==|>=|<=|~=|!=|<|>) ?[A-Za-z0-9.*+!_-]+(, ?(==|>=|<=|~=|!=|<|>) ?[A-Za-z0-9.*+!_-]+)*)?"
    r"( --hash=sha256:[0-9a-f]{64})*$"
)
"""The pattern of a dependency: name, versions, hashes; no address, path or pip option. Or npm's.

`without:us` is none: whatever others require, the package `us` is not shown, since the workspace holds it itself.
"""
_WITHOUT = "without:"
_SHOWN_AT = "/opt/packages"
"""Where sandboxes show packages (`honestly.sandbox`)."""

_WORDS = 600
_TIMEOUT_S = 1200
_NETWORK = re.compile(r"connection|resolve|resolution|timed out|unreachable|proxy", re.IGNORECASE)


def cache_folder() -> Path:
    """Where packages, and what set-up commands left, are kept."""
    if named := os.environ.get(VARIABLE):
        return Path(named).absolute()
    return user_folder("cache") / "environments"


def installed_versions(dependencies: Sequence[str]) -> tuple[str, ...]:
    """The resolved versions of dependencies, and of all that they require; installs it where it is not in the cache.

    Returns:
        `name==version sha256:...` of each package, sorted; of npm's, `npm:name@version sha512-...`.

    Raises:
        TaskError: pip or npm finds no such package, or cannot be asked.
    """
    node = [each.partition(" --hash")[0] for each in dependencies if each.startswith(NPM_PREFIX)]
    rest = [each for each in dependencies if not each.startswith(NPM_PREFIX)]
    return (*_kept_resolution(rest, _install), *_kept_resolution(node, npm_install))


def _kept_resolution(
    dependencies: Sequence[str], install: Callable[[Sequence[str], Path], tuple[str, ...]]
) -> tuple[str, ...]:
    if not dependencies:
        return ()
    known = _resolution_path(dependencies)
    if known.is_file():
        found = tuple(json.loads(known.read_text()))
        if packages_folder(found).is_dir():
            return found
    with temporary_workshop(cache_folder() / "work") as work:
        found = install(dependencies, work)
        # Puts a folder in its place, unless somebody else was faster.
        made = work / "packages"
        place = packages_folder(found)
        made.mkdir(exist_ok=True)
        made.chmod(0o755)
        place.parent.mkdir(parents=True, exist_ok=True)
        try:
            made.rename(place)
        except OSError:
            if not place.is_dir():
                raise
        same = (
            []
            if any(each.startswith(_WITHOUT) for each in dependencies)
            else [[line.partition(" ")[0] for line in found]]
        )
        for each in (dependencies, *same):
            write_whole(_resolution_path(each), json.dumps(found).encode())
    return found


def _resolution_path(dependencies: Sequence[str]) -> Path:
    """Where it is kept what dependencies were resolved to."""
    return cache_folder() / "resolved" / f"{digest(sorted(dependencies), _python_tags())}.json"


def packages_folder(found: Sequence[str]) -> Path:
    """Where packages lie that were resolved to this."""
    return cache_folder() / "packages" / digest(list(found), _python_tags())


def npm_brings(found: Sequence[str], name: str) -> set[str]:
    """Versions of a package for node among what was installed, whichever package they are for."""
    node = [line for line in found if line.startswith(NPM_PREFIX)]
    return npm_versions(packages_folder(node), name) if node and name else set()


def write_whole(path: Path, data: bytes) -> None:
    """Writes a file of the cache, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{token_hex(8)}.part")
    part.write_bytes(data)
    part.replace(path)


def _python_tags() -> list[str]:
    """The interpreter tags that wheels depend on."""
    return [sys.implementation.cache_tag or "", sysconfig.get_platform()]


def _install(dependencies: Sequence[str], work: Path) -> tuple[str, ...]:
    wanted, report, target = work / "requirements.txt", work / "report.json", work / "packages"
    left_out = {each.removeprefix(_WITHOUT) for each in dependencies if each.startswith(_WITHOUT)}
    lines = [each for each in dependencies if not each.startswith(_WITHOUT)]
    if not lines:
        return ()
    wanted.write_text("".join(f"{each}\n" for each in lines))
    command = [sys.executable, *("-I", "-m", "pip", "install", "--no-input", "--disable-pip-version-check")]
    command += ["--no-compile", "--only-binary", ":all:", "--target", str(target)]
    command += ["--report", str(report), "-r", str(wanted)]
    if left_out and all("==" in each for each in lines):  # they are all that there is to install
        command.append("--no-deps")
    try:
        done = run_owned(command, cwd=work, timeout=_TIMEOUT_S)
    except subprocess.TimeoutExpired as error:
        raise TaskError(f"pip did not install {', '.join(dependencies)} within {_TIMEOUT_S} s") from error
    if done.returncode != 0:
        raise TaskError(_pip_failure(dependencies, done.stderr.decode("utf-8", "replace")))
    found = sorted(_line(row) for row in json.loads(report.read_text())["install"])
    for name in left_out:
        _remove_package(target, name)
    # Compiled once, as it will be found; each process that imports it would do so again. Compiling runs nothing of it.
    command = [sys.executable, "-I", "-m", "compileall", "-q", "-q", "-s", str(target), "-p", _SHOWN_AT, str(target)]
    run_owned(command, timeout=_TIMEOUT_S)
    return tuple(line for line in found if line.partition("==")[0] not in left_out)


def _remove_package(target: Path, name: str) -> None:
    """Takes the files of a package away, as its own record lists them."""
    for info in target.glob("*.dist-info"):
        if _package_key(info.name.partition("-")[0]) == name:
            rows = (info / "RECORD").read_text("utf-8", "replace").splitlines()
            places = [(target / row.partition(",")[0]).resolve() for row in rows]
            for place in places:
                if place.is_relative_to(target.resolve()):
                    place.unlink(missing_ok=True)
            for folder in sorted({place.parent for place in places}, reverse=True):
                if folder.is_dir() and folder != target.resolve() and not any(folder.iterdir()):
                    folder.rmdir()


def _package_key(name: str) -> str:
    """A name as package indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _line(row: dict[str, dict[str, dict[str, dict[str, str]] | str]]) -> str:
    """A line of pip's report as `name==version sha256:...`."""
    archive = row["download_info"].get("archive_info", {})
    hashes = archive.get("hashes", {}) if isinstance(archive, dict) else {}
    name = _package_key(str(row["metadata"]["name"]))
    return f"{name}=={row['metadata']['version']} sha256:{hashes.get('sha256', 'unknown')}"


def _pip_failure(dependencies: Sequence[str], said: str) -> str:
    """Why pip failed, and what to do."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR:")] or lines[-3:]
    text = " ".join(errors).replace("ERROR: ", "")[:_WORDS]
    if "No module named pip" in said:
        todo = "pip is not installed beside honestly: `python -m ensurepip`"
    elif "HASHES" in said:
        todo = "a file is not the one whose hash is declared: check it, and declare hashes of all that is required, too"
    elif any(_NETWORK.search(line) for line in lines if line.startswith("WARNING:")):
        todo = "the registry could not be reached: check the network and `pip config list`"
    elif "(from versions: none)" in said:
        todo = "there is no such package, or the registry could not be reached: check the name, and `pip config list`"
    else:
        todo = "check names and versions; only wheels are installed, from where `pip config list` says"
    names = ", ".join(each.partition(" --")[0] for each in dependencies)
    return f"the dependencies {names} were not installed: {text} ({todo})"
