"""What `help()` says of a class: its docstring, and each field with the text that stands below it in the source.

Python throws those texts away. They are read again from the source when somebody asks; until then a class costs one
assignment. A class whose source is not there keeps its docstring alone.
"""

from collections.abc import Iterable
from typing import SupportsIndex

__all__ = ["document_fields"]


class _FieldDocs(str):
    """A class's docstring, to which what stands under its fields is added when it is read."""

    owner: type

    def __get__(self, instance: object, owner: type) -> str:
        return self.expandtabs()

    def expandtabs(self, tabsize: SupportsIndex = 8) -> str:  # noqa: ARG002
        """The whole text; `pydoc` gets this very object from msgspec's classes, and calls this first."""
        import ast
        import inspect
        import textwrap
        from itertools import pairwise

        try:
            body = ast.parse(textwrap.dedent(inspect.getsource(self.owner))).body[0].body  # type: ignore[attr-defined]
        except (OSError, TypeError, SyntaxError):
            return str(self)
        lines = [
            f"    {field.target.id}: {inspect.cleandoc(text.value.value)}".replace("\n", "\n        ")
            for field, text in pairwise(body)
            if isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(text, ast.Expr)
            and isinstance(text.value, ast.Constant)
            and isinstance(text.value.value, str)
        ]
        text = inspect.cleandoc(str(self))
        return "\n".join([text, "", "Attributes:", *lines]) if lines else text


def document_fields(values: Iterable[object], package: str) -> None:
    """Lets `help()` show the fields of those values that are classes of this package; call it when a room is whole."""
    for value in values:
        if isinstance(value, type) and value.__module__.startswith(package):
            own = value.__dict__.get("__doc__")
            # Python 3.14 keeps annotations in a function of this name.
            if type(own) is str and {"__annotations__", "__annotate_func__"} & value.__dict__.keys():
                docs = _FieldDocs(own)
                docs.owner = value
                value.__doc__ = docs
