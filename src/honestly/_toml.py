"""A file in TOML as a table; every way in which it can be none is one error."""

import re
import tomllib
from typing import Any


def toml_table(text: str | bytes) -> dict[str, Any]:
    """The table in a text, which may begin with the mark of UTF-8 that editors of Windows write.

    Raises:
        ValueError: It is no UTF-8, or no TOML; the message says where.
    """
    try:
        text = (text.decode("utf-8") if isinstance(text, bytes) else text).removeprefix("\ufeff")
        return tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise ValueError(f"it is not UTF-8 text (byte {error.start})") from error
    except tomllib.TOMLDecodeError as error:
        twice = re.match(r"Cannot overwrite a value \(at (?:line (\d+)|end)", str(error))
        if twice is None:
            raise
        lines = str(text).splitlines()[: int(twice[1]) if twice[1] else None]
        raise ValueError(f"{lines[-1].partition('=')[0].strip()} is given twice (line {len(lines)})") from error
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
