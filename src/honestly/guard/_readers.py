"""The readers of manifests, lock files and Dockerfiles: the packages that each names.

A reader runs and resolves nothing. What it does not read of a file, an entry that is none or comes from an address
instead of a registry, is a note, and hides none of the others.
"""

import ast
import builtins
import configparser
import json
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import yaml

from honestly._toml import toml_table
from honestly.permissions import Effects, effects_of, package_name

UNTOLD = "?"
"""A version that is there, and that nothing here says: it is computed, or too long."""
_LONGEST, _LARGEST_YAML = 1000, 1 << 18
_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*(@\s*\S+|[^;#]*)", re.ASCII)
_MARKS = re.compile("[\ue000-\ue0ff]")
"""What the reader of commands puts in the place of what is computed."""
_ADDRESS = re.compile(
    r"(?:git|hg|svn|bzr)\+|git@|\w+://|(?:github|gitlab|bitbucket|gist|git|jsr|https?):|[\w.-]+/[\w.#-]+$"
)
_LOCAL = re.compile(r"(?:file|link|workspace|portal|root):|\.{1,2}(?:[/\[]|$)|~?/|\$\{?PROJECT_ROOT")
_EXACT = re.compile(r"[v=]?\d+\.\d+\.\d+[\w.+-]*")
_GROUPS = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")


class NamedPackage(NamedTuple):
    """A package that a file names."""

    name: str
    ecosystem: str
    version: str
    """The range as it is written, or the version that a lock file or a pin says."""
    where: str
    pinned: bool = False
    imported: bool = False
    """A source file imports it, and nothing declares it."""
    optional: bool = False
    """The import stands in a `try` that bears its absence."""


@dataclass
class Reading:
    """What the reading of one file leaves beside packages."""

    notes: list[str] = field(default_factory=list)
    included: list[str] = field(default_factory=list)
    """Further lists of requirements that it names."""
    lists: list[str] = field(default_factory=list)
    """Lists of requirements that its commands name, as paths where they are run."""

    def note(self, text: str) -> None:
        """Something of the file was not read."""
        if text not in self.notes:
            self.notes.append(text)

    def elsewhere(self, name: str, address: str) -> None:
        """A package comes from an address, unless it lies in the project."""
        if not _LOCAL.match(address):
            why = "which is not looked up" if address.startswith("jsr:") else "not from a registry"
            self.note(f"{name[:80]} comes from {address.lstrip('@ ')[:120]}, {why}")

    def table(self, data: object, path: str = "") -> dict[str, Any]:
        """The table at a path of keys."""
        at = ""
        for key in path.split(".") if path else ():
            data, at = data.get(key, {}) if isinstance(data, dict) else {}, f"{at}.{key}".lstrip(".")
            if not isinstance(data, dict):
                self.note(f"{at} is no table")
                return {}
        if not isinstance(data, dict):
            raise TypeError("it is not a table")
        return data

    def texts(self, given: object, path: str) -> list[str]:
        """The texts of a list."""
        if not isinstance(given, list):
            self.note(f"{path} is no list")
            return []
        for each in given:
            if not isinstance(each, str | dict):
                self.note(f"an entry of {path} is no text")
        return [each for each in given if isinstance(each, str)]


Reader = Callable[[str, Reading], Iterable[NamedPackage]]


_UNREADABLE = (
    *(ValueError, SyntaxError, RecursionError, AttributeError, TypeError, KeyError, configparser.Error),
    yaml.YAMLError,
)


def packages_of(reader: Reader, text: str, where: str) -> tuple[list[NamedPackage], Reading]:
    """The packages that a text names, and what of it was not read."""
    reading = Reading()
    found: list[NamedPackage] = []
    try:
        for each in reader(text, reading):
            if len(each.name) > _LONGEST // 2 or not each.name or _MARKS.search(each.name):
                reading.note(f"the name of a package is {'computed' if _MARKS.search(each.name) else 'none'}")
                continue
            if len(each.version) > _LONGEST:
                reading.note(f"{each.name}: its range is longer than {_LONGEST:,} characters")
            one = each._replace(where=where)
            untold = len(each.version) > _LONGEST or _MARKS.search(each.version)
            found.append(one._replace(version=UNTOLD, pinned=False) if untold else one)
    except _UNREADABLE as error:
        reading.note(f"it cannot be read: {' '.join(str(error).split())[:120]}")
    return found, reading


def requirement(text: str) -> NamedPackage | None:
    """A package as pip writes it."""
    found = _REQUIREMENT.match(text)
    if found is None or found[2][:1] not in "(<>=!~@\ue000":
        return None
    version = re.sub(r"\s+", "", found[2]).strip("()")
    return NamedPackage(found[1], "PyPI", version, "", bool(re.fullmatch(r"={2,3}[^,*]+", version)))


def written_package(text: str, ecosystem: str) -> NamedPackage:
    """A package as a command names it: `requests==2`, `left-pad@1.0.0`, `golang.org/x/net@v0.1.0`, `curl=7.0`."""
    if ecosystem == "PyPI":
        return requirement(text.replace("@latest", "")) or NamedPackage(text, ecosystem, "", "")
    if ecosystem in {"Debian", "Alpine", "conda", "RubyGems"}:
        found = re.match(r"(?:[\w-]+::)?([^\s=<>~!:/]+):?([^/]*)", text)
        name, version = (found[1], found[2]) if found else (text, "")
        return NamedPackage(
            name, ecosystem, version, "", version[:1] == "=" or (ecosystem == "RubyGems" and bool(version))
        )
    name, at, version = text[1:].partition("@")
    name = text[:1] + name
    return NamedPackage(name, ecosystem, version if at else "", "", bool(_EXACT.fullmatch(version)))


def _written(texts: Iterable[str], reading: Reading) -> Iterator[NamedPackage]:
    """Packages as pip writes them, each of a text."""
    for text in texts:
        found = requirement(text)
        if found is None:
            reading.note(f"{' '.join(text.split())[:60]!r} is no requirement") if text.strip() else None
        elif found.version.startswith("@"):
            reading.elsewhere(found.name, found.version[1:])
        else:
            yield found


def requirements(text: str, reading: Reading) -> Iterator[NamedPackage]:
    """Those of a list for pip."""
    for line in re.sub(r"\\\n", " ", text).split("\n"):
        plain = re.sub(r"(?:^|\s)#.*|\s--(?:hash|global-option|config-settings?)[=\s]\S+", "", line).strip()
        option = re.match(r"(-r|-c|-e|--requirement|--constraint|--editable)(?:\s*=?\s*)(\S*)", plain)
        if option and option[1] in {"-e", "--editable"}:
            reading.elsewhere(plain.rpartition("egg=")[2] if "egg=" in plain else "a package", option[2])
        elif option:
            reading.included.append(option[2])
        elif re.match(r"(?:\w+\+)?\w+://|[./~]|\S+\.(?:whl|zip|tar\.gz)$", plain):
            reading.elsewhere("a package", plain)
        elif plain and plain[0] != "-":
            yield from _written([plain], reading)


def _pyproject(text: str, reading: Reading) -> Iterator[NamedPackage]:
    data = toml_table(text)
    project, tool = reading.table(data, "project"), reading.table(data, "tool")
    _note_computed(project, tool, reading)
    own = package_name("PyPI", str(project.get("name", "")))
    sources = {package_name("PyPI", name): each for name, each in reading.table(tool, "uv.sources").items()}
    for key, given in _python_lists(data, tool, reading).items():
        for one in _written(reading.texts(given, key), reading):
            plain = package_name("PyPI", one.name)
            source = each if isinstance(each := sources.get(plain), dict) else {}
            if address := source.get("git") or source.get("url"):
                reading.elsewhere(one.name, str(address))
            elif plain != own and not {"workspace", "path"} & set(source):
                yield one
    yield from _poetry(tool, reading)


def _python_lists(data: dict[str, Any], tool: dict[str, Any], reading: Reading) -> dict[str, Any]:
    """The lists of requirements of a `pyproject.toml`, by their keys."""
    lists = {"project.dependencies": reading.table(data, "project").get("dependencies", [])}
    lists["build-system.requires"] = reading.table(data, "build-system").get("requires", [])
    for path in ("project.optional-dependencies", "dependency-groups"):
        lists |= {f"{path}.{key}": each for key, each in reading.table(data, path).items()}
    for name in ("uv", "pdm", "rye"):
        given = reading.table(tool, name).get("dev-dependencies", [])
        many = given if isinstance(given, dict) else {"all": given}
        lists |= {f"tool.{name}.dev-dependencies.{key}": each for key, each in many.items()}
    for key in ("constraint-dependencies", "override-dependencies", "build-constraint-dependencies"):
        lists[f"tool.uv.{key}"] = reading.table(tool, "uv").get(key, [])
    for name, env in _locked(reading.table(tool, "hatch.envs"), reading):
        lists |= {f"hatch.envs.{name}.{key}": env.get(key, []) for key in ("dependencies", "extra-dependencies")}
    return lists


def _note_computed(project: dict[str, Any], tool: dict[str, Any], reading: Reading) -> None:
    """What a project's file leaves to other files, or to a program."""
    dynamic = reading.table(tool, "setuptools.dynamic")
    for key in ("dependencies", "optional-dependencies"):
        given = dynamic.get(key, {})
        rows = [each for each in (given, *given.values()) if isinstance(each, dict)] if isinstance(given, dict) else []
        named = [row.get("file", []) for row in rows]
        files = [one for each in named for one in ([each] if isinstance(each, str) else each)]
        reading.included += [each for each in files if isinstance(each, str)]
        if key in project.get("dynamic", ()) and not files and "poetry" not in tool:
            reading.note(f"its {key} are computed")


def _poetry(tool: dict[str, Any], reading: Reading) -> Iterator[NamedPackage]:
    tables = ["poetry.dependencies", "poetry.dev-dependencies"]
    tables += [f"poetry.group.{group}.dependencies" for group in reading.table(tool, "poetry.group")]
    for name, wanted in [row for path in tables for row in reading.table(tool, path).items()]:
        for each in wanted if isinstance(wanted, list) else [wanted]:
            row = each if isinstance(each, dict) else {"version": each}
            version = row.get("version", "")
            if "version" not in row and (address := row.get("git") or row.get("url")):
                reading.elsewhere(name, str(address))
            elif not isinstance(version, str):
                reading.note(f"{name[:80]} has no version that is a text")
            elif name != "python" and "path" not in row:
                exact = bool(re.fullmatch(r"=?=?\d[\w.]*", version))
                yield NamedPackage(name, "PyPI", _poetry_range(version), "", exact)


def inline_packages(text: str, reading: Reading) -> Iterator[NamedPackage]:
    """Those that a script declares in its first comments (PEP 723)."""
    plain = "\n".join(line[2:] for line in inline_block(text).split("\n"))
    yield from _written(reading.texts(toml_table(plain).get("dependencies", []), "dependencies"), reading)


def inline_block(text: str) -> str:
    """The comments in which a script says what it needs; empty where there are none."""
    begin = f"\n{text}".find("\n# /// script\n")
    end = text.find("\n# ///", begin + 12) if begin >= 0 else -1
    return text[begin + 13 : end] if end >= 0 else ""


def _pipfile(text: str, reading: Reading) -> Iterator[NamedPackage]:
    data = toml_table(text)
    for name, given in [row for key in ("packages", "dev-packages") for row in reading.table(data, key).items()]:
        version = given.get("version", "") if isinstance(given, dict) else given
        if isinstance(given, dict) and (address := given.get("git") or given.get("file") or given.get("url")):
            reading.elsewhere(name, str(address))
        elif not isinstance(version, str):
            reading.note(f"{name[:80]} has no version that is a text")
        elif not (isinstance(given, dict) and "path" in given):
            yield from _written([name + ("" if version == "*" else version)], reading)


def _setup_cfg(text: str, reading: Reading) -> Iterator[NamedPackage]:
    parser = configparser.RawConfigParser(strict=False)
    parser.read_string(text)
    wanted = {"install_requires", "setup_requires", "tests_require", "deps", "requires"}
    rows = [(part, key, value) for part in parser.sections() for key, value in parser.items(part)]
    lists = [value for part, key, value in rows if key in wanted or part == "options.extras_require"]
    plain = re.sub(
        r"(?m)^\s*[\w{},.!-]+:\s+(?=\S)", lambda each: each[0] if "file:" in each[0] else "", "\n".join(lists)
    )
    reading.included += re.findall(r"(?m)^\s*file:\s*(.+?)\s*$", plain)
    plain = re.sub(r"(?m)^\s*file:.*|^\s*\{\[.*", "", plain).replace("{toxinidir}/", "").replace("{tox_root}/", "")
    yield from requirements(plain, reading)


_WANTED = re.compile(r"(?!python)\w*(?:requires?|requirements|dependencies|extras)", re.IGNORECASE)
"""What arguments of `setup` and lists of requirements are called."""


def _setup_py(text: str, reading: Reading) -> Iterator[NamedPackage]:
    """Texts in `install_requires` and its like, and in the lists whose names stand there."""
    if not re.search(r"\bsetup(?:tools)?\b|\bdistutils\b|\bskbuild\b", text):
        return
    given: dict[str, list[ast.AST]] = {}
    bound: set[str] = set(dir(builtins))
    values: list[ast.AST] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.keyword) and _WANTED.fullmatch(node.arg or ""):
            values.append(node.value)
        elif isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values, strict=True)
            values += [
                each for key, each in pairs if isinstance(key, ast.Constant) and _WANTED.fullmatch(str(key.value))
            ]
        elif isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                name = target.value if isinstance(target, ast.Subscript) else target
                if isinstance(name, ast.Name):
                    given.setdefault(name.id, []).append(node.value)
        elif isinstance(node, ast.comprehension | ast.For):
            bound |= {each.id for each in ast.walk(node.target) if isinstance(each, ast.Name)}
    values = values or [each for name, many in given.items() if _WANTED.fullmatch(name) for each in many]
    yield from requirements("\n".join(dict.fromkeys(_constants(values, given, bound, reading))), reading)


