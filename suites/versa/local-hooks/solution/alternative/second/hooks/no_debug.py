"""Finds what was meant for debugging only in Python files: calls of breakpoint, and pdb."""

import ast
import os
import sys
import warnings
from pathlib import Path


class Finder(ast.NodeVisitor):
    """Collects the lines with faults."""

    def __init__(self) -> None:
        self.lines: set[int] = set()

    def note(self, node: ast.AST, *modules: str) -> None:
        """Notes a node if it imports from the module that nobody wants."""
        if any(f"{module}.".startswith("pdb.") for module in modules):
            self.lines.add(node.lineno)

    def visit_Import(self, node: ast.Import) -> None:
        self.note(node, *(alias.name for alias in node.names))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if not node.level:
            self.note(node, node.module or "")

    def visit_Call(self, node: ast.Call) -> None:
        match node.func:
            case ast.Name(id="breakpoint"):
                self.lines.add(node.lineno)
        self.generic_visit(node)


def faults(source: bytes) -> list[int]:
    """The numbers of the lines with faults, ascending."""
    finder = Finder()
    try:
        tree = ast.parse(source)
        finder.visit(tree)
        compile(tree, "file", "exec", dont_inherit=True)  # finds what the grammar lets pass, such as a lone `return`
    except SyntaxError as error:
        finder.lines.add(error.lineno or 1)
    except ValueError:  # a NUL, for which Python names no line
        finder.lines.add(source.partition(b"\0")[0].count(b"\n") + 1)
    return sorted(finder.lines)


def main(paths: list[str]) -> int:
    """Prints all faults."""
    warnings.simplefilter("ignore")
    report = [b"%s:%d\n" % (os.fsencode(path), line) for path in paths for line in faults(Path(path).read_bytes())]
    sys.stdout.buffer.write(b"".join(report))
    return 1 if report else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
