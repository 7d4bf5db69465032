"""Names of a package that are loaded when they are first used, so that a command loads no more than it needs.

A package says once which name comes from which module: in the imports below its `if TYPE_CHECKING:`, which type
checkers read and Python skips. They are read off the package's source when it is imported, which takes a fraction of a
millisecond. `Name as Name` says that the name is public, here and to type checkers; its `__all__` is made from these.
"""

import re
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from honestly._fields import document_fields

__all__ = ["lazy_exports"]

_IMPORT = re.compile(r"^    from (\S+) import (?:\(([^)]*)\)|([^\n]*))", re.MULTILINE)
_NAME = re.compile(r"(\w+)(?: as (\w+))?")


def lazy_exports(package: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """The `__getattr__` and the `__dir__` of a package of this name, whose `__all__` it sets."""
    source = Path(sys.modules[package].__file__ or "").read_text("utf-8")
    home_of, public = {}, []
    for module, several, one in _IMPORT.findall(source):
        for name, alias in _NAME.findall(several or one):
            home_of[name] = module
            public += [alias] * bool(alias)
    vars(sys.modules[package])["__all__"] = sorted(public)

    def load(name: str) -> object:
        if name not in home_of and not name.startswith("_") and find_spec(f"{package}.{name}"):
            return import_module(f"{package}.{name}")  # a public package in it
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = import_module(home_of[name])
        # All of that module at once: one may have the name of a package in this one, which the import has just set.
        for other in (each for each, module in home_of.items() if module == home_of[name]):
            setattr(sys.modules[package], other, getattr(home, other))
            document_fields((getattr(home, other),), package)
        return getattr(home, name)

    return load, lambda: sorted(home_of)