def _constants(
    values: Sequence[ast.AST], given: Mapping[str, list[ast.AST]], bound: set[str], reading: Reading
) -> Iterator[str]:
    """The texts in some values, names followed; a note where one is computed."""
    waiting, seen = list(values[::-1]), set[str]()
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Constant):
            yield from [node.value] if isinstance(node.value, str) else []
        elif isinstance(node, ast.Name) and (node.id in given or node.id in bound):
            waiting += given.get(node.id, [])[::-1] if node.id not in seen else []
            seen.add(node.id)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in {"list", "set", "tuple", "sorted", "dict"}:
            waiting += [*(each.value for each in node.keywords), *node.args][::-1]
        elif isinstance(node, ast.Call | ast.Name | ast.JoinedStr | ast.Attribute | ast.Lambda):
            reading.note(f"a part of its requirements is computed: {ast.unparse(node)[:60]}")
        elif isinstance(node, ast.Dict | ast.Subscript | ast.IfExp):
            parts = (
                node.values if isinstance(node, ast.Dict) else [node.value] if isinstance(node, ast.Subscript) else []
            )
            waiting += [*parts, *([node.body, node.orelse] if isinstance(node, ast.IfExp) else [])][::-1]
        elif not isinstance(node, ast.Compare):
            waiting += list(ast.iter_child_nodes(node))[::-1]


