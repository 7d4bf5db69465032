"""How easy is the house to live in? Counts what a reader of `src/honestly` meets, the same way before and after.

    python bench/house.py [--json] [--against FOLDER]

Everything is read from the source by `ast` and `tokenize`; nothing is imported. How each figure is counted stands
at its function. FOLDER is another checkout; the last column is then what it has. It does not see names that are made
while the program runs, and a name that is a common word counts as used wherever it stands.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

# Everything else is core: what every user needs (records, statistics, sandboxes, agents, running, judging, reports).
REST = (
    *("taskgen", "improve", "recipes", "languages", "sites", "memory", "people", "review", "cluster"),
    *("train", "guard", "check", "kernels", "hunt", "symphony", "images", "sandbox/images", "audit/rejudge/kernels"),
    *("integrations", "testing"),
)
Def = ast.FunctionDef | ast.AsyncFunctionDef


class File:
    """A parsed file of the package, or of its tests."""

    def __init__(self, path: Path, root: Path) -> None:
        self.at = path.relative_to(root)
        self.text = path.read_text("utf-8")
        self.tree = ast.parse(self.text)
        self.path = path
        parts = self.at.with_suffix("").parts
        self.module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        self.nodes = list(ast.walk(self.tree))
        self.defs = [node for node in self.nodes if isinstance(node, Def)]

    @property
    def room(self) -> str:
        """The folder of the package in which it lies, or the file itself."""
        return self.at.parts[1] if len(self.at.parts) > 2 else self.at.stem

    @property
    def core(self) -> bool:
        below = self.at.relative_to(self.at.parts[0]).as_posix()
        return not any(below.startswith((f"{name}/", f"{name}.py")) for name in REST)


def read(folder: Path, root: Path) -> list[File]:
    return [
        File(path, root)
        for path in sorted(folder.rglob("*.py"))
        if not {"projects", "templates"} & set(path.relative_to(root).parts)  # workspaces and examples for agents
    ]


def one_word(files: list[File]) -> float:
    """Share of functions and methods, dunders left out, whose name has no underscore after its leading ones."""
    names = [d.name for f in files for d in f.defs if not d.name.startswith("__") or not d.name.endswith("__")]
    return sum("_" not in name.lstrip("_") for name in names) / len(names)


def used_once(files: list[File]) -> int:
    """Private functions and methods that their own file names once beside the definition, and no other file imports."""
    found = 0
    imported = Counter(a.name for f in files for n in f.nodes if isinstance(n, ast.ImportFrom) for a in n.names)
    for f in files:
        uses = Counter(n.id for n in f.nodes if isinstance(n, ast.Name))
        uses.update(n.attr for n in f.nodes if isinstance(n, ast.Attribute))
        names = Counter(d.name for d in f.defs if d.name.startswith("_") and not d.name.endswith("__"))
        found += sum(many == 1 and uses[name] + imported[name] == 1 for name, many in names.items())
    return found


def many_returns(files: list[File]) -> dict[str, int]:
    """Names whose definitions have five or more texts of a return type; those that a protocol has are left out."""
    kinds, fixed = defaultdict(set), set()
    for f in files:
        for c in f.nodes:
            if isinstance(c, ast.ClassDef) and any("Protocol" in ast.unparse(base) for base in c.bases):
                fixed |= {d.name for d in c.body if isinstance(d, Def)}
        for d in f.defs:
            if d.returns is not None and not (d.name.startswith("__") and d.name.endswith("__")):
                kinds[d.name].add(ast.unparse(d.returns))
    return {name: len(each) for name, each in sorted(kinds.items()) if len(each) >= 5 and name not in fixed}


def imports(f: File, modules: set[str]) -> Iterator[str]:
    """Modules that a file names in imports, wherever they stand: in functions, and for type checkers, too."""
    package = f.module if f.path.stem == "__init__" else f.module.rpartition(".")[0]
    for node in f.nodes:
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name in modules)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, node.module] if node.module else above)
            for a in node.names:
                full = f"{base}.{a.name}"
                yield from [full] if full in modules else [base] if base in modules else []


def circles(files: list[File]) -> list[list[str]]:
    """Strongly connected parts, of two files or more, of the graph of imports (Tarjan)."""
    modules = {f.module for f in files}
    graph = {f.module: sorted({m for m in imports(f, modules) if m != f.module}) for f in files}
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in graph[node]:
            if other not in index:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == index[node]:
            part = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(part) > 1:
                found.append(sorted(part))

    for node in graph:
        if node not in index:
            visit(node)
    return found


def public(files: list[File]) -> dict[str, set[str]]:
    """The names that each room, which is a folder of the package, imports as themselves, or has in its `__all__`."""
    found: dict[str, set[str]] = {}
    for f in files:
        if f.path.stem == "__init__" and len(f.at.parts) == 3:
            imports = [n for n in f.nodes if isinstance(n, ast.ImportFrom)]
            found[f.module] = {a.name for n in imports for a in n.names if a.asname == a.name}
            for n in f.tree.body:
                if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == "__all__":
                    found[f.module] |= {c.value for c in ast.walk(n.value) if isinstance(c, ast.Constant)}
    return found


def unused(files: list[File], pages: Iterable[str]) -> list[str]:
    """Public names of a room that stand in no other room's code and on no page."""
    words = set(re.findall(r"\w+", "\n".join(pages)))
    used: dict[str, set[str]] = defaultdict(set)
    for f in files:
        for n in f.nodes:
            names = [a.name for a in n.names] if isinstance(n, ast.ImportFrom) else []
            names += [n.attr] if isinstance(n, ast.Attribute) else []
            for name in names:
                used[name].add(f.module)
    return sorted(
        f"{room}.{name}"
        for room, names in public(files).items()
        for name in names - words
        if all(f"{m}.".startswith(f"{room}.") or m == "honestly" for m in used[name])
    )


