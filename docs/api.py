"""Writes docs/api.md: every public name of the library, room by room, with the first sentence of its docstring.

`python docs/api.py` writes it anew from the source, which it parses and does not run; tests/docs/test_api_page.py
compares.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from textwrap import shorten

PAGE = Path(__file__).with_suffix(".md")
SOURCE = Path(__file__).parents[1] / "src"
BAR = "\\|"  # a bar that does not end a cell
INTRODUCTION = """# The library, name by name

*Every public name of every module, with the first sentence of its docstring. `python docs/api.py` writes this page.*

Import a name from its module: `from honestly.stats import compare`. `help(name)` shows the whole docstring: arguments,
units, errors. What you need most of the time is in `honestly` itself ([in Python](notebook.md)). What may change, and
when: [stability.md](stability.md).
"""


def module_file(module: str) -> Path:
    """The file of a module, or of a package's `__init__`."""
    path = SOURCE.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@cache
def module_tree(path: Path) -> ast.Module:
    """A module, parsed once."""
    return ast.parse(path.read_text("utf-8"))


def public_names(tree: ast.Module) -> list[str]:
    """What a package imports as itself (`from module import Name as Name`), or its `__all__` holds."""
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    names = [each.name for node in imports for each in node.names if each.asname == each.name]
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            names += ast.literal_eval(node.value)
    return sorted(names, key=str.casefold)


def described(module: str, name: str) -> tuple[str, str]:
    """How a name is used, and the first sentence of its docstring; follows imports to where the name is made."""
    tree = module_tree(module_file(module))
    for at, node in enumerate(tree.body):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
            waits = "await " if isinstance(node, ast.AsyncFunctionDef) else ""
            return f"{waits}{name}({', '.join(arguments(node.args))})", sentence(ast.get_docstring(node))
        if isinstance(node, ast.ClassDef) and node.name == name:
            return f"class {name}", sentence(ast.get_docstring(node))
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(part, ast.Name) and part.id == name for each in targets if each for part in ast.walk(each)):
            after = tree.body[at + 1] if at + 1 < len(tree.body) else None
            text = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else None
            value = shorten(ast.unparse(getattr(node, "value", None) or node.annotation), 90, placeholder=" ...")
            return name, sentence(text) if isinstance(text, str) else f"`= {value.replace('|', BAR)}`"
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("honestly"):
            for each in node.names:
                if (each.asname or each.name) == name:
                    package = module_file(f"{node.module}.{each.name}")
                    if package.is_file():
                        return name, sentence(ast.get_docstring(module_tree(package)))
                    return described(node.module, each.name)
    raise LookupError(f"{module}.{name} is made nowhere")


def arguments(given: ast.arguments) -> Iterator[str]:
    """Names of the arguments: `a, b, *, level`; those in brackets may be left out."""
    usual = [*given.posonlyargs, *given.args]
    required = len(usual) - len(given.defaults)
    yield from (each.arg if at < required else f"[{each.arg}]" for at, each in enumerate(usual))
    if given.vararg:
        yield f"*{given.vararg.arg}"
    elif given.kwonlyargs:
        yield "*"
    for each, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        yield each.arg if default is None else f"[{each.arg}]"
    if given.kwarg:
        yield f"**{given.kwarg.arg}"


def sentence(text: str | None) -> str:
    """The first sentence of a docstring, fit for a cell of a table."""
    first = " ".join((text or "").split("\n\n")[0].split())
    found = re.match(r".+?[.:;](?= [A-Z`(]|$)", first)
    return (found[0] if found else first).rstrip(".:;").replace("|", BAR)


def page() -> str:
    """The page."""
    lines = [INTRODUCTION]
    rooms = ["honestly", *(f"honestly.{path.parent.name}" for path in sorted(SOURCE.glob("honestly/*/__init__.py")))]
    for room in rooms:
        tree = module_tree(module_file(room))
        if names := public_names(tree):
            lines += [f"## {room}", "", sentence(ast.get_docstring(tree)), "", "| name | what it is |", "|---|---|"]
            lines += [f"| `{use}` | {text} |" for use, text in (described(room, name) for name in names)]
            lines += [""]
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
