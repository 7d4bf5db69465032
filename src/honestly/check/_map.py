"""Which files of a project carry weight, and which are decorative: per file, with reasons; nothing is run.

What counts: how many other files need it, directly and by way of others; whether a program begins there; whether its
name or place says that money, rights or stored data are in its hands; and its history: how often it was changed in a
year, and how often by a fix or a revert. How much of it the tests run is said where a report lies in the checkout.
Imports are read in Python, JavaScript, TypeScript and Go: of other languages, nothing is said of who needs a file. Not
read: what is loaded by name, and what other projects need.
"""

import ast
import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Any, Literal

import msgspec
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from honestly._toml import toml_table
from honestly.check._change import json_of, python_of, text_of
from honestly.check._coverage import covered_shares
from honestly.check._map_picture import map_figure
from honestly.check._records import FileWeight
from honestly.records import Tree
from honestly.show import Figures, Shown, plural_text, printable_text_line
from honestly.taskgen import Repository, is_a_test, is_source

_MOST_COMMITS, _MOST_ROWS = 3000, 18
_STARTS = ("__main__.py", "manage.py", "wsgi.py", "asgi.py")
_SHARE, _LEAST, _FIXES = 0.1, 3, 4
_FIX = re.compile(r"\b(?:fix|bug|revert|regression|hotfix)", re.IGNORECASE)
_WORDS = {
    "stored data": r"migrations?|schema|models?|database|db|storage|persist\w*",
    "rights and secrets": r"auth\w*|permissions?|login|session|tokens?|crypto|secrets?|security|acl",
    "money": r"payments?|billing|invoices?|prices?|pricing|ledger|orders?|checkout|tax",
}
_HANDS = {name: re.compile(rf"(?:^|[/_.])(?:{words})(?=[/_.]|$)") for name, words in _WORDS.items()}
_READ = (".py", ".go", ".js", ".ts", ".tsx", ".jsx", ".mjs", ".cjs", ".mts")
_SCRIPT = re.compile(r"""(?:from|import|require\()\s*["']([^"'\s]+)["']""")
_GO_MODULE = re.compile(r"^module\s+\"?([^\s\"]+)", re.MULTILINE)
_GO_IMPORTS = re.compile(r"^import\s*(?:\([^()]*\)|\S*\s*\"[^\"]+\")", re.MULTILINE)
_GO_NAME = re.compile(r"^(?:func|type|var|const)\s+(\w+)|^\t([A-Z]\w*)[^\n(]*=", re.MULTILINE)
_GLOB = re.compile(r"[*?{}\[\]\x00-\x1f\x7f]")
_ENDINGS = ("", ".js", ".ts", ".tsx", ".jsx", ".mjs", ".cjs", "/index.js", "/index.ts")


@dataclass(frozen=True)
class WeightMap(Shown):
    """Every file of code, the weightiest first."""

    revision: str
    files: tuple[FileWeight, ...]
    commits: int
    coverage: str = ""
    """The report that says how much of each file the tests run."""
    main_table = "files"

    def to_plain(self) -> dict[str, Any]:
        """Plain data, as `--map --json` prints it."""
        files = msgspec.to_builtins(self.files)
        return {"revision": self.revision, "commits": self.commits, "coverage": self.coverage, "files": files}

    @property
    def figures(self) -> Figures:
        """The treemap of the files."""
        return Figures([map_figure(self.files)] if self.files else [])

    @property
    def policy_text(self) -> str:
        """A policy of guard's in TOML: an agent may change files by itself, except those that carry weight."""
        heavy = sorted(each.path for each in self.files if each.weight == "carries weight")
        rules = ["Edit(/" + _GLOB.sub("?", path) + ")" for path in heavy]
        lines = [f"  {json.dumps(rule, ensure_ascii=False)}," for rule in rules]
        head = f"# Files that carry weight at {self.revision[:10]}, by honestly check --map"
        return "\n".join([head, 'default = "allow"', "ask = [", *lines, "]", ""])

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        counts = Counter(each.weight for each in self.files)
        said = ", ".join(f"{name} {counts[name]}" for name in ("carries weight", "ordinary", "decorative"))
        said += f"; coverage from {self.coverage}" if self.coverage else ""
        yield Text(f"{plural_text(len(self.files), 'file')} of code: {said}", style="bold")
        for each in self.files[:_MOST_ROWS]:
            style = {"carries weight": "red", "ordinary": "", "decorative": "dim"}[each.weight]
            line = Text.assemble(
                (f"{each.weight:15}", style), f"{printable_text_line(each.path)}: {'; '.join(each.reasons)}"
            )
            line.no_wrap, line.overflow = True, "ellipsis"
            yield line
        if len(self.files) > _MOST_ROWS:
            yield Text(f"and {len(self.files) - _MOST_ROWS} more: honestly check --map --json", style="dim")


