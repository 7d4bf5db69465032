"""Real studies to look at: the Terminal-Bench trials, and a small run of honest and cheating agents, audited."""

from pathlib import Path

import honestly
from honestly.cli._demo import AGENTS
from honestly.formats import read_terminal_bench
from honestly.records import StudyFacts
from honestly.store import create_study

SHARED = Path(__file__).parents[2].parent / "shared"
TASKS = ("split-bill", "retry-budget", "api-move", "split-bill.impossible")


def imported_terminal_bench(path):
    """The nine submissions to Terminal-Bench, imported from their own directories and audited; returns the path."""
    with create_study(path, StudyFacts(imported_from="terminal-bench")) as store:
        store.add(read_terminal_bench(SHARED / "data" / "terminal-bench"))
    honestly.open(path).audit()
    return path


def audited_demo(path, tasks=TASKS, agents=AGENTS, samples=2):
    """What `honestly demo` runs, with fewer tasks, and what the audit says of it; returns the path."""
    study = honestly.run(honestly.load_suite("embedded", only=list(tasks)), list(agents), samples=samples, out=path)
    study.audit()
    return path
