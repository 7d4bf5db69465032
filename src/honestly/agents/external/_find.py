"""Finding an installed program: what of this machine must be shown for it, how it is called inside, its version.

Nothing is installed and nothing is started here: versions are read from the packages' own files. A program is a package
of node, a script of a Python environment, or a file. Of a package its `node_modules` is shown, of an environment the
whole of it, and of anything else that one file; what lies below `/usr` is there anyway.
"""

import json
import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

from honestly.errors import AgentError

_INSIDE = "/opt/agent"
_NODE = "/opt/node/bin/node"
_RUN = (
    "import runpy, site, sys; site.addsitedir({packages!r}); sys.argv[0] = {script!r}; "
    "runpy.run_path({script!r}, run_name='__main__')"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """A program of this machine, as a sandbox can show it."""

    argv: tuple[str, ...]
    """How it is called inside."""
    version: str
    shown: Mapping[str, Path] = field(default_factory=dict)


def find_program(program: str, distribution: str = "", folder: Path | None = None) -> Installed:
    """Find an installed program, and what a sandbox must show for it.

    Args:
        program: Its name, or its path.
        distribution: Of a Python program: the distribution whose version counts.
        folder: Where it is installed: an npm prefix, a virtual environment, or the directory of the program; None for
            the search path.

    Raises:
        AgentError: It is not there, or in a form that cannot be shown.
    """
    places = [folder, folder / "bin", folder / "node_modules" / ".bin"] if folder else []
    search = os.pathsep.join(map(str, places)) if folder else None
    found = shutil.which(program, path=search)
    if found is None:
        where = f"in {folder}" if folder else "on the search path (PATH)"
        raise AgentError(f"{program!r} is not installed {where}; install it, or say where it is: AGENT:path=FOLDER")
    path = Path(found).absolute()
    real = path.resolve()
    if "node_modules" in real.parts:
        return _node(real)
    environment = next((up for up in (path.parent.parent, real.parent.parent) if (up / "pyvenv.cfg").is_file()), None)
    if environment is not None:
        return _python(environment, real.name, distribution or real.name)
    version = "blake2b:" + _hash(real)
    if real.is_relative_to("/usr"):
        return Installed(argv=(str(real),), version=version)
    return Installed(argv=(f"{_INSIDE}/{real.name}",), version=version, shown={f"{_INSIDE}/{real.name}": real})


def _node(real: Path) -> Installed:
    """A command of a package below `node_modules`, the outermost one, in which its dependencies lie."""
    at = real.parts.index("node_modules")
    modules = Path(*real.parts[: at + 1])
    shown = {} if modules.is_relative_to("/usr") else {f"{_INSIDE}/node_modules": modules}
    inside = str(real) if not shown else f"{_INSIDE}/node_modules/{real.relative_to(modules)}"
    package = next((up for up in real.parents if up != modules and (up / "package.json").is_file()), modules)
    argv: tuple[str, ...] = (inside,)
    if _begins_with(real, b"#!") or real.suffix in {".js", ".cjs", ".mjs"}:
        node = shutil.which("node")
        if node is None:
            raise AgentError(f"{real} needs node, which is not on the search path (PATH); install it")
        binary = Path(node).resolve()
        shown |= {} if binary.is_relative_to("/usr") else {_NODE: binary}
        argv = (_NODE if _NODE in shown else str(binary), inside)
    return Installed(argv=argv, version=_package_version(package), shown=shown)


def _package_version(package: Path) -> str:
    try:
        version = json.loads((package / "package.json").read_bytes()).get("version")
    except (OSError, ValueError, AttributeError):
        version = None
    return version if isinstance(version, str) else ""


def _python(environment: Path, script: str, distribution: str) -> Installed:
    """A script of a virtual environment, run by the interpreter that this was made of.

    Its packages are put on the interpreter's own path, and on no variable: what the agent starts shall not see them,
    and files of the workspace shall not stand in for them (`-I`).
    """
    lines = (environment / "pyvenv.cfg").read_text("utf-8", "replace").splitlines()
    settings = {key.strip(): value.strip() for key, _, value in (line.partition("=") for line in lines)}
    base = Path(settings.get("home", "")).resolve().parent
    packages = next(iter(sorted(environment.glob("lib/python3*/site-packages"))), None)
    if packages is None or not base.is_dir():
        raise AgentError(f"{environment} is not a complete Python environment; make a new one")
    name = packages.parent.name
    shown = {_INSIDE: environment}
    if base.is_relative_to("/usr") or (base == Path(sys.base_prefix).resolve() and name == _own()):
        python = str(base / "bin" / name) if base.is_relative_to("/usr") else "python3"
    else:
        shown[str(base)] = base  # at its own place, where some builds look for their libraries
        python = f"{base}/bin/{name}"
    run = _RUN.format(packages=f"{_INSIDE}/lib/{name}/site-packages", script=f"{_INSIDE}/bin/{script}")
    wanted = distribution.replace("-", "_").lower()
    versions = [
        info.name.removesuffix(".dist-info").split("-", 1)[1]
        for info in packages.glob("*.dist-info")
        if info.name.lower().startswith(f"{wanted}-")
    ]
    return Installed(argv=(python, "-I", "-c", run), version=versions[0] if versions else "", shown=shown)


def _own() -> str:
    return f"python{sys.version_info.major}.{sys.version_info.minor}"


def _begins_with(path: Path, mark: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(mark)) == mark


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        state = blake2b(digest_size=8)
        while piece := file.read(1 << 20):
            state.update(piece)
    return state.hexdigest()
