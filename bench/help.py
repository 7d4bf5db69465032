"""What `honestly --help` costs: CPU time of the whole process, beside that of an interpreter that does nothing.

python bench/help.py
"""

import os
import resource
import statistics
import subprocess
import sys

ROUNDS = 15


def cpu(*command: str) -> float:
    """CPU milliseconds of a command, its children included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "COLUMNS": "100"})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def main() -> None:
    """Prints medians of interleaved rounds."""
    commands = {
        "python -c pass": (sys.executable, "-c", "pass"),
        "python -c 'import click'": (sys.executable, "-c", "import click"),
        "honestly --help": (sys.executable, "-m", "honestly", "--help"),
        "honestly report --help": (sys.executable, "-m", "honestly", "report", "--help"),
    }
    times = {name: [] for name in commands}
    for _ in range(ROUNDS):
        for name, command in commands.items():
            times[name].append(cpu(*command))
    for name, values in times.items():
        print(f"{name:26} {statistics.median(values):6.0f} ms CPU")


if __name__ == "__main__":
    main()
