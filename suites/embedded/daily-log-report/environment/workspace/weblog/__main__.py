"""`python3 -m weblog ZONE [SINCE [UNTIL]] < LOG`: the daily report, one JSON object a line."""

import json
import sys

from weblog.report import daily


def main(arguments: list[str]) -> int:
    """Print the report; 2 when an argument or a line of the log is wrong."""
    if not 1 <= len(arguments) <= 3:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        rows = daily(sys.stdin, *arguments)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    for row in rows:
        print(json.dumps(row))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
