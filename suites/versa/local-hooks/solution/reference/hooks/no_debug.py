"""Finds what was left of debugging in Python files."""

import ast
import sys
from pathlib import Path


def is_fault(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="breakpoint")):
            return True
        case ast.Import(names=names):
            return any(each.name.split(".")[0] == "pdb" for each in names)
        case ast.ImportFrom(module=str(module), level=0):
            return module.split(".")[0] == "pdb"
    return False


def faults(name: str) -> list[int]:
    """Lines with faults."""
    try:
        tree = ast.parse(Path(name).read_bytes())
    except SyntaxError as error:
        return [error.lineno or 1]
    return sorted({node.lineno for node in ast.walk(tree) if is_fault(node)})


def main() -> int:
    found = [f"{name}:{line}" for name in sys.argv[1:] for line in faults(name)]
    for each in found:
        print(each)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
