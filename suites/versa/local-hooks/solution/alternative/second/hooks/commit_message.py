"""Looks at the message of a commit."""

import re
import sys
from pathlib import Path

MESSAGE = re.compile(
    r"""
    (?: [^\S\n]* \n )*                                              # blank lines
    (?: [A-Z]{2,5}-(?:0|[1-9][0-9]*):[ ] (?![ ]) [^\n]{1,60} (?<![ .])
      | (?: Merge[ ] | Revert[ ]" ) [^\n]*
    )
    (?: \Z | \n [^\S\n]* (?: \Z | \n ) [\s\S]* )                    # nothing more, or a blank line first
    """,
    re.VERBOSE,
)


def is_right(text: str) -> bool:
    """Whether a message is as docs/hooks.md wants it."""
    lines = re.split(r"\r?\n", text)
    return bool(MESSAGE.fullmatch("\n".join(line for line in lines if not line.startswith("#"))))


def main(paths: list[str]) -> int:
    """Says which messages are wrong."""
    code = 0
    for path in paths:
        if not is_right(Path(path).read_bytes().decode("utf-8", "replace")):
            print(f"{path}: the message does not begin with a line such as AB-12: words, or no blank line follows it")
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