def weight_map(repository: Repository, revision: str, top: Path | None = None) -> WeightMap:
    """The map of a project at a commit; a report of coverage is looked for in the folder `top`.

    Raises:
        TaskError: there is no such commit.
    """
    commits = repository.commits_from(revision, _MOST_COMMITS)
    tree = repository.tree(commits[0].sha)
    needs = file_needs(tree)
    users: dict[str, set[str]] = {}
    for path, wanted in needs.items():
        for each in wanted:
            users.setdefault(each, set()).add(path)
    newest = max(date.fromisoformat(commit.day) for commit in commits)
    changes, fixes, since = Counter[str](), Counter[str](), dict[str, str]()
    for commit in commits:
        for path in commit.changed:
            changes[path] += date.fromisoformat(commit.day) > newest - timedelta(days=365)
            fixes[path] += _FIX.search(commit.message.partition("\n")[0]) is not None
            since[path] = commit.day
    starts = set(_starts(tree))
    sources = [path for path in tree.files if is_source(path) and tree.files[path].mode != "link"]
    report, covered = covered_shares(top, sources) if top is not None else ("", {})
    found = []
    for path in sources:
        direct = users.get(path, set())
        code = {each for each in direct if is_source(each)}
        reach = len(_reach(path, users))
        tests = len(direct) - len(code)
        lines = tree.files[path].data.count(b"\n") + 1
        own = FileWeight(
            path,
            "ordinary",
            (),
            len(code),
            reach,
            tests,
            changes[path],
            fixes[path],
            since.get(path, ""),
            lines,
            covered.get(path),
        )
        found.append(_weighed(own, len(sources), begins=path in starts))
    order = ("carries weight", "ordinary", "decorative")
    found.sort(key=lambda each: (order.index(each.weight), -each.reach, -each.changes, each.path))
    return WeightMap(commits[0].sha, tuple(found), len(commits), report)


def _weighed(own: FileWeight, sources: int, *, begins: bool) -> FileWeight:
    hands = [name for name, pattern in _HANDS.items() if pattern.search(own.path.lower())]
    heavy = [f"{own.reach} of {sources} files need it"] if own.reach >= max(_LEAST, _SHARE * sources) else []
    heavy += ["a program begins here"] if begins else []
    heavy += [f"its name speaks of {name}" for name in hands]
    heavy += [f"changed by {own.fixes} fixes"] if own.fixes >= _FIXES else []
    read = own.path.endswith(_READ)
    light = [] if own.reach or not read else ["no other file needs it"]
    weight: Literal["carries weight", "ordinary", "decorative"]
    weight = "carries weight" if heavy else "decorative" if light else "ordinary"
    need = (
        "its language is not read" if not read else f"{plural_text(own.reach, 'file')} need{'s' * (own.reach == 1)} it"
    )
    reasons = [*heavy, *light, *([] if heavy or light else [need])]
    reasons += [f"changed {plural_text(own.changes, 'time')} in a year"] if own.changes else []
    if own.covered is not None:
        reasons.append(f"tests run {own.covered:.0%} of its lines")
    elif read and not own.tests:
        reasons.append("no test imports it")
    return msgspec.structs.replace(own, weight=weight, reasons=tuple(reasons))


def _reach(path: str, users: Mapping[str, set[str]]) -> set[str]:
    found, waiting = set[str](), [path]
    while waiting:
        for each in users.get(waiting.pop(), ()):
            if each not in found and is_source(each):
                found.add(each)
                waiting.append(each)
    return found - {path}


def file_needs(tree: Tree, only: Collection[str] = ()) -> dict[str, set[str]]:
    """The files that each file of code or tests imports, or some of them do."""
    modules: dict[str, list[str]] = {}
    for path in tree.files:
        if path.endswith(".py"):
            parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
            for at in range(len(parts)):  # what lies on Python's path is no package itself
                if "/".join([*parts[:at], "__init__.py"]) not in tree.files or not at:
                    modules.setdefault(".".join(parts[at:]), []).append(path)
    found: dict[str, set[str]] = {}
    packages = _GoPackages(tree)
    for path, file in tree.files.items():
        if (not only or path in only) and file.mode != "link" and (is_source(path) or is_a_test(path)):
            names = set(_imports(path, text_of(tree, path))) if path.endswith(".py") else set[str]()
            wanted = {max(modules[name], key=partial(_shared, path)) for name in names if name in modules}
            wanted |= packages.needs(path) if path.endswith(".go") else set()
            wanted |= set(_scripts(path, tree)) if not path.endswith((".py", ".go")) else set()
            found[path] = wanted - {path}
    return found


