"""The user's remembered meaning of a table's columns, kept for other tables with the same columns.

One JSON file, `$XDG_CONFIG_HOME/honestly/columns.json`: for the names of the columns, in any order, which of them is
what. A file that is damaged says nothing; what it says of columns that are not there is not believed.
"""

import json
from collections.abc import Collection, Mapping
from pathlib import Path

from honestly._loose import nested_dict
from honestly.errors import FormatError
from honestly.formats._files import read_json
from honestly.records import digest
from honestly.work import user_folder, write_file

# Bytes of the file.
_LARGEST = 1 << 20
EACH = "*"
"""Instead of a column's name: each other column is one."""


def columns_file() -> Path:
    """Where it is kept."""
    return user_folder("config") / "columns.json"


def saved_columns(names: Collection[str]) -> dict[str, str]:
    """Which of these columns is what, by what it is (`agent`); empty where nobody has said so."""
    said = nested_dict(_read_columns(), _column_set_key(names))
    return said if all(isinstance(name, str) and (name in names or name == EACH) for name in said.values()) else {}


def save_columns(names: Collection[str], said: Mapping[str, str]) -> Path:
    """Stores the meanings of these columns, and returns the file.

    Raises:
        FormatError: It cannot be written.
    """
    path = columns_file()
    write_file(
        path, json.dumps(_read_columns() | {_column_set_key(names): dict(said)}, indent=1), FormatError, folders=True
    )
    return path


def _read_columns() -> dict[str, object]:
    try:
        return nested_dict(read_json(columns_file(), _LARGEST))
    except FormatError:
        return {}


def _column_set_key(names: Collection[str]) -> str:
    return digest("columns", sorted(names))[:16]
