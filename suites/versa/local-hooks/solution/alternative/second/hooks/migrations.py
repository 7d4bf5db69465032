"""Looks at the names of the migrations that git knows."""

import re
import subprocess
import sys

FOLDER = b"migrations/"
COMMAND = ["git", "ls-files", "--cached", "--full-name", "-z", "--", ":(top)migrations"]


def names() -> list[str]:
    """Names of all files right in the folder, as the index has them; each once, also while they are merged."""
    listed = subprocess.run(COMMAND, stdout=subprocess.PIPE, check=True).stdout.split(b"\0")
    inside = {path.removeprefix(FOLDER) for path in listed if path.startswith(FOLDER)}
    return sorted(name.decode("utf-8", "backslashreplace") for name in inside if b"/" not in name)


def faults(found: list[str]) -> list[str]:
    """What is wrong with these names."""
    wrong, numbers = [], []
    for name in found:
        shape = re.fullmatch(r"([0-9]{4})_[a-z0-9_]+\.sql", name)
        if shape:
            numbers.append(int(shape[1]))
        elif name != "README.md":
            wrong.append(f"migrations/{name}: not called NNNN_name.sql")
    for expected, number in enumerate(numbers, 1):
        if number != expected:
            wrong.append(f"migrations: {expected:04} was expected, and {number:04} is there")
            break
    return wrong


if __name__ == "__main__":
    try:
        messages = faults(names())
    except (OSError, subprocess.CalledProcessError) as error:
        messages = [f"git did not tell the names: {error}"]
    sys.exit("\n".join(messages) or None)
