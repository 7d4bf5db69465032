"""What a program in another language would run, read and write, as far as its literals say.

Python is read by its syntax tree; the others by their texts in quotes and the names of functions that run programs or
open files. Code that runs something which is no literal is a doubt.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections import Counter
from dataclasses import dataclass, field

_MOST = 50_000
_RUNS_TEXT = """system popen popen2 popen3 popen4 run call check_call check_output Popen getoutput getstatusoutput
spawn startfile create_subprocess_exec create_subprocess_shell execl execle execlp execlpe execv execve execvp
execvpe posix_spawn posix_spawnp spawnl spawnle spawnlp spawnlpe spawnv spawnve spawnvp spawnvpe"""
_RUNS = frozenset(_RUNS_TEXT.split())
_RUN_MODULES = re.compile(r"\b(?:subprocess|os|pty|posix|asyncio|pexpect|sh|commands)\b")
_ODD = frozenset({"eval", "exec", "compile", "__import__", "import_module", "run_path", "run_module", "CDLL", "loads"})
_LOOKS_TEXT = """print exists isfile isdir is_file is_dir lexists getsize basename dirname splitext startswith endswith
relpath abspath access stat join Path PurePath fnmatch append add get"""
_LOOKS = frozenset(_LOOKS_TEXT.split())
"""Functions that open no file whose name they are given."""
_LIBRARIES = frozenset({"sh", "git", "pygit2", "dulwich", "plumbum", "fabric", "invoke", "pexpect"})
"""Modules that run programs, or do the same."""
_DEEP = re.compile(r"\b(?:iterdir|r?glob|walk|scandir|make_archive|copytree)\b")
_REBINDING = frozenset({"globals", "locals", "vars", "exec", "eval", "setattr", "__dict__"})
"""Names by which another name may come to mean something else."""
_OPENS = frozenset({"open", "Path", "PurePath", "fdopen", "FileIO"})
_READS = frozenset({"read_text", "read_bytes", "listdir", "scandir", "copy", "copy2", "copyfile", "copytree", "move"})
_WRITES_TEXT = """write_text write_bytes unlink rename replace rmdir mkdir makedirs touch remove removedirs rmtree
truncate symlink link copy copy2 copyfile copytree move symlink_to hardlink_to chmod"""
_WRITES = frozenset(_WRITES_TEXT.split())
_STRING = re.compile(r"'((?:[^'\\\n]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"|`((?:[^`\\]|\\.)*)`", re.DOTALL)
_CALLS = re.compile(
    r"\b(?:system|exec|execSync|execFile|execFileSync|spawn|spawnSync|fork|popen|shell_exec|passthru|proc_open|pcntl_exec"
    r"|os\.execute|io\.popen|run|shell|pipe|capture\d?|system\d|Command|execute_process|qx|%x)\b\s*[(\s]?\s*(?P<first>.)?",
    re.DOTALL,
)
_MENTIONS = re.compile(
    r"child_process|\bsystem\b|\bexec|\bspawn|\bpopen|\bqx\b|%x|shell_exec|passthru|proc_open|os\.execute"
    r"|shell\s+script|\$`|_exec\b|\bsystem\d|\b[Cc](?:om)?m(?:an)?d\b|\bexecute\b|\brun\s*\(|\bProcess\b|shell-command"
)
_FILE_WRITES = re.compile(
    r"write|unlink|rename|append|truncate|copy|move|\brm\b|rm_|rmSync|rmtree|mkdir|mkpath|delete|put_contents|['\"][wa]\+?['\"]|>",
    re.IGNORECASE,
)
_FILE_COMPUTED = re.compile(
    r"\b(?:open|readFile\w*|writeFile\w*|file_get_contents|file_put_contents|fopen|slurp|File\.\w+|IO\.\w+)\b\s*\(?\s*"
    r"[^\s'\"`()]"
)


@dataclass
class Code:
    """What code would do."""

    text: str
    runs: list[list[str]] = field(default_factory=list)
    scripts: list[str] = field(default_factory=list)
    perhaps: list[list[str]] = field(default_factory=list)
    """Texts that follow each other, of which the first may be a program."""
    places: list[str] = field(default_factory=list)
    """Folders into which it goes."""
    reads: list[str] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)
    reads_computed: bool = False
    writes_computed: bool = False
    doubt: str = ""
    deep: bool = False
    """Whether it looks at what is in the folders that it names."""
    texts: list[str] = field(default_factory=list)
    """Its texts in quotes, as far as they are put together."""


def read_code(text: str, language: str) -> Code:
    """Read a program of this language."""
    code = Code(text[:_MOST], doubt="it is too long to be read" if len(text) > _MOST else "")
    if language == "python":
        try:
            tree = ast.parse(code.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            code.doubt = "it is not read as Python"
            _read_literals(code, language)
            return code
        code.deep = _DEEP.search(code.text) is not None
        _read_python(code, _Filled(tree).visit(tree))
        return code
    _read_literals(code, language)
    return code


class _Filled(ast.NodeTransformer):
    """Puts the text that a name is given once, and nowhere else, in its place."""

    def __init__(self, tree: ast.AST) -> None:
        stored: Counter[str] = Counter()
        self.texts: dict[str, ast.Constant] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and (not isinstance(node.ctx, ast.Load) or node.id in _REBINDING):
                stored[node.id] += 1
            for key in ("arg", "name", "asname", "rest"):  # of arguments, imports, functions, handlers, patterns
                stored[getattr(node, key, None) or ""] += 1
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and len(node.targets) == 1:
                value = node.value
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    self.texts[node.targets[0].id] = value
        odd = _REBINDING & stored.keys() or stored["*"]
        self.texts = {} if odd else {name: text for name, text in self.texts.items() if stored[name] == 1}

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """The text, where the name is read."""
        return self.texts.get(node.id, node) if isinstance(node.ctx, ast.Load) else node


def _read_python(code: Code, tree: ast.AST) -> None:
    runs = _RUN_MODULES.search(code.text) is not None
    nodes = list(ast.walk(tree))
    imported = {
        name.asname or name.name: name.name for node in nodes if isinstance(node, ast.ImportFrom) for name in node.names
    }
    libraries = _libraries(code, nodes)
    shown = {
        id(inner)
        for node in nodes
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "print"
        for inner in ast.walk(node)
    }
    for node in nodes:
        value = _folded(node) if isinstance(node, ast.Constant | ast.BinOp) else None
        if isinstance(value, str) and id(node) not in shown:
            code.texts.append(value)
        if isinstance(value, str) and isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            code.reads.append(value)
            code.writes += [value] if any(f".{each}" in code.text for each in _WRITES) else []
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Call):
            called = node.value.func
            if isinstance(called, ast.Name) and called.id in {"globals", "vars", "locals"}:
                code.doubt = "what it calls is computed"
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            name = imported.get(name, name) if isinstance(node.func, ast.Name) else name
            _add_call(code, node, name, runs=runs, libraries=libraries)
            _add_files(code, node, name)


def _libraries(code: Code, nodes: list[ast.AST]) -> set[str]:
    """The modules that it has as a whole and that run programs, or do the same; a doubt for the others of the kind."""
    found = {each.name.split(".")[0] for node in nodes if isinstance(node, ast.Import) for each in node.names}
    parts = {(node.module or "").split(".")[0] for node in nodes if isinstance(node, ast.ImportFrom)}
    if found & {"ctypes", "cffi"}:
        code.doubt = "it calls functions of libraries"
    if parts & _LIBRARIES:
        code.doubt = "it runs programs by a library"
    return found & _LIBRARIES


def _add_call(code: Code, node: ast.Call, name: str, *, runs: bool, libraries: set[str]) -> None:
    first = node.args[0] if node.args else next((each.value for each in node.keywords), None)
    own = isinstance(node.func, ast.Attribute) and "builtins" not in code.text  # `re.compile`, `model.eval`
    if name in _ODD and not (
        (own and name in {"eval", "exec", "compile"})
        or (name == "loads" and "pickle" not in code.text and "marshal" not in code.text)
    ):
        value = _folded(first)
        if name in {"eval", "exec", "compile"} and isinstance(value, str):
            inner = read_code(value, "python")
            code.runs += inner.runs
            code.scripts += inner.scripts
            code.reads += inner.reads
            code.writes += inner.writes
            code.doubt = code.doubt or inner.doubt
        else:
            code.doubt = f"it runs what {name} gives"
    elif name == "getattr" and len(node.args) > 1:
        if not isinstance(_folded(node.args[1]), str):
            code.doubt = "what it calls is computed"
        elif runs:
            code.doubt = "what it calls is looked up by name"
    elif name in _RUNS and runs:
        _add_run(code, node, name)
    elif name == "main" and "pip" in code.text and isinstance(words := _folded(first), list):
        code.runs.append(["pip", *(each for each in words if isinstance(each, str))])
    elif name == "chdir" and isinstance(place := _folded(first), str):
        code.places.append(place)
    elif libraries and isinstance(node.func, ast.Attribute):
        said = [each for each in map(_folded, node.args) if isinstance(each, str)]
        code.perhaps += [[name, *said], *([each, name, *said] for each in libraries)]


def _add_run(code: Code, node: ast.Call, name: str) -> None:
    values = [_folded(each) for each in node.args]
    if not values and node.keywords:
        values = [_folded(each.value) for each in node.keywords if each.arg in {"args", "cmd", "command"}]
    is_pty = name == "spawn" and isinstance(values[0] if values else None, list)
    if name.startswith(("exec", "spawn", "posix_spawn", "create_subprocess_exec")) and not is_pty:
        flat = [each for value in values for each in (value if isinstance(value, list) else [value])]
        texts = [each for each in flat if isinstance(each, str)]
        if texts and (name == "create_subprocess_exec" or name.startswith("execl")):
            code.runs.append(texts if name == "create_subprocess_exec" else [texts[0], *texts[2:]])
        elif texts:
            code.runs.append([texts[0], *texts[2:]])
        if not texts or len(texts) != len(flat):
            code.doubt = "it runs a program that is computed"
        return
    first = values[0] if values else None
    if isinstance(first, str):
        code.scripts.append(first)
    elif isinstance(first, list) and first and isinstance(first[0], str):
        code.runs.append([each if isinstance(each, str) else "\ue000" for each in first])
    elif name not in {"run", "call", "spawn"} or "subprocess" in code.text or "os." in code.text:
        code.doubt = "it runs a program that is computed"


def _add_files(code: Code, node: ast.Call, name: str) -> None:
    if name in _OPENS:
        value = _folded(node if name == "Path" and len(node.args) > 1 else node.args[0]) if node.args else None
        mode = _folded(node.args[1]) if len(node.args) > 1 else "r"
        mode = next((_folded(each.value) for each in node.keywords if each.arg == "mode"), mode)
        writes = not isinstance(mode, str) or any(letter in mode for letter in "wax+")
        if not isinstance(value, str):
            code.reads_computed |= name == "open"
            code.writes_computed |= name == "open" and writes
        elif name == "open" and writes:
            code.writes.append(value)
            code.reads += [value] if not isinstance(mode, str) or "+" in mode else []
        elif name == "open":
            code.reads.append(value)
        elif any(f".{each}" in code.text for each in _WRITES):
            code.writes.append(value)
            code.reads.append(value)
        else:
            code.reads.append(value)
    elif name in _WRITES or name in _READS:
        for each in node.args:
            value = _folded(each)
            copied = name.startswith("copy") and each is node.args[0]
            if isinstance(value, str) and name in _WRITES and name != "replace":
                code.writes += [value] if not copied else []
                code.reads += [value] if name in _READS else []
            elif not isinstance(value, str) and name in {
                "remove",
                "unlink",
                "rmtree",
                "copyfile",
                "copytree",
                "truncate",
            }:
                code.writes_computed = True
    else:  # any other function that gets the name of a file may open it
        for value in map(_folded, node.args) if name not in _LOOKS else ():
            code.reads += [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)]


def _folded(node: ast.AST | None) -> str | list[object] | None:
    """The text, or the list of texts, that an expression is; None where that is not known."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
        return node.value if isinstance(node.value, str) else node.value.decode("utf-8", "replace")
    if isinstance(node, ast.List | ast.Tuple):
        return [_folded(each) for each in node.elts]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _folded(node.left), _folded(node.right)
        if isinstance(left, str) and isinstance(right, str):
            return left + right
        if isinstance(left, list) and isinstance(right, list):
            return left + right
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        left, right = _folded(node.left), _folded(node.right)
        return f"{left}/{right}" if isinstance(left, str) and isinstance(right, str) else None
    if isinstance(node, ast.Call):
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if name == "cwd" and not node.args:
            return "."
        if name in {"Path", "PurePath", "join", "joinpath"} and node.args:
            parts = [_folded(each) for each in node.args]
            known = [each for each in parts if isinstance(each, str)]
            return posixpath.join(*known) if len(known) == len(parts) else None
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "split"
        and not node.args
    ):
        text = _folded(node.func.value)
        return list(text.split()) if isinstance(text, str) else None
    return None


