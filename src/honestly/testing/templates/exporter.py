"""An exporter of outcomes, a line each."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from honestly.formats import Exported

__all__ = ["exporter"]


def exporter(trials: Iterable[Exported], folder: Path) -> Iterator[str]:
    """Gives for each trial why it was left out, or an empty text."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "outcomes.jsonl").open("w", encoding="utf-8") as file:
        for trial, agent, task, _trajectory in trials:
            file.write(json.dumps({"agent": agent.name, "task": task.id, "outcome": trial.outcome}) + "\n")
            yield ""
