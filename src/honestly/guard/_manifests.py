"""The packages that files of a project name: manifests, lock files, Dockerfiles, and what its sources import.

Each file is bounded and read as what it is; nothing is run and nothing resolved. A link is not followed. What cannot be
read, or is not, is a note. A package is left out as the project's own only where a file says that it lies there: in a
workspace, at a path, or as the file's own name.
"""

import json
import os
import posixpath
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from honestly._toml import toml_table
from honestly.guard._imports import imported_packages, is_source
from honestly.guard._readers import (
    SCRIPTS,
    UNREAD,
    NamedPackage,
    Reader,
    inline_block,
    inline_packages,
    packages_of,
    reader_of,
    requirements,
    written_package,
)
from honestly.permissions import Effects, effects_of, package_name
from honestly.records import Tree

_LARGEST, _LARGEST_SOURCE, _MOST_BYTES, _MOST_FILES = 8 << 20, 1 << 20, 256 << 20, 20_000
_MOST_PACKAGES, _MOST_INCLUDED = 20_000, 500
_SKIPPED = frozenset(
    {".git", "node_modules", ".venv", "venv", "__pycache__", ".tox", "site-packages", "vendor", ".hunt"}
)


def found_packages(folder: Path) -> tuple[list[NamedPackage], list[str]]:
    """The packages that the files below a folder name or import, and what could not be read."""
    texts: dict[str, str] = {}
    notes: list[str] = []
    left = _MOST_BYTES
    for number, path in enumerate(_manifest_files(folder, notes)):
        if number >= _MOST_FILES:
            notes.append(f"there are more than {_MOST_FILES:,} files; the others were not looked at")
            break
        where = str(path.relative_to(folder))
        texts[where] = ""
        manifest = reader_of(where) is not None or where.endswith((".txt", ".in"))
        if not manifest and not is_source(where):
            continue
        most = _LARGEST if manifest else min(_LARGEST_SOURCE, left)
        named = reader_of(where) is not None
        try:
            if path.is_symlink():
                notes += [f"{where}: it is a link, which is not followed"] if named else []
            elif not path.is_file():
                notes += [f"{where}: it is no file"] if named else []
            elif (size := path.stat().st_size) > most:
                notes += (
                    [f"{where}: it has more than {most >> 20} MiB, and was not read"] if named or not manifest else []
                )
            else:
                raw = path.read_bytes()
                wide = raw[:2] in {BOM_UTF16_LE, BOM_UTF16_BE}
                texts[where] = raw.decode(
                    "utf-16" if wide else "utf-8-sig", "strict" if named or not manifest else "replace"
                )
                left -= size
        except (OSError, ValueError) as error:
            notes.append(f"{where}: it cannot be read: {str(error)[:120]}")
    found, unread = named_packages(texts, lambda name: _list_at(folder / name))
    elsewhere = re.findall(
        r"(?m): (\S+) comes from .*, (?:not from a registry|which is not looked up)$", "\n".join(unread)
    )
    addressed = [NamedPackage(name, of, "", "") for name in elsewhere for of in ("PyPI", "npm")]
    imported, unparsed = undeclared_packages(texts, texts, [*found, *addressed])
    found += imported
    unread = [*unread, *unparsed]
    if len(found) > _MOST_PACKAGES:
        unread.append(f"there are more than {_MOST_PACKAGES:,} packages; the others were not judged")
    return found[:_MOST_PACKAGES], [*notes, *unread]


def _list_at(path: Path) -> str:
    """The text of a list of requirements that has no name of one; empty where it cannot be read."""
    try:
        fits = path.is_file() and not path.is_symlink() and path.stat().st_size <= _LARGEST_SOURCE
        return path.read_text("utf-8") if fits else ""
    except (OSError, ValueError):
        return ""


def tree_texts(tree: Tree) -> dict[str, str]:
    """The texts of a tree, by path; empty for a file that is not read."""
    read = (
        path
        for path, file in tree.files.items()
        if file.mode != "link" and len(file.data) <= _LARGEST_SOURCE
        if is_source(path) or reader_of(path) or path.endswith((".txt", ".in"))
    )
    return dict.fromkeys(tree.files, "") | {path: tree.files[path].data.decode("utf-8", "replace") for path in read}


def tree_packages(tree: Tree) -> list[NamedPackage]:
    """The packages that manifests, lock files and Dockerfiles of a tree name."""
    return named_packages(tree_texts(tree))[0]


def undeclared_imports(tree: Tree, files: Iterable[str]) -> list[tuple[str, str]]:
    """The packages that some files of a tree import and nothing in it declares, each with the file."""
    texts = tree_texts(tree)
    found, _ = undeclared_packages(texts, [each for each in files if each in texts], named_packages(texts)[0])
    return [(each.name, each.where.rpartition(":")[0]) for each in found]