def _poetry_range(text: str) -> str:
    """A range of Poetry's as PEP 440 writes it, for the forms with a caret or a tilde and one version."""
    if (found := re.fullmatch(r"([\^~])\s*(\d+(?:\.\d+)*)", text)) is None:
        return "" if text == "*" else f"=={text}" if re.fullmatch(r"\d[\w.]*", text) else text
    numbers = [int(each) for each in found[2].split(".")]
    place = next((at for at, number in enumerate(numbers) if number), len(numbers) - 1)
    place = place if found[1] == "^" else min(1, len(numbers) - 1)
    return f">={found[2]},<{'.'.join(map(str, [*numbers[:place], numbers[place] + 1]))}"


def _toml_lock(ecosystem: str, key: str = "package") -> Reader:
    def read(text: str, reading: Reading) -> Iterator[NamedPackage]:
        sign = "==" if ecosystem == "PyPI" else ""
        rows = toml_table(text).get(key, [])
        if not isinstance(rows, list):
            reading.note(f"{key} is no list")
            return
        for row in rows:
            name, version = (row.get("name"), row.get("version")) if isinstance(row, dict) else (None, None)
            if not isinstance(name, str) or not isinstance(version, str | None):
                reading.note(f"an entry of {key} is no package")
            elif address := _address(row, ecosystem):
                reading.elsewhere(name, address)
            elif version is not None:
                yield NamedPackage(name, ecosystem, f"{sign}{version}", "", True)

    return read


