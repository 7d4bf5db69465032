"""The packages that files of a project name: manifests, lock files, Dockerfiles, and what its sources import.

Each file is bounded and read as what it is; nothing is run and nothing resolved. A link is not followed. What cannot be
read is a note. YAML is read by the lines that lock files have.
"""

from __future__ import annotations

import ast
import configparser
import json
import os
import posixpath
import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

from honestly.guard._imports import imported_packages, is_source
from honestly.permissions import effects_of, package_name
from honestly.records import Tree

_LARGEST, _LARGEST_SOURCE, _MOST_BYTES, _MOST_FILES = 8 << 20, 1 << 20, 256 << 20, 20_000
_MOST_PACKAGES = 20_000
_SKIPPED = frozenset(
    {".git", "node_modules", ".venv", "venv", "__pycache__", ".tox", "site-packages", "vendor", ".hunt"}
)
_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*(@\s*\S+|[^;#]*)", re.ASCII)
_GO = re.compile(r"^\s*(?:require\s+)?([\w.-]+\.[\w.-]+/\S+|[\w.-]+\.\w+)\s+(v\S+)", re.MULTILINE)
_OWN_NAME = re.compile(
    r"""(?:^\[(?:project|tool\.poetry|package)\](?:\n(?!\[).*)*?\nname *= *|\A\s*\{\s*"name"\s*:\s*)["']([^"']+)["']""",
    re.MULTILINE,
)
"""The name that a manifest gives its own project."""
_YARN = re.compile(r'^"?(@?[^@\s"]+)@([^\n]*?)"?:\n((?:[ \t]+[^\n]*\n?)*)', re.MULTILINE)
_PNPM = re.compile(
    r"^  '?(?:[\w-]+(?:\.[\w-]+)+/|/)?(@[^@\s'(/]+/[^@\s'(/]+|[^@\s'(/]+)[@/]"
    r"(\d[^:'(\s_]*)(?:_[^:'(\s]*)?(?:\([^\n]*)?'?:",
    re.MULTILINE,
)
_BUN = re.compile(r'"[^"\n]+": ?\["(@?[^@"\n]+)@(\d[^"\n]*)"')
_INLINE = re.compile(r"^# /// script$(.*?)^# ///$", re.MULTILINE | re.DOTALL)
_LISTED = re.compile(r"^\s*(?:-r|-c|--requirement|--constraint)[ =]?\s*([^\s#]+)", re.MULTILINE)
_FROM_ADDRESS = re.compile(r"^(?:-e|--editable)?[ =]*(?:\w+\+)?\w+://\S*?#(?:\S*&)?egg=([\w.-]+)", re.MULTILINE)
_LINKED = re.compile(r"^\s*[\"']?([\w.-]+)[\"']?\s*=\s*\{[^}\n]*\b(?:workspace|path)\b", re.MULTILINE)
_HEREDOC = re.compile(
    r"^([ \t]*RUN\b[^\n]*<<-?[\"']?(\w+)[\"']?[^\n]*)\n(.*?)\n[ \t]*\2[ \t]*$", re.MULTILINE | re.DOTALL | re.IGNORECASE
)
_LONGEST = 2000
_UNREAD = frozenset("bun.lockb Gemfile Gemfile.lock composer.json composer.lock pom.xml build.gradle mix.lock".split())  # noqa: SIM905
"""Files that name packages, and that are not read."""


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


def found_packages(folder: Path) -> tuple[list[NamedPackage], list[str]]:
    """The packages that the files below a folder name or import, and what could not be read."""
    texts: dict[str, str] = {}
    notes: list[str] = []
    left = _MOST_BYTES
    for number, path in enumerate(_files(folder)):
        if number >= _MOST_FILES:
            notes.append(f"there are more than {_MOST_FILES:,} files; the others were not looked at")
            break
        where = str(path.relative_to(folder))
        text, said = _text_of(path, where, left, manifest=_reader(where) is not None)
        texts[where], left = text, left - len(text)
        notes += [said] if said else []
    waiting = [(where, text) for where, text in texts.items() if _reader(where) is _requirements]
    listed: set[str] = set()
    while waiting:
        where, text = waiting.pop()
        for other in _LISTED.findall(text):
            name = posixpath.normpath(f"{where.rpartition('/')[0] or '.'}/{other}")
            if "://" in other or name in listed or _reader(name) is _requirements:
                continue
            listed.add(name)
            inside = name in texts
            more, said = _text_of(folder / name, name, left, manifest=True) if inside else ("", "")
            if inside and not said:
                texts[name] = more
                waiting.append((name, more))
            else:
                notes.append(said or f"{where}: {other[:80]}, which it takes packages from, is not there")
    named, unread = named_packages(texts, listed)
    own = _Own(texts)
    found = [each for each in named if each.pinned or (each.where, each.ecosystem, _plain(each)) not in own]
    imported, unparsed = undeclared_packages(texts, texts, named)
    found += imported
    unread = [*unread, *unparsed]
    if len(found) > _MOST_PACKAGES:
        unread.append(f"there are more than {_MOST_PACKAGES:,} packages; the others were not judged")
    return found[:_MOST_PACKAGES], [*notes, *unread]


def _plain(package: NamedPackage) -> str:
    return package_name(package.ecosystem, package.name)


_NAMING = {"pyproject.toml": "PyPI", "setup.cfg": "PyPI", "package.json": "npm", "Cargo.toml": "crates.io"}


class _Own:
    """The names that a project gives its own parts: where it says so of them, and in the file that bears the name."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.linked: set[tuple[str, str]] = set()
        self.named: dict[str, str] = {}
        shapes = _workspaces(texts)
        for where, text in texts.items():
            folder, _, base = where.rpartition("/")
            ecosystem = {
                "pyproject.toml": "PyPI",
                "setup.cfg": "PyPI",
                "package.json": "npm",
                "Cargo.toml": "crates.io",
            }.get(base)
            if ecosystem is None or not text:
                continue
            names = {package_name(ecosystem, each) for each in _OWN_NAME.findall(text[:20_000])}
            self.named |= dict.fromkeys((f"{where} {each}" for each in names), ecosystem)
            if not folder or (ecosystem == "npm" and any(fnmatchcase(folder, shape) for shape in shapes)):
                self.linked |= {(ecosystem, each) for each in names}
            if base == "pyproject.toml":
                self.linked |= {("PyPI", package_name("PyPI", each)) for each in _LINKED.findall(text)}

    def __contains__(self, row: tuple[str, str, str]) -> bool:
        where, ecosystem, name = row
        return (ecosystem, name) in self.linked or self.named.get(f"{where} {name}") == ecosystem


def _workspaces(texts: Mapping[str, str]) -> list[str]:
    """The folders of an npm project's parts, as shapes."""
    try:
        given = json.loads(texts.get("package.json") or "{}").get("workspaces", [])
        given = given.get("packages", []) if isinstance(given, dict) else given
    except (ValueError, AttributeError, RecursionError):
        given = []
    lines = re.findall(r"^\s*-\s*['\"]?([^'\"\n#]+)", texts.get("pnpm-workspace.yaml", ""), re.MULTILINE)
    return [str(each).strip().removeprefix("./").rstrip("/") for each in [*given, *lines]][:100]


def _text_of(path: Path, where: str, left: int, *, manifest: bool) -> tuple[str, str]:
    """The text of a file that is read, and why it is not."""
    name = path.name
    if not manifest and not is_source(where):
        return "", f"{where}: files of this kind are not read" if name in _UNREAD else ""
    most = _LARGEST if manifest else min(_LARGEST_SOURCE, left)
    try:
        if path.is_symlink():
            return "", f"{where}: it is a link, which is not followed" if manifest else ""
        if not path.is_file():
            return "", f"{where}: it is no file" if manifest else ""
        if path.stat().st_size > most:
            return "", f"{where}: it has more than {most >> 20} MiB, and was not read"
        return path.read_text("utf-8"), ""
    except (OSError, ValueError) as error:
        return "", f"{where}: it cannot be read: {str(error)[:120]}"


def tree_texts(tree: Tree) -> dict[str, str]:
    """The texts of a tree, by path; empty for a file that is not read."""
    return {
        path: file.data.decode("utf-8", "replace")
        if file.mode != "link" and len(file.data) <= _LARGEST_SOURCE and (is_source(path) or _reader(path))
        else ""
        for path, file in tree.files.items()
    }


def named_packages(texts: Mapping[str, str], listed: Collection[str] = ()) -> tuple[list[NamedPackage], list[str]]:
    """The packages that manifests, lock files and Dockerfiles among some texts name, and what could not be read.

    Args:
        texts: by path.
        listed: those that a list of requirements names, so that they are such lists.
    """
    found: list[NamedPackage] = []
    notes: list[str] = []
    for where, text in texts.items():
        reader = _requirements if where in listed else _reader(where)
        if reader is None and where.endswith(".py") and "# /// script" in text:
            reader = _inline
        if reader is None or not text.strip():
            continue
        try:
            read = [each._replace(where=where) for each in reader(text)]
        except (
            ValueError,
            SyntaxError,
            RecursionError,
            AttributeError,
            TypeError,
            KeyError,
            configparser.Error,
        ) as error:
            said = "" if isinstance(error, AttributeError | TypeError | KeyError) else f": {str(error)[:120]}"
            notes.append(f"{where}: it cannot be read{said or ', since it has not the form of such a file'}")
            continue
        if not read and where.endswith((".lock", "lock.yaml")):
            notes.append(f"{where}: no package in it is understood")
        for each in read:
            if each.version.startswith("@"):
                notes.append(f"{where}: {each.name[:80]} comes from an address, which is not looked up")
            elif len(each.version) > _LONGEST or len(each.name) > _LONGEST:
                notes.append(f"{where}: {each.name[:80]} has a range that is too long to be read")
            else:
                found.append(each)
    return found, notes


def undeclared_packages(
    texts: Mapping[str, str], chosen: Iterable[str], named: Iterable[NamedPackage]
) -> tuple[list[NamedPackage], list[str]]:
    """The packages that some files of a tree import, and that neither the tree nor a given package declares; and which
    files could not be read.
    """
    declared = [(each.ecosystem, each.name) for each in named]
    found: dict[tuple[str, str, bool], NamedPackage] = {}
    unread: list[str] = []
    for path, each in imported_packages(texts, chosen, declared, unread):
        where = f"{path}:{each.line}"  # the first line of each file
        one = NamedPackage(each.name, each.ecosystem, "", where, imported=True, optional=each.optional)
        found.setdefault((path, each.name, each.optional), one)
    return list(found.values()), [
        f"{path}: it is no Python of this version, so its imports are not known" for path in unread
    ]


def installed_by(command: str, where: str) -> list[NamedPackage]:
    """The packages that a shell command would install."""
    return [
        written_package(re.sub(r"[=<>~!@]*[\ue000-\ue004].*", "", each), ecosystem)._replace(where=where)
        for ecosystem, each in effects_of(command).packages
        if not "\ue000" <= each[:1] <= "\ue004"
    ]


def _files(folder: Path) -> Iterator[Path]:
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        for name in sorted(names):
            yield Path(root, name)


Reader = Callable[[str], list[NamedPackage]]


def _reader(path: str) -> Reader | None:
    folder, _, name = path.rpartition("/")
    listed = folder.rpartition("/")[2] == "requirements" or re.match(
        r"(?:[\w.-]*[-_.])?(?:requirements|constraints)", name
    )
    if listed and re.fullmatch(r"[\w.-]+\.(?:txt|in)", name):
        return _requirements
    if re.fullmatch(r"environment[\w.-]*\.ya?ml", name):
        return _environment
    if re.fullmatch(r"pylock(?:\.[\w-]+)?\.toml", name):
        return _toml_lock("PyPI", "packages")
    if re.fullmatch(r"(?:Dockerfile|Containerfile)(?:\.\S+)?|\S+\.Dockerfile", name):
        return _dockerfile
    return _READERS.get(name)


def _requirement(text: str) -> NamedPackage | None:
    found = _REQUIREMENT.match(text)
    if found is None:
        return None
    version = re.sub(r"\s+", "", found[2]).strip("()")
    return NamedPackage(found[1], "PyPI", version, "", bool(re.fullmatch(r"={2,3}[^,*]+", version)))


def _requirements(text: str) -> list[NamedPackage]:
    lines = re.sub(r"\\\n", " ", text).split("\n")
    found = [NamedPackage(name, "PyPI", "@", "") for name in _FROM_ADDRESS.findall(text)]
    plain = [re.sub(r"\s--hash=\S+", "", line) for line in lines if not re.match(r"\s*(?:[-#]|$|\S+://|[./])", line)]
    return found + [one for line in plain if (one := _requirement(line)) is not None]


def _inline(text: str) -> list[NamedPackage]:
    """What a script says that it needs (PEP 723)."""
    block = "\n".join(re.sub(r"^# ?", "", line) for line in "".join(_INLINE.findall(text)).split("\n"))
    return _requirements("\n".join(map(str, tomllib.loads(block).get("dependencies", []))))


def _environment(text: str) -> list[NamedPackage]:
    """An environment of conda: its own packages, and those under `pip:`."""
    found: list[NamedPackage] = []
    pip = None
    for line in text.partition("dependencies:")[2].split("\n"):
        item = re.match(r"(\s*)-\s*['\"]?([^'\"#\n]+)", line)
        if item is None:
            continue
        pip = len(item[1]) if item[2].strip() == "pip:" else None if pip is not None and len(item[1]) <= pip else pip
        if pip is not None and item[2].strip() != "pip:":
            found += _requirements(item[2])
        elif pip is None:
            found.append(written_package(item[2].strip(), "conda"))
    return found


def written_package(text: str, ecosystem: str) -> NamedPackage:
    """A package as a command names it: `requests==2`, `left-pad@1.0.0`, `golang.org/x/net@v0.1.0`."""
    if ecosystem == "PyPI":
        return _requirement(text.replace("@latest", "")) or NamedPackage(text, ecosystem, "", "")
    sign = "@" if ecosystem not in {"conda", "Debian", "Alpine"} else "="
    name, at, version = text[1:].partition(sign)
    name = text[0] + name
    exact = bool(re.fullmatch(r"[v=]?\d+\.\d+\.\d+\S*", version))
    return NamedPackage(name, ecosystem, version if at else "", "", exact)


def _pyproject(text: str) -> list[NamedPackage]:
    data = tomllib.loads(text)
    project, tool = data.get("project", {}), data.get("tool", {})
    texts = [*project.get("dependencies", []), *data.get("build-system", {}).get("requires", [])]
    for group in (*project.get("optional-dependencies", {}).values(), *data.get("dependency-groups", {}).values()):
        texts += [each for each in group if isinstance(each, str)]
    for name in ("uv", "pdm", "rye"):
        given = tool.get(name, {}).get("dev-dependencies", [])
        for group in given.values() if isinstance(given, dict) else [given]:
            texts += group
    for each in tool.get("hatch", {}).get("envs", {}).values():
        texts += [*each.get("dependencies", []), *each.get("extra-dependencies", [])]
    found = [one for each in texts if (one := _requirement(each)) is not None]
    poetry = tool.get("poetry", {})
    tables = [poetry.get("dependencies", {}), poetry.get("dev-dependencies", {})]
    tables += [group.get("dependencies", {}) for group in poetry.get("group", {}).values()]
    for table in tables:
        for name, wanted in table.items():
            version = wanted if isinstance(wanted, str) else ""
            if isinstance(wanted, dict):
                version = "@" if {"git", "url"} & wanted.keys() else str(wanted.get("version", ""))
                if "path" in wanted:
                    continue
            if name != "python":
                pinned = bool(re.fullmatch(r"=?=?\d[\w.]*", version))
                found.append(
                    NamedPackage(name, "PyPI", version if version == "@" else _poetry_range(version), "", pinned)
                )
    return found


def _pipfile(text: str) -> list[NamedPackage]:
    data = tomllib.loads(text)
    tables = [data.get(key, {}) for key in ("packages", "dev-packages")]
    rows = [
        (name, each if isinstance(each, str) else each.get("version", ""))
        for table in tables
        for name, each in table.items()
    ]
    return [one for name, version in rows if (one := _requirement(name + version.replace("*", ""))) is not None]


def _setup_cfg(text: str) -> list[NamedPackage]:
    parser = configparser.RawConfigParser(strict=False)
    parser.read_string(text)
    wanted = {"install_requires", "setup_requires", "tests_require", "deps"}
    rows = [(part, key, value) for part in parser.sections() for key, value in parser.items(part)]
    lists = [value for part, key, value in rows if key in wanted or part == "options.extras_require"]
    return _requirements(re.sub(r"(?m)^\s*[\w{},.!-]+:\s+", "", "\n".join(lists)))


def _setup_py(text: str) -> list[NamedPackage]:
    """Texts in `install_requires` and its like, and in lists that a name of that kind is given to."""
    wanted = re.compile(r"requires|requirements|dependencies|extras")
    values: list[ast.AST] = []
    tree = ast.parse(text)
    for node in ast.walk(tree):
        named = [node.arg or ""] if isinstance(node, ast.keyword) else []
        named += map(ast.unparse, node.targets) if isinstance(node, ast.Assign) else []
        if isinstance(node, ast.keyword | ast.Assign) and any(wanted.search(each.lower()) for each in named):
            values.append(node.value)
    used = {each.id for value in values for each in ast.walk(value) if isinstance(each, ast.Name)}
    values += [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and any(isinstance(to, ast.Name) and to.id in used for to in node.targets)
    ]
    keys = {id(key) for value in values for each in ast.walk(value) if isinstance(each, ast.Dict) for key in each.keys}
    texts = [each.value for value in values for each in ast.walk(value)
             if isinstance(each, ast.Constant) and isinstance(each.value, str) and id(each) not in keys]  # fmt: skip
    return _requirements("\n".join(dict.fromkeys(texts)))


def _poetry_range(text: str) -> str:
    """A range of Poetry's as PEP 440 writes it, for the forms with a caret or a tilde and one version."""
    found = re.fullmatch(r"([\^~])\s*(\d+(?:\.\d+)*)", text)
    if found is None:
        return "" if text == "*" else f"=={text}" if re.fullmatch(r"\d[\w.]*", text) else text
    numbers = [int(each) for each in found[2].split(".")]
    place = next((at for at, number in enumerate(numbers) if number), len(numbers) - 1)
    place = place if found[1] == "^" else min(1, len(numbers) - 1)
    return f">={found[2]},<{'.'.join(map(str, [*numbers[:place], numbers[place] + 1]))}"


def _toml_lock(ecosystem: str, key: str = "package") -> Reader:
    def read(text: str) -> list[NamedPackage]:
        rows = tomllib.loads(text).get(key, [])
        sign = "==" if ecosystem == "PyPI" else ""
        return [
            NamedPackage(row["name"], ecosystem, f"{sign}{row['version']}", "", True)
            for row in rows
            if "version" in row and _is_registered(row, ecosystem)
        ]

    return read


def _is_registered(row: dict[str, Any], ecosystem: str) -> bool:
    """Whether a locked package comes from a registry: not from a folder, an address or the project itself."""
    source = row.get("source")
    if ecosystem == "crates.io":
        return isinstance(source, str) and source.startswith(("registry+", "sparse+"))
    kinds = {str(source.get("type", "legacy"))} if isinstance(source, dict) and "type" in source else set(source or ())
    return not kinds & {"editable", "virtual", "directory", "path", "git", "url", "file"}


def _pipfile_lock(text: str) -> list[NamedPackage]:
    data = json.loads(text)
    tables = [data.get("default", {}), data.get("develop", {})]
    return [
        NamedPackage(name, "PyPI", row.get("version", ""), "", "version" in row)
        for each in tables
        for name, row in each.items()
    ]


def _package_json(text: str) -> list[NamedPackage]:
    data = json.loads(text)
    found = []
    for key in ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies"):
        rows = data.get(key) or {}
        for name, version in rows.items():
            if not isinstance(version, str) or re.match(r"(?:file|link|workspace):", version):
                continue
            if re.match(r"(?:git\S*|https?|github):|[^@\s]\S*/\S+", version) and not version.startswith("npm:"):
                version = "@"
            version = "" if version.startswith("catalog:") else version
            alias = re.fullmatch(r"npm:(@?[^@]+)@(.+)", version)
            name, version = (alias[1], alias[2]) if alias else (name, version)
            found.append(
                NamedPackage(name, "npm", version, "", bool(re.fullmatch(r"[v=]?\d+\.\d+\.\d+[\w.+-]*", version)))
            )
    return found


def _package_lock(text: str) -> list[NamedPackage]:
    data = json.loads(text)
    found = []
    for path, row in data.get("packages", {}).items():
        if "node_modules/" in path and "version" in row and not row.get("link"):
            found.append(
                NamedPackage(row.get("name", path.rpartition("node_modules/")[2]), "npm", row["version"], "", True)
            )
    waiting: list[dict[str, Any]] = [data.get("dependencies", {})] if not found else []
    while waiting:
        for name, row in waiting.pop().items():
            found.append(NamedPackage(name, "npm", row.get("version", ""), "", True))
            waiting += [row["dependencies"]] if row.get("dependencies") else []
    return found


def _pattern(expression: re.Pattern[str], ecosystem: str) -> Reader:
    return lambda text: [NamedPackage(name, ecosystem, version, "", True) for name, version in expression.findall(text)]


def _yarn(text: str) -> list[NamedPackage]:
    """Both forms of yarn's lock file; an alias is the package that it stands for, and parts of the project are none."""
    found = []
    for name, wanted, block in _YARN.findall(text):
        version = re.search(r'^\s+version:? "?([^"\s]+)', block, re.MULTILINE)
        if version is None or re.match(r"(?:workspace|portal|link|file|patch):", wanted):
            continue
        alias = re.match(r"npm:(@?[^@\s]+)@", wanted)
        found.append(NamedPackage(alias[1] if alias else name, "npm", version[1], "", True))
    return found


def _catalog(text: str) -> list[NamedPackage]:
    """The versions that a workspace of pnpm gives for all of its parts."""
    part = re.search(r"^catalogs?:\n((?:[ \t]+[^\n]*\n?)*)", text, re.MULTILINE)
    row = re.compile(r"^\s+['\"]?(@?[\w./-]+)['\"]?:\s*['\"]?([\w^~<>=.* -]+)", re.MULTILINE)
    return [
        NamedPackage(name, "npm", version.strip(), "", bool(re.fullmatch(r"\d+\.\d+\.\d+\S*", version.strip())))
        for name, version in row.findall(part[1] if part else "")
    ]


def _go_mod(text: str) -> list[NamedPackage]:
    text = re.sub(r"//[^\n]*", "", text)
    blocks = re.findall(r"^replace\s+(?:\(([^)]*)\)|([^\n]*))", text, re.MULTILINE)
    instead = {
        found[1]: (found[2], found[3] or "")
        for block in blocks
        for line in "".join(block).split("\n")
        if (found := re.match(r"\s*(\S+)(?:\s+v\S+)?\s*=>\s*(\S+)(?:\s+(v\S+))?", line))
    }
    text = re.sub(r"^(?:module|replace|exclude|retract)\s+(?:\([^)]*\)|[^\n]*)", "", text, flags=re.MULTILINE)
    rows = [instead.get(name, (name, version)) for name, version in _GO.findall(text)]
    return [NamedPackage(name, "Go", version, "", True) for name, version in rows if version]  # others are folders


def _cargo(text: str) -> list[NamedPackage]:
    data = tomllib.loads(text)
    tables = [data.get(key, {}) for key in ("dependencies", "dev-dependencies", "build-dependencies")]
    tables += [data.get("workspace", {}).get("dependencies", {})]
    for target in data.get("target", {}).values():
        tables += [target.get(key, {}) for key in ("dependencies", "dev-dependencies", "build-dependencies")]
    found = []
    for table in tables:
        for name, wanted in table.items():
            row = {"version": wanted} if isinstance(wanted, str) else wanted
            if not isinstance(row, dict):
                continue
            if "path" in row or "git" in row or row.get("workspace"):
                continue
            version = str(row.get("version", ""))
            found.append(NamedPackage(row.get("package", name), "crates.io", version, "", version.startswith("=")))
    return found


def _dockerfile(text: str) -> list[NamedPackage]:
    found = []
    text = re.sub(r"^[ \t]*#[^\n]*\n", "", text, flags=re.MULTILINE)
    scripts = [each[2] for each in _HEREDOC.findall(text)]
    for line in re.sub(r"\\\n", " ", _HEREDOC.sub("", text)).split("\n"):
        run = re.match(r"\s*RUN\s+(?:--\S+\s+)*(.*)", line, re.IGNORECASE)
        if run:
            scripts.append(" ".join(json.loads(run[1])) if run[1].startswith("[") else run[1])
    for script in scripts:
        if len(script) > 50_000:
            raise ValueError("a command is too long to be read")
        found += installed_by(script, "")
    return found


_READERS: dict[str, Reader] = {
    "pyproject.toml": _pyproject,
    "uv.lock": _toml_lock("PyPI"),
    "poetry.lock": _toml_lock("PyPI"),
    "pdm.lock": _toml_lock("PyPI"),
    "Pipfile": _pipfile,
    "Pipfile.lock": _pipfile_lock,
    "setup.cfg": _setup_cfg,
    "tox.ini": _setup_cfg,
    "setup.py": _setup_py,
    "package.json": _package_json,
    "package-lock.json": _package_lock,
    "npm-shrinkwrap.json": _package_lock,
    "yarn.lock": _yarn,
    "bun.lock": _pattern(_BUN, "npm"),
    "pnpm-workspace.yaml": _catalog,
    "pnpm-lock.yaml": _pattern(_PNPM, "npm"),
    "go.mod": _go_mod,
    "Cargo.toml": _cargo,
    "Cargo.lock": _toml_lock("crates.io"),
}
