"""What expressions of a Python program may be: texts, with marks for what is not known, and lists of them.

A name stands for what it is given, where all that it is given can be worked out: in assignments, in loops over lists
and files, and as the argument of a function whose calls all stand in the program. A name that may come to mean
something else in any other way stands for nothing.
"""

import ast
import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import product

from honestly.permissions._words import ANY, IN_TEMPORARY, MOST_VALUES, few_values, globbed

_REBINDING = frozenset({"globals", "locals", "vars", "exec", "eval", "setattr", "__dict__"})
"""Names by which another name may come to mean something else."""
_SAME = frozenset("str fspath Path PurePath abspath realpath expanduser normpath fsdecode".split())  # noqa: SIM905
_SAME_METHODS = frozenset("resolve absolute as_posix expanduser strip rstrip lower".split())  # noqa: SIM905
_TEMPORARY = frozenset({"mkdtemp", "TemporaryDirectory", "gettempdir"})
_ITSELF = frozenset({"sorted", "list", "set", "tuple", "reversed", "iter"})
_PLACE = re.compile(r"%[-#0 +]*[\d.*]*[a-zA-Z]|%%|%\(\w+\)[a-z]")


def called_name(node: ast.AST) -> str:
    """The last name of what is called."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


class PythonNames:
    """The names of one program, and its expressions as texts."""

    def __init__(self, nodes: Sequence[ast.AST], words: Sequence[str]) -> None:  # noqa: C901 - one branch for each kind
        self.words = words
        self.stored: Counter[str] = Counter()
        self.loaded: Counter[str] = Counter()
        self.given: defaultdict[str, list[list[ast.expr]]] = defaultdict(list)
        """What each name is given: of each place that gives it something, the values."""
        self.looped: defaultdict[str, list[ast.expr]] = defaultdict(list)
        self.archives: set[str] = set()
        """Names of opened archives, whose files are none of the disk."""
        self.known: dict[str, list[str] | None] = {}
        calls: defaultdict[str, list[ast.Call]] = defaultdict(list)
        functions: list[ast.FunctionDef | ast.AsyncFunctionDef] = []
        for node in nodes:
            if isinstance(node, ast.Name):
                loads = isinstance(node.ctx, ast.Load)
                (self.loaded if loads and node.id not in _REBINDING else self.stored)[node.id] += 1
            elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                self.given[node.targets[0].id].append([node.value])
            elif isinstance(node, ast.For | ast.comprehension) and isinstance(node.target, ast.Name):
                self.looped[node.target.id].append(node.iter)
            elif isinstance(node, ast.For | ast.comprehension) and isinstance(node.target, ast.Tuple):
                self._loop_of_several(node.target.elts, node.iter)
            elif isinstance(node, ast.withitem) and isinstance(node.context_expr, ast.Call):
                opened, name = called_name(node.context_expr.func), called_name(node.optional_vars or node)
                self.archives |= {name} if opened in {"ZipFile", "TarFile"} else set()
                if opened == "TemporaryDirectory":
                    self.given[name].append([node.context_expr])
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                calls[node.func.id].append(node)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                functions.append(node)
            if not isinstance(node, ast.keyword):
                for key in ("arg", "name", "asname", "rest"):  # of arguments, imports, functions, handlers, patterns
                    self.stored[getattr(node, key, None) or ""] += 1
        for function in functions:
            if self.stored[function.name] == 1 and self.loaded[function.name] == len(calls[function.name]):
                self._bound(function.args, calls[function.name])
        if _REBINDING & self.stored.keys() or self.stored["*"]:
            self.stored.update(dict.fromkeys([*self.given, *self.looped], 1_000))

    def _loop_of_several(self, targets: Sequence[ast.expr], iterated: ast.expr) -> None:
        """Names what loops over `enumerate` and `os.walk` give."""
        if not isinstance(iterated, ast.Call) or not iterated.args:
            return
        if called_name(iterated.func) == "enumerate" and len(targets) == 2 and isinstance(targets[1], ast.Name):
            self.looped[targets[1].id].append(iterated.args[0])
        if called_name(iterated.func) == "walk" and len(targets) == 3:
            below = ast.BinOp(iterated.args[0], ast.Div(), ast.Constant(ANY))
            names = ast.List([ast.Constant(ANY)], ast.Load())
            values: list[list[ast.expr]] = [[iterated.args[0], below], [names], [names]]
            for target, value in zip(targets, values, strict=True):
                if isinstance(target, ast.Name):
                    self.given[target.id].append(value)
                    self.loaded[target.id] = 1

    def _bound(self, arguments: ast.arguments, calls: Sequence[ast.Call]) -> None:
        """Names the arguments of a function by what its calls give."""
        plain = [*arguments.posonlyargs, *arguments.args]
        if not calls:
            return
        starred = any(isinstance(each, ast.Starred) for call in calls for each in call.args)
        if starred or any(word.arg is None for call in calls for word in call.keywords):
            return
        default = dict(zip([each.arg for each in plain][::-1], arguments.defaults[::-1], strict=False))
        for at, argument in enumerate(plain):
            values = [default[argument.arg]] if argument.arg in default else []
            for call in calls:
                values += call.args[at : at + 1]
                values += [word.value for word in call.keywords if word.arg == argument.arg]
            self.given[argument.arg].append(values)

    def fold(self, node: ast.AST | None) -> str | list[object] | None:
        """The text, or the list of texts, that an expression is; None where that is not known."""
        if isinstance(node, ast.List | ast.Tuple):
            return [self.fold(each) for each in node.elts]
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            left, right = self.fold(node.left), self.fold(node.right)
            if isinstance(left, list) and isinstance(right, list):
                return left + right
        if isinstance(node, ast.Call) and called_name(node.func) == "split" and not node.args:
            text = self.fold(getattr(node.func, "value", None))
            return list(text.split()) if isinstance(text, str) else None
        if (value := self._only_value(node)) is not None:
            found = self.fold(value)
            if isinstance(found, list):
                return found
        texts = self.texts(node)
        return texts[0] if texts and len(texts) == 1 else None

    def _only_value(self, node: ast.AST | None) -> ast.expr | None:
        """What a name is given once that is read once, so that nothing changes the list that it may be."""
        if not isinstance(node, ast.Name) or self.stored[node.id] != 1 or self.loaded[node.id] != 1:
            return None
        value = [each for values in self.given[node.id] for each in values]
        return value[0] if len(value) == 1 and len(self.given[node.id]) == 1 else None

    def texts(self, node: ast.AST | None) -> list[str] | None:  # noqa: C901 - one branch for each kind
        """The texts that an expression may be, with marks for what is not known; None where nothing is."""
        if isinstance(node, ast.Constant):
            value = node.value.decode("utf-8", "replace") if isinstance(node.value, bytes) else node.value
            return [value] if isinstance(value, str) else None
        if isinstance(node, ast.Name):
            return self._named(node.id) if node.id != "__file__" else [f"{ANY}/x.py"]
        if isinstance(node, ast.JoinedStr):
            parts = [
                self.texts(each.value if isinstance(each, ast.FormattedValue) else each) or [ANY]
                for each in node.values
            ]
            return _joined(parts)
        if isinstance(node, ast.Attribute):
            if node.attr in {"parent", "name"}:
                part = posixpath.dirname if node.attr == "parent" else posixpath.basename
                return [part(each) or "." for each in self.texts(node.value) or []] or None
            return ["python3"] if node.attr == "executable" and called_name(node.value) == "sys" else None
        if isinstance(node, ast.IfExp):
            one, other = self.texts(node.body), self.texts(node.orelse)
            return few_values([*one, *other]) if one and other else None
        if isinstance(node, ast.Subscript):
            at = node.slice.value if isinstance(node.slice, ast.Constant) else None
            if at == "HOME":
                return ["~"]
            if isinstance(at, int) and called_name(node.value) == "argv" and 0 < at <= len(self.words):
                return [self.words[at - 1]]
            return None
        if isinstance(node, ast.BinOp):
            left, right = self.texts(node.left), self.texts(node.right)
            if isinstance(node.op, ast.Mod) and left:
                return [_PLACE.sub(ANY, each) for each in left]
            if isinstance(node.op, ast.Add) and (left or right):
                return _joined([left or [ANY], right or [ANY]])
            if isinstance(node.op, ast.Div) and (left or right):
                return few_values([posixpath.join(*each) for each in product(left or [ANY], right or [ANY])])
            return None
        return self._returned(node) if isinstance(node, ast.Call) else None

    def _returned(self, node: ast.Call) -> list[str] | None:
        name, own = called_name(node.func), node.func.value if isinstance(node.func, ast.Attribute) else None
        if name in {"cwd", "getcwd"} and not node.args:
            return ["."]
        if (name == "home" and not node.args) or (
            name in {"getenv", "get"} and node.args and self.fold(node.args[0]) == "HOME"
        ):
            return ["~"]
        if name == "dirname" and node.args:
            return [posixpath.dirname(each) or "." for each in self.texts(node.args[0]) or []] or None
        if name in {"with_name", "with_stem"} and own is not None and node.args:
            return [posixpath.join(posixpath.dirname(each), ANY) for each in self.texts(own) or []] or None
        if name in _TEMPORARY and not node.args and not any(word.arg == "dir" for word in node.keywords):
            return [IN_TEMPORARY]
        if own is not None and not node.args and name in _SAME_METHODS:
            return self.texts(own)
        if own is not None and name == "format":
            return [re.sub(r"\{[^{}]*\}", ANY, each) for each in self.texts(own) or []] or None
        if name in {"join", "joinpath", *_SAME} and node.args:
            of = [own] if name == "joinpath" or (name == "join" and called_name(own or node) != "path") else []
            if name == "join" and of:
                return None  # of a text
            parts = [self.texts(each) for each in (*of, *node.args)]
            if any(parts):
                return few_values([posixpath.join(*each) for each in product(*(part or [ANY] for part in parts))])
        return None

    def _named(self, name: str) -> list[str] | None:
        if name not in self.known:
            self.known[name] = None  # while it is worked out
            if 0 < len(self.given[name]) + len(self.looped[name]) == self.stored[name]:
                found = [self.texts(value) for values in self.given[name] for value in values]
                found += [self.elements(each) for each in self.looped[name]]
                if found and all(found):
                    self.known[name] = few_values([text for each in found for text in each or []])
        return self.known[name]

    def elements(self, node: ast.AST) -> list[str] | None:
        """The texts that the elements of something may be over which a program loops."""
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            found = [self.texts(each) for each in node.elts]
            return few_values([text for each in found for text in each or []]) if all(found) and found else None
        if isinstance(node, ast.Name):
            value = self._only_value(node)
            return self.elements(value) if value is not None else None
        if not isinstance(node, ast.Call):
            return None
        name, own = called_name(node.func), node.func.value if isinstance(node.func, ast.Attribute) else None
        first = self.texts(node.args[0]) if node.args else None
        if name in _ITSELF and len(node.args) == 1:
            return self.elements(node.args[0])
        if name in {"glob", "iglob", "rglob"} and first and own is not None:
            if (folders := self.texts(own)) is None:  # of the module `glob`
                return [globbed(each) for each in first] if called_name(own) == "glob" else None
            below = [f"{folder}/{text}" for folder in folders for text in first]
            below += [f"{folder}/{ANY}/{text}" for folder in folders for text in first if name == "rglob"]
            return few_values([each.replace("**", ANY).replace("*", ANY).replace("?", ANY) for each in below])
        if name == "iterdir" and own is not None:
            return [f"{each}/{ANY}" for each in self.texts(own) or []] or None
        if name == "listdir":
            return [ANY]
        return None


def _joined(parts: Sequence[Sequence[str]]) -> list[str]:
    total = 1
    for part in parts:
        total *= len(part)
    shapes = parts if total <= 4 * MOST_VALUES else [part if len(part) == 1 else [ANY] for part in parts]
    return few_values(["".join(each) for each in product(*shapes)])
