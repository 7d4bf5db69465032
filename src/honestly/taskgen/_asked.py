"""What hidden tests ask for that the code before a commit does not have: what an instruction has to tell.

Names are told apart by where they are defined: a method `get` of a new class is new, whatever else is called `get`. A
word is a name of the code, or a text of it, as Python's tokenizer reads it: comments and docstrings say neither.
"""

import ast
import builtins
import io
import keyword
import re
import sys
import tokenize
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from honestly.records import Task, Tree
from honestly.taskgen._split import is_source, language_of
from honestly.tasks import WORD, text_in

LEAST_WORDS = 3
"""Words with a meaning of their own without which an instruction says hardly anything."""
PYTHON = frozenset((*keyword.kwlist, *keyword.softkwlist, *dir(builtins), *sys.stdlib_module_names, "self", "cls"))
"""Names that nobody has to be told."""
_TEXT = re.compile(
    r"""(?<!\w)[bruf]{0,2}("(?:[^"\\\n]|\\.){4,200}"|'(?:[^'\\\n]|\\.){4,200}'|`(?:[^`\\\n]|\\.){4,200}`)"""
)
_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|' + r"'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|//[^\n]*|/\*.*?\*/", re.DOTALL)
"""Texts and comments of C and its kin; of texts in templates the code in them, too."""
_DECLARED = {
    "go": (
        r"^[ \t]*func (?:\([^()\n]*\) )?NAME(?:\[[^\]\n]*\])?(?=\()",
        r"^[ \t]*type NAME\b",
        r"^(?:var|const) NAME\b",
        r"^[ \t]+(?=[A-Z])NAME[ \t]+(?:[\w.*\[\]]|\{\})+[ \t]*(?:`[^`\n]*`)?$",  # of a struct
    ),
    "javascript": (
        r"^[ \t]*(?:(?:export|default|declare|async|abstract) )*(?:function\*? ?|class |interface |type |enum )NAME\b",
        r"^[ \t]*(?:export )?(?:const|let|var) NAME\b[^\n=]*= *(?:async )?(?:function\b *\w*)?(?=\()",
        r"^[ \t]*(?:(?:(?:async|static|get|set|public) )*NAME\b *(?:: *(?:async )?(?:function\b *\w*)?)?|"  # noqa: ISC004
        r"[\w.]*NAME\b *= *(?:async )?(?:function\b *\w*)?)"
        r"(?:<[^\n(]*>)?(?=\([^\n]*(?:\{|=>) *$)",
        r"^[ \t]+(?:readonly )?NAME\??: [^\n={}]+(?:=>[^\n={}]+)?;$",  # of an interface
    ),
    "c": (
        r"^[ \t]*(?!return\b|else\b|case\b|goto\b)(?:[A-Za-z_][\w:<>]*[ \t*&]+)+NAME(?=\()",
        r"^[ \t]*# *define +NAME(?=\()",
        r"^[ \t]+(?!return\b|goto\b)(?:[A-Za-z_]\w*[ \t*]+)+NAME(?=[\[;])",
    ),
}
"""How a name is declared, up to what stands in brackets after it."""
_STATEMENTS = frozenset(("if", "for", "while", "switch", "catch", "function", "return", "func", "constructor"))
_NUMBER = re.compile(r"(?<![\w.])\d{3,}(?:\.\d+)?(?![\w.])")
_LEAST_TEXT, _LONGEST_TEXT, _MOST_DECLARED = 4, 200, 4
_EMPTY = re.compile(
    r"(?:"
    r"a|add|added|all|an|and|are|as|at|be|better|bug|bugs|change|changed|changes|clean|cleanup|code|"
    r"do|drop|enhance|few|fix|fixed|fixes|fixing|for|from|general|get|have|how|implement|improve|"
    r"improved|improvement|improvements|in|into|is|it|issue|its|issues|just|make|minor|misc|more|"
    r"nit|of|on|or|other|pr|problem|refactor|remove|review|revert|small|so|some|stuff|task|test|"
    r"tests|that|the|them|there|these|thing|things|this|to|tweak|tweaks|up|update|updated|updates|"
    r"use|various|was|we|when|will|wip|with|work|works|"
    r"author|by|feedback|integrate|integrated|made|merge|merged|patch|patches|request|requested|suggested|suggestions"
    r")$"
)
"""Words that a message may consist of and say nothing."""
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


def content_words(text: str) -> set[str]:
    """The words of a text that say something of their own."""
    return {word for word in re.findall(r"[^\W\d_]{2,}", text.lower()) if not _EMPTY.match(word)}