def _address(row: dict[str, Any], ecosystem: str) -> str:
    """Where a locked package comes from, if it is no registry; `./` for the project itself."""
    source = row.get("source")
    if ecosystem == "crates.io":
        local = "" if isinstance(source, str) and source.startswith(("registry+", "sparse+")) else "./"
        return str(source) if local and source else local
    many: dict[str, Any] = source if isinstance(source, dict) else {}
    kind = str(many.get("type", "legacy"))
    if {"editable", "virtual", "directory", "path"} & {kind, *many, *row}:
        return "./"
    if kind in {"git", "url", "file"}:
        return str(many.get("url") or kind)
    vcs = row.get("vcs") or row.get("archive") or {}
    return str(
        many.get("git")
        or many.get("url")
        or row.get("git")
        or row.get("url")
        or (vcs.get("url", "an archive") if isinstance(vcs, dict) and vcs else "")
    )


def _locked(table: Mapping[str, Any], reading: Reading) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, row in table.items():
        if isinstance(row, dict):
            yield name, row
        else:
            reading.note(f"{name[:80]} is no table")


def _pipfile_lock(text: str, reading: Reading) -> Iterator[NamedPackage]:
    data = reading.table(json.loads(text))
    for name, row in [row for key in ("default", "develop") for row in _locked(reading.table(data, key), reading)]:
        if isinstance(version := row.get("version", ""), str) and version:
            yield NamedPackage(name, "PyPI", version, "", pinned=True)
        elif address := row.get("git") or row.get("file") or row.get("url"):
            reading.elsewhere(name, str(address))
        elif "path" not in row:
            yield NamedPackage(name, "PyPI", "", "")


