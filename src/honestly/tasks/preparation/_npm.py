"""Packages for node, put together by npm; none of their scripts runs.

`npm:jest@30.0.5` is a package that code of the workspace may import; `npm-override:ms@2.1.1` is also the version that
all others get of it; `npm-below:ms@2.1.1` is only that. They are shown in `/node_modules`, where node looks from any
folder. The user's own settings say which registry npm asks. The versions of what lies on top are kept; what a package
has below itself, is not.
"""

import json
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from honestly.errors import TaskError
from honestly.scratch import run_owned

NODE_MODULES = "/node_modules"
"""Where packages for node are shown."""
NPM_PREFIX = ("npm:", "npm-override:", "npm-below:")
NPM_REQUIREMENT = r"npm(-override|-below)?:(@[A-Za-z0-9][\w.-]*/)?[A-Za-z0-9][\w.-]*@[\w.^~<>=|*+ -]+"
"""What such a dependency looks like: no address, no path, no other name."""
_OPTIONS = ("--ignore-scripts", "--no-audit", "--no-fund", "--no-progress", "--legacy-peer-deps", "--prefer-offline",
            "--replace-registry-host=always", "--loglevel=error")  # fmt: skip
_TIMEOUT_S, _WORDS = 1200, 600


def npm_manifest(dependencies: Iterable[str]) -> str:
    """The package.json that asks for dependencies."""
    wanted: dict[str, str] = {}
    everywhere: dict[str, str] = {}
    for each in dependencies:
        kind, _, rest = each.partition(":")
        name, _, version = rest.rpartition("@")
        if f"{kind}:" != NPM_PREFIX[2]:
            wanted[name] = version
        if f"{kind}:" != NPM_PREFIX[0]:
            everywhere[name] = version
    return json.dumps({"private": True, "dependencies": wanted, "overrides": everywhere})


def npm_install(dependencies: Sequence[str], work: Path) -> tuple[str, ...]:
    """Puts packages into `work/packages`.

    Returns:
        `npm:name@version hash` of each that lies on top and is for any machine, sorted.

    Raises:
        TaskError: npm is not there, finds no such package, or cannot be asked.
    """
    npm, place = shutil.which("npm"), work / "npm"
    if npm is None:
        raise TaskError("npm is not installed, which packages for node come by; on Debian: apt-get install npm")
    place.mkdir()
    (place / "package.json").write_text(npm_manifest(dependencies))
    try:
        done = run_owned([npm, "install", *_OPTIONS], cwd=place, timeout=_TIMEOUT_S)
    except subprocess.TimeoutExpired as error:
        raise TaskError(f"npm did not install {', '.join(dependencies)} within {_TIMEOUT_S} s") from error
    if done.returncode != 0:
        said = " ".join(done.stderr.decode("utf-8", "replace").replace("npm error", "").split())[:_WORDS]
        raise TaskError(
            f"the packages {', '.join(dependencies)} were not installed: {said} (`npm config get registry`)"
        )
    rows = json.loads((place / "package-lock.json").read_text())["packages"]
    (place / "node_modules").mkdir(exist_ok=True)
    (place / "node_modules").rename(work / "packages")
    everywhere = {each.partition(":")[2].rpartition("@")[0] for each in dependencies if each.startswith(NPM_PREFIX[1])}
    return tuple(sorted(_lock_lines(rows, everywhere)))


def _lock_lines(rows: dict[str, dict[str, object]], everywhere: set[str]) -> Iterable[str]:
    for path, row in rows.items():
        name = path.removeprefix("node_modules/")
        if path and "/node_modules/" not in path and not {"os", "cpu", "link"} & row.keys():
            yield f"{NPM_PREFIX[name in everywhere]}{name}@{row['version']} {row.get('integrity', 'unknown')}"


def npm_versions(folder: Path, name: str) -> set[str]:
    """All versions of a package that lie in a folder of packages, whoever they are for."""
    found = set()
    for place in [folder / name, *(each / name for each in folder.rglob("node_modules"))]:
        if (place / "package.json").is_file():
            found.add(str(json.loads((place / "package.json").read_text("utf-8", "replace")).get("version")))
    return found
