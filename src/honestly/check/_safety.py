"""Whether a change is safe to merge, as far as its lines say: dependencies, secrets, permissions, network, size.

Rules over the lines that the change adds, and over the files that say what a project needs. What speaks against it is
what has hardly an honest reason; all else is for somebody to look at. Nothing is run, and no rule is a proof that there
is nothing.
"""

import re
from collections.abc import Iterator

from honestly.check._change import Change, json_of, shown_paths, text_of
from honestly.check._records import Remark, Weight
from honestly.guard import tree_packages, undeclared_imports
from honestly.permissions import package_name
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
_LOCKS = re.compile(r"(?:lock[\w.]*|npm-shrinkwrap\.json)$")
_LARGE, _LARGE_FILE = 1000, 1 << 19


def safety_remarks(change: Change) -> Iterator[Remark]:
    """What of a change speaks against merging it, or is to be looked at before."""
    for path in change.paths:
        if path in change.after.files:
            yield from _line_remarks(change, path)
    yield from _file_remarks(change)
    yield from _dependency_remarks(change)
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
        binary, size = b"\0" in file.data[:8000] and file.mode != "link", len(file.data)
        if binary and (old is None or old.data != file.data) and not is_a_test(path):
            yield Remark(what=f"a binary file that cannot be read here ({size:,} bytes)", weight="look", path=path)
        elif size - (len(old.data) if old is not None else 0) > _LARGE_FILE:
            yield Remark(what=f"it grows to {size:,} bytes, more than a review sees", weight="look", path=path)
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
    scripts = json_of(tree, "package.json").get("scripts")
    return {name: str(scripts[name]) for name in _SCRIPTS if name in scripts} if isinstance(scripts, dict) else {}


def new_dependencies(change: Change) -> list[tuple[str, str]]:
    """Packages that the state after asks for and the state before did not, each with the file that says so."""
    before = {name for name, _ in _dependencies(change.before)}
    return sorted({(name, path) for name, path in _dependencies(change.after) if name not in before})


def _dependencies(tree: Tree) -> Iterator[tuple[str, str]]:
    """What manifests name, not lock files: those hold what these ask for."""
    for each in tree_packages(tree):
        if not _LOCKS.search(each.where):
            yield package_name(each.ecosystem, each.name), each.where


def _dependency_remarks(change: Change) -> Iterator[Remark]:
    new = new_dependencies(change)
    for name, path in new:
        yield Remark(what=f"a new dependency: {name}", weight="look", path=path)
    before = {name for name, _ in undeclared_imports(change.before, change.sources)}
    for name, path in undeclared_imports(change.after, change.sources) if any(_dependencies(change.after)) else ():
        if name not in before:
            yield Remark(what=f"it imports {name}, which nothing declares", weight="look", path=path)