def _npm(name: str, version: object, reading: Reading, *, pinned: bool = False) -> Iterator[NamedPackage]:
    """A package of npm's, as a manifest or a lock file writes it."""
    if not isinstance(version, str):
        reading.note(f"{name[:80]} has no version that is a text")
        return
    if alias := re.fullmatch(r"npm:(@?[^@]+)(?:@(.*))?", version):
        name, version = alias[1], alias[2] or ""
    version = version.removeprefix("npm:")
    if _LOCAL.match(version) or (_ADDRESS.match(version) and not re.match(r"[\d^~<>=*]", version)):
        reading.elsewhere(name, version)
    else:
        yield NamedPackage(name, "npm", version, "", pinned or bool(_EXACT.fullmatch(version)))


def _package_json(text: str, reading: Reading) -> Iterator[NamedPackage]:
    data = reading.table(json.loads(text))
    catalogues = [data, data["workspaces"]] if isinstance(data.get("workspaces"), dict) else [data]
    tables = [reading.table(data, key) for key in _GROUPS] + [
        one for each in catalogues for one in _catalogues(each, reading)
    ]
    forced = _forced(data, reading)
    for name, version in [*(row for table in tables for row in table.items()), *forced.items()]:
        for one in _npm(name, version, reading):
            yield from _npm(one.name, forced[one.name], reading) if one.name in forced else (one,)


def _forced(data: Mapping[str, Any], reading: Reading) -> dict[str, Any]:
    """The versions that a project sets for packages wherever they stand, by name."""
    found: dict[str, Any] = {}
    for path in ("overrides", "resolutions", "pnpm.overrides"):
        for key, version in reading.table(data, path).items():
            name = re.search(r"(?:@[^/@>]+/)?[^/@>]+(?=(?:@[^/]*)?$)", key)
            if isinstance(version, dict):
                version = version.get(".")
            version = str(version) if isinstance(version, int | float) else version
            if name and isinstance(version, str) and version[:1] not in {"$", "-"}:
                found[name[0]] = version
    return found


def _catalogues(data: Mapping[str, Any], reading: Reading) -> list[dict[str, Any]]:
    return [reading.table(data, "catalog"), *(each for _, each in _locked(reading.table(data, "catalogs"), reading))]


def _pnpm_workspace(text: str, reading: Reading) -> Iterator[NamedPackage]:
    data = reading.table(_yaml(text) or {})
    tables = *_catalogues(data, reading), _forced(data, reading)
    for name, version in [row for table in tables for row in table.items()]:
        yield from _npm(str(name), str(version) if isinstance(version, int | float) else version, reading)


def _yaml(text: str) -> Any:  # noqa: ANN401 - whatever the text holds
    if len(text) > _LARGEST_YAML:
        raise ValueError(f"it has more than {_LARGEST_YAML >> 10} KiB")
    return yaml.safe_load(text)


def _environment(text: str, reading: Reading) -> Iterator[NamedPackage]:
    given = reading.table(_yaml(text) or {}).get("dependencies") or []
    if not isinstance(given, list):
        reading.note("dependencies is no list")
        return
    for each in given:
        if isinstance(each, dict) and "pip" in each:
            yield from requirements("\n".join(reading.texts(each["pip"] or [], "pip")), reading)
        elif isinstance(each, str):
            yield written_package(re.sub(r"\s+", "", each), "conda")
        else:
            reading.note("an entry of dependencies is no text")


