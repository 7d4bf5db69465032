"""A file in TOML as a table; every way in which it can be none is one error."""

import tomllib
from typing import Any


def toml_table(text: str | bytes) -> dict[str, Any]:
    """The table in a text, which may begin with the mark of UTF-8 that editors of Windows write.

    Raises:
        ValueError: It is no UTF-8, or no TOML; the message says where.
    """
    try:
        return tomllib.loads((text.decode("utf-8") if isinstance(text, bytes) else text).removeprefix("\ufeff"))
    except UnicodeDecodeError as error:
        raise ValueError(f"it is not text in UTF-8 (byte {error.start})") from error
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