def words_in_code(path: str, before: str, after: str) -> tuple[set[str], set[str]]:
    """Names and literals on the lines that are new in a file."""
    if not path.endswith((".py", ".pyi")):
        known = set(_COMMENT.sub(_without_comment, before).splitlines())
        stripped = _COMMENT.sub(_without_comment, after).splitlines()
        code = "\n".join(line for line in stripped if line not in known)
        names = set(WORD.findall(_COMMENT.sub(" ", code)))
        return names, texts_in(code) | set(_NUMBER.findall(code))
    known = set(before.splitlines())
    lines = {at for at, line in enumerate(after.splitlines(), 1) if line not in known}
    names, literals = set[str](), set[str]()
    for token in _code_tokens(after):
        if token.start[0] not in lines:
            continue
        if token.type == tokenize.NAME:
            names.add(token.string)
        elif token.type == tokenize.NUMBER and len(token.string) > 2:
            literals.add(token.string)
        elif token.type == tokenize.STRING and _LEAST_TEXT <= len(text := _text_of(token.string)) <= _LONGEST_TEXT:
            literals.add(text)
    return {name for name in names if len(name) > 2}, literals


def texts_in(code: str) -> set[str]:
    """The texts that stand in code, as they are written, without their quotes."""
    return {text[1:-1] for text in _TEXT.findall(code)}


def _without_comment(found: re.Match[str]) -> str:
    return "\n" * found[0].count("\n") if found[0].startswith("/") else found[0]


def _code_tokens(text: str) -> Iterator[tokenize.TokenInfo]:
    """Tokens, but for comments and texts that stand alone."""
    try:
        tokens = list(_with_whole_texts(tokenize.generate_tokens(io.StringIO(text).readline)))
    except (tokenize.TokenError, SyntaxError, ValueError):
        return
    idle = (tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT, tokenize.ENCODING)
    for before, token, after in zip([None, *tokens], tokens, [*tokens[1:], None], strict=False):
        alone = (before is None or before.type in idle) and (after is None or after.type in idle)
        if token.type != tokenize.COMMENT and not (token.type == tokenize.STRING and alone):
            yield token


def _with_whole_texts(tokens: Iterable[tokenize.TokenInfo]) -> Iterator[tokenize.TokenInfo]:
    """Tokens, of which an f-string in one line is one, as it was before Python 3.12."""
    begun: list[tokenize.TokenInfo] = []
    for token in tokens:
        name = tokenize.tok_name[token.type]
        begun += [token] if name == "FSTRING_START" else []
        first = begun.pop() if name == "FSTRING_END" else token
        if not begun and first is not token:
            shown = token.line[first.start[1] : token.end[1]] if first.start[0] == token.end[0] else '""'
            yield tokenize.TokenInfo(tokenize.STRING, shown, first.start, token.end, token.line)
        elif not begun:
            yield token


def _text_of(token: str) -> str:
    """The text of a string as it is written, without its quotes."""
    bare = token.lstrip("bBrRfFuU")
    return bare[3:-3] if bare[:3] in ('"""', "'''") else bare[1:-1]


def asked_definitions(before: Tree, write: Tree, tests: Tree) -> dict[str, frozenset[str]]:
    """Functions, classes and modules, as they are written, with the new names in them that tests use."""
    used = set[str]()
    for path in tests.files:
        new = set(text_in(tests, path).splitlines()) - set(text_in(before, path).splitlines())
        used |= set(WORD.findall("\n".join(new)))
    found: dict[str, frozenset[str]] = {}
    for path in sorted(write.files):
        if not path.endswith(".py") or not is_source(path):
            continue
        old, new_ones = (module_definitions(text_in(tree, path), path) for tree in (before, write))
        stem = path.removesuffix(".py").rpartition("/")[2]
        if path not in before.files and stem in used and stem != "__init__":
            found[f"module {path}"] = frozenset([stem])
        for name, (signature, parameters) in new_ones.items():
            outer, _, own = name.rpartition(".")
            called = outer.rpartition(".")[2] if own == "__init__" else own
            new = {own} if name not in old and not own.startswith("__") else set[str]()
            new |= set(parameters) - set(old[name][1]) if name in old else set()
            other = parameters != (old[name][1] if name in old else ())  # a call need not name what is new
            if new & used or (other and called in used):
                found[signature] = frozenset(new & used)
    return found