def _package_lock(text: str, reading: Reading) -> Iterator[NamedPackage]:
    data = reading.table(json.loads(text))
    rows = [(path, row) for path, row in _locked(reading.table(data, "packages"), reading) if "node_modules/" in path]
    waiting: list[dict[str, Any]] = [] if rows else [reading.table(data, "dependencies")]
    while waiting:
        for name, row in _locked(waiting.pop(), reading):
            rows.append((name, row))
            waiting += [row["dependencies"]] if isinstance(row.get("dependencies"), dict) else []
    for path, row in rows:
        name, resolved = str(row.get("name") or path.rpartition("node_modules/")[2]), str(row.get("resolved") or "")
        is_address = _ADDRESS.match(resolved) and resolved.startswith(("git", "http"))
        if is_address and not row.get("link") and "/-/" not in resolved:
            reading.elsewhere(name, resolved)
        elif not row.get("link") and "version" in row:
            yield from _npm(name, row["version"], reading, pinned=True)


def _bun_lock(text: str, reading: Reading) -> Iterator[NamedPackage]:
    plain = re.sub(r",(?=\s{0,99}[}\]])", "", text)  # its commas may trail
    for key, row in reading.table(json.loads(plain), "packages").items():
        found = re.fullmatch(r"(@?[^@]+)@(.*)", str(row[0])) if isinstance(row, list) and row else None
        if found is None:
            reading.note(f"{key[:80]} is no package")
        else:
            yield from _npm(found[1], found[2], reading, pinned=True)


def _yarn(text: str, reading: Reading) -> Iterator[NamedPackage]:
    """Both of yarn's forms: an entry begins with what was asked for, and its lines say what that is."""
    entry = version = resolution = ""
    for line in [*text.split("\n"), "end:"]:
        if line[:1].isspace():
            key, _, value = line.strip().replace('"', "").partition(" ")
            if not line[2:3].isspace():
                version = value if key.rstrip(":") == "version" else version
                resolution = value if key.rstrip(":") in {"resolution", "resolved"} else resolution
        elif line[:1] not in {"", "#", "\r"}:
            if entry.startswith("__metadata"):
                pass
            elif entry and version:
                asked = entry.strip('"').split(",")[0].strip(' "')
                told = resolution if "@" in resolution[1:] and not re.match(r"\w+://|git\+", resolution) else asked
                name, _, wanted = told[1:].partition("@")
                name, wanted = told[0] + name, re.sub(r"^patch:.*?@npm(?::|%3A)[^#]*.*", "", wanted)
                alias = re.match(r"npm:(@?[^@\d^~<>=*][^@]*)(?:@|$)", wanted)
                plain = alias[1] if alias else name
                elsewhere = _LOCAL.match(wanted) or (_ADDRESS.match(wanted) and not wanted.startswith("npm:"))
                yield from _npm(plain, wanted if elsewhere else version, reading, pinned=True)
            elif entry:
                reading.note(f"{entry[:60]} has no version")
            entry, version, resolution = line.rstrip().removesuffix(":"), "", ""
            if not line.rstrip().endswith(":"):
                reading.note(f"{line[:60]} is no entry")
                entry = ""


def _pnpm(text: str, reading: Reading) -> Iterator[NamedPackage]:
    """The keys of `packages` and `snapshots`, in the forms of all versions."""
    inside = False
    for line in text.split("\n"):
        if line[:1] not in {"", " ", "#", "\r"}:
            inside = line.startswith(("packages:", "snapshots:"))
        elif inside and (
            found := re.match(
                r"  (?! )(?:'([^']{1,999})'|\"([^\"]{1,999})\"|([^:\s]{1,999}(?::[^:\s]{1,999})*)):", line
            )
        ):
            key = re.sub(r"\(.*", "", found[1] or found[2] or found[3])
            plain = re.sub(r"^/|^(?:[\w-]+\.)+[a-z]+(?::\d+)?/(?!.*@\w+:)", "", key)
            if name := re.fullmatch(r"(@[^/@]+/[^/@]+|[^/@]+)[@/](\d[^_/]*)(?:_.*)?", plain):
                yield NamedPackage(name[1], "npm", name[2], "", pinned=True)
            else:
                address = re.fullmatch(r"(@?[^@]+)@(.*)", key)
                reading.elsewhere(address[1] if address else "a package", address[2] if address else key)
        elif inside and re.match(r"  [^ #\r]", line):
            reading.note(f"{line.strip()[:60]} is no entry")


