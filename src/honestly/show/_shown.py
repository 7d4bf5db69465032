"""The abilities of every result: plain data as `--json` prints it, frames, a terminal's text, and the same in a
notebook.

A result says how it becomes plain data and how it is printed; frames are made from the plain data, and what a notebook
shows from the printed text, so that the four can never disagree.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from io import StringIO
from typing import Any, ClassVar

import msgspec
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

from honestly.errors import FrameError
from honestly.show._figure import Figure

_WIDTH = 110
_BACKENDS = ("polars", "pandas")
_PRE = '<pre style="overflow-x:auto;white-space:pre;line-height:1.3">{code}</pre>'


def as_json(record: object) -> dict[str, Any]:
    """A record as JSON holds it: dicts, lists, texts and numbers; null for what is not finite."""
    return msgspec.json.decode(msgspec.json.encode(record), type=dict[str, Any])


class Figures(dict[str, Figure]):
    """Figures by name, all of which a notebook shows."""

    def __init__(self, figures: Iterable[Figure] = ()) -> None:
        super().__init__({figure.name: figure for figure in figures})

    def _repr_html_(self) -> str:
        return "".join(figure._repr_html_() for figure in self.values())


class Shown(ABC):
    """A result of a study."""

    __slots__ = ()
    main_table: ClassVar[str] = ""
    """Which of its tables a frame holds, if nobody says."""

    def to_plain(self) -> dict[str, Any]:
        """One plain-data object, ready for JSON: exactly what the command prints with `--json`."""
        return as_json(self)

    @abstractmethod
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The terminal's text."""

    def brief(self) -> RenderableType:
        """The terminal's text of a command without `--details`: the answer first, and what matters for these data."""
        return self

    @property
    def figures(self) -> Figures:
        """The figures that there are data for, by name."""
        return Figures()

    def to_frame(self, table: str = "", backend: str = "") -> Any:  # noqa: ANN401 - polars or pandas, as installed
        """One table of the result as a data frame.

        An interval becomes two columns, a record inside a row a column for each of its fields; what is longer stays
        JSON text.

        Args:
            table: its name in `to_plain()`; the main one, if nobody says.
            backend: `polars` or `pandas`; whichever is installed, if nobody says.

        Raises:
            FrameError: there is no such table, or what makes frames is not installed.
        """
        plain = self.to_plain()
        name = table or self.main_table
        tables = [key for key, value in plain.items() if isinstance(value, list) and isinstance([*value, {}][0], dict)]
        if name not in tables:
            raise FrameError(f"there is no table {name!r} here; there are: {', '.join(tables)}")
        return frame_of(columns_of(plain[name]), backend)

    def __repr__(self) -> str:
        return _printed_console(self).export_text()

    def _repr_html_(self) -> str:
        return _printed_console(self).export_html(inline_styles=True, code_format=_PRE)


def _printed_console(shown: Shown) -> Console:
    """A console that has printed it to nowhere and remembers; a notebook's own console would show it at once."""
    console = Console(
        emoji=False, markup=False, file=StringIO(), record=True, width=_WIDTH, force_jupyter=False, legacy_windows=False
    )
    console.print(shown)
    return console


def columns_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Rows of plain data as columns, as `Shown.to_frame` says."""
    columns: dict[str, list[Any]] = {}
    for name in dict.fromkeys(name for row in rows for name in row):
        values = [row.get(name) for row in rows]
        known = [value for value in values if value is not None]
        if known and all(isinstance(value, dict) and value and value.keys() == known[0].keys() for value in known):
            nested = columns_of([value or dict.fromkeys(known[0]) for value in values])
            columns |= {f"{name}_{inner}": column for inner, column in nested.items()}
        elif known and "interval" in name and all(isinstance(value, list) and len(value) == 2 for value in known):
            for at, end in enumerate(("low", "high")):
                columns[f"{name}_{end}"] = [None if value is None else value[at] for value in values]
        elif any(isinstance(value, dict | list) for value in known):
            columns[name] = [None if value is None else msgspec.json.encode(value).decode() for value in values]
        else:
            columns[name] = values
    return columns


def frame_of(columns: dict[str, list[Any]], backend: str, types: Mapping[str, type] | None = None) -> Any:  # noqa: ANN401
    """A data frame of these columns.

    Args:
        columns: Values by name; null is None.
        backend: `polars` or `pandas`; whichever is installed, if nobody says.
        types: What each column holds, so that one without any value has a type, too: `str`, `int`, `float` or `bool`.

    Raises:
        FrameError: What makes frames is not installed.
    """
    if backend and backend not in _BACKENDS:
        raise FrameError(f"a frame is of {' or '.join(_BACKENDS)}, not of {backend!r}")
    for name in [backend] if backend else _BACKENDS:
        if find_spec("narwhals") and find_spec(name):
            import narwhals

            # Columns of pandas that lack a value are no longer of whole numbers or truth values; it chooses itself.
            kinds = {str: narwhals.String, int: narwhals.Int64, float: narwhals.Float64, bool: narwhals.Boolean}
            schema = {key: kinds[kind] for key, kind in types.items()} if types and name == "polars" else None
            return narwhals.from_dict(columns, schema, backend=name).to_native()  # type: ignore[arg-type]
    wanted = backend or " or ".join(_BACKENDS)
    raise FrameError(f"a frame needs narwhals and {wanted}; install honestly[frames] and {wanted}")
