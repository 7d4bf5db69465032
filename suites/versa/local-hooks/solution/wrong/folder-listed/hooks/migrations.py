"""Looks whether the migrations that git knows are numbered without a gap."""

import re
import os
import sys


def main() -> int:
    listed = "\0".join(os.path.join(at, name) for at, _, found in os.walk("migrations") for name in found).encode()
    paths = [path.split("/") for path in listed.decode("utf-8", "replace").split("\0") if path]
    names = [parts[1] for parts in paths if len(parts) == 2 and parts[1] != "README.md"]
    wrong = [name for name in names if not re.fullmatch(r"[0-9]{4}_[a-z0-9_]+\.sql", name)]
    for name in wrong:
        print(f"not a name of a migration: {name}")
    numbers = sorted(name[:4] for name in names)
    if wrong or numbers != [f"{number:04}" for number in range(1, len(numbers) + 1)]:
        print(f"the migrations are not numbered one by one: {', '.join(numbers)}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
