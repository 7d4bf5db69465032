"""The guest programs as bytes to send into a sandbox: compiled here, started by a three-line bootstrap there.

Compiling on the host saves each sandbox some 10 ms, and needs the interpreter in the sandbox to be the host's own,
which the namespaces sandbox guarantees. The host mostly finds them compiled, as it does the modules that it imports.
"""

from __future__ import annotations

import marshal
from functools import cache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType

__all__ = ["BOOT", "PACKAGE", "code", "program"]

PACKAGE = "honestly.verify._guest"

BOOT = (
    "python3",
    "-I",
    "-S",
    "-B",
    "-c",
    """import os,sys,marshal
def r(n):
    b=b''
    while len(b)<n:
        p=os.read(0,n-len(b))
        if not p: raise SystemExit(70)
        b+=p
    return b
m=marshal.loads(r(int.from_bytes(r(4),'big')))
for n,c in m[:-1]:
    k=sys.modules[n]=type(sys)(n)
    exec(c,k.__dict__)
exec(m[-1][1],sys.modules['__main__'].__dict__)""",
)
"""Command that reads a program from standard input and becomes it."""


@cache
def code(*modules: str) -> bytes:
    """Guest modules as a marshalled list of (full name, code), in the form that `WarmSandbox.load` takes."""
    return marshal.dumps([(f"{PACKAGE}.{name}", _compiled(name)) for name in modules])


def _compiled(name: str) -> CodeType:
    path = Path(__file__).parents[1] / "_guest" / f"{name}.py"
    compiled = SourceFileLoader(f"{PACKAGE}.{name}", str(path)).get_code(f"{PACKAGE}.{name}")
    assert compiled is not None
    return _at(compiled, f"honestly/{name}.py")


def _at(compiled: CodeType, path: str) -> CodeType:
    """The same code with another place of its source: where this program is installed is nobody's business inside."""
    inner = tuple(_at(each, path) if isinstance(each, CodeType) else each for each in compiled.co_consts)
    return compiled.replace(co_filename=path, co_consts=inner)


def program(*modules: str) -> bytes:
    """Guest modules, the last one as the main program, in the form that `BOOT` reads: length and marshalled code."""
    data = code(*modules)
    return len(data).to_bytes(4, "big") + data
