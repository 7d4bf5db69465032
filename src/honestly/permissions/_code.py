"""What a program in another language would run, read and write, as far as its literals say.

Python is read by its syntax tree; the others by their texts in quotes and the names of functions that run programs or
open files. Code that runs something which is no literal is a doubt.
"""

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from textwrap import dedent

from honestly.permissions._names import PythonNames, called_name
from honestly.permissions._words import ANY, NUMBER, unescaped

_MOST = 50_000
_RUNS_TEXT = """system popen popen2 popen3 popen4 run call check_call check_output Popen getoutput getstatusoutput
spawn startfile create_subprocess_exec create_subprocess_shell execl execle execlp execlpe execv execve execvp
execvpe posix_spawn posix_spawnp spawnl spawnle spawnlp spawnlpe spawnv spawnve spawnvp spawnvpe"""
_RUNS = frozenset(_RUNS_TEXT.split())
_RUN_MODULES = re.compile(r"\b(?:subprocess|os|pty|posix|asyncio|pexpect|sh|commands)\b")
_ODD = frozenset({"eval", "exec", "compile", "__import__", "import_module", "run_path", "run_module", "CDLL", "loads"})
_LOOKS_TEXT = """print exists isfile isdir is_file is_dir lexists getsize basename dirname splitext startswith endswith
relpath abspath access stat join Path PurePath fnmatch append add get write writelines sub findall finditer search match
info debug warning error extend insert count index update"""
_LOOKS = frozenset(_LOOKS_TEXT.split())
"""Functions that open no file whose name they are given."""
_LIBRARIES = frozenset({"sh", "git", "pygit2", "dulwich", "plumbum", "fabric", "invoke", "pexpect"})
"""Modules that run programs, or do the same."""
_DEEP = frozenset("iterdir glob rglob iglob walk scandir listdir make_archive copytree".split())  # noqa: SIM905
"""Functions that look into folders."""
_WHOLE = re.compile(r"\b(?:rmtree|copytree|move|rename|replace|extractall|unpack_archive|removedirs|symlink)")
_WHOLE_OF_OTHERS = re.compile(
    r"(?i)\brm\b|remove_?all|rmtree|rm_|rmsync|rmdir|rename|copy|move|\bcp|remove_dir|fileutils"
)
"""Functions that change whole folders."""
_OPENS = frozenset({"Path", "PurePath", "fdopen", "FileIO"})
_OPENING_TEXT = "os io codecs gzip bz2 lzma builtins tarfile zipfile aiofiles tokenize wave shelve dbm Image"
_OPENING = frozenset(_OPENING_TEXT.split())
"""Modules of which `open` takes the name of a file."""
_OF_PATHS = frozenset({"read_text", "read_bytes", "write_text", "write_bytes"})
_CHANGING = frozenset({"remove", "unlink", "rmtree", "copyfile", "copytree", "truncate"})
_READS = frozenset({"read_text", "read_bytes", "listdir", "scandir", "copy", "copy2", "copyfile", "copytree", "move"})
_WRITES_TEXT = """write_text write_bytes unlink rename replace rmdir mkdir makedirs touch remove removedirs rmtree
truncate symlink link copy copy2 copyfile copytree move symlink_to hardlink_to chmod set_key unset_key"""
_WRITES = frozenset(_WRITES_TEXT.split())
_RISKY = re.compile(
    r"\b(?:os|subprocess|pty|sh|posix|asyncio|ctypes|cffi|import_module|importlib|runpy|pickle|marshal|open)\b|exec|eval"
    r"|compile|getattr|globals|locals|vars|__\w+__|Path|read_|write_|[^\x00-\x7f]|(?m:^\s*[!%])"
)
"""In a text that is not read as Python: what may run something, or look at files."""
_STRING = re.compile(r"'((?:[^'\\\n]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"|`((?:[^`\\]|\\.)*)`", re.DOTALL)
_CALLS = re.compile(
    r"\b(?:system|exec|execSync|execFile|execFileSync|spawn|spawnSync|fork|popen|shell_exec|passthru|proc_open|pcntl_exec"
    r"|os\.execute|io\.popen|run|shell|pipe|capture\d?|system\d|Command|execute_process|qx|%x)\b\s*[(\s]?\s*(?P<first>.)?",
    re.DOTALL,
)
_MENTIONS = re.compile(
    r"child_process|\bsystem\b|\bexec|\bspawn|\bpopen|\bqx\b|%x|shell_exec|passthru|proc_open|os\.execute"
    r"|sys\.process|shell\s+script|\$`|_exec\b|\bsystem\d|\b[Cc](?:om)?m(?:an)?d\b|\bexecute\b|\brun\s*\(|\bProcess\b|shell-command|\bcapture\d|\bOpen3"
)
_COMPILED_MENTIONS = {
    "go": re.compile(r"os/exec|\bexec\.|syscall|StartProcess|\bplugin\.|\bunsafe\b|import \"C\"|go:generate"),
    "rs": re.compile(r"\bCommand\b|\bprocess\b|\blibc\b|\bnix\b|exec|\bextern\b|\bunsafe\b|include"),
}
"""The same for languages in which nothing else runs programs."""
_FILE_WRITES = re.compile(
    r"write|unlink|rename|append|truncate|copy|\bcp|link|move|\brm\b|rm_|rmSync|rmtree|mkdir|mkpath|delete|put_contents|['\"][wa]\+?['\"]|>",
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
    fed: list[tuple[str, str]] = field(default_factory=list)
    """Scripts that it gives an input."""
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
    whole: bool = True
    """Whether it may change all that is in the folders that it names."""
    texts: list[str] = field(default_factory=list)
    """Its texts in quotes, as far as they are put together."""
    given: list[str] = field(default_factory=list)
    """Texts that it gives to functions of which nothing is known."""


def read_code(text: str, language: str, words: Sequence[str] = ()) -> Code:
    """Read a program of this language, which is given some words."""
    code = Code(text[:_MOST], doubt="it is too long to be read" if len(text) > _MOST else "")
    if language == "python":
        tree = next(
            (tree for text in (code.text, dedent(code.text), f"if 1:\n{code.text}") if (tree := _tree(text))), None
        )
        if tree is None:
            _read_literals(code, language)
            code.doubt = code.doubt or ("it is not read as Python" if _RISKY.search(code.text) else "")
            return code
        code.whole = _WHOLE.search(code.text) is not None
        nodes = list(ast.walk(tree))
        _read_python(code, nodes, PythonNames(nodes, words))
        return code
    if language == "awk":
        _read_awk(code)
    else:
        _read_literals(code, language)
    return code


def _tree(text: str) -> ast.AST | None:
    try:
        return ast.parse(text.replace(NUMBER, "1"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _read_python(code: Code, nodes: Sequence[ast.AST], names: PythonNames) -> None:
    runs = _RUN_MODULES.search(code.text) is not None
    writes = any(f".{each}" in code.text for each in _WRITES)
    imported = {
        name.asname or name.name: name.name for node in nodes if isinstance(node, ast.ImportFrom) for name in node.names
    }
    imported |= {
        node.targets[0].id: called_name(node.value)
        for node in nodes
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and called_name(node.value) in _RUNS | _ODD
    }
    _note_passed_on(code, nodes)
    # Modules that it has as a whole and that run programs, or do the same; a doubt for the others of the kind.
    found = {each.name.split(".")[0] for node in nodes if isinstance(node, ast.Import) for each in node.names}
    parts = {(node.module or "").split(".")[0] for node in nodes if isinstance(node, ast.ImportFrom)}
    if found & {"ctypes", "cffi"}:
        code.doubt = "it calls functions of libraries"
    if parts & _LIBRARIES:
        code.doubt = "it runs programs by a library"
    libraries = found & _LIBRARIES
    shown = {
        id(inner)
        for node in nodes
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "print"
        for each in node.args
        if isinstance(each, ast.Constant | ast.JoinedStr | ast.BinOp)
        for inner in (each, *getattr(each, "values", ()))
    }
    for node in nodes:
        if isinstance(node, ast.Constant | ast.BinOp | ast.JoinedStr):
            texts = names.texts(node) or []
            if id(node) not in shown:
                code.texts += [each for each in texts if f"://{ANY}" not in each and each != ANY]
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
                code.reads += texts
                code.writes += texts if writes else []
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Call):
            called = node.value.func
            if isinstance(called, ast.Name) and called.id in {"globals", "vars", "locals"}:
                code.doubt = "what it calls is computed"
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            name = imported.get(name, name) if isinstance(node.func, ast.Name) else name
            _add_call(code, node, name, names, runs=runs, libraries=libraries)
            _add_files(code, node, name, names, writes=writes)


def _note_passed_on(code: Code, nodes: Sequence[ast.AST]) -> None:
    """Notes a function that runs programs and that is neither called where it stands nor given a name."""
    used = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    used |= {id(node.value) for node in nodes if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)}
    modules = {
        each.asname or each.name
        for node in nodes
        if isinstance(node, ast.Import)
        for each in node.names
        if _RUN_MODULES.fullmatch(each.name)
    }
    functions = {
        each.asname or each.name
        for node in nodes
        if isinstance(node, ast.ImportFrom) and _RUN_MODULES.fullmatch(node.module or "")
        for each in node.names
        if each.name in _RUNS
    }
    for node in nodes:
        of_module = isinstance(node, ast.Attribute) and node.attr in _RUNS and called_name(node.value) in modules
        if (of_module or (isinstance(node, ast.Name) and node.id in functions)) and id(node) not in used:
            code.doubt = "it passes on what runs programs"


def _add_call(code: Code, node: ast.Call, name: str, names: PythonNames, *, runs: bool, libraries: set[str]) -> None:
    first = node.args[0] if node.args else next((each.value for each in node.keywords), None)
    own = isinstance(node.func, ast.Attribute) and "builtins" not in code.text  # `re.compile`, `model.eval`
    if name in _ODD and not (
        (own and name in {"eval", "exec", "compile"})
        or (name == "loads" and "pickle" not in code.text and "marshal" not in code.text)
    ):
        value = names.fold(first)
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
        looked_up = names.fold(node.args[1])
        if not isinstance(looked_up, str) or ANY in looked_up:
            code.doubt = "what it calls is computed"
        elif looked_up[:2] == "__" or looked_up in _RUNS | _ODD | _WRITES | _READS:
            code.doubt = "what it calls is looked up by name"
    elif name in _RUNS and runs:
        _add_run(code, node, name, names)
    elif name == "main" and "pip" in code.text and isinstance(words := names.fold(first), list):
        code.runs.append(["pip", *(each for each in words if isinstance(each, str))])
    elif name == "chdir" and isinstance(place := names.fold(first), str):
        code.places.append(place)
    elif libraries and isinstance(node.func, ast.Attribute):
        said = [each for each in map(names.fold, node.args) if isinstance(each, str)]
        code.perhaps += [[name, *said], *([each, name, *said] for each in libraries)]


def _add_run(code: Code, node: ast.Call, name: str, names: PythonNames) -> None:
    values = [names.fold(each) for each in node.args]
    if not values and node.keywords:
        values = [names.fold(each.value) for each in node.keywords if each.arg in {"args", "cmd", "command"}]
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


def _add_files(code: Code, node: ast.Call, name: str, names: PythonNames, *, writes: bool) -> None:
    own = node.func.value if isinstance(node.func, ast.Attribute) else None
    if called_name(own or node) in names.archives:
        return
    if name == "open" or (name in _OF_PATHS and not node.args[name.startswith("write") :] and own is not None):
        of_path = own is not None and (name != "open" or called_name(own) not in _OPENING)
        value = names.texts(own if of_path else node.args[0]) if of_path or node.args else None
        at = 0 if of_path else 1
        mode = names.fold(node.args[at]) if len(node.args) > at and name == "open" else "r"
        mode = next((names.fold(each.value) for each in node.keywords if each.arg == "mode"), mode)
        changes = name.startswith("write") or not isinstance(mode, str) or any(letter in mode for letter in "wax+")
        code.writes += (value or []) if changes else []
        also_reads = not changes or not isinstance(mode, str) or "+" in mode
        code.reads += (value or []) if also_reads and not name.startswith("write") else []
        code.reads_computed |= value is None and not name.startswith("write")
        code.writes_computed |= value is None and changes
    elif name in {"FileInput", "input"} and any(word.arg == "inplace" for word in node.keywords):
        code.writes += names.texts(node.args[0] if node.args else None) or []
        code.writes_computed |= not node.args or names.texts(node.args[0]) is None
    elif name in _OPENS:
        value = names.texts(node if name == "Path" else node.args[0] if node.args else None) or []
        code.reads += value
        code.writes += value if writes else []
    elif name in _WRITES or name in _READS:
        code.deep |= name in _DEEP
        for each in node.args:
            value = names.texts(each)
            copied = name.startswith("copy") and each is node.args[0]
            if value and name in _WRITES and name != "replace":
                code.writes += value if not copied else []
                code.reads += value if name in _READS else []
            elif not value and name in _CHANGING:
                code.writes_computed = True
    elif name in _DEEP and (found := names.elements(node)) and name != "listdir":
        code.reads += found
    else:  # any other function that gets the name of a file may open it
        code.deep |= name in _DEEP
        for argument in node.args if name not in _LOOKS else ():
            folded = names.fold(argument)
            several = folded if isinstance(folded, list) else names.texts(argument) or []
            code.reads += [each for each in several if isinstance(each, str)]
            code.given += [each for each in several if isinstance(each, str)]


_AWK = re.compile(
    r"(?P<text>\"(?:[^\"\\\n]|\\.)*\")|(?P<comment>#[^\n]*)"
    r"|(?:(?<=[(,{};!~&|=\n\0])|(?<=\breturn)|(?<=\bprint)|(?<=\bcase)|(?<=\bin)|(?<=\belse)|(?<=\bdo))\s*"
    r"(?P<pattern>/(?:[^/\\\n\[]|\\.|\[\^?\]?(?:[^\]\\\n]|\\.)*\])+/)",
    re.DOTALL,
)
"""What in a program of awk is no code: texts, comments, patterns."""


def _read_awk(code: Code) -> None:
    """Read a program of awk: what is left without its texts and patterns shows pipes, files and `system`."""
    texts: list[str] = []

    def taken(found: re.Match[str]) -> str:
        if found["text"]:
            texts.append(unescaped(found["text"][1:-1].replace('\\"', '"')))
            return f"\0{len(texts) - 1}\0"
        if found["pattern"] and re.search(r"\[[^\]]*/", re.sub(r"\\.", "", found["pattern"])):
            code.doubt = "its patterns are read in different ways"
        return " "

    def put_together(words: str) -> str:
        parts = re.split(r"\0(\d+)\0", words)
        if not words.strip(" ()"):
            return ANY  # what was read
        return "".join(
            texts[int(each)] if at % 2 else ANY if each.strip(" ()") else "" for at, each in enumerate(parts)
        )

    bare = _AWK.sub(taken, "\0" + code.text.replace("\\\n", " "))[1:]
    bare = re.sub(r"(,|&&|\|\|)\s*\n", r"\1 ", bare)
    code.texts += texts
    if '"' in bare or "@" in bare:
        code.doubt = code.doubt or "it is not read"
    for call in re.finditer(r"\bsystem\s*\(([^)]*)|([^;{}\n|&]*)(?<!\|)\|&?\s*getline\b", bare):
        code.scripts.append(put_together(call[1] or call[2] or ""))
    for said in re.finditer(r"\bprintf?\b([^;}\n]*)", bare):
        rest, before = said[1], ""
        while rest != before:
            rest, before = re.sub(r"\([^()]*\)", " ", rest), rest
        if target := re.search(r"(?<!\|)(?:(\|)&?|>>?)(?!\|)(.*)", rest):
            if target[1]:
                code.fed.append((put_together(target[2]), put_together(rest[: target.start()])))
            else:
                code.writes.append(put_together(target[2]))
                code.texts.append(put_together(rest[: target.start()]))
    code.reads += [put_together(read[1]) for read in re.finditer(r"\bgetline\b[^;})\n<]*<([^;})\n]*)", bare)]


def _read_literals(code: Code, language: str) -> None:
    text = code.text
    code.whole = _WHOLE_OF_OTHERS.search(text) is not None
    found = list(_STRING.finditer(text))
    literals = [next(each for each in match.groups() if each is not None) for match in found]
    literals += [told for each in literals if (told := unescaped(each, marks=True)) != each]
    code.texts += literals
    ticked = [match[3] for match in found if match[3] is not None and language in {"perl", "ruby", "php", "julia"}]
    mentions = _COMPILED_MENTIONS.get(language, _MENTIONS).search(text) is not None or bool(ticked)
    mentions |= bool({"-|", "|-"} & {*literals})
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
    if re.search(r"\beval\b|\bFunction\s*\(|\brequire\s*\(\s*[^'\"\s]|process\.binding|\bload\s*\(", text):
        code.doubt = code.doubt or "it runs code that is computed"
    writes = _FILE_WRITES.search(text) is not None
    for each in literals:
        if each and len(each) < 300 and "\n" not in each:
            path = re.sub(r"^[<>+\s]+", "", each)
            code.reads.append(path)
            if writes:
                code.writes.append(path)
    if _FILE_COMPUTED.search(text):
        code.reads_computed = True
        code.writes_computed = writes
