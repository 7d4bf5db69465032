"""Whether a change is safe to merge, as far as its lines say: dependencies, secrets, permissions, network, size.

Rules over the lines that the change adds, and over the files that say what a project needs. What speaks against it is
what has hardly an honest reason; all else is for somebody to look at. Nothing is run, and no rule is a proof that there
is nothing.
"""

import ast
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from honestly._toml import toml_table
from honestly.check._change import Change, shown_paths, text_of
from honestly.check._records import Remark, Weight
from honestly.records import Tree
from honestly.taskgen import is_a_test

_SECRETS = (
    ("a private key", re.compile(r"-----BEGIN (?:RSA |EC |OPENSSH |DSA |PGP )?PRIVATE KEY")),
    ("a key of AWS", re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b")),
    ("a token of GitHub", re.compile(r"\bgh[pousr]_[A-Za-z0-9]{36,}\b|\bgithub_pat_\w{50,}")),
    ("a token of Slack", re.compile(r"\bxox[abprs]-[\w-]{20,}")),
    ("a key of an API", re.compile(r"\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{32,}\b|\bAIza[\w-]{35}\b|\bglpat-[\w-]{20}\b")),
    ("a password in an address", re.compile(r"\b\w+://[^\s/:@{}$<>]+:[^\s/:@{}$<>*]{6,}@[\w.-]+\.\w+")),
)
_SECRET_ASSIGNED = re.compile(
    r"\b(?:password|passwd|secret|api_?key|access_?token|auth_?token)\b[\"']?\s*[:=]\s*[\"']([^\"'\s{}$<>]{12,})[\"']",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"example|test|dummy|fake|sample|placeholder|xxx|changeme|your|\*\*\*|0000|1234|abc", re.IGNORECASE
)
_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")
_FETCH_AND_RUN = re.compile(
    r"\b(?:curl|wget)\b[^|;&\n]*\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b|\b(?:ba)?sh\s+<\(\s*(?:curl|wget)\b"
)
_RUNS = re.compile(
    r"\b(?:os\.system|subprocess\.\w+|eval|exec|pickle\.loads?|marshal\.loads|__import__|child_process)\s*\("
    r"|new Function\(|shell\s*=\s*True"
)
_NETWORK = re.compile(
    r"^\s*(?:from|import)\s+(?:socket|requests|httpx2?|aiohttp|urllib\.request|http\.client|ftplib|smtplib|paramiko|websockets?)\b"
    r"|\burlopen\(|\bfetch\(\s*[\"'`]https?:|\brequire\([\"'](?:node:)?(?:net|https?|dgram|axios|node-fetch)[\"']\)|\"net/http\""
)
_PERMISSIONS = re.compile(
    r"\bchmod\b.*(?:777|a\+w|o\+w)|0o777\b|verify\s*=\s*False|\bsudo\b|NODE_TLS_REJECT_UNAUTHORIZED|InsecureSkipVerify"
)
_WORKFLOW = re.compile(r"^\s*permissions:\s*write-all|^\s*\w[\w-]*:\s*write\s*$|pull_request_target|--privileged\b")
_HOOKS = re.compile(
    r"(?:^|/)(?:sitecustomize|usercustomize)\.py$|\.pth$|(?:^|/)\.git(?:attributes|modules)$|(?:^|/)\.(?:husky|githooks)/"
)
_SCRIPTS = ("preinstall", "install", "postinstall", "prepare")
_LARGE = 1000


def safety_remarks(change: Change) -> Iterator[Remark]:
    """What of a change speaks against merging it, or is to be looked at before."""
    for path in change.paths:
        if path in change.after.files:
            yield from _line_remarks(change, path)
    yield from _file_remarks(change)
    yield from _dependency_remarks(change)
    yield from _size_remarks(change)


def _line_remarks(change: Change, path: str) -> Iterator[Remark]:
    test, document = is_a_test(path), path.endswith((".md", ".rst", ".txt"))
    before = text_of(change.before, path)
    said = set[str]()
    for at, line in change.added(path):
        for what, weight in _line_findings(line, path, before, test=test, document=document):
            if what not in said or weight == "against":
                said.add(what)
                # A line without what may be a secret, since the page is shown to others.
                text = line.strip()[:160]
                for _, pattern in _SECRETS:
                    text = pattern.sub(lambda found: found[0][:6] + "…", text)
                yield Remark(what=what, weight=weight, path=path, line=at, evidence=text)


def _line_findings(line: str, path: str, before: str, *, test: bool, document: bool) -> Iterator[tuple[str, Weight]]:
    for name, pattern in _SECRETS:
        if found := pattern.search(line):
            yield f"{name} stands in it", "look" if test or document or _PLACEHOLDER.search(found[0]) else "against"
            return
    assigned = _SECRET_ASSIGNED.search(line)
    if assigned and not (test or document or _PLACEHOLDER.search(assigned[1])):
        yield "what looks like a secret stands in it", "look"
    if _BIDI.search(line):
        yield "characters that change the order in which code is read", "against"
    if _FETCH_AND_RUN.search(line) and not document:
        yield "it fetches a program and runs it", "look"
    if path.startswith(".github/workflows/") and _WORKFLOW.search(line) and line not in before:
        yield "a workflow gets more rights", "look"
    if test or document:
        return
    for what, pattern in (
        ("it runs programs or text as code", _RUNS),
        ("it opens the network", _NETWORK),
        ("it loosens rights or checks", _PERMISSIONS),
    ):
        if pattern.search(line) and not line.lstrip().startswith(("#", "//", "*")) and not pattern.search(before):
            yield what, "look"


def _file_remarks(change: Change) -> Iterator[Remark]:
    for path in change.paths:
        file, old = change.after.files.get(path), change.before.files.get(path)
        if file is None:
            continue
        if file.mode == "exec" and (old is None or old.mode != "exec") and not is_a_test(path):
            yield Remark(what="it is made executable", weight="look", path=path)
        if file.mode == "link" and (file.data.startswith(b"/") or _leaves(path, file.data.decode("utf-8", "replace"))):
            yield Remark(
                what="a link leads out of the project",
                weight="against",
                path=path,
                evidence=file.data.decode("utf-8", "replace"),
            )
        if _HOOKS.search(path):
            yield Remark(what="it is run or obeyed by other programs without being called", weight="look", path=path)
        binary = b"\0" in file.data[:8000] and file.mode != "link"
        if binary and (old is None or old.data != file.data) and not is_a_test(path):
            yield Remark(
                what=f"a binary file that cannot be read here ({len(file.data):,} bytes)", weight="look", path=path
            )
    old_scripts, new_scripts = (_install_scripts(tree) for tree in (change.before, change.after))
    for name, command in new_scripts.items():
        if old_scripts.get(name) != command:
            yield Remark(
                what=f"`{name}` runs when the package is installed",
                weight="look",
                path="package.json",
                evidence=command[:160],
            )


def _leaves(path: str, target: str) -> bool:
    depth = path.count("/")
    for part in target.split("/"):
        depth += -1 if part == ".." else 0 if part in ("", ".") else 1
        if depth < 0:
            return True
    return False


def _install_scripts(tree: Tree) -> dict[str, str]:
    scripts = _json(tree, "package.json").get("scripts")
    return {name: str(scripts[name]) for name in _SCRIPTS if name in scripts} if isinstance(scripts, dict) else {}


def new_dependencies(change: Change) -> list[tuple[str, str]]:
    """Packages that the state after asks for and the state before did not, each with the file that says so."""
    before = {name for name, _ in _dependencies(change.before)}
    return sorted({(name, path) for name, path in _dependencies(change.after) if name not in before})


def _dependencies(tree: Tree) -> Iterator[tuple[str, str]]:
    for path in tree.files:
        name = path.rpartition("/")[2]
        if name == "pyproject.toml":
            yield from ((_key(line), path) for line in _of_pyproject(text_of(tree, path)))
        elif re.fullmatch(r"(?:.*requirements.*|constraints)\.(?:txt|in)", name):
            lines = (line.strip() for line in text_of(tree, path).splitlines())
            yield from ((_key(line), path) for line in lines if re.match(r"[A-Za-z]", line))
        elif name == "setup.cfg" or name == "setup.py":
            found = re.findall(
                r"(?:install_requires|tests_require)\s*=\s*\[?((?:\s*[\"']?[A-Za-z][\w.\[\]-]*[^\n]*\n?)*)",
                text_of(tree, path),
            )
            names = (
                re.match(r"\s*[\"']?([A-Za-z][\w.-]*)", line)
                for block in found
                for line in block.splitlines()
                if "="
                not in line.partition("#")[0]
                .replace("==", "")
                .replace(">=", "")
                .replace("<=", "")
                .replace("~=", "")
                .replace("!=", "")
            )
            yield from ((_key(each[1]), path) for each in names if each)
        elif name == "package.json" and "node_modules/" not in path:
            found_json = _json(tree, path)
            for section in ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies"):
                rows = found_json.get(section)
                yield from ((str(each), path) for each in rows) if isinstance(rows, dict) else ()
        elif name == "go.mod":
            yield from (
                (each, path)
                for each in re.findall(r"^(?:require )?\s*([\w.-]+\.\w+/[\w./-]+) v", text_of(tree, path), re.MULTILINE)
            )


def _of_pyproject(text: str) -> Iterator[str]:
    try:
        table: Any = toml_table(text)
    except ValueError:
        return
    project, tool = _table_at(table, "project"), _table_at(table, "tool")
    groups = [
        project.get("dependencies"),
        *_table_at(project, "optional-dependencies").values(),
        *_table_at(table, "dependency-groups").values(),
    ]
    groups.append(_table_at(table, "build-system").get("requires"))
    for group in groups:
        yield from (each for each in group if isinstance(each, str)) if isinstance(group, list) else ()
    poetry = _table_at(tool, "poetry")
    for part in (poetry, *_table_at(poetry, "group").values()):
        for section in ("dependencies", "dev-dependencies"):
            yield from (each for each in _table_at(part, section) if each != "python")


def _table_at(value: object, name: str) -> Mapping[str, Any]:
    found = value.get(name) if isinstance(value, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _json(tree: Tree, path: str) -> Mapping[str, Any]:
    try:
        found = json.loads(text_of(tree, path) or "{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _key(line: str) -> str:
    return re.sub(r"[-_.]+", "-", re.split(r"[\s<>=!~\[;,(@#]", line, maxsplit=1)[0]).lower()


def _dependency_remarks(change: Change) -> Iterator[Remark]:
    new = new_dependencies(change)
    for name, path in new:
        yield Remark(what=f"a new dependency: {name}", weight="look", path=path)
    declared = {name for name, _ in _dependencies(change.after)}
    own = {part.removesuffix(".py") for path in change.after.files for part in path.split("/")}
    for path in change.sources:
        if not path.endswith(".py") or not declared:
            continue
        old = _imports(text_of(change.before, path))
        for name in sorted(_imports(text_of(change.after, path)) - old):
            if (
                name not in sys.stdlib_module_names
                and name not in own
                and not any(
                    name.lower() in each.replace("-", "_") or each.replace("-", "_") in name.lower()
                    for each in declared
                )
            ):
                yield Remark(what=f"it imports {name}, which nothing declares", weight="look", path=path)


def _imports(text: str) -> set[str]:
    try:
        nodes: Iterable[ast.AST] = ast.walk(ast.parse(text))
    except (SyntaxError, ValueError, RecursionError):
        return set()
    found = set[str]()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {each.name.partition(".")[0] for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found


def _size_remarks(change: Change) -> Iterator[Remark]:
    lines = sum(len(change.lines_of(path)) for path in change.paths if path in change.after.files)
    words = " ".join((*change.messages, change.asked))
    if lines > _LARGE:
        yield Remark(
            what=f"it adds {lines:,} lines in {len(change.paths)} files, more than a review sees", weight="look"
        )
    if change.asked:
        named = [path for path in change.paths if path in words or path.rpartition("/")[2] in words]
        areas = {path.partition("/")[0] for path in named}
        other = [path for path in change.sources if named and path.partition("/")[0] not in areas]
        if other:
            yield Remark(
                what=f"files that nothing of what was asked names: {shown_paths(other)}", weight="look", path=other[0]
            )
