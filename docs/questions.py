"""Writes docs/questions.md: questions that people ask of results in a CSV, each with one command and its answer.

    python docs/questions.py

The results are drawn with a seed. Nothing on the page is written by hand but the questions, and what is above them.
"""

import contextlib
import csv
import io
import os
import random
import sys
import tempfile
from pathlib import Path

PAGE = Path(__file__).parent / "questions.md"
COLUMNS = "100"
QUESTIONS = (
    ("Which is better?", "compare results.csv gpt claude"),
    ("By how much, and how sure is that?", "report results.csv"),
    ("Are two as good as each other?", "compare results.csv claude llama --margin 10"),
    ("How many more tasks do I need?", "stats plan --pilot results.csv --agents claude llama --gap 5"),
    ("Is it good enough?", "gate results.csv -a gpt --at-least 70"),
    ("Is the drop real?", "compare monday.csv sunday.csv"),
    ("Is it worse than last week?", "gate sunday.csv --baseline monday.csv"),
    ("Which category?", "report kinds.csv --by category"),
    ("Did samples stop early?", "report stopped.csv"),
    ("Did it know the old tasks?", "report dated.csv --cutoff 2024-06-01"),
    ("Is the newest a record?", "report results.csv --ladder llama,claude,gpt"),
    ("My table has a column for each agent. Who leads?", "report wide.csv"),
)


def write_tables(folder: Path) -> None:
    """The results that the questions are asked of."""
    rng = random.Random(46)  # noqa: S311
    tasks = [f"t{i:02}" for i in range(60)]
    ease = {task: rng.betavariate(2, 2) for task in tasks}

    def write(name: str, rows: list[dict[str, object]]) -> None:
        with Path(folder, name).open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)

    def tried(agents: dict[str, float], samples: int = 1, **tags: list[str]) -> list[dict[str, object]]:
        return [
            {"agent": agent, "task": task, "sample": k, **{tag: values[i] for tag, values in tags.items()}}
            | {"passed": int(rng.random() < min(1, ease[task] + more))}
            for agent, more in agents.items()
            for i, task in enumerate(tasks)
            for k in range(samples)
        ]

    write("results.csv", tried({"gpt": 0.35, "claude": 0.1, "llama": 0.0}, 3))
    write("monday.csv", tried({"mine": 0.3}, 2))
    write("sunday.csv", tried({"mine": -0.1}, 2))
    write("kinds.csv", tried({"new": 0.3, "old": 0.0}, 3, category=[("web", "db", "ui")[i % 3] for i in range(60)]))
    dates = [f"2024-{1 + i // 6:02}-01" for i in range(60)]
    dated = tried({"new": 0.2, "old": 0.0}, 1, date=dates)
    write(
        "dated.csv",
        [row | {"passed": 0} if row["agent"] == "new" and row["date"] > "2024-06" else row for row in dated],
    )
    stopped, failed = [], set()
    for row in tried({"once-is-enough": 0.0, "all-five": 0.0}, 5):
        cell = row["agent"], row["task"]
        if row["agent"] == "all-five" or cell not in failed:
            stopped.append(row)
        if not row["passed"]:
            failed.add(cell)
    write("stopped.csv", stopped)
    ease_of = {"gpt": 0.4, "claude": 0.0}
    wide = [{a: int(rng.random() < min(1, ease[t] + more)) for a, more in ease_of.items()} for t in tasks]
    write("wide.csv", [{"task": task} | row for task, row in zip(tasks, wide, strict=True)])


def answer(command: str) -> str:
    """What a command prints on standard output, in the working directory."""
    from honestly.cli import main

    sys.argv, printed = ["honestly", *command.split()], io.StringIO()
    with (
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(io.StringIO()),
        contextlib.suppress(SystemExit),
    ):
        main()
    return "\n".join(line.rstrip() for line in printed.getvalue().strip("\n").splitlines())


def answers() -> dict[str, str]:
    """The answer to each question."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        os.environ |= {"COLUMNS": COLUMNS, "NO_COLOR": "1", "XDG_CACHE_HOME": str(Path(folder, "cache"))}
        write_tables(Path())
        return {question: answer(command) for question, command in QUESTIONS}


def page() -> str:
    """The page."""
    parts = [PAGE.read_text("utf-8").partition("\n\n## ")[0]]
    said = answers()
    for question, command in QUESTIONS:
        lines = "\n".join(f"    {line}".rstrip() for line in (f"$ honestly {command}", *said[question].splitlines()))
        parts += [f"## {question}", lines]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