def _shared(one: str, other: str) -> int:
    """How many folders two files have in common."""
    alike = (mine == theirs for mine, theirs in zip(one.split("/"), other.split("/"), strict=False))
    return sum(takewhile(bool, alike))


def _imports(path: str, text: str) -> Iterator[str]:
    here = path.removesuffix(".py").split("/")[:-1]
    for node in ast.walk(python_of(text)):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = here[: len(here) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield base
            yield from (f"{base}.{each.name}".strip(".") for each in node.names)


def _scripts(path: str, tree: Tree) -> Iterator[str]:
    folder, own = path.split("/")[:-1], json_of(tree, "package.json").get("name")
    for name in _SCRIPT.findall(text_of(tree, path)):
        if own and f"{name}/".startswith(f"{own}/"):  # a package that names itself
            rest = name.removeprefix(own).lstrip("/")
            places = [
                f"{start}{rest}{end}".replace("//", "/").lstrip("/") for start in ("", "src/") for end in _ENDINGS
            ]
            yield from (place for place in places if place in tree.files)
        if not name.startswith("."):
            continue
        parts = list(folder)
        for part in name.split("/"):
            parts = parts[:-1] if part == ".." else parts if part == "." else [*parts, part]
        place = "/".join(parts)
        yield from (place + end for end in _ENDINGS if place + end in tree.files)


class _GoPackages:
    """What files of Go need of each other: names that one declares and another of its package, or an importer, has."""

    def __init__(self, tree: Tree) -> None:
        self._tree, self._files = tree, dict[str, list[str]]()
        for path in tree.files:
            if path.endswith(".go"):
                self._files.setdefault(path.rpartition("/")[0], []).append(path)
        self._modules = {
            found[1]: path.rpartition("/")[0]
            for path in (tree.files if self._files else ())
            if path.rpartition("/")[2] == "go.mod" and (found := _GO_MODULE.search(text_of(tree, path)))
        }
        self._declared = {
            path: {one or other for one, other in _GO_NAME.findall(text_of(tree, path))}
            for files in self._files.values()
            for path in files
        }

    def needs(self, path: str) -> set[str]:
        """The files that a file of Go needs."""
        text, here, folders = text_of(self._tree, path), path.rpartition("/")[0], set[str]()
        for name in re.findall(r'"([^"]+)"', "\n".join(_GO_IMPORTS.findall(text))):
            for module, folder in self._modules.items():
                if f"{name}/".startswith(f"{module}/"):
                    folders.add(f"{folder}{name.removeprefix(module)}".lstrip("/"))
        code = re.sub(r"//[^\n]*", "", text)
        own = set(re.findall(r"(?<![.\w])\w+", code)) - self._declared[path]
        others = set(re.findall(r"(?<=\.)\w+", code))
        near = [(each, own) for each in self._files[here]]
        near += [(each, others) for folder in folders - {here} for each in self._files.get(folder, ())]
        return {each for each, names in near if not each.endswith("_test.go") and names & self._declared[each]}


def _starts(tree: Tree) -> Iterator[str]:
    """Files in which programs begin, as far as the project says so."""
    yield from (path for path in tree.files if path.rpartition("/")[2] in _STARTS)
    try:
        table: Any = toml_table(text_of(tree, "pyproject.toml"))
        project = table.get("project", {})
        targets = [*project.get("scripts", {}).values(), *project.get("gui-scripts", {}).values()]
        targets += [each for group in project.get("entry-points", {}).values() for each in group.values()]
    except (ValueError, AttributeError):
        targets = []
    for target in targets:
        name = str(target).partition(":")[0].replace(".", "/")
        yield from (path for path in tree.files if path.endswith((f"{name}.py", f"{name}/__init__.py")))
    manifest = json_of(tree, "package.json")
    bins = manifest.get("bin", {})
    named = [manifest.get("main", ""), *(bins.values() if isinstance(bins, dict) else [bins])]
    yield from (str(each).removeprefix("./") for each in named if each)
