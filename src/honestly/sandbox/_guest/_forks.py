"""Python in a box without starting a Python: the keeper's own interpreter, forked, goes on with a program of ours.

Starting an interpreter and importing what a program needs costs 20 ms and more; a fork of one that has done both costs
one. The program is given once, as code that was compiled outside, and stands for no particular work: what a fork works
on arrives over its wire, so that nothing of one fork's work is ever in the memory of another.
"""

from __future__ import annotations

import gc
import importlib
import marshal
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType

from . import _kernel

__all__ = ["Entry", "go_on", "load"]

Entry = Callable[[int], object]


def load(program: bytes, imports: Sequence[bytes], env: Mapping[bytes, bytes]) -> Entry | None:
    """Take in a program, and import modules of the standard library ahead of the work that may need them.

    Args:
        program: Marshalled list of (module name, code), the last of which defines `forked(descriptor)`; or nothing.
        imports: Names of modules.
        env: Variables of every fork.

    Returns:
        What a fork goes on with, if there is a program.
    """
    os.environb.update(env)
    sys.dont_write_bytecode = True
    for name in imports:
        importlib.import_module(name.decode())
    entry: Entry | None = None
    for name, code in marshal.loads(program) if program else ():  # noqa: S302 - ours, from the box's opener
        module = sys.modules[name] = ModuleType(name)
        exec(code, module.__dict__)  # noqa: S102 - our own code, for which the box has asked
        entry = getattr(module, "forked", None)
    gc.collect()
    gc.freeze()  # pages that are not written to stay shared with all forks
    return entry


def go_on(entry: Entry, descriptor: int) -> None:
    """Be a fresh interpreter, as far as the program can tell, and do its work."""
    main = sys.modules["__main__"] = ModuleType("__main__")
    main.__dict__["__builtins__"] = __builtins__
    sys.argv = [""]
    _kernel.prctl(_kernel.PR_SET_DUMPABLE, 1)  # as after an exec: it may look at itself in /proc
    gc.enable()
    entry(descriptor)