def _go_mod(text: str, reading: Reading) -> Iterator[NamedPackage]:
    needed: dict[str, str] = {}
    replaced: dict[tuple[str, str], list[str]] = {}
    block = ""
    for line in text.split("\n"):
        words = line.partition("//")[0].replace('"', "").split()
        if block and words[:1] == [")"]:
            block = ""
        elif words[1:2] == ["("]:
            block = words[0]
        elif words:
            verb, rest = (block, words) if block else (words[0], words[1:])
            if verb == "require" and len(rest) == 2:
                needed[rest[0]] = rest[1]
            elif verb == "replace" and "=>" in rest:
                at = rest.index("=>")
                replaced[rest[0], rest[1] if at > 1 else ""] = rest[at + 1 :]
            elif verb in {"require", "replace"}:
                reading.note(f"{line.strip()[:60]} is not understood")
    if block:
        reading.note(f"its block {block} does not end")
    for name, version in needed.items():
        other = replaced.get((name, version)) or replaced.get((name, ""))
        if other is None:
            yield NamedPackage(name, "Go", version, "", pinned=True)
        elif len(other) == 2:
            yield NamedPackage(other[0], "Go", other[1], "", pinned=True)


def _cargo(text: str, reading: Reading) -> Iterator[NamedPackage]:
    data = toml_table(text)
    keys = ("dependencies", "dev-dependencies", "build-dependencies")
    tables = [reading.table(data, key) for key in (*keys, "workspace.dependencies")]
    tables += [
        reading.table(target, key) for _, target in _locked(reading.table(data, "target"), reading) for key in keys
    ]
    for name, wanted in [row for table in tables for row in table.items()]:
        row = {"version": wanted} if isinstance(wanted, str) else wanted
        if not isinstance(row, dict) or not isinstance(version := row.get("version", ""), str):
            reading.note(f"{name[:80]} has no version that is a text")
        elif "git" in row:
            reading.elsewhere(name, str(row["git"]))
        elif "path" not in row and not row.get("workspace"):
            yield NamedPackage(str(row.get("package", name)), "crates.io", version, "", version.startswith("="))


def _deno(text: str, reading: Reading) -> Iterator[NamedPackage]:
    plain = re.sub(r"(?m)^\s*//.*$|,(?=\s{0,99}[}\]])", "", text)
    for name, address in reading.table(json.loads(plain), "imports").items():
        found = re.fullmatch(r"npm:/?(@?[^@/]+(?:/[^@/]+)?)(?:@([^/]*))?(?:/.*)?", str(address))
        if found:
            yield from _npm(found[1], found[2] or "", reading)
        else:
            reading.elsewhere(name, str(address))


def dockerfile(text: str, reading: Reading) -> Iterator[NamedPackage]:
    """The packages that the instructions of a Dockerfile install."""
    for command in _instructions(text):
        if re.match(r"\[(?!\[?\s)", command):
            try:
                command = shlex.join(map(str, json.loads(command)))
            except ValueError:
                reading.note(f"it cannot be read: {command[:60]}")
                continue
        yield from installed(command, reading)


def _instructions(text: str) -> Iterator[str]:
    """What a Dockerfile runs; comments stand between the lines of an instruction, and texts after `<<`."""
    lines = iter(text.split("\n"))
    for line in lines:
        parts = [line.rstrip()]
        while parts[-1].endswith("\\"):
            parts[-1] = parts[-1][:-1]
            parts += [each.rstrip() for each in [next((one for one in lines if not re.match(r"\s*(?:#|$)", one)), "")]]
        whole = " ".join(parts)
        body: list[str] = []
        has_text = re.match(r"\s*(?:ONBUILD\s+)?(?:RUN|COPY|ADD)\s", whole, re.IGNORECASE)
        for _, end in re.findall(r"<<-?([\"']?)([\w.]+)\1", whole) if has_text else ():
            body += ["", *iter(lambda end=end: _before(lines, end), None), end]  # type: ignore[misc]
        run = re.match(
            r"\s*(?:ONBUILD\s+)?(?:RUN|CMD|ENTRYPOINT)\s+(?:--\S+\s+)*(.*)", whole, re.IGNORECASE | re.DOTALL
        )
        if run:
            alone = re.fullmatch(r"<<-?[\"']?[\w.]+[\"']?", run[1].strip())
            yield "\n".join(body[1:-1]) if alone else "\n".join([run[1], *body[1:]])


def _before(lines: Iterator[str], end: str) -> str | None:
    line = next(lines, None)
    return None if line is None or line.strip() == end else line