def named_packages(
    texts: Mapping[str, str], read_list: Callable[[str], str] = lambda _: ""
) -> tuple[list[NamedPackage], list[str]]:
    """The packages that manifests, lock files and Dockerfiles among some texts name, and what could not be read.

    Args:
        texts: by path; empty for a file whose name alone is known.
        read_list: the text of such a file, which another one names as a list of requirements.
    """
    extra: dict[str, str] = {}
    found: list[NamedPackage] = []
    notes: list[str] = []
    waiting: list[tuple[str, Reader]] = []
    scripts = 0
    for where, text in texts.items():
        scripts += SCRIPTS.fullmatch(where) is not None
        notes += [f"{where}: files of its kind are not read"] if UNREAD.fullmatch(where.rpartition("/")[2]) else []
        reader = reader_of(where) or (inline_packages if where.endswith(".py") and inline_block(text) else None)
        waiting += [(where, reader)] if reader and text else []
    seen = {where for where, reader in waiting}
    for where, reader in waiting:  # grows
        read, reading = packages_of(reader, texts[where] or extra[where], where)
        found += read
        notes += [f"{where}: {each}" for each in reading.notes]
        for each in reading.included:
            other = posixpath.normpath(posixpath.join(posixpath.dirname(where), each))
            if other in texts and not texts[other] and other not in seen:
                extra[other] = read_list(other)
            if not (texts.get(other) or extra.get(other)) or len(seen) > len(texts) + _MOST_INCLUDED:
                notes.append(f"{where}: {each[:120]}, a list that it names, is not read")
            elif other not in seen:
                seen.add(other)
                waiting.append((other, requirements))
        for each in reading.lists:
            same = [path for path in texts if posixpath.basename(path) == posixpath.basename(each) and texts[path]]
            waiting += [(path, requirements) for path in same if path not in seen]
            seen |= set(same)
            if not same:
                notes.append(f"{where}: {each[:120]}, a list that a command installs, is not read")
    if scripts:
        notes.append(f"install commands in shell scripts, workflows, makefiles and notebooks ({scripts:,})")
    return _without_own(found, texts, notes), notes


def _without_own(found: Iterable[NamedPackage], texts: Mapping[str, str], notes: list[str]) -> list[NamedPackage]:
    """Those that no workspace of the project holds, with the ranges of catalogues where they are read."""
    members = {folder: _members(folder, texts) for folder in _workspaces(texts)}
    linked = {posixpath.dirname(name): names for name, text in texts.items() if (names := _linked(name, text))}
    found = list(found)
    catalogued = {each.name for each in found if not each.version.startswith("catalog:")}
    kept = []
    for each in found:
        base, manifest = posixpath.dirname(each.where), each.where.rpartition("/")[2]
        own = manifest == "package.json" and any(
            each.name in names and is_below(base, folder) for folder, names in members.items()
        )
        own |= manifest == "pyproject.toml" and any(
            package_name("PyPI", each.name) in names and is_below(base, folder) for folder, names in linked.items()
        )
        if each.version.startswith("catalog:") and each.name not in catalogued:
            notes.append(f"{each.where}: the catalogue that {each.name[:80]} has its range of is not there")
        elif each.version.startswith("catalog:"):
            continue
        if not own:
            kept.append(each)
    return kept


def is_below(folder: str, other: str) -> bool:
    """Whether a folder is another one, or lies in it."""
    return not other or f"{folder}/".startswith(f"{other}/")


def _workspaces(texts: Mapping[str, str]) -> dict[str, list[str]]:
    return {posixpath.dirname(name): shapes for name, text in texts.items() if (shapes := _shapes(name, text))}


def _shapes(name: str, text: str) -> list[str]:
    """The folders that a manifest calls members of its workspace."""
    base = name.rpartition("/")[2]
    try:
        data: Any = {}
        if base == "package.json" and '"workspaces"' in text:
            data = json.loads(text)["workspaces"]
        elif base == "pnpm-workspace.yaml" and len(text) < _LARGEST_SOURCE >> 2:
            data = yaml.safe_load(text)
    except (ValueError, RecursionError, KeyError, TypeError, yaml.YAMLError):
        return []
    many = data.get("packages", []) if isinstance(data, dict) else data
    texts = [each for each in many if isinstance(each, str)] if isinstance(many, list) else []
    return [each.removeprefix("./").rstrip("/") for each in texts]


def _members(folder: str, texts: Mapping[str, str]) -> frozenset[str]:
    """The names of the packages in a workspace."""
    shapes = [each for name in ("package.json", "pnpm-workspace.yaml")
              if (path := posixpath.join(folder, name)) in texts for each in _shapes(path, texts[path])]  # fmt: skip
    plain = [re.escape(each).replace(r"\*\*", ".*").replace(r"\*", "[^/]*") for each in shapes if each[:1] != "!"]
    fits = re.compile("|".join(plain) or "(?!)")
    found = set()
    for name, text in texts.items():
        base = posixpath.dirname(name)
        inside = posixpath.basename(name) == "package.json" and is_below(base, folder)
        if inside and (base == folder or fits.fullmatch(base.removeprefix(folder).lstrip("/"))):
            own = re.match(r'[^{]{0,99}\{(?:[^{}]{0,9999},)?\s*"name"\s*:\s*"([^"]+)"', text)
            found |= {own[1]} if own else set()
    return frozenset(found)


def _linked(name: str, text: str) -> frozenset[str]:
    """The packages that the sources of a workspace of uv send to its members."""
    if not name.endswith("pyproject.toml") or "[tool.uv.sources" not in text:
        return frozenset()
    try:
        sources = toml_table(text)["tool"]["uv"]["sources"]
        kept = [key for key, each in sources.items() if isinstance(each, dict) and {"workspace", "path"} & set(each)]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return frozenset()
    return frozenset(package_name("PyPI", each) for each in kept)


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


def installed_by(command: str | Effects, where: str) -> list[NamedPackage]:
    """The packages that a shell command would install."""
    effects = effects_of(command) if isinstance(command, str) else command
    return packages_of(lambda _, __: (written_package(each, of) for of, each in effects.packages), "", where)[0]


def _manifest_files(folder: Path, notes: list[str]) -> Iterator[Path]:
    def unread(error: OSError) -> None:
        notes.append(f"{os.path.relpath(error.filename, folder)}: it cannot be read: {error.strerror}")

    for root, folders, names in os.walk(folder, onerror=unread):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        for name in sorted(names):
            yield Path(root, name)
