"""An importer of lines like `AGENT TASK passed` in files `*.txt`."""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from honestly.errors import FormatError
from honestly.formats import Imported
from honestly.records import Agent, Defect, Outcome, Task, Trial, digest

__all__ = ["importer"]


def importer(
    root: Path, progress: Callable[[str, int], None] | None = None
) -> Iterator[Agent | Task | Imported | Defect]:
    """Agents and tasks come before the trials that name them; samples of a cell are numbered from 0."""
    rows = [line.split() for path in sorted(root.glob("*.txt")) for line in path.read_text("utf-8").splitlines()]
    if not rows or any(len(row) != 3 for row in rows):
        raise FormatError(f"{root} contains no results; expected files *.txt with lines like: AGENT TASK passed")
    yield from (Agent(name=name) for name in sorted({row[0] for row in rows}))
    yield from (Task(id=name, instruction="") for name in sorted({row[1] for row in rows}))
    samples: Counter[tuple[str, str]] = Counter()
    for agent, task, said in rows:
        sample = samples[agent, task]
        samples[agent, task] += 1
        outcome = Outcome.PASSED if said == "passed" else Outcome.FAILED
        name = digest(agent, task, sample)
        yield Imported(Trial(id=name, agent=agent, task=task, sample=sample, outcome=outcome), None, {})
        if progress is not None:
            progress(agent, samples.total())