def comments(files: list[File]) -> float:
    """Share of lines that hold a comment alone; what tools read (noqa, type:) counts as none."""
    own = total = 0
    for f in files:
        total += f.text.count("\n")
        with f.path.open("rb") as file:
            for token in tokenize.tokenize(file.readline):
                lone = token.type == tokenize.COMMENT and not token.line[: token.start[1]].strip()
                own += lone and not re.match(r"#\s*(noqa|type:|fmt:|mypy:|pragma|!)", token.string)
    return own / total


def returns_on_the_walk(files: list[File]) -> int:
    """Statements `return` of `verify`, and of what it reaches in at most three calls, by name, within its room.

    The guests, which run inside of sandboxes, are left out; a call of a name reaches every function of that name.
    """
    known = defaultdict(list)
    for f in files:
        if f.room == "verify" and "_guest" not in f.at.parts:
            for d in f.defs:
                known[d.name].append(d)
    seen = {"verify"}
    for _ in range(3):
        calls = [n.func for name in seen for d in known[name] for n in ast.walk(d) if isinstance(n, ast.Call)]
        seen |= {c.id if isinstance(c, ast.Name) else getattr(c, "attr", "") for c in calls} & set(known)
    return sum(isinstance(n, ast.Return) for name in seen for d in known[name] for n in ast.walk(d))


def measured(root: Path) -> dict[str, object]:
    """All figures of a checkout."""
    files, tests = read(root / "src" / "honestly", root / "src"), read(root / "tests", root)
    lines = Counter[str]()
    for f in files:
        lines[f.room] += f.text.count("\n")
        lines["core" if f.core else "the rest"] += f.text.count("\n")
    pages = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    written = [page for page in pages if page != root / "docs" / "api.md"]
    total, names = lines["core"] + lines["the rest"], public(files)
    private = re.compile(r"(?<![A-Za-z0-9])_[a-z]\w*")
    return {
        "lines": total,
        "lines, core": lines.pop("core"),
        "lines, the rest": lines.pop("the rest"),
        "private helpers used once": used_once(files),
        "... in 1,000 lines": 1000 * used_once(files) / total,
        "one-word functions, %": 100 * one_word(files),
        "names with five return types": many_returns(files),
        "circles of files": circles(files),
        "public names": sum(map(len, names.values())),
        "public names nobody uses": unused(files, map(Path.read_text, pages)),
        "... or which docs/api.md alone has": unused(files, map(Path.read_text, written)),
        "own-line comments, %": 100 * comments(files),
        "returns on the walk through verify": returns_on_the_walk(files),
        "functions over 40 lines": sum((d.end_lineno or 0) - d.lineno >= 40 for f in files for d in f.defs),
        "patches in tests": sum(
            len(re.findall(r"monkeypatch\.setattr|patch\.setattr|mock\.patch|@patch", f.text)) for f in tests
        ),
        "private imports in tests": sum(
            bool(private.search(f"{n.module} {' '.join(a.name for a in n.names)}"))
            for f in tests
            for n in f.nodes
            if isinstance(n, ast.ImportFrom) and (n.module or "").startswith("honestly")
        ),
        "lines by room": dict(lines.most_common()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print everything, with the names behind each figure")
    parser.add_argument("--against", type=Path, help="another checkout, for before and after")
    arguments = parser.parse_args()
    now = measured(Path(__file__).parents[1])
    before = measured(arguments.against) if arguments.against else None
    if arguments.json:
        print(json.dumps({"now": now, "against": before} if before else now, indent=1))
        return

    def row(name: str, value: object, old: object) -> None:
        shown = [len(v) if isinstance(v, list | dict) else v for v in (value, old) if v is not None]
        print(f"{name:36}", *(f"{v:9,.1f}" if isinstance(v, float) else f"{v:9,}" for v in shown))

    for name, value in now.items():
        if name != "lines by room":
            row(name, value, before and before[name])
    rooms, old = now["lines by room"], before["lines by room"] if before else {}
    for name in {**rooms, **old}:  # type: ignore[dict-item]
        row(f"  {name}", rooms.get(name, 0), old.get(name, 0) if before else None)  # type: ignore[attr-defined]


if __name__ == "__main__":
    main()