def other_declarations(path: str, before: str, after: str, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """How a file in another language than Python declares some names on its new lines, without bodies."""
    patterns = _DECLARED.get(language_of(path), ())
    known = {" ".join(line.split()) for line in _COMMENT.sub(_without_comment, before).splitlines()}
    lines = _COMMENT.sub(_without_comment, after).splitlines()
    text = "\n".join("" if " ".join(line.split()) in known else line for line in lines)
    found: dict[str, tuple[str, ...]] = {}
    for name in (name for name in names if patterns and name not in _STATEMENTS):
        places = (re.finditer(each.replace("NAME", re.escape(name)), text, re.MULTILINE) for each in patterns)
        if shown := dict.fromkeys(_declaration(text, place) for place in islice(chain(*places), _MOST_DECLARED)):
            found[name] = tuple(shown)
    return found


def _declaration(text: str, place: re.Match[str]) -> str:
    """What stands at a place that declares a name, with what is in brackets after it."""
    end = _after_brackets(text, place.end())
    rest = re.match(r"[^\n{;=]*", text[end:])
    tail = rest[0] if rest and not place[0].lstrip().startswith("#") else ""  # of a macro that is its body
    return " ".join((text[place.start() : end] + tail).split()).rstrip(" =;")[:_LONGEST_TEXT]


def _after_brackets(text: str, start: int) -> int:
    """Where the brackets end that begin at a place; the place itself where none begins."""
    depth = 0
    for at in range(start, min(len(text), start + 2000)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return at + 1 if at > start else start
    return start


def module_definitions(text: str, path: str = "") -> dict[str, tuple[str, tuple[str, ...]]]:
    """What a module defines, or hands on for a package: by `Class.method` its signature, and its parameters' names."""
    try:
        parsed = ast.parse(text)
    except _UNREADABLE:
        return {}
    taken = (node for node in parsed.body if isinstance(node, ast.ImportFrom) and path.endswith("__init__.py"))
    own = (node for node in taken if node.level or (node.module or "").partition(".")[0] in path.split("/"))
    handed = (each.asname or each.name for node in own for each in node.names)
    return {**{name: (name, ()) for name in handed}, **dict(_defined(parsed.body, ""))}


def _defined(body: list[ast.stmt], outer: str) -> Iterator[tuple[str, tuple[str, tuple[str, ...]]]]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            given = node.args
            every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
            shown = " (a property)" if _is_property(node) else f"({ast.unparse(given)})"
            yield outer + node.name, (f"{outer}{node.name}{shown}", tuple(each.arg for each in every))
            yield from ((f"{outer}{name}", (f"{outer}{name}", ())) for name in _own_attributes(node) if outer)
        elif isinstance(node, ast.ClassDef):
            bases = ", ".join(map(ast.unparse, [*node.bases, *node.keywords]))
            yield outer + node.name, (f"class {outer}{node.name}{f'({bases})' if bases else ''}", ())
            yield from _defined(node.body, f"{outer}{node.name}.")
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = (target.id for target in targets if isinstance(target, ast.Name))
            yield from ((outer + name, (outer + name, ())) for name in names)
        elif isinstance(node, ast.If | ast.Try):
            yield from _defined([*node.body, *node.orelse], outer)


def _is_property(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    kinds = {"property", "cached_property"}
    return any(ast.unparse(each).rpartition(".")[2] in kinds for each in function.decorator_list)


def _own_attributes(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    """Names that a method gives to its object."""
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and ast.unparse(node.value) == "self":
            yield node.attr


def untold_words(task: Task) -> list[str]:
    """Names and texts that the hidden checks ask for, that only the reference has, and that nobody is told.

    Of Python alone; what the workspace says, visible tests included, is told, and so is what the instruction says.
    """
    assert task.hidden is not None
    write, tests = task.hidden.reference.write, task.hidden.checks.files
    shown = task.visible.files.over(task.workspace) if task.visible is not None else task.workspace
    read = "\n".join(text_in(shown, path) for path in shown.files if not path.startswith(".git/"))
    said = f"{task.instruction}\n{read}".lower()
    told = {word.lower() for word in WORD.findall(task.instruction)}
    known = {word.lower() for word in WORD.findall(read)}
    found = []
    for signature, names in asked_definitions(task.workspace, write, tests).items():
        if untold := sorted(name for name in names if name.lower() not in told | known):
            found.append(f"{', '.join(untold)} in {signature}" if untold != [signature] else signature)
    asked = "\n".join(text_in(tests, path) for path in tests.files)
    for path in filter(is_source, write.files):
        literals = words_in_code(path, text_in(task.workspace, path), text_in(write, path))[1]
        texts = [text for text in sorted(literals) if re.search(r"[^\W\d_]{3}", text) and text in asked]
        found += [f"the text {text!r}" for text in texts if text.lower() not in said]
    return list(dict.fromkeys(found))
