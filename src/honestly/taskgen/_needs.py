"""The requirements of a Python project's tests: what its build says (`_built.py`), and the files that say what is for
tests.

pyproject.toml (PEP 621, dependency groups, Poetry, Hatch, PDM, uv, Flit, tox), setup.cfg, setup.py where it is plain
literals, requirements files, Pipfile, tox.ini, noxfile.py; versions from uv.lock, poetry.lock, pdm.lock or
Pipfile.lock. Of what is not for the package itself, what some file imports and plug-ins of pytest are taken, and what
the tests turned out to lack: the rest builds, formats or publishes. Addresses (of repositories, files, other indexes)
are not followed but named.
"""

import ast
import configparser
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from posixpath import normpath
from typing import Any

from honestly._toml import toml_table
from honestly.records import Tree
from honestly.taskgen._built import BuiltProject
from honestly.taskgen._markers import marker_holds, unfit_python
from honestly.tasks import REQUIREMENT

_EXTRAS = re.compile(r"^(?:tests?|testing|dev|develop|development|unit.?tests?|all)$", re.IGNORECASE)
_REQUIREMENTS = re.compile(
    r"^(?:(?:requirements|requires|reqs|tests?|testing)/)?(?:(?:requirements|test|tests|testing|dev|base|main|install|ci|all)[\w.-]*|[\w.-]+[._-]requirements)\.(?:txt|in)$"
    r"|^(?:requirements|reqs)/[\w.-]+\.(?:txt|in)$"
)
_PLUGIN = re.compile(
    r"^pytest-(?!(?:cov|cover|xdist|sugar|html|pep8|flakes|flake8|black|isort|mypy|pylint|ruff|codestyle|pycodestyle|pydocstyle|"
    r"runner|pythonpath|randomly|random-order|reverse|watch|watcher|testmon|picked|clarity|pretty|icdiff|instafail|"
    r"parallel|split|split-tests|checkdocs|enabler|travis-fold|rerunfailures|github-actions-annotate-failures)$)|-pytest$"
)
"""Plug-ins that tests may use; others check style, only report, or say how tests are run, and hold pytest back."""
_CI = re.compile(
    r"^(?:\.github/workflows/[^/]+\.ya?ml|\.travis\.yml|\.circleci/config\.yml|azure-pipelines\.yml|Makefile)$"
)
_PIP = re.compile(r"\bpip3? install\b([^\n;&|#]*)")
_INCLUDED = re.compile(r"^(?:-r|--requirement)[\s=]*([\w./-]+)$")
_MODULES = {
    "python-dateutil": "dateutil",
    "pyyaml": "yaml",
    "beautifulsoup4": "bs4",
    "pillow": "PIL",
    "scikit-learn": "sklearn",
    "opencv-python": "cv2",
    "attrs": "attr",
    "setuptools": "setuptools",
    "protobuf": "google",
    "pyjwt": "jwt",
    "pycryptodome": "Crypto",
}
"""Names under which packages are imported, where those are not their own."""
_IMPLIED = {"pkg_resources": "setuptools<81", "setuptools": "setuptools", "distutils": "setuptools"}
"""Modules that every environment had once, undeclared."""
_IMPORT = re.compile(rb"^\s*(?:import|from)\s+([A-Za-z_]\w*)", re.MULTILINE)
_LINE = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)\s*(\[[^\]]*\])?\s*\(?([^;#()]*)\)?\s*(?:;(.*))?$")
_ADDRESS = re.compile(
    r"\S+://|[\w.-]+\s*(?:\[[^\]]*\]\s*)?@\s*\S|\.{0,2}/\S|(?:-e|--editable)[\s=]+(?!['\"]?\.['\"]?(?:\[|$))\S"
)
"""Where a line says from where something comes: at its start, but for an option before it."""
_LOCKS = ("uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock")
_FILES = ("pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "hatch.toml", "noxfile.py", "Pipfile", *_LOCKS)
_OLD_PYTEST = 7
"""Its versions do not run with this Python, or not as tests are run here."""
ALL = "*"
"""Stands for all modules that packages for tests could bring: a plug-in of pytest's, whose module nobody imports."""


_NOT_BUILT = BuiltProject()


@dataclass(frozen=True, slots=True)
class Needs:
    """The requirements of tests, and where they are said."""

    pinned: tuple[str, ...]
    """Requirements with the lock's versions."""
    free: tuple[str, ...]
    """The same as the project itself says them."""
    runtime: tuple[str, ...]
    """What the package alone needs."""
    files: tuple[str, ...]
    """The files that were read."""
    name: str
    """The project's own name, as package indexes compare it; empty where it does not say."""
    version: str = ""
    """The project's own version, where others may bring along a later one of it."""
    python: str = ""
    """What the project asks of Python, where this Python does not give it."""
    addresses: tuple[str, ...] = ()
    """What it asks for by an address, which is not followed."""
    pytest: str = "pytest"
    """The pytest that it asks for, where it sets a bound that any pytest for this Python keeps."""
    below: tuple[str, ...] = ()
    """What the lock has of packages that others bring: for where tests do not load with today's."""
    siblings: tuple[tuple[str, str], ...] = ()
    """Names and versions of the other packages of the same repository."""


def needs_of(tree: Tree, built: BuiltProject = _NOT_BUILT, lacking: Collection[str] = ()) -> Needs:
    """The requirements of a Python project's tests, which turned out to lack some modules: `ALL` are those of every
    package that is for tests.
    """
    read = [path for path in _FILES if _readable_file(tree, path)]
    read += sorted(path for path in tree.files if _REQUIREMENTS.match(path) and _readable_file(tree, path))
    runtime: dict[str, str] = {}
    tests: dict[str, str] = {}
    others: dict[str, str] = {}
    addresses: dict[str, str] = {}
    project = _parsed_toml(tree, "pyproject.toml")
    setup = _parsed_ini(tree, "setup.cfg")
    own, said, named = _of_setup(tree)
    if built.name:
        _take(runtime, addresses, (line for line in built.requires if "extra" not in line))
    else:
        _take(runtime, addresses, _of_project(project))
        _take(runtime, addresses, setup.get("options", {}).get("install_requires", "").splitlines())
    _take(runtime, addresses, own if not built.name else ())
    groups = [
        *_groups_of(project, _parsed_toml(tree, "hatch.toml"), _parsed_toml(tree, "Pipfile")),
        ("test", setup.get("options", {}).get("tests_require", "").splitlines()),
        *((extra, lines.splitlines()) for extra, lines in setup.get("options.extras_require", {}).items()),
        *(_of_extra(line) for line in built.requires if "extra" in line),
        *said,
        *(("test", _followed(tree, path, tree.text(path).splitlines())) for path in read if _REQUIREMENTS.match(path)),
        *(("test", _followed(tree, "tox.ini", lines)) for lines in _of_tox(_parsed_ini(tree, "tox.ini"))),
        ("test", _of_nox(tree)),
        *(
            ("ci", _of_pip(tree.text(path)))
            for path in sorted(tree.files)
            if _CI.match(path) and _readable_file(tree, path)
        ),
    ]
    for name, lines in groups:
        _take(tests if _EXTRAS.match(name) else others, addresses, lines)
    sources = _nested_table(project, "tool", "uv", "sources")
    for each, source in sources.items() if isinstance(sources, Mapping) else ():
        where = [str(source[key]) for key in ("git", "url", "path") if isinstance(source, Mapping) and key in source]
        addresses |= (
            {_package_key(each): f"{each} @ {where[0]}"} if where and _package_key(each) in runtime | tests else {}
        )
    name = built.name or _package_key(
        str(
            _nested_table(project, "project", "name")
            or _nested_table(project, "tool", "poetry", "name")
            or setup.get("metadata", {}).get("name", "")
            or named
        )
    )
    locked, modules, lacking = _locked_versions(tree), _imported(tree), {each.casefold() for each in lacking}
    if lacking - set().union(*map(_modules_of, {**others, **tests, **locked})) - _IMPLIED.keys():
        lacking.add(ALL)  # some package has another name than what it brings
    chosen = {
        key: line for key, line in {**others, **tests}.items()
        if modules & _modules_of(key) or (key in tests and (_PLUGIN.search(key) or ALL in lacking))
    }  # fmt: skip
    known = {**{key: f"{key}=={version}" for key, version in locked.items()}, **others, **tests}
    chosen |= {f"{module} of setuptools": line for module, line in _IMPLIED.items() if module in lacking}
    chosen |= {key: line for key, line in known.items() if _modules_of(key) & set(lacking)}
    everything = {key: line for key, line in {**chosen, **runtime}.items() if key not in (name, "pytest")}
    bound = re.search(r"<=?\d+", {**runtime, **others, **tests}.get("pytest", ""))
    return Needs(
        pytest=f"pytest{bound[0]}" if bound and int(bound[0].strip("<=")) > _OLD_PYTEST else "pytest",
        pinned=tuple(
            f"{line.split('=')[0]}=={locked[key]}" if key in locked and re.fullmatch(r"[\w.-]+", line) else line
            for key, line in sorted(everything.items())
        ),
        free=tuple(line for _, line in sorted(everything.items())),
        runtime=tuple(line for key, line in sorted(runtime.items()) if key in everything),
        files=tuple(dict.fromkeys(read)),
        name=name,
        python=unfit_python(
            _nested_table(project, "project", "requires-python") or setup.get("options", {}).get("python_requires", "")
        ),
        addresses=tuple(sorted(set(addresses.values()))),
    )


def _modules_of(key: str) -> set[str]:
    """The names under which a package may be imported."""
    plain = key.replace("-", "_")
    return {_MODULES.get(key, plain).casefold(), plain, plain.removeprefix("python_"), plain.removesuffix("_python")}


def _of_extra(line: str) -> tuple[str, list[str]]:
    """A requirement of an extra's as one of its own, by the extra."""
    found = re.search(r"extra\s*==\s*['\"]([^'\"]+)", line)
    wanted, _, marker = line.partition(";")
    rest = (
        re.sub(r"(?:\s*\band\b\s*)?extra\s*==\s*['\"][^'\"]+['\"]", "", marker)
        .strip()
        .removeprefix("and ")
        .strip("() ")
    )
    said = f"{wanted.strip()}; {rest}" if rest and rest.count("(") == rest.count(")") else wanted.strip()
    return found[1] if found else "", [said]


def _imported(tree: Tree) -> set[str]:
    """The first names of all modules that Python files import, in small letters: packages are named in any."""
    texts = (file.data for path, file in tree.files.items() if path.endswith(".py") and not path.startswith("doc"))
    return {found.decode().casefold() for text in texts for found in _IMPORT.findall(text)}


def _take(into: dict[str, str], addresses: dict[str, str], lines: Iterable[object]) -> None:
    """Takes in those requirements that are for this machine and for tests; the first word about each holds."""
    for line in lines:
        text = re.sub(r"\s+#.*|^#.*", "", str(line)).split(" --hash")[0].strip().rstrip("\\").strip()
        if _ADDRESS.match(re.sub(r"^--?[a-z][\w-]*[\s=]+(?=\S+://)", "", text)):
            wanted, _, marker = text.partition(" ;")
            if marker_holds(marker):
                addresses[wanted] = re.sub(r"//[^/@\s]*@", "//", wanted)  # without a password
            continue
        found = _LINE.match(text)
        if not found or found[1].startswith("-") or not marker_holds(found[4] or ""):
            continue
        key = _package_key(found[1])
        versions = ",".join(part.strip().replace(" ", "") for part in found[3].split(",") if part.strip())
        written = f"{found[1]}{(found[2] or '').replace(' ', '')}{versions}"
        if key not in ("python", "pip", "wheel") and re.match(REQUIREMENT, written):
            into.setdefault(key, written)


def _of_project(table: Mapping[str, Any]) -> Iterator[object]:
    """What pyproject.toml says that the package itself requires."""
    yield from _nested_table(table, "project", "dependencies") or ()
    yield from _of_poetry(_nested_table(table, "tool", "poetry", "dependencies"))
    yield from _nested_table(table, "tool", "flit", "metadata", "requires") or ()


def _groups_of(
    table: Mapping[str, Any], hatch: Mapping[str, Any], pipfile: Mapping[str, Any]
) -> Iterator[tuple[str, Iterable[object]]]:
    """What is for something else than the package itself, by what it is for: extras, groups, environments."""
    tool = _nested_table(table, "tool") or {}
    yield from _tables(_nested_table(table, "project", "optional-dependencies"))
    yield from _tables(_nested_table(tool, "flit", "metadata", "requires-extra"))
    yield "dev", _nested_table(tool, "flit", "metadata", "dev-requires") or ()
    groups = _nested_table(table, "dependency-groups") or {}
    for group in groups:
        yield group, _of_group(groups, group, 0)
    yield "dev", _of_poetry(_nested_table(tool, "poetry", "dev-dependencies"))
    for group, found in (_nested_table(tool, "poetry", "group") or {}).items():
        yield group, _of_poetry(_nested_table(found, "dependencies"))
    yield from _tables(_nested_table(tool, "pdm", "dev-dependencies"))
    yield "dev", _nested_table(tool, "uv", "dev-dependencies") or ()
    for env in (*(_nested_table(tool, "hatch", "envs") or {}).values(), *(hatch.get("envs") or {}).values()):
        for key in ("dependencies", "extra-dependencies"):
            yield "test", _nested_table(env, key) or ()
    for env in ({"": _nested_table(tool, "tox", "env_run_base")} | (_nested_table(tool, "tox", "env") or {})).values():
        yield "test", (each for each in _nested_table(env, "deps") or () if isinstance(each, str))
    legacy = _nested_table(tool, "tox", "legacy_tox_ini")
    if isinstance(legacy, str):
        yield from (("test", lines) for lines in _of_tox(_read_ini(legacy)))
    for key in ("packages", "dev-packages"):
        yield "dev", _of_poetry(pipfile.get(key))


def _tables(table: object) -> Iterator[tuple[str, Iterable[object]]]:
    """Lists of requirements, by their name."""
    for name, lines in table.items() if isinstance(table, Mapping) else ():
        if isinstance(lines, list):
            yield str(name), lines


def _followed(tree: Tree, path: str, lines: Iterable[str], depth: int = 0) -> Iterator[str]:
    """Lines of requirements, with those of the files that they include."""
    for line in lines:
        found = _INCLUDED.match(line.strip())
        if found is None:
            yield line
            continue
        other = normpath(f"{path.rpartition('/')[0] or '.'}/{found[1]}")
        if depth < 5 and _readable_file(tree, other):
            yield from _followed(tree, other, tree.files[other].data.decode("utf-8", "replace").splitlines(), depth + 1)


def _of_group(groups: Mapping[str, Any], name: str, depth: int) -> Iterator[object]:
    for line in groups.get(name, ()) if depth < 5 else ():
        if isinstance(line, Mapping):
            yield from _of_group(groups, str(line.get("include-group")), depth + 1)
        else:
            yield line


def _of_poetry(table: object) -> Iterator[str]:
    """Poetry's dependencies as pip takes them: a caret or a tilde is a lower bound."""
    for name, wanted in table.items() if isinstance(table, Mapping) else ():
        version = wanted.get("version", "") if isinstance(wanted, Mapping) else wanted
        if isinstance(wanted, Mapping) and wanted.get("optional"):
            continue
        where = [wanted[key] for key in ("git", "path", "url") if isinstance(wanted, Mapping) and key in wanted]
        if where:
            yield f"{name} @ {where[0]}"
            continue
        text = str(version).strip().replace("^", ">=").replace("~=", "~=")
        text = re.sub(r"^~(?!=)", ">=", text)
        yield f"{name}{'' if text in ('*', '') else text if text[0] in '<>=!~' else f'=={text}'}"


def _of_setup(tree: Tree) -> tuple[list[object], list[tuple[str, list[object]]], str]:
    """The plain literals of setup.py: `install_requires`, what tests and extras are said to require, the name."""
    own: list[object] = []
    others: list[tuple[str, list[object]]] = []
    named = ""
    if not _readable_file(tree, "setup.py"):
        return own, others, named
    try:
        parsed = ast.parse(tree.files["setup.py"].data)
    except (SyntaxError, ValueError, RecursionError):
        return own, others, named
    names = {
        target.id: node.value
        for node in ast.walk(parsed)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for call in (node for node in ast.walk(parsed) if isinstance(node, ast.Call)):
        for word in call.keywords:
            value = names.get(word.value.id) if isinstance(word.value, ast.Name) else word.value
            try:
                found = ast.literal_eval(value) if value is not None else None
            except (ValueError, TypeError, RecursionError):
                continue
            lines = [found] if isinstance(found, str) else list(found) if isinstance(found, list | tuple) else []
            if word.arg == "install_requires":
                own.extend(lines)
            elif word.arg in ("tests_require", "dependency_links"):
                others.append(("test", lines))
            elif word.arg == "name" and isinstance(found, str):
                named = named or found
            elif word.arg == "extras_require" and isinstance(found, dict):
                others += [(str(extra), list(some)) for extra, some in found.items()]
    return own, others, named


def _of_tox(settings: Mapping[str, Mapping[str, str]]) -> Iterator[list[str]]:
    """The packages that tox installs for each environment; of conditions (`py27: mock`) the requirement, and the last
    first, which is for the newest.
    """
    for name, section in settings.items():
        if name.startswith("testenv"):
            lines = [line.rpartition(": ") for line in section.get("deps", "").splitlines()]
            yield [line for given, _, line in lines if not given] + [line for given, _, line in lines[::-1] if given]


def _of_pip(text: str) -> Iterator[str]:
    """The packages that commands install by their names."""
    for words in _PIP.findall(text):
        yield from (
            word
            for word in re.sub(r"[\"',\]]", " ", words).split()
            if re.fullmatch(r"(?!setuptools)[A-Za-z][\w.-]+(?:[<>=~!].*)?", word)
        )


def _of_nox(tree: Tree) -> Iterator[str]:
    """The packages that sessions of nox install by their names."""
    try:
        parsed = ast.parse(tree.files["noxfile.py"].data if _readable_file(tree, "noxfile.py") else b"")
    except (SyntaxError, ValueError, RecursionError):
        return
    for call in (node for node in ast.walk(parsed) if isinstance(node, ast.Call)):
        if isinstance(call.func, ast.Attribute) and call.func.attr == "install":
            yield from (
                each.value for each in call.args if isinstance(each, ast.Constant) and isinstance(each.value, str)
            )


def _locked_versions(tree: Tree) -> dict[str, str]:
    """Versions by name, as a lock has them."""
    found: dict[str, str] = {}
    for name in _LOCKS[:3]:
        for package in _parsed_toml(tree, name).get("package", ()) if _readable_file(tree, name) else ():
            if isinstance(package, Mapping) and isinstance(package.get("version"), str):
                found.setdefault(_package_key(str(package.get("name"))), package["version"])
    if _readable_file(tree, "Pipfile.lock"):
        try:
            table = json.loads(tree.files["Pipfile.lock"].data)
        except (ValueError, RecursionError):
            table = {}
        for part in ("default", "develop"):
            for name, about in (table.get(part) or {}).items() if isinstance(table, Mapping) else ():
                found.setdefault(_package_key(name), str(about.get("version", "")).lstrip("="))
    return found


def _readable_file(tree: Tree, path: str) -> bool:
    return path in tree.files and tree.files[path].mode != "link" and len(tree.files[path].data) < 4 << 20


def _parsed_toml(tree: Tree, path: str) -> dict[str, Any]:
    if not _readable_file(tree, path):
        return {}
    try:
        return toml_table(tree.files[path].data.decode("utf-8", "replace"))
    except ValueError:
        return {}


def _parsed_ini(tree: Tree, path: str) -> dict[str, dict[str, str]]:
    return _read_ini(tree.files[path].data.decode("utf-8", "replace") if _readable_file(tree, path) else "")


def _read_ini(text: str) -> dict[str, dict[str, str]]:
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return {}
    return {section: dict(parser.items(section)) for section in parser.sections()}


def _nested_table(table: object, *keys: str) -> Any:  # noqa: ANN401 - whatever the file has there
    for key in keys:
        table = table.get(key) if isinstance(table, Mapping) else None
    return table


def _package_key(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
