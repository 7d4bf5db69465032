"""The guest programs as bytes to send into a sandbox: compiled here, started by a three-line bootstrap there.

Compiling on the host saves each sandbox some 10 ms, and needs the interpreter in the sandbox to be the host's own,
which the namespaces sandbox guarantees. The host mostly finds them compiled, as it does the modules that it imports.
"""

import marshal
from functools import cache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType

from honestly.sandbox._guest.frames import pack_frame

PACKAGE = "honestly.verify._guest"
FIRST = ("honestly.sandbox._guest.clock", "honestly.sandbox._guest.frames")
"""The modules that every program begins with."""

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
"""Command that reads a program, as one frame, from standard input and becomes it."""


@cache
def guest_code(*modules: str) -> bytes:
    """Guest modules as a marshalled list of (full name, code), in the form that `WarmSandbox.load` takes.

    Args:
        modules: names of files in `_guest/`, or full names of modules elsewhere; what others import comes first.
    """
    program = []
    for name in (name if "." in name else f"{PACKAGE}.{name}" for name in (*FIRST, *modules)):
        parts = name.split(".")[1:]
        path = Path(__file__).parents[1].joinpath(*parts).with_suffix(".py")
        compiled = SourceFileLoader(name, str(path)).get_code(name)
        assert compiled is not None
        program.append((name, _code_at(compiled, f"honestly/{parts[-1]}.py")))
    return marshal.dumps(program)


def _code_at(compiled: CodeType, path: str) -> CodeType:
    """Code that names another file as its source: where this program is installed is nobody's business inside."""
    inner = tuple(_code_at(each, path) if isinstance(each, CodeType) else each for each in compiled.co_consts)
    return compiled.replace(co_filename=path, co_consts=inner)


def guest_program(*modules: str) -> bytes:
    """Guest modules, the last one as the main program, in the form that `BOOT` reads."""
    return pack_frame(guest_code(*modules))