def _read_literals(code: Code, language: str) -> None:
    text = code.text
    found = list(_STRING.finditer(text))
    literals = [next(each for each in match.groups() if each is not None) for match in found]
    code.texts += literals
    ticked = [match[3] for match in found if match[3] is not None and language in {"perl", "ruby", "php", "julia"}]
    piped = language == "awk" and re.search(r"\|\s*(?:getline|[^|\s])|\bsystem\s*\(|\|&", text)
    if language == "awk":
        mentions = bool(piped)
    else:
        mentions = _MENTIONS.search(text) is not None or bool(ticked)
    if language in {"perl", "ruby"}:
        code.scripts += [each.strip("| ") for each in literals if each.strip()[:1] == "|" or each.strip()[-1:] == "|"]
    if mentions:
        code.perhaps += [literals[at : at + 6] for at, each in enumerate(literals[:100]) if each.strip()]
        code.scripts += [each for each in literals if each.strip() and each != "child_process"]
        plain = len(ticked)
        for call in _CALLS.finditer(text):
            plain += (call["first"] or "") in {"'", '"', "`", "["}
        if not plain or any(re.search(r"[$#]\{|\$\w|@\w", each) for each in literals) or "+" in text or " . " in text:
            code.doubt = code.doubt or "it runs a program that may be computed"
    if (
        re.search(r"\beval\b|\bFunction\s*\(|\brequire\s*\(\s*[^'\"\s]|process\.binding|\bload\s*\(", text)
        and language != "awk"
    ):
        code.doubt = code.doubt or "it runs code that is computed"
    writes = _FILE_WRITES.search(text) is not None
    for each in literals:
        if each and len(each) < 300 and "\n" not in each:
            path = re.sub(r"^[<>+\s]+", "", each)
            code.reads.append(path)
            if writes:
                code.writes.append(path)
    if language != "awk" and _FILE_COMPUTED.search(text):
        code.reads_computed = True
        code.writes_computed = writes