def installed(command: str, reading: Reading) -> Iterator[NamedPackage]:
    """The packages that a shell command would install; what of it cannot be read is a note where it may install."""
    effects = effects_of(command)
    reading.lists += lists_of(effects)
    if effects.doubts and not effects.packages and INSTALLS.search(command):
        reading.note(f"{' '.join(command.split())[:60]}: {effects.doubts[0]}")
    for ecosystem, each in effects.packages:
        yield written_package(each, ecosystem)


def lists_of(effects: Effects) -> list[str]:
    """The lists of requirements that a command has read by an installer."""
    found = []
    for ran in effects.runs:
        if ran.words and re.match(r"pip|uv", ran.words[0].rpartition("/")[2]):
            for word, follows in pairwise([*ran.words, ""]):
                told = re.match(r"(?:-r|--requirements?=)(.+)", word)
                found += [told[1] if told else follows] if told or word in {"-r", "--requirement"} else []
    return [each for each in found if each and each != "-" and not each.startswith("/dev/")]


INSTALLS = re.compile(
    r"\b(?:pip3?|uvx?|pipx?|pipenv|poetry|pdm|conda|mamba|npm|npx|pnpm|yarn|bunx?|cargo|go|gem|apt|apt-get|apk)\b[^\n;|&]{0,99}"
    r"\b(?:install|add|i|ci|get|dlx|exec|sync)\b"
)
"""A command that installs, as far as words say."""


def reader_of(path: str) -> Reader | None:
    """Who reads a file, by its name."""
    folder, _, name = path.rpartition("/")
    listed = folder.rpartition("/")[2] == "requirements" or re.match(
        r"(?:[\w.-]*[-_.])?(?:requirements|constraints)", name
    )
    if listed and re.fullmatch(r"[\w.-]+\.(?:txt|in)", name):
        return requirements
    if re.fullmatch(r"(?:Dockerfile|Containerfile)(?:\.\S+)?|\S+\.(?:D|d)ockerfile", name):
        return dockerfile
    if re.fullmatch(r"pylock(?:\.[\w-]+)?\.toml", name):
        return _toml_lock("PyPI", "packages")
    return _READERS.get(name)


_READERS: dict[str, Reader] = {
    "pyproject.toml": _pyproject, "Pipfile": _pipfile, "Pipfile.lock": _pipfile_lock, "setup.cfg": _setup_cfg,
    "tox.ini": _setup_cfg, "setup.py": _setup_py, "environment.yml": _environment, "environment.yaml": _environment,
    "package.json": _package_json, "package-lock.json": _package_lock, "npm-shrinkwrap.json": _package_lock,
    "yarn.lock": _yarn, "pnpm-lock.yaml": _pnpm, "pnpm-workspace.yaml": _pnpm_workspace, "bun.lock": _bun_lock,
    "deno.json": _deno, "deno.jsonc": _deno, "go.mod": _go_mod, "Cargo.toml": _cargo,
    "Cargo.lock": _toml_lock("crates.io"),
    **dict.fromkeys(("uv.lock", "poetry.lock", "pdm.lock"), _toml_lock("PyPI")),
}  # fmt: skip
UNREAD = re.compile(
    r"bun\.lockb|deno\.lock|Gemfile(?:\.lock)?|[\w.-]+\.gemspec|composer\.(?:json|lock)|pom\.xml|build\.gradle(?:\.kts)?"
    r"|gradle\.lockfile|libs\.versions\.toml|[\w.-]+\.(?:cs|fs|vb)proj|packages(?:\.lock)?\.(?:json|config)|mix\.(?:exs|lock)"
    r"|pubspec\.(?:yaml|lock)|Package\.(?:swift|resolved)|Podfile(?:\.lock)?|conanfile\.(?:txt|py)|vcpkg\.json|flake\.(?:nix|lock)"
    r"|pixi\.(?:toml|lock)|conda-lock\.yml|meta\.yaml|\.pre-commit-config\.yaml|[\w.-]+\.cabal|stack\.yaml|renv\.lock|Manifest\.toml"
    r"|\.yarnrc\.yml|MODULE\.bazel|rebar\.(?:config|lock)"
)
"""Files that name packages, and that nothing here reads."""
SCRIPTS = re.compile(
    r"(?:.*/)?(?:[\w.-]+\.(?:sh|bash|zsh|ps1|mk|ipynb)|[Mm]akefile|GNUmakefile|\.?[Jj]ustfile|Taskfile\.ya?ml|\.gitlab-ci\.yml|\.travis\.yml)"
    r"|\.github/(?:workflows|actions)/.*\.ya?ml|\.circleci/config\.yml"
)
"""Files whose commands may install packages."""
