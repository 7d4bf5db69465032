"""Finding an installed program: what of this machine must be shown for it, how it is called inside, its version.

Nothing is installed and nothing is started here: versions are read from the packages' own files. A program is a package
of node, a script of a Python environment, or a file. Of a package its `node_modules` is shown, of an environment the
whole of it, and of anything else that one file; what lies below `/usr` is there anyway. An image has nothing of it:
there, what the program runs on is shown too, made ready by `image_kit`.
"""

import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from pathlib import Path

from honestly.agents.external._kit import BIN, INSIDE, image_kit
from honestly.errors import AgentError

_INSIDE = f"{INSIDE}/agent"
_NODE = f"{INSIDE}/node"
_LIBRARY = f"{INSIDE}/lib"
SHELL = f"{BIN}/bash"
"""Where a shell lies beside every image."""
_RUN = (
    "import runpy, site, sys; site.addsitedir({packages!r}); sys.argv[0] = {script!r}; "
    "runpy.run_path({script!r}, run_name='__main__')"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class InstalledProgram:
    """A program of this machine, as a sandbox can show it."""

    argv: tuple[str, ...]
    """How it is called inside."""
    version: str
    shown: Mapping[str, Path] = field(default_factory=dict)
    in_image: "Callable[[], InstalledProgram] | None" = field(default=None, compare=False)
    """Makes it ready for images; copies files, the first time. None where this already is."""


def find_program(
    program: str, distribution: str = "", folder: Path | None = None, *, settable: bool = True
) -> InstalledProgram:
    """Find an installed program, and what a sandbox must show for it.

    Args:
        program: Its name, or its path.
        distribution: Of a Python program: the distribution whose version counts.
        folder: Where it is installed: an npm prefix, a virtual environment, or the directory of the program; None for
            the search path.
        settable: Whether somebody can say where it is installed.

    Raises:
        AgentError: It is not there, or in a form that cannot be shown.
    """
    places = [folder, folder / "bin", folder / "node_modules" / ".bin"] if folder else []
    search = os.pathsep.join(map(str, places)) if folder else None
    found = shutil.which(program, path=search)
    if found is None:
        where = f"in {folder}" if folder else "on the search path (PATH)"
        said = "name its folder: AGENT:path=FOLDER" if settable else "give its path"
        raise AgentError(f"{program!r} is not installed {where}; install it, or {said}")
    path = Path(found).absolute()
    real = path.resolve()
    if "node_modules" in real.parts:
        return _node_command(real)
    environment = next((up for up in (path.parent.parent, real.parent.parent) if (up / "pyvenv.cfg").is_file()), None)
    if environment is not None and re.fullmatch(r"python[\d.]*", path.name):
        return _python_of(environment)
    if environment is not None:
        return _python_script(environment, real.name, distribution or real.name)
    with real.open("rb") as file:
        state = blake2b(digest_size=8)
        while piece := file.read(1 << 20):
            state.update(piece)
    version, beside = "blake2b:" + state.hexdigest(), partial(_file_in_image, real)
    if real.is_relative_to("/usr"):
        return InstalledProgram(argv=(str(real),), version=version, in_image=beside)
    inside = f"{_INSIDE}/{real.name}"
    return InstalledProgram(argv=(inside,), version=version, shown={inside: real}, in_image=beside)


def _node_command(real: Path) -> InstalledProgram:
    """A command of a package below `node_modules`, the outermost one, in which its dependencies lie."""
    at = real.parts.index("node_modules")
    modules = Path(*real.parts[: at + 1])
    shown = {} if modules.is_relative_to("/usr") else {f"{_INSIDE}/node_modules": modules}
    inside = str(real) if not shown else f"{_INSIDE}/node_modules/{real.relative_to(modules)}"
    package = next((up for up in real.parents if up != modules and (up / "package.json").is_file()), modules)
    version, beside = _package_version(package), {f"{_INSIDE}/node_modules": modules}
    script = f"{_INSIDE}/node_modules/{real.relative_to(modules)}"
    if not _begins_with(real, b"#!") and real.suffix not in {".js", ".cjs", ".mjs"}:
        return InstalledProgram(
            argv=(inside,), version=version, shown=shown, in_image=partial(_in_image, {real.name: real}, (), beside)
        )
    if (node := shutil.which("node")) is None:
        raise AgentError(f"{real} needs node, which is not on the search path (PATH); install it")
    binary = Path(node).resolve()
    shown |= {} if binary.is_relative_to("/usr") else {_NODE: binary}
    argv = (_NODE if _NODE in shown else str(binary), inside)
    return InstalledProgram(
        argv=argv, version=version, shown=shown, in_image=partial(_in_image, {"node": binary}, (script,), beside)
    )


def _in_image(
    programs: Mapping[str, Path], arguments: tuple[str, ...], shown: Mapping[str, Path], **libraries: Sequence[Path]
) -> InstalledProgram:
    """The first of some programs as an image can show it, and a shell for what asks for one."""
    bash = shutil.which("bash")
    shells = {"bash": Path(bash).resolve()} if bash else {}
    made = image_kit({**shells, **programs}, **libraries)
    return InstalledProgram(argv=(f"{BIN}/{next(iter(programs))}", *arguments), version="", shown={**made, **shown})


def _file_in_image(real: Path) -> InstalledProgram:
    """A file and what it runs on: itself, or what its first line names."""
    if not _begins_with(real, b"#!"):
        return _in_image({real.name: real}, (), {})
    inside = f"{_INSIDE}/{real.name}"
    with real.open("rb") as file:
        program, *flags = file.readline(4096)[2:].decode("utf-8", "replace").split() or [""]
    if Path(program).name == "env":
        program, *flags = [word for word in flags if word != "-S"] or [""]
    if program in {"python", "python3", _own_python()}:  # what a sandbox of the machine calls so is this program's own
        base, name = Path(sys.base_prefix).resolve(), _own_python()
        return _python_in_image(base, name, (*flags, inside), {inside: real}, ())
    found = shutil.which(program)
    binary = Path(found or real).resolve()
    if _begins_with(binary, b"#!"):
        raise AgentError(f"{real} is a script for {program!r}, which is not installed here; install it")
    base = binary.parent.parent
    if (base / "lib" / binary.name / "os.py").is_file():
        return _python_in_image(base, binary.name, (*flags, inside), {inside: real}, ())
    return _in_image({binary.name: binary}, (*flags, inside), {inside: real})


def _python_in_image(
    base: Path, name: str, arguments: tuple[str, ...], shown: Mapping[str, Path], packages: Sequence[Path]
) -> InstalledProgram:
    """An interpreter with its library, and what it runs."""
    library = base / "lib" / name
    modules = [path for path in library.glob("lib-dynload/*.so") if not path.name.startswith("_tkinter")]
    modules += (path for folder in packages for path in folder.rglob("*.so*") if path.is_file())
    return _in_image(
        {name: base / "bin" / name}, arguments, {f"{_LIBRARY}/{name}": library, **shown},
        modules=modules, libraries=[base / "lib"],
    )  # fmt: skip


def _package_version(package: Path) -> str:
    try:
        version = json.loads((package / "package.json").read_bytes()).get("version")
    except (OSError, ValueError, AttributeError):
        version = None
    return version if isinstance(version, str) else ""


def _environment_parts(environment: Path) -> tuple[Path, Path]:
    """The folder of the Python that a virtual environment was made of, and the environment's packages."""
    lines = (environment / "pyvenv.cfg").read_text("utf-8", "replace").splitlines()
    settings = {key.strip(): value.strip() for key, _, value in (line.partition("=") for line in lines)}
    base = Path(settings.get("home", "")).resolve().parent
    packages = next(iter(sorted(environment.glob("lib/python3*/site-packages"))), None)
    if packages is None or not base.is_dir():
        raise AgentError(f"{environment} is not a complete Python environment; make a new one")
    return base, packages


def _python_of(environment: Path) -> InstalledProgram:
    """The interpreter of a virtual environment, with the packages of this; in an image without them."""
    base, packages = _environment_parts(environment)
    name = packages.parent.name
    below_usr, own = base.is_relative_to("/usr"), base == Path(sys.base_prefix).resolve()
    shown = {_INSIDE: environment} | ({} if below_usr or own else {str(base): base})
    link = environment / "bin" / "python3"
    while link.is_symlink():
        if own and not below_usr and link.is_relative_to(base):
            shown[str(link)] = link.resolve()  # a sandbox shows this interpreter, and not the other names that it has
        link = link.parent / link.readlink()
    beside = partial(_python_in_image, base, name, (), {}, ())
    return InstalledProgram(argv=(f"{_INSIDE}/bin/python3",), version=name, shown=shown, in_image=beside)


def _python_script(environment: Path, script: str, distribution: str) -> InstalledProgram:
    """A script of a virtual environment, run by the interpreter that this was made of.

    Its packages are put on the interpreter's own path, and on no variable: what the agent starts shall not see them,
    and files of the workspace shall not stand in for them (`-I`).
    """
    base, packages = _environment_parts(environment)
    name = packages.parent.name
    shown = {_INSIDE: environment}
    if base.is_relative_to("/usr") or (base == Path(sys.base_prefix).resolve() and name == _own_python()):
        python = str(base / "bin" / name) if base.is_relative_to("/usr") else "python3"
    else:
        shown[str(base)] = base  # at its own place, where some builds look for their libraries
        python = f"{base}/bin/{name}"
    run = _RUN.format(packages=f"{_INSIDE}/lib/{name}/site-packages", script=f"{_INSIDE}/bin/{script}")
    # Without `-S`, the interpreter's own packages, which a sandbox of the machine's hides, would come first.
    words = ("-I", "-S", "-c", run)
    beside = partial(_python_in_image, base, name, words, {_INSIDE: environment}, (packages,))
    wanted = distribution.replace("-", "_").lower()
    versions = [
        info.name.removesuffix(".dist-info").split("-", 1)[1]
        for info in packages.glob("*.dist-info")
        if info.name.lower().startswith(f"{wanted}-")
    ]
    version = versions[0] if versions else ""
    return InstalledProgram(argv=(python, "-I", "-c", run), version=version, shown=shown, in_image=beside)


def _own_python() -> str:
    return f"python{sys.version_info.major}.{sys.version_info.minor}"


def _begins_with(path: Path, mark: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(mark)) == mark
