"""Directories in Terminal-Bench's layout, written by the tests themselves."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path

from honestly.formats import Imported, read_terminal_bench
from honestly.records import Agent, Defect, Task

DATASET = "terminal-bench-core@0.1.1"


def result(task: str, name: str, resolved: bool | None = True, **changes: object) -> dict[str, object]:
    """One trial as the newer format has it."""
    tests = {True: {"test_a": "passed", "test_b": "passed"}, False: {"test_a": "passed", "test_b": "failed"}}
    return {
        "id": f"uid-{task}-{name}",
        "trial_name": name,
        "task_id": task,
        "instruction": f"Do {task}.",
        "is_resolved": resolved,
        "failure_mode": "unset" if resolved is not None else "parse_error",
        "parser_results": None if resolved is None else tests[resolved],
        "recording_path": f"run/{task}/{name}/sessions/agent.cast",
        "total_input_tokens": 10,
        "total_output_tokens": 5,
        "trial_started_at": "2025-08-25T16:29:38.500000+00:00",
        "trial_ended_at": "2025-08-25T16:31:39.500000+00:00",
        "agent_started_at": "2025-08-25T16:29:40+00:00",
        "agent_ended_at": "2025-08-25T16:31:24+00:00",
        "test_started_at": "2025-08-25T16:31:25+00:00",
        "test_ended_at": "2025-08-25T16:31:29+00:00",
        **changes,
    }


def run_file(results: Iterable[dict[str, object]]) -> dict[str, object]:
    """A run file that agrees with its trials."""
    results = list(results)
    resolved = sum(r.get("is_resolved") is True for r in results)
    return {
        "id": "run",
        "results": results,
        "n_resolved": resolved,
        "n_unresolved": len(results) - resolved,
        "accuracy": resolved / len(results) if results else None,
    }


def write_json(path: Path, data: object) -> None:
    """Write JSON, making the directories above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data))


def write_run(
    folder: Path,
    tasks: Iterable[str] = ("alpha", "beta"),
    *,
    verdict: Callable[[str], bool | None] = lambda task: task != "beta",
    trial_files: bool = True,
    metadata: bool = True,
    **changes: object,
) -> list[dict[str, object]]:
    """One run of one sample per task; returns its trials."""
    results = [result(t, f"{t}.1-of-1.{folder.name}", verdict(t), **changes) for t in tasks]
    write_json(folder / "results.json", run_file(results))
    if trial_files:
        for r in results:
            write_json(folder / str(r["task_id"]) / str(r["trial_name"]) / "results.json", r)
    if metadata:
        write_json(folder / "run_metadata.json", {"agent_name": "a", "model_name": "m", "task_ids": list(tasks)})
    return results


class Read:
    """What an import gives, sorted by kind."""

    def __init__(self, root: Path) -> None:
        self.items = list(read_terminal_bench(root))
        self.agents = [item for item in self.items if isinstance(item, Agent)]
        self.tasks = [item for item in self.items if isinstance(item, Task)]
        self.imported = [item for item in self.items if isinstance(item, Imported)]
        self.trials = [item.trial for item in self.imported]
        self.defects = [item for item in self.items if isinstance(item, Defect)]

    def count(self, kind: str) -> int:
        """How often a kind of defect was met."""
        return sum(defect.count for defect in self.defects if defect.kind == kind)

    @property
    def kinds(self) -> dict[str, int]:
        """All kinds of defects with their counts."""
        return {kind: self.count(kind) for kind in sorted({defect.kind for defect in self.defects})}

    def samples(self, task: str) -> list[tuple[int, str]]:
        """Sample number and outcome of a task's trials."""
        return [(trial.sample, trial.outcome.value) for trial in self.trials if trial.task == task]
